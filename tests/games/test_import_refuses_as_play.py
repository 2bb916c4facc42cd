"""A file from elsewhere with an illegal act is refused with the table's own sentence, in the games without a battle file too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from companion.core.commands import Command
from companion.core.history import Entry
from companion.core.ids import TABLE, Nation, Side
from companion.games.med.rules.commands import NoteOperation
from companion.games.registry import games_by_key
from companion.games.tsu.rules.commands import DeclareAttack, Replace
from companion.games.tsu.rules.units import Unit
from companion.session.errors import FileValueError
from companion.session.importing import decided
from companion.session.portable import portable_bytes, read_portable
from tests.games.med import table as cards
from tests.games.tsu.test_tsu_attack import unit
from tests.games.tsu.test_tsu_lawyer import against, rail
from tests.games.tsu.test_tsu_play import Table as Season

VERSION = "9.9"


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
    last = Entry(line.next_seq, command, (), TABLE, "test", table.now_ms, app_version=VERSION)
    path = tmp_path / "game.jsonl"
    path.write_bytes(portable_bytes((*line.entries, last), table.codec, VERSION))
    rules = {game: one.rules() for game, one in games_by_key().items()}
    with pytest.raises(FileValueError) as fault:
        decided(read_portable(path, is_whole=True), rules.get, VERSION)
    assert str(said) in str(fault.value)
    assert f"line {len(line.entries) + 2}" in str(fault.value)
