"""Commands that leave the window, and what their answers show."""

from __future__ import annotations

from collections.abc import Callable

from companion.core import commands as cm
from companion.core.change import Change, Envelope
from companion.core.commands import Command
from companion.core.events import GameEnded, StepEntered
from companion.core.ids import TABLE, Actor
from companion.core.rules import Code, Rejected
from companion.core.state import GameState
from companion.core.text import Typed
from companion.pages.desk import Notice
from companion.pages.i18n import _
from companion.pages.labels import refusal
from companion.pages.modules import game_view
from companion.pages.needs import anyway, ask_again
from companion.pages.page import TABLE_VIEWER, Ask
from companion.pages.speak import speak
from companion.pages.take_back import stays
from companion.ui.dialogs import Choose, Confirm, Dialog
from companion.ui.root_part import RootPart
from companion.ui.touch import Press

__all__ = ["Answers"]

_SILENT = {Code.STALE_STEP, Code.NOT_PAUSED}
"""Refusals that need no words: a bounce or a second finger; nothing was meant and nothing was lost."""
_NOT_STORED = "not_stored"
"""The code of a refusal by the disk."""


class Answers(RootPart):
    """Sends commands; shows changes and refusals."""

    _once: tuple[Command, Callable[[], None]] | None = None
    _again: tuple[Command, Callable[[], None]] | None = None
    """What follows a command that was refused for want of a value, should it be sent again."""
    _told_why: tuple[Dialog, ...] = ()
    """What the newest refusal asked; while it stands, a further refusal adds no question to it."""
    _led_to = ""
    _was: GameState | None = None
    """The state before the newest change."""

    def send(self, command: Command, *, actor: Actor = TABLE, source: str = "") -> None:
        """Hand a command to the desk; the answer comes as a change. An empty source is the hand that acts now."""
        if self._again is not None and self._again[0] == command:
            self._once, self._again = self._again, None
        source = source or self._hand
        lost = self._half_entered(command) if isinstance(command, cm.EndAct) else None
        if lost is None:
            self.desk.send(command, actor=actor, source=source)
            return
        self.ask(
            Confirm(
                _("End this step anyway?"),
                lost,
                _("End the step"),
                lambda _touch: self.desk.send(command, actor=actor, source=source),
            )
        )

    def _half_entered(self, command: cm.EndAct) -> str | None:
        """Return what is entered on a screen and would be left out by the end of an act; None: nothing, or it was asked."""
        change = self.desk.change
        if change is None or change.state.setup is None or command.confirmed:
            return None
        view, state = game_view(change.state.setup.game), change.state
        drafts = self.drafts.of_step(TABLE_VIEWER, command.step)
        found = next((lost for draft in drafts if (lost := view.half_entered(state, draft))), None)
        return None if found is None else speak(found, state)

    def once_taken(self, command: Command, act: Callable[[], None]) -> None:
        """Do something once a command that is about to be sent is taken; never where it is refused."""
        self._once = (command, act)

    def _changed(self, change: Change) -> None:
        if self._main_rest.changed(change, self.settings.rest_ms):
            self.wait_for_frame()
        self._wake()  # whatever arrives lights the screen, also what is refused
        if (
            self._once is not None
            and change.envelope is not None
            and change.envelope.command == self._once[0]
        ):
            once, self._once = self._once, None
            if change.rejected is None:
                once[1]()
            elif change.rejected.needs:
                self._again = once
        if change.rejected is not None:
            self._refused(change)
        elif change.envelope is not None and isinstance(change.envelope.command, cm.EndAct):
            self.sounds.play("press")
        elif reason := stays(change):
            self.notify(Notice("info", Typed(reason)))
        was, self._was = self._was, change.state
        if self._wants_table:
            self._show_table()
        elif not self._lead(change, was):
            self.refresh()
        self._tidy.left()

    def _lead_from(self, change: Change) -> None:
        """Show the table of a game that is opened, or the screen of its first act, where it has one for that."""
        state = change.state
        self.warm.want(state.frozen_setup.game)
        is_first = state.setup is not None and state.index == 0 and state.ending is None
        self._led_to, self._was = (
            game_view(state.frozen_setup.game).screen_for(state) if is_first else "",
            state,
        )
        self.go(self._led_to or "table")

    def _lead(self, change: Change, was: GameState | None) -> bool:
        """Show the screen that a newly entered act leads to, or one that was gone back to, and the table after the last."""
        moved = any(isinstance(event, StepEntered) for entry in change.entries for event in entry.events)
        is_over = any(isinstance(event, GameEnded) for entry in change.entries for event in entry.events)
        setup = change.state.setup
        if self.screen is None or setup is None:
            return False
        is_back = (
            was is not None
            and was.setup is setup
            and change.envelope is not None
            and isinstance(change.envelope.command, cm.Undo)
            and was.index != change.state.index
        )
        if not (moved or is_over or is_back):
            return False
        view = game_view(setup.game)
        wanted, here = view.screen_for(change.state), self.screen.key
        came_by_itself = here == self._led_to or (
            is_back and was is not None and here == view.screen_for(was)
        )
        self._led_to = wanted
        target = wanted or ("table" if came_by_itself and here != "table" else "")
        if not target or target == here or not (here == "table" or came_by_itself):
            return False
        self.go(target)
        return True

    def _refused(self, change: Change) -> None:
        rejected, envelope = change.rejected, change.envelope
        if rejected is None or rejected.code in _SILENT:
            return
        if any(dialog in self.dialogs for dialog in self._told_why):
            return  # the panel's button again under the question of its first press
        before = tuple(self.dialogs)
        self._tell_why(change, rejected, envelope)
        self._told_why = tuple(dialog for dialog in self.dialogs if dialog not in before)

    def _tell_why(self, change: Change, rejected: Rejected, envelope: Envelope | None) -> None:
        command = envelope.command if envelope is not None else None
        is_theirs = envelope is not None and envelope.source == "phone" and not isinstance(command, cm.EndAct)
        if is_theirs and rejected.code != _NOT_STORED:
            return  # told on that phone alone: why may name what only its owner knows
        if rejected.code == Code.CONFIRM_UNDO and isinstance(command, cm.Undo):
            # Back to an earlier entry it takes more than the last act, which alone has a name here.
            what = self.undo_words(change) if command.to_seq is None else ""
            self._confirm_again(command, change, _("Undo this?"), _("Undo it"), what)
        elif envelope is not None and (
            ask := ask_again(change.state, rejected, envelope.command, envelope.actor)
        ):
            self._ask_needed(change, ask)
        elif (overruled := anyway(rejected, command)) is not None:
            title, yes = (speak(words, change.state) for words in overruled)
            self._confirm_again(command, change, title, yes)
        else:
            self.notify(Notice("warning", Typed(refusal(rejected, change.state))))
        if rejected.code == _NOT_STORED:
            self._ask_place()

    def _ask_place(self) -> None:
        """Ask, where there is another place, whether the open game is to be kept there: its own takes nothing more."""
        move = getattr(self.desk, "move_game", None)
        places = [(stick, stick.name) for stick in self.sticks()]
        if move is None or not places or self.dialogs:
            return
        self.ask(
            Choose(
                _("Save the game on a USB stick?"),
                places,
                move,
                _("Its own place takes nothing more. The whole game is written to the stick and kept there."),
            )
        )

    def _ask_needed(self, change: Change, ask: Ask) -> None:
        """Ask for the value that a refused command needs, and do what its answer says."""
        from companion.ui.render.forms import Asking, carry_out
        from companion.ui.render.pen import Pen

        pen = Pen(lambda _act, _touch: None, lambda why: self.notify(Notice("info", Typed(pen.title(why)))))
        pen.use(change.state)
        Asking(self, pen, ask, lambda act, touch: carry_out(self, pen, act, touch))

    def _confirm_again(
        self, command: Command | None, change: Change, title: str, yes: str, what: str = ""
    ) -> None:
        """Ask, naming what it is about, and send the refused command again as confirmed, stamped as its first press."""
        import msgspec

        envelope, rejected = change.envelope, change.rejected
        if command is None or envelope is None or rejected is None:
            return
        confirmed = msgspec.structs.replace(command, confirmed=True)

        def go_on(_touch: Press | None) -> None:
            self.send(confirmed, actor=envelope.actor, source=envelope.source)

        why = refusal(rejected, change.state)
        self.ask(Confirm(title, f"{what}\n{why}" if what else why, yes, go_on))
