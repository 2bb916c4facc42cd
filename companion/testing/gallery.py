"""The gallery: ``python -m companion.testing.gallery FOLDER`` makes pictures of all scenes, sizes and themes.

Options narrow it: ``--scene table``, ``--size 800x480``, ``--look night``, ``--language de``, ``--text 2``. Prints the
faults that it measured, and exits with 1 when there are any.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Make the pictures and return the exit code."""
    parser = argparse.ArgumentParser(prog="gallery", description="Pictures of all screens, sizes and themes.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scene", action="append")
    parser.add_argument("--size", action="append")
    parser.add_argument("--look", action="append")
    parser.add_argument("--language", action="append")
    parser.add_argument("--text", type=int, action="append")
    args = parser.parse_args(argv)

    from companion.testing import harness, scenes
    from companion.ui.theme import PALETTES

    sizes = [tuple(map(int, s.split("x"))) for s in args.size] if args.size else list(harness.SIZES)
    faults = 0
    count = 0
    for key in args.scene or scenes.SCENES:
        for size in sizes:
            for look in args.look or PALETTES:
                for language in args.language or ["en"]:
                    for text in args.text or [0]:
                        laid = scenes.open_scene(
                            key, size=(size[0], size[1]), look=look, language=language, text_step=text
                        )
                        name = f"{key}-{size[0]}x{size[1]}-{look}-{language}-{text}.png"
                        laid.save(args.folder / name)
                        count += 1
                        for fault in laid.faults():
                            faults += 1
                            print(f"{name}: {fault.kind}: {fault.what!r}: {fault.detail}")
    print(f"{count} pictures in {args.folder}, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
