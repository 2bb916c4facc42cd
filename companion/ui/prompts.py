"""Dialogs that the game itself puts up: a fallen flag, and unmeasured time after a power cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kivy.properties import ListProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core import commands as cm
from companion.core.ids import ARBITER, TABLE
from companion.pages import prompts
from companion.pages.i18n import _
from companion.ui.arbiter import as_arbiter, open_arbiter
from companion.ui.dialogs import Act, Dialog
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import Pages, Plate, Text, TickLine

__all__ = ["FlagDialog", "GapDialog", "prompt_dialog"]


class FlagDialog(Dialog):
    """A fallen flag: its losses are ticked off, then the other side goes on."""

    is_closable = False
    ticked = ListProperty([])

    def __init__(self, prompt: prompts.FlagPrompt) -> None:
        super().__init__(prompt.title, prompt.text)
        self.card_width, self.card_height = 640, 440
        self._prompt = prompt
        self._pages: Any = None

    def shows(self, prompt: prompts.FlagPrompt | prompts.GapPrompt) -> bool:
        """Say whether this dialog is the one for a prompt."""
        return isinstance(prompt, prompts.FlagPrompt) and prompt.mark == self._prompt.mark

    def show(self, prompt: prompts.FlagPrompt) -> None:
        """Take the newest form of the prompt."""
        if prompt != self._prompt:
            self._prompt = prompt
            self.build()

    def content(self) -> Widget:
        """The losses as a tick list."""
        self._pages = Pages(row_px=theme.px(54))
        self._pages.make = self._row
        self._pages.items = list(self._prompt.losses)
        return self._pages

    def _row(self, loss: tuple[str, str]) -> Widget:
        line = TickLine(key=loss[0], text=loss[1], is_done=loss[0] in self.ticked)
        line.bind(on_act=lambda widget, _touch: self._tick(widget))
        return line

    def _tick(self, line: Widget) -> None:
        line.is_done = not line.is_done
        if line.is_done:
            self.ticked.append(line.key)
        else:
            self.ticked.remove(line.key)
        self.build()

    @property
    def is_complete(self) -> bool:
        """Whether every loss is ticked."""
        return all(key in self.ticked for key, _text in self._prompt.losses)

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """The arbiter's way in, and on."""
        left = len([k for k, _t in self._prompt.losses if k not in self.ticked])
        text = _("Done, continue") if not left else _("{n} left to tick off").format(n=left)
        return ((_("Arbiter"), "quiet", self._arbiter), (text, "main" if not left else "soft", self._go_on))

    def _press(self, act: Act | None, touch: Press | None) -> None:
        # It stays until the state says that it is answered.
        if act is not None:
            act(touch)

    def _arbiter(self, _touch: Press | None) -> None:
        if self.root is not None:
            open_arbiter(self.root)

    def _go_on(self, touch: Press | None) -> None:
        root = self.root
        if root is None or not self.is_complete or root.desk.change is None:
            return
        state = root.desk.change.state
        at_ms = root.press.stamp_ms(touch)
        if state.clocks.is_paused:
            root.send(cm.Resume(at_ms=at_ms))
        root.send(prompts.flag_command(state, tuple(self.ticked), at_ms))


class GapDialog(Dialog):
    """Unmeasured time after a power cut: charge it to nobody, or, by the arbiter, to a side."""

    is_closable = False

    def __init__(self, prompt: prompts.GapPrompt) -> None:
        super().__init__(prompt.title, prompt.text)
        self.card_height = 316 if prompt.sides else 240
        self._prompt = prompt

    def shows(self, prompt: prompts.FlagPrompt | prompts.GapPrompt) -> bool:
        """Say whether this dialog is the one for a prompt."""
        return isinstance(prompt, prompts.GapPrompt) and prompt == self._prompt

    def show(self, prompt: prompts.GapPrompt) -> None:
        """The prompt is the same: nothing to do."""

    def content(self) -> Widget:
        """Whom to charge instead."""
        if not self._prompt.sides:
            return None
        box = BoxLayout(orientation="vertical", spacing=theme.px(8))
        note = (
            _("Or charge it to a side (arbiter):")
            if self._prompt.needs_arbiter
            else _("Or charge it to a side:")
        )
        box.add_widget(Text(text=note, tone="muted", size_hint_y=None, height=theme.px(26)))
        row = BoxLayout(spacing=theme.px(8), size_hint_y=None, height=theme.px(56))
        for side in self._prompt.sides:
            plate = Plate(text=side.name, kind="quiet", icon=side.emblem, tone=side.tone, acts_on="release")
            plate.bind(on_act=lambda _w, touch, side=side: self._charge(side.id, touch))
            row.add_widget(plate)
        box.add_widget(row)
        return box

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Nobody is charged."""
        return ((self._prompt.done_text, "main", lambda touch: self._charge(None, touch)),)

    def _press(self, act: Act | None, touch: Press | None) -> None:
        if act is not None:
            act(touch)

    def _charge(self, side: str | None, touch: Press | None) -> None:
        root = self.root
        if root is None:
            return
        command = prompts.gap_command(side, self._prompt.gap_ms, root.press.stamp_ms(touch))
        if side is None or not self._prompt.needs_arbiter:
            root.send(command, actor=TABLE)
            return
        as_arbiter(root, lambda: root.send(command, actor=ARBITER))


def prompt_dialog(prompt: prompts.FlagPrompt | prompts.GapPrompt) -> FlagDialog | GapDialog:
    """Return the dialog for what the game asks."""
    return FlagDialog(prompt) if isinstance(prompt, prompts.FlagPrompt) else GapDialog(prompt)
