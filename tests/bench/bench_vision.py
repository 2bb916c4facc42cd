"""Processor time and memory of a reading, one thread: ``python tests/bench/bench_vision.py``.

Processor time, not wall time, so that a busy machine does not count; on an idle one both are the same.

Photos are made here by the renderer with OpenCV's stroke fonts, so that the figures need nothing else.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import cv2
import numpy as np

_LOAD = """
import time, cv2
cv2.setNumThreads(1)
from vision.models import load_models
a = time.process_time(); load_models(); print((time.process_time() - a) * 1000)
"""
_MEMORY = """
import sys, cv2
def peak():
    return int(next(s for s in open("/proc/self/status") if s.startswith("VmHWM")).split()[1])
cv2.setNumThreads(1)
import vision
from vision.load import load_photo
base = peak()
vision.read(load_photo(sys.argv[1]))
print(base / 1024, peak() / 1024)
"""


def _photo(size: tuple[int, int], radius: float) -> np.ndarray:
    from vision.training.glyphs import FontBook
    from vision.training.looks import Studio, make_set
    from vision.training.scene import render_scene

    studio = Studio(5, surfaces_count=4, book=FontBook.strokes())
    rng = np.random.default_rng(4)
    sets = [make_set(rng, studio, "d12", c, i) for i, c in enumerate(("white", "gray", "black"))]
    best = None
    for seed in range(12):
        deal = [(sets[i % 3], int(rng.integers(1, 13))) for i in range(24)]
        scene = render_scene((5, seed), studio, (1296, 972), deal=deal, die_px=radius)
        if best is None or len(scene.dice) > len(best.dice):
            best = scene
    assert best is not None
    return cv2.resize(best.image, size, interpolation=cv2.INTER_CUBIC)


def main() -> None:
    """Print the table."""
    import tempfile
    from pathlib import Path

    import vision
    from vision.load import decode_photo
    from vision.models import load_models

    cv2.setNumThreads(1)
    loads = [
        float(
            subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, text=True, check=True).stdout
        )
        for _ in range(5)
    ]
    print(f"{'what':44s}{'median':>10s}{'worst':>10s}{'budget':>10s}")
    print(f"{'model load':44s}{statistics.median(loads):8.0f} ms{max(loads):7.0f} ms{150:7.0f} ms")
    models = load_models()
    for size, budget in (((1296, 972), 150), ((4056, 3040), 500)):
        image = _photo(size, 55)
        ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 88])
        assert ok
        found = len(vision.read(image, models=models).dice)
        read, whole = [], []
        for _ in range(9):
            a = time.process_time()
            photo = decode_photo(data.tobytes())
            b = time.process_time()
            vision.read(photo, models=models)
            c = time.process_time()
            read.append((c - b) * 1000)
            whole.append((c - a) * 1000)
        name = f"{size[0]} x {size[1]}, {found} dice found"
        print(f"{name + ', read':44s}{statistics.median(read):8.0f} ms{max(read):7.0f} ms{budget:7.0f} ms")
        print(f"{name + ', unpack and read':44s}{statistics.median(whole):8.0f} ms{max(whole):7.0f} ms")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "photo.jpg"
            path.write_bytes(data.tobytes())
            out = subprocess.run(
                [sys.executable, "-c", _MEMORY, str(path)], capture_output=True, text=True, check=True
            ).stdout
            base, peak = (float(v) for v in out.split())
        print(
            f"{name + ', peak memory':44s}{peak:8.0f} MB{'':10s}{250:7.0f} MB  (imports alone {base:.0f} MB)"
        )


if __name__ == "__main__":
    main()
