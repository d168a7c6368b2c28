"""A clip as the numbered pictures that libcamera's virtual camera plays, and these as a clip to be replayed.

    python -m tests.pi.frames DEMO PICTURES REPLAYED

The virtual camera reads all pictures when it is opened and shows each for four frames; every third will do.
"""

import shutil
import sys
from fractions import Fraction
from pathlib import Path

import av
import cv2

from device.footage import open_footage

QUALITY = 95
STEP = 3
TIMES = 4
RATE = 24


def main() -> None:
    demo, pictures, replayed = map(Path, sys.argv[1:])
    for folder in (pictures, replayed):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    shutil.copy(demo / "session.toml", replayed)
    with open_footage(demo / "clip.mp4") as footage, av.open(str(replayed / "clip.mp4"), "w") as out:
        stream = out.add_stream("libx264", rate=RATE, options={"crf": "16", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        count = 0
        for frame in footage:
            if (footage.frames - 1) % STEP:
                continue
            path = pictures / f"{count}.jpg"
            cv2.imwrite(str(path), frame.bgr(), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
            shown = cv2.imread(str(path))
            for n in range(TIMES):
                picture = av.VideoFrame.from_ndarray(shown, format="bgr24")
                picture.pts, picture.time_base = count * TIMES + n, Fraction(1, RATE)
                out.mux(stream.encode(picture))
            count += 1
        out.mux(stream.encode())
    print(f"{count} pictures")


if __name__ == "__main__":
    main()
