"""From a photo of dice to readings, in small pure steps; knows no rules and no game.

``read(image, Request(...)) -> Readings`` is the one way in; ``vision.live`` watches a camera; ``vision.command`` is the
command line. See vision/README.md. OpenCV, which takes a second to load, is loaded by whoever needs it.
"""

from __future__ import annotations

__all__ = ["COLOURS", "KINDS", "Flag", "Reading", "Readings", "Request", "load_photo", "read"]

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vision.types import COLOURS, KINDS, Flag, Reading, Readings, Request

if TYPE_CHECKING:
    from vision.load import load_photo
    from vision.reader import read


def __getattr__(name: str) -> Any:
    """Load what needs OpenCV when it is asked for."""
    if name in ("load_photo", "read"):
        return getattr(import_module("vision.load" if name == "load_photo" else "vision.reader"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
