"""A refusal for want of a value opens its entry at a real window, and what was refused is done afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.games.aana.rules.victory import SetControl
from companion.testing import harness
from tests.e2e.test_aana_round_by_taps import Table

COSTS = {"unit.germany.infantry.cost": 3}
MARKED = ("casablanca", "oran", "algiers", "kasserine", "mareth", "el_agheila", "benghazi", "tobruk")


class Asked(Table):
    """A table that plays with the rulebook's values and has told its markers."""

    def settle(self) -> None:
        """Wait for the writer twice: what was refused is sent again once the value is taken."""
        super().settle()
        super().settle()

    def begin(self) -> None:
        setup = self.desk.make_setup("aana", "rommel", {"clock": "count_up", "printed": COSTS})
        self.desk.start(setup)
        self.settle()
        for space in MARKED:
            self.desk.send(SetControl(space, None))
        self.desk.send(SetControl("tunis", "germany"))
        self.settle()
        self._lay()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Asked]:
    made = Asked(tmp_path)
    made.begin()
    yield made
    made.desk.close()
    harness.clear()


def test_a_purchase_asks_for_the_points_it_hangs_on_and_is_then_made(table: Asked) -> None:
    table.screen("Reinforce")
    table.tap("Set-up done")
    for _n in range(3):
        if table.step == "r1.germany.requisition.buy":
            break
        table.screen("Table")
        table.main()
    table.screen("Reinforce")
    table.pick("Infantry")
    assert table.laid.root.dialogs, "the entry of the value is open"
    table.tap("2")
    table.tap("Done")
    assert table.state.printed["base.germany"] == 2
    assert table.laid.root.dialogs, "two points do not suffice: the next value is asked for"
    table.tap("9")
    table.tap("Done")
    assert table.state.printed["rp.tunis"] == 9
    assert table.ledger.units["reinforcements"] == {"germany.infantry": 1}
