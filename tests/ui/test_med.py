"""The card game by taps: four operations with a tie and a Sirocco, cards entered as they come up, hidden piles."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.core.commands import EnterPrintedValue
from companion.games.med.rules.cards import Card, printed_key
from companion.games.med.rules.slice import MedSlice, slice_of
from companion.pages.new_game import opened
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.ui.render.blocks import PadBlock
from companion.ui.render.items import ItemRow, ItemTile
from companion.ui.widgets import Plate, Tap

SIZES = tuple(harness.SIZES)
CATALOGUE = GameCatalogue()


def desk(**options: Any) -> MemoryDesk:
    given = {"players": 3, "names": ["Anna", "Ben", "Cleo"], "operations": 10, **options}
    return MemoryDesk(CATALOGUE.make_setup("med", "match", given), CATALOGUE.rules_of("med"))


def own(laid: Laid) -> MedSlice:
    return slice_of(laid.desk.true_state)


def tap(laid: Laid, text: str) -> None:
    laid.tap(laid.find(text=text))


def pick(laid: Laid, start: str) -> None:
    """Tap the button that begins with a text, turning pages until it is there."""
    for _page in range(6):
        for widget in laid.walk():
            if (
                isinstance(widget, Tap)
                and getattr(widget, "text", "").startswith(start)
                and widget.is_enabled
            ):
                laid.tap(widget)
                return
        turn = [
            w for w in laid.walk() if isinstance(w, Plate) and w.icon in ("down", "forward") and not w.text
        ]
        laid.tap(next(w for w in turn if w.is_enabled))
    raise LookupError(start)


def number(laid: Laid, text: str) -> None:
    for key in text:
        tap(laid, key)


def force(laid: Laid, card: str, values: str, frame: str = "Surface", points: str = "2") -> None:
    """Enter a Force card of 1941 that has not been seen before."""
    number(laid, card)
    assert laid.has("Enter the three values")
    for value in values:
        laid.tap(next(w for w in _keys(laid) if w.text == value))
    _choose(laid, "VP", points)
    _choose(laid, "Frame", frame)
    tap(laid, "Remember the card")


def _field(laid: Laid, label: str) -> Any:
    for _page in range(4):
        for widget in laid.walk():
            if isinstance(widget, ItemRow) and widget.text.startswith(label):
                return widget
        turn = [
            w for w in laid.walk() if isinstance(w, Plate) and w.icon in ("down", "forward") and not w.text
        ]
        laid.tap(next(w for w in turn if w.is_enabled))
    raise LookupError(label)


def _keys(laid: Laid) -> list[Any]:
    """The keys of a card's three values."""
    pad = next(w for w in laid.walk() if isinstance(w, PadBlock))
    return [w for w in pad.walk(restrict=True) if isinstance(w, ItemTile)]


def _choose(laid: Laid, label: str, text: str) -> None:
    plates = [w for w in _field(laid, label).walk(restrict=True) if isinstance(w, Plate)]
    laid.tap(next(w for w in plates if w.text == text))


def operation(laid: Laid, card: str, kind: str, points: str, freighter: str = "Empty") -> None:
    number(laid, card[1:])
    tap(laid, kind)
    _choose(laid, "Year", "'41")
    _choose(laid, "VP", points)
    _choose(laid, "Load line", freighter)
    assert laid.faults() == []
    tap(laid, "Remember the card")


KNOWN = (
    *(Card(f"O0{n}", "operation", years=(1941,), victory_points=n, operation="convoy") for n in (2, 3)),
    Card("O04", "operation", years=(1941,), victory_points=4, operation="battle"),
    *(
        Card(number, "force", values=values, years=(1941,), victory_points=2, frame="surface")
        for number, values in (
            ("A01", (0, 3, 0)),
            ("A03", (1, 0, 0)),
            ("A04", (2, 0, 0)),
            ("X01", (0, 4, 0)),
            ("X02", (3, 0, 0)),
            ("X03", (2, 0, 0)),
            ("X04", (0, 3, 0)),
            ("X05", (1, 2, 3)),
        )
    ),
)
"""Cards that an earlier evening entered."""


