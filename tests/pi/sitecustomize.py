"""Loaded by every Python of the service under test: picamera2 as libcamera's virtual camera needs it. Tests only."""

import os

if os.environ.get("KIBITZ_VIRTUAL_CAMERA"):
    import virtual_camera

    virtual_camera.install(fps=float(os.environ["KIBITZ_VIRTUAL_CAMERA"]))
