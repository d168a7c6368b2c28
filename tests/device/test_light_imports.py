"""What live play loads: every package takes memory of an appliance, whether it is used or not."""

from __future__ import annotations

import subprocess
import sys


def test_live_play_does_not_load_what_it_does_not_need() -> None:
    """scipy takes 47 MB, and lives on for calibrating; the networks that see dice come with the first die."""
    code = "import sys, device.playing, device.service; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "vision.seer" in loaded
    assert not {"scipy", "onnxruntime", "fpdf", "paho", "picamera2"} & set(loaded)