def play(laid: Laid, *cards: str) -> None:
    for card in cards:
        number(laid, card)
    tap(laid, "Lay down")


def test_four_operations_with_a_tie_and_a_sirocco_by_taps() -> None:
    made = desk()
    for card in KNOWN:
        made.send(EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
    laid = harness.lay(made, screen="med", size=(800, 480))
    tap(laid, "Everything is set up")

    # A convoy on the surface with two new cards; Cleo's "?" needs a die, the Allies win by it.
    operation(laid, "O01", "Convoy", "3", "Full")
    tap(laid, "Surface")
    tap(laid, "Open the engagement")
    assert laid.has("Anna plays")
    assert laid.root.screen.main_text == "Enter a card of Anna"
    assert not laid.find(text="1").is_enabled, "a card begins with its letter"
    tap(laid, "A")
    tap(laid, "1")
    assert laid.root.screen.main_text == "Two digits, such as A01", "nobody waits for a card A1"
    tap(laid, "Erase")
    tap(laid, "Erase")
    play(laid, "A01")
    play(laid, "X01")
    force(laid, "A02", "0?0")
    assert laid.faults() == []
    tap(laid, "Lay down")
    assert laid.has("Cleo rolls 1 die")
    tap(laid, "5")
    assert laid.has("8 : 4")
    assert laid.has("Cleo takes the trick")
    assert laid.has("A02 counts 5, highest card")
    assert laid.faults() == []
    tap(laid, "Take the trick")
    assert [t.card for t in own(laid).piles["p3"]] == ["O01", "X01"]  # type: ignore[index]
    assert laid.has("fills up to 7 cards")
    tap(laid, "Hands are full")

    # Cleo's Sirocco cancels Ben's part; Anna takes the trick with the card under it.
    number(laid, "02")
    tap(laid, "Air")
    tap(laid, "Open the engagement")
    play(laid, "X02")
    play(laid, "A04", "S01")
    pick(laid, "Cleo: Sirocco")
    assert laid.has("1-3 cancels")
    tap(laid, "2")
    tap(laid, "Ben")
    assert own(laid).engagement.barred[0].player == "p2"  # type: ignore[union-attr]
    tap(laid, "Continue")
    play(
        laid, "X01"
    )  # it lies beneath an Operation, where its owner alone looks: the box knows, the screen does not
    assert laid.has("X01 was destroyed and is out of the game")
    laid.tap(laid.find(text="X01"))
    tap(laid, "Take it back")
    play(laid, "X03")
    assert laid.has("2 : 2")
    assert laid.has("Equal totals")
    tap(laid, "Fight again")
    tap(laid, "Hands are full")
    assert laid.has("Cleo plays")
    assert laid.has("fought again")
    play(laid, "A03")
    tap(laid, "Discard one card")
    tap(laid, "Discard all cards")
    assert laid.has("Cleo takes the trick")
    assert laid.has("A03 counts 1")
    tap(laid, "Take the trick")
    tap(laid, "Hands are full")
    assert [t.card for t in own(laid).piles["p3"]][2:] == ["O02", "X03"]  # type: ignore[index]

    # Nobody plays anything: the Operation is discarded.
    number(laid, "03")
    tap(laid, "Combined")
    tap(laid, "Open the engagement")
    for _player in range(3):
        tap(laid, "Discard one card")
    assert laid.has("nobody wins")
    tap(laid, "Discard the Operation")
    tap(laid, "Hands are full")

    # A battle: the second round lies face down and is entered at the reveal.
    number(laid, "04")
    tap(laid, "Open the engagement")
    play(laid, "A01")
    play(laid, "X02")
    tap(laid, "Nothing valid: discard all and sit out")
    tap(laid, "Drawn")
    tap(laid, "Laid face down")
    tap(laid, "Laid face down")
    assert laid.has("what did Anna lay?")
    number(laid, "A02")
    tap(laid, "Turned over")
    number(laid, "X05")
    tap(laid, "Turned over")
    tap(laid, "Continue")
    tap(laid, "Roll for us")
    assert made.sent[-1].command.origin.seed is not None  # type: ignore[attr-defined]
    assert laid.has("takes the trick") or laid.has("Equal totals")
    laid.tap(laid.find(text=laid.root.screen.main_text))
    assert made.change.state.step.act == "refill"  # type: ignore[union-attr]


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_or_too_small(size: tuple[int, int]) -> None:
    laid = harness.lay(desk(series="points"), screen="med", size=size)
    tap(laid, "Everything is set up")
    operation(laid, "O01", "Convoy", "3")
    assert laid.faults() == []
    tap(laid, "Surface")
    tap(laid, "Open the engagement")
    number(laid, "X02")
    assert laid.faults() == []
    tap(laid, "Bonus")
    assert laid.faults() == []
    tap(laid, "Special")
    pick(laid, "B-Dienst")
    tap(laid, "Remember the card")
    number(laid, "S06")
    assert laid.faults() == []
    laid.root.go("med_piles")
    laid.settle()
    assert laid.faults() == []


def test_a_pile_is_shown_to_its_owner_only() -> None:
    made = desk()
    laid = harness.lay(made, screen="med_piles", size=(800, 480))
    pick(laid, "Anna")
    assert laid.has("Only Anna may look")
    assert laid.faults() == []
    tap(laid, "Show my pile")
    assert laid.has("0 points in this game")
    tap(laid, "Hide it again")
    assert laid.has("hand of 6")


def test_a_pile_that_is_shown_is_covered_by_whatever_happens() -> None:
    made = desk()
    laid = harness.lay(made, screen="med_piles", size=(800, 480))

    def leave() -> None:
        laid.root.go("table")
        laid.root.go("med_piles")

    def enter_a_card() -> None:
        made.send(EnterPrintedValue(printed_key("O02"), msgspec.to_builtins(KNOWN[0])))

    for happens in (leave, laid.root.rebuild, enter_a_card, lambda: laid.key(27)):
        pick(laid, "Anna")
        tap(laid, "Show my pile")
        assert laid.has("0 points in this game")
        happens()
        laid.settle()
        assert laid.has("hand of 6")


def test_digits_work_the_pad_and_the_back_key_leaves_a_card_that_is_entered() -> None:
    laid = harness.lay(desk(), screen="med", size=(800, 480))
    tap(laid, "Everything is set up")
    laid.key(48)
    assert laid.has("O0")
    laid.key(8)
    assert not laid.has("O0")
    for digit in "27":
        laid.key(ord(digit))
    assert laid.has("Convoy or battle?")
    laid.root.go("table")
    laid.root.go("med")
    laid.settle()
    assert laid.has("Convoy or battle?"), "what is entered outlives the screen"
    laid.key(27)
    assert laid.root.screen.key == "med"
    assert laid.has("Card number")


def test_new_game_takes_number_and_names_of_the_players() -> None:
    made = MemoryDesk(rules=CATALOGUE.rules_of("med"), scenarios=CATALOGUE.scenarios())
    made.offer("med", "match", lambda options: CATALOGUE.make_setup("med", "match", options))
    laid = harness.lay(made, screen="new_game", size=(800, 480))
    info = next(one for one in made.scenarios() if one.scenario == "match")
    laid.root.go("new_game", draft=opened(info))
    laid.settle()
    laid.tap(laid.find(text="3"))
    laid.tap(laid.find(text="Name of player 1"))
    for key in "EVA":
        tap(laid, key)
    tap(laid, "Done")
    assert laid.has("Eva")
    assert laid.faults() == []
    tap(laid, "Start the game")
    setup = made.change.state.frozen_setup  # type: ignore[union-attr]
    assert [side.name for side in setup.sides] == ["Eva", "Player 2", "Player 3"]


@pytest.mark.parametrize("names", [("Jürgen Groß", "Łukasz"), ("W" * 24, "M" * 23 + "i")])
def test_a_name_that_is_taken_is_shown_whole_or_ends_in_an_ellipsis(names: tuple[str, str]) -> None:
    named = desk(players=2, names=[*names], clock=20)
    for screen in ("table", "clocks", "log"):
        assert not harness.lay(named, screen=screen).faults(), screen
