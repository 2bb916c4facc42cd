"""The card game's views: forms, words of refusals, the log, scores that keep piles hidden, the report."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from companion.adapters.catalogue import GameCatalogue
from companion.core.commands import EnterPrintedValue, StartGame
from companion.core.dice import DiceOrigin, DiceSource
from companion.core.text import Say
from companion.games.med.pages.card import blank, known_storm, pressed, remember, typed
from companion.games.med.pages.draft import MedDraft
from companion.games.med.pages.engagement import med_page
from companion.games.med.pages.piles import PilesDraft, piles_page
from companion.games.med.pages.words import card_facts
from companion.games.med.rules.cards import Card, card_from, printed_key
from companion.games.med.rules.commands import DiscardHand, PlayHand, RollDice, TakeTrick, TurnOver, UseEffect
from companion.pages import page as pg
from companion.pages.game_options import option_rows, resolved_options, starting_options
from companion.pages.i18n import speaking
from companion.pages.labels import entry_label, side_name
from companion.pages.modules import game_view
from companion.pages.page import Banner, Head, Rows, Tiles, all_blocks
from companion.pages.player_names import names_of
from companion.pages.report import report_html
from companion.pages.speak import speak
from companion.pages.table import main_command
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading, dangling, read
from tests.games.med.table import bonus

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


def sent(act: Any) -> Any:
    """The command of an act."""
    assert isinstance(act, pg.Send), act
    return act.at(0)


class Shown(Reading):
    """A page of the Engagement screen with what is entered on it."""

    def __init__(self, evening: Evening, draft: MedDraft) -> None:
        sight = pg.Sight(pg.TABLE_VIEWER, evening.change, None, draft)
        super().__init__(med_page(sight), evening.change)
        self.draft = draft

    @property
    def head(self) -> str:
        """Who acts."""
        for block in self.page.blocks:
            if isinstance(block, Head):
                return self.say(block.title)
            if isinstance(block, pg.Sides) and block.sides[0].head is not None:
                return self.say(block.sides[0].head.title)
        raise LookupError("no head")

    @property
    def banner(self) -> str:
        """Who rolls."""
        return next(self.say(block.title) for block in self.page.blocks if isinstance(block, pg.Banner))

    def act_of(self, id_: str) -> Any:
        """The act of an id."""
        return self.shown.acts[pg.ActId(id_)]

    def change(self, id_: str) -> MedDraft:
        """The draft after an act that changes it."""
        act = self.act_of(id_)
        assert isinstance(act, pg.Draft), act
        return act.change(self.draft)  # type: ignore[no-any-return]

    def command(self, id_: str) -> Any:
        """The command of an act."""
        return sent(self.act_of(id_))

    def options(self, ask: pg.Ask) -> list[str]:
        """What a question offers."""
        return [self.say(option.title) for option in ask.form.fields[0].options]

    def of_photo(self, values: tuple[int, ...], origin: DiceOrigin) -> Any:
        """What comes of dice that the Dice screen has read."""
        return self.act_of("read").args["record"](values, origin)["act"]


def page(evening: Evening, draft: MedDraft | None = None) -> Shown:
    return Shown(evening, draft or MedDraft())


def read_from(shown: Shown, values: tuple[int, ...], origin: DiceOrigin) -> Any:
    return sent(shown.of_photo(values, origin))


def test_a_number_is_typed_letter_first() -> None:
    assert typed("", "7") == ""
    assert typed("", "A") == "A"
    assert typed("A1", "X") == "X"
    assert typed("A1", "2") == "A12"
    assert typed("A12", "erase") == "A1"


def test_a_force_card_comes_out_of_its_form() -> None:
    form = blank("A07")
    assert remember(form) == Say("Enter the three values")
    form = replace(form, values=(0, "??", 3))
    assert remember(form) == Say("Tick the years")
    for field, value in (
        ("years", 1942),
        ("years", 1941),
        ("victory_points", 4),
        ("frame", "sub"),
        ("victim", "X02"),
    ):
        form = pressed(form, field, value)
    command = remember(form)
    assert isinstance(command, EnterPrintedValue)
    card = card_from(command.value)
    assert card == Card("A07", "force", "", (0, "??", 3), (1941, 1942), 4, frame="sub", victim="X02")
    assert remember(card) == command


def test_values_go_from_one_to_the_next_and_back_leaves_the_form() -> None:
    evening = Evening()
    draft = MedDraft(form=blank("A07"))
    for value in ("0", "??", "3"):
        draft = page(evening, draft).change(f"value.{value}")
    assert draft.form is not None
    assert draft.form.values == (0, "??", 3)
    assert page(evening, draft).change("at.air").at == 0
    assert page(evening, draft).main == "Tick the years"
    form = page(evening, draft).shown.page
    assert form.back is not None
    assert page(evening, draft).change(form.back) == replace(draft, form=None)


@pytest.mark.parametrize(
    ("number", "lines"),
    [
        ("A07", ["Years", "VP", "Frame", "Printed"]),
        ("X07", ["Years", "VP", "Frame", "Flag", "Printed"]),
        ("O27", []),
        ("O28", ["Year", "VP", "Load line", "Printed type", "Printed"]),
        ("S05", ["Sirocco", "Fog", "Explosion", "Lost", "Night action", "Bomb alley", "Shallows"]),
    ],
)
def test_a_form_asks_only_what_is_on_the_card(number: str, lines: list[str]) -> None:
    shown = page(Evening(), MedDraft(form=blank(number)))
    assert dangling(shown.shown) == []
    rows = [block for block in all_blocks(shown.page.blocks) if isinstance(block, Rows)]
    assert [shown.say(item.title) for block in rows for item in block.rows] == lines


def test_of_a_new_operation_it_is_first_asked_what_it_is() -> None:
    evening, draft = Evening(), MedDraft(form=blank("O27"))
    first = page(evening, draft)
    assert [
        (type(block), len(block.tiles)) for block in first.shown.page.blocks if isinstance(block, Tiles)
    ] == [(Tiles, 2)]
    assert first.main == "Back"
    draft = first.change("operation.convoy")
    assert draft.form is not None
    assert draft.form.operation == "convoy"
    rows = [block for block in all_blocks(page(evening, draft).shown.page.blocks) if isinstance(block, Rows)]
    assert [speak(item.title) for block in rows for item in block.rows] == [
        "Year",
        "VP",
        "Load line",
        "Printed",
    ]


def test_a_storm_card_is_known_by_the_list_unless_the_table_enters_it() -> None:
    evening = Evening()
    storm = known_storm("S06", evening.state)
    assert storm is not None
    assert storm.effect == "bomb_alley"
    own = Evening(rulings={"storm_numbers": "entered"})
    assert known_storm("S06", own.state) is None


def test_a_cards_facts_stand_on_one_line() -> None:
    assert speak(card_facts(CARDS[1]), game="med") == "Force · Surface ?? · '41 · 2 VP"


def test_the_screen_leads_from_the_dice_to_the_trick_and_says_why() -> None:
    evening = Evening()
    evening.first_engagement()
    shown = page(evening)
    assert shown.banner == "Anna rolls 2 dice: A01, Surface"
    assert dangling(shown.shown) == []
    draft = shown.change("face.4")
    assert draft.dice == (4,)
    photo = DiceOrigin(DiceSource.CAMERA, photo_sha256="a" * 64, proposed=(5,))
    assert read_from(page(evening, draft), (5,), photo).origin == photo, "a typed die takes nothing from it"
    first = page(evening).of_photo((5,), photo)
    assert isinstance(first, pg.Draft)
    both = read_from(
        page(evening, first.change(MedDraft())), (2,), replace(photo, photo_sha256="b" * 64, proposed=(2,))
    )
    assert (both.origin.photos, both.origin.proposed) == (("a" * 64, "b" * 64), (5, 2))
    many = page(evening).of_photo((1, 2, 3), photo)
    assert isinstance(many, pg.Refuse)
    assert "2 dice are rolled, but 3 were read." in speak(many.why)
    roll = page(evening, draft).command("face.5")
    assert roll == RollDice(evening.state.step.id, "A01", "surface", (4, 5))
    roll_for_us = page(evening).shown.act("roll")
    assert isinstance(roll_for_us, pg.At)
    virtual = sent(roll_for_us.make(7))
    assert virtual == sent(roll_for_us.make(7))
    assert virtual.origin.seed == 7
    evening.do(roll)
    shown = page(evening)
    banner = shown.page.blocks[0]
    assert isinstance(banner, Banner)
    assert shown.say(banner.title) == "Anna takes the trick"
    assert shown.say(banner.sub) == "A01 counts 9, highest card"
    assert shown.say(banner.value) == "9 : 3"
    take = sent(shown.main_act)
    assert isinstance(take, TakeTrick)
    evening.do(take)
    # The Operation is face up with its 3 points; the 4 of the card under it stay hidden.
    scores = {score.side: score.text for score in game_view("med").scores(evening.state)}
    assert scores == {"p1": "3 + ?", "p2": "0"}
    piles = read(piles_page, evening.change)
    assert piles.sub("Anna") == "1 Operation · 1 card hidden · hand of 7"
    assert piles.say(piles.item("Anna").value) == "3 + ?"
    assert dangling(piles.shown) == []
    covered = read(piles_page, evening.change, draft=PilesDraft("p1"))
    assert covered.items == []
    assert covered.page.is_private
    shown = read(piles_page, evening.change, draft=PilesDraft("p1", is_shown=True), desk=evening.desk)
    assert shown.lead == "7 points in this game"
    assert shown.texts == ["O01", "X01"]
    assert [item.key for item in shown.items] == ["card.0", "card.1"]
    assert shown.page.is_private
    html = report_html(evening.change, evening.desk.entries(), evening.desk.counts, 0)
    assert "9 : 3" in html
    assert "higher total" in html
    assert 'id="med_ranking"' not in html


def test_a_sirocco_asks_for_its_die_and_then_for_a_player() -> None:
    evening = Evening()
    for number in ("S01", "S03"):
        storm = known_storm(number, evening.state)
        evening.do(EnterPrintedValue(printed_key(number), msgspec.to_builtins(storm)))
    evening.do(EnterPrintedValue(printed_key("A20"), msgspec.to_builtins(bonus("A20", 0, 3, 0))))
    evening.do(TurnOver(evening.state.step.id, "O01", ("surface",)))
    evening.next()
    evening.do(PlayHand(evening.state.step.id, "allies", ("A01", "A20", "S01", "S03")))
    shown = page(evening, page(evening).change("use.sirocco"))
    assert shown.head == "Anna: Sirocco"
    assert shown.page.back is not None
    assert shown.command("face.4") == UseEffect(evening.state.step.id, "sirocco", (4,))
    whom = shown.act_of("face.2")
    assert isinstance(whom, pg.Ask)
    assert shown.say(whom.form.title) == "2: whose part is cancelled?"
    used = sent(whom.answered({"one": "p2"}))
    assert isinstance(used, UseEffect)
    assert (used.dice, used.player) == ((2,), "p2")
    # An Explosion of 7 takes one of the player's own cards, chosen at random at the table.
    draft = page(evening).change("use.explosion")
    shown = page(evening, page(evening, draft).change("face.3"))
    hit = shown.act_of("face.4")
    assert isinstance(hit, pg.Ask)
    assert shown.options(hit) == ["A01", "A20", "Draw one at random"]
    drawn = hit.answered({"one": "2"})
    assert isinstance(drawn, pg.At)
    assert sent(drawn.make(1)).card in ("A01", "A20")


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


def test_names_that_nobody_gave_are_spoken_in_each_language_and_kept_in_none() -> None:
    info = next(one for one in CATALOGUE.scenarios() if one.game == "med")
    chosen = {**starting_options(info), "players": 3, "name.2": "Ben"}
    with speaking("de"):
        rows = [row.chosen for row in option_rows(info, chosen) if row.is_typed]
        setup = CATALOGUE.make_setup("med", info.scenario, resolved_options(info, chosen))
        named = [side_name(setup, one.id) for one in setup.sides]
    assert rows == named == ["Spieler 1", "Ben", "Spieler 3"]
    assert [side_name(setup, one.id) for one in setup.sides] == ["Player 1", "Ben", "Player 3"]
    assert names_of(setup) == ("Ben",)
