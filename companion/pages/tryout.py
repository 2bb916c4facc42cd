"""Show a game once in every way there is, unseen: what a file from elsewhere leads to must not break a screen later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from companion.core.change import Change
from companion.core.history import Entry, Timeline
from companion.core.ids import Millis
from companion.core.rules import GameRules
from companion.core.secrecy import Eyes
from companion.core.text import Count, Duration, Name, Range, Say, Several, Share, Signed, Typed
from companion.pages.clocks import clocks_view
from companion.pages.desk import Desk, SavedGame, ScenarioInfo
from companion.pages.frame import frame
from companion.pages.i18n import current
from companion.pages.modules import modules
from companion.pages.page import TABLE_VIEWER, Sight
from companion.pages.panel import panel_view
from companion.pages.prompts import prompt_for
from companion.pages.report import report_html
from companion.pages.screens import SHARED
from companion.pages.speak import Voice
from companion.pages.table import table_view
from companion.pages.take_back import undo_label
from companion.pages.watch import warning_at

__all__ = ["show_once"]

_WORDS = (Count, Duration, Name, Range, Say, Several, Share, Signed, Typed)


def show_once(change: Change, timeline: Timeline) -> None:
    """Make every screen, the frame, the prompts, the panel and the report of a game, and say every word of them.

    Whatever that raises is the caller's to name: the game cannot be shown. Slow work that a page has done beside is left out.
    """
    state, rules = change.state, timeline.rules
    entries, now_ms = tuple(timeline.entries), timeline.entries[-1].at_ms
    game, wall_ms = state.frozen_setup.game, timeline.entries[-1].wall_ms
    module = modules().get(game)
    desk = cast(Desk, _Desk(change, timeline, now_ms))
    sight = Sight(TABLE_VIEWER, change, rules, None, desk, wall_ms, later=lambda _key, _make: None)
    voice = Voice(current(), game, state)
    for entry in (*(module.screens if module is not None else ()), *SHARED):
        if entry.needs_game:
            _say_all(entry.make()(sight).page, voice)
    table_view(change, rules, now_ms)
    clocks_view(change, now_ms)
    frame(change, rules, undo_label(change, entries))
    prompt_for(change, rules)
    panel_view(state, now_ms)
    warning_at(state, now_ms)
    report_html(change, entries, timeline.counts, wall_ms)


def _say_all(value: object, voice: Voice) -> None:
    if isinstance(value, _WORDS):
        voice.say(value)
    elif isinstance(value, tuple | list):
        for one in value:
            _say_all(one, voice)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            _say_all(getattr(value, name), voice)


class _Desk:
    """What pages read of a desk, over a game that nobody has opened yet."""

    def __init__(self, change: Change, timeline: Timeline, now_ms: Millis) -> None:
        self.change, self._timeline, self._now_ms = change, timeline, now_ms

    @property
    def rules(self) -> GameRules:
        return self._timeline.rules

    def now_ms(self) -> Millis:
        return self._now_ms

    def seen(self, _eyes: Eyes) -> None:
        """Nobody's own view is tried out."""

    def entries(self) -> tuple[Entry, ...]:
        return tuple(self._timeline.entries)

    def counts(self, seq: int) -> bool:
        return self._timeline.counts(seq)

    def settings(self) -> Mapping[str, Any]:
        return {}

    def saved_games(self) -> tuple[SavedGame, ...]:
        return ()

    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        return ()
