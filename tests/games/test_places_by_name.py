"""A place has one name however it is typed: accents, case, hyphens and other languages lead to the board's spelling."""

from __future__ import annotations

import gettext
import tomllib
from pathlib import Path

import pytest

from companion.core.commands import EnterPrintedValue
from companion.games.aana.pages.spaces import _ask_territory
from companion.games.tsu.pages.ask import ask_target
from companion.games.tsu.pages.draft import AttackDraft
from companion.games.tsu.pages.stars import _ask_name
from companion.pages.page import Ask, Draft, Refuse, Send
from companion.pages.place_names import named_like
from tests.games.aana.aana_table import Table as NorthAfrica
from tests.games.tsu.test_tsu_play import Table as Underbelly


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Neapel", "Naples"),
        ("  NAPOLI ", "Naples"),
        ("plaine du po", "Po Valley"),
        ("Po-Ebene", "Po Valley"),
        ("Western mediterranean", "West Mediterranean"),
        ("agypten", "Egypt"),
        ("Bari", "Bari"),
    ],
)
def test_an_area_of_the_soft_underbelly(typed: str, meant: str) -> None:
    ask = ask_target(Underbelly().state, AttackDraft())
    other = ask.answered({ask.form.fields[0].key: ask.form.fields[0].options[-1].key})
    assert isinstance(other, Ask)
    assert len(other.form.fields[0].options) > 20, "completed by a tap"
    done = other.answered({"name": typed})
    assert isinstance(done, Draft)
    assert done.change(AttackDraft()).target == meant


def test_a_star_is_not_added_twice_under_another_name() -> None:
    table = Underbelly()
    ask = _ask_name(table.state)
    found = ask.answered({"name": "Algier"})
    assert isinstance(found, Ask)
    assert found.form.key == "holder.algiers"


@pytest.mark.parametrize("typed", ["Bengasi", "bengási", " BENGHAZI "])
def test_a_territory_that_is_on_the_board_is_not_added_again(typed: str) -> None:
    found = _ask_territory(NorthAfrica().state).answered({"name": typed})
    assert isinstance(found, Refuse)


@pytest.mark.parametrize(
    ("typed", "key", "name"),
    [
        ("mersa brega", "mersa_brega", "Mersa Brega"),
        ("Oued  zem", "oued_zem", "Oued Zem"),
        ("Fès", "fes", "Fès"),
    ],
)
def test_a_territory_that_the_rules_do_not_name(typed: str, key: str, name: str) -> None:
    ask = _ask_territory(NorthAfrica().state)
    assert "mersa_brega" in {option.key for option in ask.form.fields[0].options}
    found = ask.answered({"name": typed})
    assert isinstance(found, Send)
    assert found.command == EnterPrintedValue(f"space.{key}", name)


def test_a_name_that_nobody_knows_means_no_place() -> None:
    assert named_like("Oberammergau", {"Naples": "Naples"}) is None


@pytest.mark.parametrize("language", ["de", "fr"])
def test_a_territory_is_called_in_every_language_what_the_board_prints(language: str) -> None:
    top = Path(__file__).parents[2]
    with (top / "scenarios/aana/board.toml").open("rb") as file:
        names = {one["name"] for one in tomllib.load(file)["territory"]}
    printed = names - {"Italy"}  # also a power
    with (top / f"companion/locale/{language}/LC_MESSAGES/companion.mo").open("rb") as file:
        told = gettext.GNUTranslations(file)
    assert len(printed) > 20
    assert {name: told.gettext(name) for name in printed if told.gettext(name) != name} == {}
