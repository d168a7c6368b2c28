"""Stock picamera2 on libcamera's virtual camera: everything a test's conftest must stand in for.
Call install() before the product imports picamera2."""

import os
import queue
import sys
import threading
import time
import types
from pathlib import Path


class _Any(type):
    def __getattr__(cls, name):
        return name


def install(fps=None):
    # 1. pykms/kms is not packaged for x86 Debian or PyPI; picamera2 imports it for DrmPreview.
    kms = types.ModuleType("pykms")
    kms.PixelFormat = _Any("PixelFormat", (), {})
    sys.modules.setdefault("pykms", kms)
    import libcamera
    import picamera2.allocators.dmaallocator as da
    from picamera2 import Picamera2

    # 2. The virtual handler answers None to the Raw role; a USB camera answers its ordinary modes.
    def _get_raw_modes(self):
        fm = self.camera.generate_configuration([libcamera.StreamRole.VideoRecording]).at(0).formats
        return [{"format": str(p), "size": (s.width, s.height)} for p in fm.pixel_formats for s in fm.sizes(p)]

    Picamera2._get_raw_modes = _get_raw_modes

    # 3. picamera2 describes a frame buffer as one plane; the virtual handler writes NV12 as two planes.
    def FrameBuffer(planes):  # noqa: N802 - picamera2 calls it so
        (y,) = planes
        uv, whole = libcamera.FrameBuffer.Plane(), y.length
        y.length = whole * 2 // 3
        uv.fd, uv.offset, uv.length = y.fd, y.length, whole - y.length
        return libcamera.FrameBuffer([y, uv])

    FrameBuffer.Plane = libcamera.FrameBuffer.Plane
    da.libcamera = types.SimpleNamespace(FrameBuffer=FrameBuffer)

    # 4. picamera2 takes frame memory from the Pi's dma-heaps; a PC kernel has "system" or none at all.
    import picamera2.dma_heap

    if Path("/dev/dma_heap/system").exists():
        picamera2.dma_heap.heapNames.append("/dev/dma_heap/system")
    else:
        from picamera2.dma_heap import UniqueFD

        class DmaHeap:
            def alloc(self, name, size):
                fd = os.memfd_create(name)
                os.ftruncate(fd, size)
                return UniqueFD(fd)

            def close(self):
                pass

        da.DmaHeap = DmaHeap
        da.fcntl = types.SimpleNamespace(ioctl=lambda fd, req, arg: 0)  # DMA_BUF_IOCTL_SYNC

    # 5. libcamera 0.4 only (Debian trixie): the virtual handler leaves the buffer's status unset.
    if libcamera.CameraManager.singleton().version.startswith("v0.4"):
        ok = types.SimpleNamespace(status=libcamera.FrameMetadata.Status.Success)
        libcamera.FrameBuffer.metadata = property(lambda self: ok)

    # 6. The virtual handler does not pace frames (over 1000 fps): queue requests at the asked rate.
    if fps:
        real_q, real_stop = libcamera.Camera.queue_request, libcamera.Camera.stop
        waiting, lock = queue.SimpleQueue(), threading.Lock()

        def feeder():
            due = time.monotonic()
            while True:
                cam, req, gen = waiting.get()
                now = time.monotonic()
                due = max(due + 1 / fps, now)
                time.sleep(max(0, due - now))
                with lock:
                    if gen == state["gen"]:
                        real_q(cam, req)

        state = {"gen": 0}

        def queue_request(cam, req):
            waiting.put((cam, req, state["gen"]))

        def stop(cam):
            with lock:
                state["gen"] += 1
                return real_stop(cam)

        libcamera.Camera.queue_request, libcamera.Camera.stop = queue_request, stop
        threading.Thread(target=feeder, daemon=True, name="virtual-camera-pacer").start()
