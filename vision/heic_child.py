"""Unpacks one HEIC photo in a process of its own: bytes in on standard input, size and pixels out on standard output.

Run as a script, by `vision.heic` alone; it imports nothing of the package. What libheif does with a damaged file, it does here.
"""

from __future__ import annotations

import io
import resource
import sys

DAMAGED, TOO_LARGE, NO_LIBRARY = 3, 4, 5
"""Exit statuses; any other but 0 means that the process was ended."""
_MOST_MEMORY = 1 << 30
_MOST_CPU_S = 60


def main(most_pixels: int) -> int:
    """Write a line of width and height, then the rows of RGB bytes.

    A photo of over `most_pixels` is halved, one of over twice as many refused.
    """
    for kind, most in ((resource.RLIMIT_AS, _MOST_MEMORY), (resource.RLIMIT_CPU, _MOST_CPU_S)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        import pillow_heif
    except ImportError:
        return NO_LIBRARY
    pillow_heif.options.DECODE_THREADS = 1
    try:
        found = pillow_heif.open_heif(io.BytesIO(sys.stdin.buffer.read()), convert_hdr_to_8bit=True)
        width, height = found.size
        if width * height > 2 * most_pixels:
            sys.stdout.buffer.write(b"%d %d\n" % (width, height))
            return TOO_LARGE
        picture = found.to_pillow().convert("RGB")
    except Exception:
        return DAMAGED
    if width * height > most_pixels:
        picture = picture.reduce(2)
    sys.stdout.buffer.write(b"%d %d\n" % picture.size)
    sys.stdout.buffer.write(picture.tobytes())
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
