"""What the parts of the window's root share: they are one object, written down in pieces that can be read alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.uix.floatlayout import FloatLayout

from companion.pages.desk import Desk
from companion.pages.draft import Drafts
from companion.pages.settings import Settings
from companion.ui.dialogs import Dialog
from companion.ui.frame import Frame
from companion.ui.inputs import KeyGate, PressClock
from companion.ui.missed import Missed
from companion.ui.rest import Contacts, Fresh, MainRest, Rest, WakeGesture
from companion.ui.sound import Sounds
from companion.ui.still import Still
from companion.ui.toast import Toast
from companion.ui.warm import Tidy, WarmUp
from companion.ui.work import Work

__all__ = ["RootPart"]


class RootPart(FloatLayout):
    """The attributes that more than one part uses; `Root` sets them."""

    desk: Desk
    settings: Settings
    screen: Any
    frame: Frame | None
    still: Still
    sounds: Sounds
    press: PressClock
    keys: KeyGate
    drafts: Drafts
    dialogs: list[Dialog]
    toast: Toast | None
    tour: Any
    work: Work
    now_ns: Callable[[], int]
    wall_ms: Callable[[], int]
    sticks: Callable[[], list[Path]]
    is_stick_unread: Callable[[], bool]
    on_report: Callable[[Path, str], None]
    _frame_over: Callable[[], object]
    """Says in the next frame that the presses of this one are dealt with."""
    _waking: WakeGesture
    _main_rest: MainRest
    _settling: Rest
    _bars: Fresh
    _undone: tuple[str | None, int]
    """What the undo button takes back: its words and the entry."""
    _contacts: Contacts
    _missed: Missed
    _tidy: Tidy
    warm: WarmUp
