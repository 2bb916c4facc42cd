"""Updating and going back from the screen: wait in sight, say how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kivy.clock import Clock

from companion.core.text import Say, Typed
from companion.pages.desk import Notice
from companion.pages.i18n import _
from companion.pages.system import Wish
from companion.ui.dialogs import Act, Dialog
from companion.ui.touch import Press

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["ASK_S", "Waiting", "wish"]

ASK_S = 1.0
"""How often the box is asked how far it is."""


def wish(root: Root, what: Wish) -> None:
    """Hand a wish to the box and wait in sight for its answer; running games are saved as they stand."""
    if root.system is None or not root.system.ask(what):
        root.notify(Notice("error", Say("The box is not responding; restart it and try again.")))
        return
    root.ask(Waiting())


class Waiting(Dialog):
    """Stays until the box has answered; a successful change ends the program before that."""

    is_closable = False

    def __init__(self) -> None:
        super().__init__(
            _("Please wait"), _("Checking, building and testing the package. Leave the stick plugged in.")
        )
        self.card_height = 240
        self._event = Clock.schedule_interval(self.look, ASK_S)

    def buttons(self) -> tuple[tuple[str, str, Act | None], ...]:
        """Nothing to press: it cannot be stopped halfway."""
        return ()

    def look(self, *_args: object) -> None:
        """See whether there is an answer."""
        if self.root is None or self.root.system is None:
            return
        answer = self.root.system.answer()
        if answer is not None:
            self.close()
            self.root.notify(Notice("info" if answer[0] else "error", Typed(answer[1])))

    def close(self) -> None:
        """Stop asking and go."""
        self._event.cancel()
        super().close()

    def on_key(self, name: str, event: Press) -> None:
        """No key ends it."""
