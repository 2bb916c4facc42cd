"""The panel that is not there: the on-screen buttons are used alone, and one line says why."""

from __future__ import annotations

from companion.core.text import Say
from hardware.ports import (
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    Listener,
    PanelState,
    PanelStatus,
)

__all__ = ["NullPanel"]


class NullPanel:
    """Takes every command, reports nothing, and says in one line why there is no hardware."""

    def __init__(self, reason: Say) -> None:
        self._reason = reason

    def __repr__(self) -> str:
        return f"NullPanel({self._reason!r})"

    def start(self, listener: Listener) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def set_lamp(self, lamp: Lamp, pattern: LampPattern) -> None:
        """Do nothing."""

    def set_display(self, display: Display, text: DisplayText) -> None:
        """Do nothing."""

    def buzz(self, pattern: BuzzerPattern) -> None:
        """Do nothing."""

    def set_tray_light(self, level: float) -> None:
        """Do nothing; whether the level is 0.0 to 1.0 is not checked."""

    def status(self) -> PanelStatus:
        """Absent, with the reason."""
        return PanelStatus("none", PanelState.ABSENT, self._reason)
