"""What a watched dice tray looks like now, in one picture and one short line."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from companion.pages.i18n import _

__all__ = ["FOLDER", "LiveState", "LiveView", "live_line"]

FOLDER = "folder"
"""Key of the folder that photos arrive in, as a source that is watched."""

LiveState: TypeAlias = Literal[
    "closing", "opening", "waiting", "moving", "spinning", "still", "reading", "read"
]
"""What goes on: the last look lets go of the camera, it is opened, no dice yet, they roll, they roll for long, they lie
still, they are read, or what lies there was read already."""


class LiveView(msgspec.Struct, frozen=True):
    """What is to be seen of a watched tray."""

    state: LiveState
    width_px: int = 0
    height_px: int = 0
    rgb: bytes = b""
    """Rows from the top, three bytes a pixel; empty: the last picture still stands."""
    advice: tuple[str, ...] = ()
    """What to do about light and focus."""
    problem: str = ""
    """One line about a camera that fails, or about a photo that is none."""


def live_line(state: LiveState, *, is_camera: bool) -> str:
    """Return the short line of a state; `is_camera` says that there is a tray, not a folder."""
    if not is_camera and state == "waiting":
        return _("Waiting for a new photo in the folder")
    return {
        "closing": _("The camera is still closing"),
        "opening": _("Getting ready"),
        "waiting": _("Waiting for the dice"),
        "moving": _("The dice are moving"),
        "spinning": _("Something is still moving. Stop a spinning die, or read the dice as they are."),
        "still": _("The dice have settled"),
        "reading": _("Reading the dice"),
        "read": _("These dice have been read. Roll again, or read them again."),
    }[state]
