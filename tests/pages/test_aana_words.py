"""The words of North Africa: every id of its rules has one, and every command a line in the log."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from companion.core.rules import Rejected
from companion.core.text import Name, Say, area, key, nation, step, unit
from companion.games.aana.log import LOG
from companion.games.aana.rules.fight import DICE_STAGES, kind_name
from companion.games.aana.rules.figures import FIGURES, POWERS, TRAITS
from companion.games.aana.rules.game_rules import aana_rules
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.pieces import counted, piece
from companion.games.aana.rules.victory import LEVELS
from companion.games.aana.words import WORDS
from companion.pages.labels import refusal
from companion.pages.speak import speak
from tests.games.aana.aana_table import Table

GAME = Path(__file__).parents[2] / "companion" / "games" / "aana"


def test_every_command_has_its_line_in_the_log() -> None:
    assert set(LOG) == set(aana_rules().commands)


def test_every_id_of_the_rules_has_a_word() -> None:
    units = {row.unit for row in figures(Table(values="unofficial").state).rows()}
    for kind, ids in {
        "unit": {*units, "supply", "supply5", "transport"},
        "nation": {*POWERS, "france"},
        "figure": {*FIGURES, "traits"},
        "trait": set(TRAITS),
        "fight_stage": {*DICE_STAGES, "orders", "losses", "leave", "press", "over"},
        "level": {*LEVELS, "instant total", "tie-break"},
        "aim": {"tanks", "air", "land", "sea"},
    }.items():
        assert set(WORDS.names[kind]) == ids, kind


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (area("el_agheila"), "El Agheila"),
        (area("desert_a"), "Desert Zone A"),
        (area("sz.31"), "Sea zone 31"),
        (area("convoy.malta"), "Malta convoy"),
        (area("oran@landing"), "Oran, landing force"),
        (area("reinforcements"), "Reinforcements Zone"),
        (area("pool"), "Game box"),
        (piece("uk.battleship.damaged"), "Battleship, damaged (United Kingdom)"),
        (piece("free_french.tank"), "Tank (Free France)"),
        (piece("nonsense"), "Nonsense"),
        (kind_name("germany.infantry+@el_agheila"), "Infantry (Germany), El Agheila"),
        (counted("italy.battleship.damaged", 2), "2 Battleships, damaged (Italy)"),
        (counted("us.supply5", 1), "1 Five-supply token (United States)"),
        (step("r2.germany.combat_move.declare"), "Germany, Combat Move: Declare battles"),
        (step("end"), "Victory: Check victory"),
        (key("unit.france.infantry.traits"), "Infantry characteristics (France)"),
        (key("rp.tunis"), "reinforcement points of Tunis"),
        (key("limit.tobruk"), "stacking limit of Tobruk"),
        (key("base.uk"), "National Basic points (United Kingdom)"),
        (key("bonus.mareth"), "lowest face that defenders reroll in Mareth"),
        (key("space.fez"), "name of Fez"),
    ],
    ids=str,
)
def test_spaces_pieces_steps_and_printed_values_are_named(name: Name | Say, words: str) -> None:
    assert speak(name, Table(values="unofficial").state) == words


def test_without_a_game_sea_zones_and_pieces_still_have_their_names() -> None:
    assert speak(area("sz.3"), game="aana") == "Sea zone 3"
    assert speak(area("tobruk"), game="aana") == "Tobruk"
    assert speak(piece("uk.tank"), game="aana") == "Tank (United Kingdom)"
    assert speak(unit("aaa"), game="aana") == "Anti-Aircraft Artillery"
    assert speak(nation("vichy"), game="aana") == "Vichy France"


def test_a_refusal_is_the_sentence_of_the_rules() -> None:
    rejected = Rejected("hostile", Say("{space} is hostile.", space=area("bir_hacheim")))
    assert refusal(rejected, Table(values="unofficial").state) == "Bir Hacheim is hostile."


def _says(folder: Path = GAME) -> Iterator[tuple[str, tuple[str, ...], set[str]]]:
    """Yield file and line, the templates and the names of the values of every sentence of the game."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            counted_ = ast.unparse(node.func) == "Say.counted"
            texts = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant)]
            if (counted_ or ast.unparse(node.func) == "Say") and texts:
                names = {word.arg or "" for word in node.keywords} | ({"n"} if counted_ else set())
                yield f"{path.name}:{node.lineno}", tuple(map(str, texts)), names


def test_every_sentence_has_a_value_for_each_gap_and_a_gap_for_each_value() -> None:
    found = list(_says())
    assert len(found) > 200
    for where, templates, names in found:
        gaps = {gap for text in templates for _text, gap, _spec, _how in Formatter().parse(text) if gap}
        assert gaps | {"n"} == names | {"n"}, where


def test_the_rules_refuse_in_sentences_and_never_in_bare_texts() -> None:
    for path in sorted((GAME / "rules").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Rejected":
                assert len(node.args) in (2, 3), (path.name, node.lineno)
                assert not isinstance(node.args[1], ast.Constant | ast.JoinedStr), (path.name, node.lineno)
    of_data = {"pieces.py", "new_game.py", "data_check.py", "figures.py", "board.py", "tables.py"}
    for where, templates, _names in _says(GAME / "rules"):
        if where.split(":")[0] not in of_data:
            names = (
                "{piece}, {space}",
                "{what}",
            )  # a piece's set-up, and the printed value that is asked for
            assert all(text.endswith((".", "?")) or text in names for text in templates), where
