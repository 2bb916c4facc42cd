"""A file from elsewhere with an illegal act is refused with the table's own sentence, in the games without a battle file too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.core.commands import Command, JumpTo, SetRuling
from companion.core.history import Entry, Timeline
from companion.core.ids import ARBITER, TABLE, Nation, RulingId, Side, StepId
from companion.games.med.rules.commands import NoteOperation
from companion.games.registry import games_by_key, rules_for
from companion.games.tsu.rules.commands import DeclareAttack, Replace
from companion.games.tsu.rules.units import Unit
from companion.session.errors import FileValueError
from companion.session.importing import decided
from companion.session.outcome import made_by
from companion.session.portable import portable_bytes, read_portable
from companion.session.scenario_loader import make_setup
from tests.games.game_table import GameTable
from tests.games.med import table as cards
from tests.games.sfw_editions import NEWER, loaded
from tests.games.tsu.test_tsu_attack import unit
from tests.games.tsu.test_tsu_lawyer import against, rail
from tests.games.tsu.test_tsu_play import Table as Season

VERSION = "9.9"


def stamp(line: Timeline) -> str:
    """Return what an entry made here and now is stamped with, so that it is decided again."""
    return made_by(VERSION, rules_for(line.rules.game))


def too_early(table: Season) -> Command:
    table.to_step("fa1941.allies.supply")
    made = against("X", rail("infantry", "us"), defenders=(unit("infantry", "germany"),))
    return DeclareAttack(table.at, made, (Unit("supply", "us"),))


def too_dear(table: Season) -> Command:
    table.give(Nation("britain"), "carrier")
    table.to_step("sp1940.allies.reinforcements")
    return Replace(table.at, Nation("britain"), "submarine")


def unknown_player(table: cards.Table) -> Command:
    return NoteOperation(table.state.step.id, "won", Side("p9"))


def hidden_number(table: cards.Table) -> Command:
    return cards.TurnOver(table.state.step.id, "A01")


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (Season, too_early),
        (Season, too_dear),
        (lambda: cards.Table(keep="totals"), unknown_player),
        (cards.Table, hidden_number),
    ],
)
def test_the_import_tells_what_the_table_tells(
    make: Callable[[], Season | cards.Table], wrong: Callable[[Season | cards.Table], Command], tmp_path: Path
) -> None:
    table = make()
    command = wrong(table)
    said = table.refusal(command).detail
    assert said is not None
    line = table.timeline
    last = Entry(line.next_seq, command, (), TABLE, "test", table.now_ms, app_version=stamp(line))
    path = tmp_path / "game.jsonl"
    path.write_bytes(portable_bytes((*line.entries, last), table.codec, VERSION))
    with pytest.raises(FileValueError) as fault:
        decided(read_portable(path, is_whole=True), rules_for, VERSION)
    assert str(said) in str(fault.value)
    assert f"line {len(line.entries) + 2}" in str(fault.value)


def test_a_ruling_that_a_table_settled_under_tournament_time_comes_in_as_it_was_played(
    tmp_path: Path,
) -> None:
    """Since then such rulings are the arbiter's; any other act of theirs is refused to the table as ever."""
    module = games_by_key()[NEWER]
    table = GameTable(module.rules(), make_setup(module.family, loaded(NEWER), "apr43", {"tournament": True}))
    table.next()
    table.do(SetRuling(RulingId("have_vp"), "exactly"), ARBITER)
    *before, last = table.timeline.entries
    path = tmp_path / "game.jsonl"
    for command, events, is_taken in (
        (last.command, last.events, True),
        (SetRuling(RulingId("have_vp"), "nonsense"), last.events, False),
        (JumpTo(table.state.step.id, StepId("s4.begin"), table.now_ms), (), False),
    ):
        told = replace(last, command=command, events=events, actor=TABLE, app_version=stamp(table.timeline))
        path.write_bytes(portable_bytes((*before, told), table.codec, VERSION))
        if is_taken:
            assert (
                decided(read_portable(path, is_whole=True), rules_for, VERSION)[0].state.rulings["have_vp"]
                == "exactly"
            )
        else:
            with pytest.raises(FileValueError, match="refused"):
                decided(read_portable(path, is_whole=True), rules_for, VERSION)
