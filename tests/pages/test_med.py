"""The card game's views: forms, words of refusals, the log, scores that keep piles hidden, the report."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from companion.adapters.catalogue import GameCatalogue
from companion.core.commands import EnterPrintedValue, StartGame
from companion.core.dice import DiceOrigin, DiceSource
from companion.games.med.pages import engagement as med
from companion.games.med.pages import taps as med_taps
from companion.games.med.pages.card import form_for, form_rows, key_pressed, known_storm, remember, typed
from companion.games.med.pages.draft import Ask, Draft
from companion.games.med.pages.piles import PilesDraft, piles_page
from companion.games.med.pages.words import card_facts
from companion.games.med.rules.cards import Card, card_from, printed_key
from companion.games.med.rules.commands import DiscardHand, PlayHand, RollDice, TakeTrick, TurnOver, UseEffect
from companion.pages.labels import entry_label
from companion.pages.modules import game_view
from companion.pages.new_game import option_rows, resolved_options, starting_options
from companion.pages.report import report_html
from companion.pages.table import main_command
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import dangling, read

CATALOGUE = GameCatalogue()
CARDS = (
    Card("O01", "operation", years=(1941,), victory_points=3, operation="convoy", freighter="full"),
    Card("A01", "force", values=(0, "??", 0), years=(1941,), victory_points=2, frame="surface"),
    Card("X01", "force", values=(0, 3, 0), years=(1941,), victory_points=4, frame="surface"),
)


class Evening:
    """A game with three known cards, driven through the desk."""

    def __init__(self, **options: object) -> None:
        given = {"players": 2, "names": ["Anna", "Ben"], "operations": 10, **options}
        setup = CATALOGUE.make_setup("med", "match", given)
        self.desk = MemoryDesk(setup, CATALOGUE.rules_of("med"))
        for card in CARDS:
            self.desk.send(EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
        self.next()

    @property
    def change(self):  # type: ignore[no-untyped-def]
        assert self.desk.change is not None
        return self.desk.change

    @property
    def state(self):  # type: ignore[no-untyped-def]
        return self.change.state

    def do(self, command) -> None:  # type: ignore[no-untyped-def]
        self.desk.send(command)
        assert self.change.rejected is None, self.change.rejected

    def next(self) -> None:
        self.do(main_command(self.state, self.desk.now_ms()))

    def first_engagement(self) -> None:
        """Anna's A01 beats Ben's X01 by its two dice; the second round is discarded."""
        self.do(TurnOver(self.state.step.id, "O01", ("surface",)))
        self.next()
        self.do(PlayHand(self.state.step.id, "allies", ("A01",)))
        self.next()
        self.do(PlayHand(self.state.step.id, "axis", ("X01",)))
        self.next()
        self.next()
        for _player in range(2):
            self.do(DiscardHand(self.state.step.id, "one"))
            self.next()


def test_a_number_is_typed_letter_first() -> None:
    assert typed("", "7") == ""
    assert typed("", "A") == "A"
    assert typed("A1", "X") == "X"
    assert typed("A1", "2") == "A12"
    assert typed("A12", "erase") == "A1"


def test_a_force_card_comes_out_of_its_form() -> None:
    form = form_for("A07")
    command, missing = remember(form)
    assert command is None
    assert missing == "Enter the three values"
    for field, value in (
        ("value", "0"),
        ("value", "??"),
        ("value", "3"),
        ("years", 1942),
        ("years", 1941),
        ("victory_points", 4),
        ("frame", "sub"),
        ("victim", "X02"),
    ):
        form = key_pressed(form, field, value)
    command, missing = remember(form)
    assert missing == ""
    assert command is not None
    card = card_from(command.value)
    assert card == Card("A07", "force", "", (0, "??", 3), (1941, 1942), 4, frame="sub", victim="X02")
    assert remember(form_for("A07", card))[0] == command


@pytest.mark.parametrize(
    ("number", "keys"),
    [
        ("A07", ["kind", "values", "value", "years", "victory_points", "frame", "names"]),
        ("O28", ["operation", "years", "victory_points", "freighter", "names"]),
        ("S05", ["effect"]),
    ],
)
def test_a_form_asks_only_what_is_on_the_card(number: str, keys: list[str]) -> None:
    assert [row.key for row in form_rows(form_for(number))] == keys


def test_a_storm_card_is_known_by_the_list_unless_the_table_enters_it() -> None:
    evening = Evening()
    storm = known_storm("S06", evening.state)
    assert storm is not None
    assert storm.effect == "bomb_alley"
    own = Evening(rulings={"storm_numbers": "entered"})
    assert known_storm("S06", own.state) is None


def test_a_cards_facts_stand_on_one_line() -> None:
    assert card_facts(CARDS[1]) == "Force · Surface ?? · '41 · 2 VP"


def test_the_screen_leads_from_the_dice_to_the_trick_and_says_why() -> None:
    evening = Evening()
    evening.first_engagement()
    draft = Draft(key=evening.state.step.id)
    view = med.med_view(evening.change, draft)
    assert view.lead == "Anna rolls 2 dice: A01, Surface"
    draft = med_taps.dice_entered(evening.state, draft, (4,))
    assert isinstance(draft, Draft)
    photo = DiceOrigin(DiceSource.CAMERA, photo_sha256="a" * 64, proposed=(5,))
    seen = med_taps.dice_entered(evening.state, draft, (5,), photo)
    assert isinstance(seen, RollDice)
    assert seen.origin == photo, "a die typed before takes nothing from the photo"
    first = med_taps.dice_entered(evening.state, Draft(), (5,), photo)
    assert isinstance(first, Draft)
    both = med_taps.dice_entered(
        evening.state, first, (2,), replace(photo, photo_sha256="b" * 64, proposed=(2,))
    )
    assert isinstance(both, RollDice)
    assert (both.origin.photos, both.origin.proposed) == (("a" * 64, "b" * 64), (5, 2))
    roll = med_taps.dice_entered(evening.state, draft, (5,))
    assert roll == RollDice(evening.state.step.id, "A01", "surface", (4, 5))
    virtual = med_taps.rolled(evening.state, 7)
    assert virtual is not None
    assert virtual == med_taps.rolled(evening.state, 7)
    assert virtual.origin.seed == 7
    evening.do(roll)
    view = med.med_view(evening.change, Draft())
    assert view.lead == "Allies 9 : 3 Axis. Anna takes the trick: A01 counts 9, highest card"
    assert isinstance(view.main_command, TakeTrick)
    evening.do(view.main_command)
    # The Operation lies open with its 3 points; the 4 of the card under it stay hidden.
    scores = {score.side: score.text for score in game_view("med").scores(evening.state)}
    assert scores == {"p1": "3 + ?", "p2": "0"}
    piles = read(piles_page, evening.change)
    assert piles.sub("Anna") == "1 Operation · 1 card hidden · hand of 7"
    assert piles.say(piles.item("Anna").value) == "3 + ?"
    assert dangling(piles.shown) == []
    covered = read(piles_page, evening.change, draft=PilesDraft("p1"))
    assert covered.items == []
    assert covered.page.is_private
    shown = read(piles_page, evening.change, draft=PilesDraft("p1", is_shown=True))
    assert shown.lead == "7 points in this game"
    assert shown.texts == ["O01", "X01"]
    assert [item.key for item in shown.items] == ["card.0", "card.1"]
    assert shown.page.is_private
    page = report_html(evening.change, evening.desk.entries(), evening.desk.counts, 0)
    assert "9 : 3" in page
    assert "higher total" in page
    assert 'id="med_ranking"' not in page


def test_a_sirocco_asks_for_its_die_and_then_for_a_player() -> None:
    evening = Evening()
    for number in ("S01", "S03"):
        storm = known_storm(number, evening.state)
        evening.do(EnterPrintedValue(printed_key(number), msgspec.to_builtins(storm)))
    evening.do(TurnOver(evening.state.step.id, "O01", ("surface",)))
    evening.next()
    evening.do(PlayHand(evening.state.step.id, "allies", ("A01", "S01", "S03")))
    view = med.med_view(evening.change, Draft())
    row = next(row for row in view.rows if row.key == "sirocco")
    ask = med_taps.tapped(evening.state, Draft(), row)
    assert isinstance(ask, Ask)
    passed = med_taps.answered(evening.state, Draft(), ask, 4, 0)
    assert passed == UseEffect(evening.state.step.id, "sirocco", (4,))
    whom = med_taps.answered(evening.state, Draft(), ask, 2, 0)
    assert isinstance(whom, Ask)
    assert whom.title == "2: whose part is cancelled?"
    used = med_taps.answered(evening.state, Draft(), whom, "p2", 0)
    assert isinstance(used, UseEffect)
    assert (used.dice, used.player) == ((2,), "p2")
    # An Explosion of 7 takes one of the player's own cards, chosen at random at the table.
    row = next(row for row in view.rows if row.key == "explosion")
    ask = med_taps.tapped(evening.state, Draft(), row)
    assert isinstance(ask, Ask)
    second = med_taps.answered(evening.state, Draft(), ask, 3, 0)
    assert isinstance(second, Ask)
    hit = med_taps.answered(evening.state, Draft(), second, 4, 0)
    assert isinstance(hit, Ask)
    assert [key for key, _text in hit.options] == ["A01", "S01", "virtual"]


def test_the_log_says_what_was_done() -> None:
    evening = Evening()
    evening.first_engagement()
    labels = [entry_label(entry, evening.state) for entry in evening.desk.entries()]
    assert "Operation O01" in labels
    assert "Printed value: A01" in labels
    assert "Anna: A01" in labels
    assert "Ben: discarded one card" in labels
    assert not any(isinstance(entry.command, StartGame) for entry in evening.desk.entries()[1:])


def test_new_game_names_as_many_players_as_there_are() -> None:
    info = next(one for one in CATALOGUE.scenarios() if one.game == "med")
    chosen = {**starting_options(info), "players": 3, "name.2": "Ben"}
    rows = [row for row in option_rows(info, chosen) if row.is_typed]
    assert [row.chosen for row in rows] == ["Player 1", "Ben", "Player 3"]
    assert resolved_options(info, chosen)["names"] == ["Player 1", "Ben", "Player 3"]
