"""What every screen inherits. A screen shows a frozen view model and sends commands; it holds no rules.

A screen is built when it is shown and thrown away when it is left, so there is nothing to unsubscribe: the root
calls `refresh` after every change while the screen is up.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kivy.lang import Builder
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.ids import TABLE, Actor
from companion.ui.rest import Fresh
from companion.ui.touch import Press
from companion.ui.widgets import Digits

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["Screen", "load_kv"]

_loaded: set[str] = set()


def load_kv(module_file: str) -> None:
    """Load the kv file beside a module, once in the life of the program."""
    path = str(Path(module_file).with_suffix(".kv"))
    if path not in _loaded:
        _loaded.add(path)
        Builder.load_file(path)


class Screen(BoxLayout):
    """Base of all screens.

    Override `refresh` (always), and where needed `enter`, `tick`, `main_act` and `on_key`. Set `main_text` to what the
    big button at the bottom right says; the frame shows it, the space bar presses it too.
    """

    key = ""
    is_framed = True
    """Whether the frame (rail, top bar, bottom bar) is around the screen."""
    has_strip = False
    """Whether the strip of the stage stands above the screen."""
    moving: tuple[Digits, ...] = ()
    """The digits that `tick` changes: they are drawn over the still rest of the screen, which costs next to nothing."""

    vm = ObjectProperty(None, allownone=True, rebind=True, comparator=eq)
    main_text = StringProperty("")
    main_icon = StringProperty("")
    main_enabled = BooleanProperty(True)
    why_not = StringProperty("")
    """Why the big button is dead; it says this instead of what it does."""
    second_text = StringProperty("")
    second_icon = StringProperty("")
    second_enabled = BooleanProperty(True)

    def __init__(self, root: Root, **kwargs: object) -> None:
        self.root = root
        self.fresh = Fresh()
        """Since when each of its controls can be meant; the root tells it of frames."""
        super().__init__(**kwargs)

    def enter(self, **args: Any) -> None:
        """Take what `Root.go` was given; called once, before the first `refresh`."""

    def notice_room(self) -> tuple[float, float, float] | None:
        """Return where a notice lies: left, top and width in pixels; None for the head of the window, over everything."""
        return None

    def refresh(self, change: Change | None) -> None:
        """Show the newest change: ask the presenter and set `vm`."""
        raise NotImplementedError

    def help_lines(self) -> tuple[tuple[str, str], ...]:
        """Return lines that belong to this game and screen alone, in the table's language; help shows them first."""
        return ()

    def side_actions(self) -> tuple[tuple[str, str, Callable[[], None]], ...]:
        """Return what stands where undo does while no game is open: text, icon, act."""
        return ()

    def tick(self, now_ms: int) -> int | None:
        """Show running time; return after how many milliseconds to be called again, None for not at all."""

    def main_act(self, touch: Press | None) -> None:  # noqa: ARG002
        """Do what the main button says; back to the table unless the screen knows better."""
        self.root.go("table" if self.root.desk.change is not None else "home")

    def second_act(self, touch: Press | None) -> None:
        """Do what the button beside the main one says, where there is one."""

    def on_key(self, name: str, event: Press) -> bool:  # noqa: ARG002
        """Handle a key that the root has no use for (``left``, ``digit3``); True when it was used."""
        return False

    def leave(self) -> None:
        """Clean up before the screen goes."""

    def send(self, command: Command, *, actor: Actor = TABLE, source: str = "") -> None:
        """Hand a command to the desk; an empty source is the finger or key that acts now."""
        self.root.send(command, actor=actor, source=source)

    def stamp_ms(self, touch: Press | None) -> int:
        """Return the press stamp of a touch or key in the game's time."""
        return self.root.press.stamp_ms(touch)
