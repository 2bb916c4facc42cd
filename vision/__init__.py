"""From a photo of dice to readings, in small pure steps; knows no rules and no game.

``read(image, Request(...)) -> Readings`` is the one way in; ``vision.live`` watches a camera; ``vision.command`` is the
command line. See vision/README.md.
"""

from __future__ import annotations

__all__ = ["COLOURS", "KINDS", "Flag", "Reading", "Readings", "Request", "load_photo", "read"]

from vision.load import load_photo
from vision.reader import read
from vision.types import COLOURS, KINDS, Flag, Reading, Readings, Request
