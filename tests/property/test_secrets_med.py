"""What a player of the card game hides is told to nobody: two evenings that differ in it alone are the same to all others.

Evenings are played by chance on two tables at once. Up to a moment both hear the same; then one player lays other cards face
down on the one than on the other. From there on everything that is asked at both must be answered alike, and all that anybody
else may know of either, the whole log and the whole state that every page is made of, must be equal. Once the cards are turned
over the two must differ, or the test would see nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from companion.core.commands import AddNote, Command, EndAct, EndGame, EnterPrintedValue, Redo, Undo
from companion.core.ids import TABLE, Actor, Side
from companion.core.rules import Context, Rejected
from companion.core.secrecy import NOBODY, Eyes, Seen
from companion.core.text import Say
from companion.games.med.rules.cards import printed_key
from companion.games.med.rules.commands import (
    DiscardHand,
    DropInvalid,
    LayStorm,
    PlayHand,
    TakeTrick,
    UseEffect,
)
from companion.games.med.rules.engagement import Play
from companion.games.med.rules.game_rules import RULES
from companion.games.med.rules.new_game import MedFamily
from companion.games.med.rules.slice import FACE_DOWN, open_part, slice_of
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.memory_desk import MemoryDesk
from tests.games.med.by_chance import act, likely_play, random_deck
from tests.games.med.table import Table, battle, force
from tests.property.told import told

LOADED = load_game(MedFamily())
Answer = tuple[str, Say | None] | None


class Tables:
    """The same evening at two tables."""

    def __init__(self, deck: list[Any], **options: Any) -> None:
        setup = make_setup(MedFamily(), LOADED, "match", options)
        printed = {printed_key(card.number): msgspec.to_builtins(card) for card in deck}
        setup = msgspec.structs.replace(setup, printed={**setup.printed, **printed})
        self.desks = (MemoryDesk(setup, RULES), MemoryDesk(setup, RULES))
        self.hiders: frozenset[str] = frozenset()
        self.is_taken_back = False
        self.is_to_share = False

    @property
    def state(self) -> Any:
        """What everybody may know: chance must not know more."""
        change = self.desks[0].change
        assert change is not None
        return change.state

    @property
    def own(self) -> Any:
        return slice_of(self.state)

    @property
    def now_ms(self) -> int:
        return self.desks[0].now_ms()

    def eyes(self) -> list[Eyes]:
        others = [player for player in self.own.players if player not in self.hiders]
        return [NOBODY, *(frozenset({player}) for player in others), frozenset(others)]

    def attempt(self, command: Command, actor: Actor = TABLE) -> Rejected | None:
        """Ask the same at both tables; the answers are the same, and so is what the others know afterwards."""
        answers = [_asked(desk, command, actor) for desk in self.desks]
        by_himself = isinstance(command, PlayHand | DiscardHand | UseEffect | EndAct)
        if not (by_himself and {*self.state.step.owners} & self.hiders):  # of his own cards he may be told
            assert _answer(answers[0]) == _answer(answers[1]), f"{command} is answered by what is hidden"
        if self.hiders and self.is_closed:
            self.check()
        return answers[0]

    @property
    def is_closed(self) -> bool:
        """Whether what was laid, or shared out, on the one table and not on the other is still hidden."""
        if self.is_to_share:
            return self.state.ending is None and self.state.step.act != "count"
        return self.state.step.act in FACE_DOWN or self.is_taken_back

    def do(self, command: Command) -> None:
        other = _swapped(command) if self.is_to_share and not self.hiders else None
        if other is not None:
            self.fork(command, *other)
            self.check()
            return
        rejected = self.attempt(command)
        assert rejected is None, rejected

    def check(self) -> None:
        assert self.differing() == []

    def differing(self) -> list[Eyes]:
        """Return the eyes to which the two evenings are not the same."""
        return [eyes for eyes in self.eyes() if _seen(self.desks[0], eyes) != _seen(self.desks[1], eyes)]

    def probe(self, deck: list[Any]) -> None:
        """Ask after every card in every way; nothing that is taken is kept."""
        step, others = self.state.step, sorted({*self.own.players} - self.hiders)
        who = Context(TABLE)
        for card in deck:
            side = card.side or "allies"
            for command in (
                PlayHand(step.id, side, (card.number,)),
                DropInvalid(card.number),
                *(LayStorm(step.id, others[0], storm, card.number) for storm in ("S04", "S06")),
                UseEffect(step.id, "lost", card=card.number),
            ):
                answers = [RULES.decide(desk.true_state, command, who) for desk in self.desks]
                found = [_answer(one) if isinstance(one, Rejected) else None for one in answers]
                assert found[0] == found[1], f"{command} is answered by what is hidden"

    def fork(self, one: Command, other: Command, hiders: frozenset[str]) -> None:
        for desk, command in zip(self.desks, (one, other), strict=True):
            assert _asked(desk, command) is None
        self.hiders = hiders
        own = [_seen(desk, hiders) for desk in self.desks]
        assert own[0] != own[1], "they themselves see it"


def _asked(desk: MemoryDesk, command: Command, actor: Actor = TABLE) -> Rejected | None:
    desk.advance(1_000)
    desk.send(command, actor=actor)
    change = desk.change
    assert change is not None
    return change.rejected


def _answer(rejected: Rejected | None) -> Answer:
    return None if rejected is None else (rejected.code, rejected.detail)


def _seen(desk: MemoryDesk, eyes: Eyes) -> Seen:
    seen = desk.seen(eyes)
    assert seen is not None
    return seen


def _is_taken(state: Any, command: Command) -> bool:
    return not isinstance(RULES.decide(state, command, Context(TABLE)), Rejected)


def _two_plays(tables: Tables, chance: random.Random, deck: list[Any]) -> tuple[PlayHand, PlayHand] | None:
    """Return two plays that whoever is to lay face down may make, and that look the same to the others."""
    true = tables.desks[0].true_state
    found: list[PlayHand] = []
    for _try in range(60):
        play: PlayHand = likely_play(tables, chance, deck, None)  # type: ignore[arg-type]
        if _is_taken(true, play):
            found.append(play)
    player = true.step.owners[0]

    def looks(play: PlayHand) -> Play:
        return open_part(true, Play(player, 2, play.side, play.cards, bomb_alley_on=play.bomb_alley_on))

    pairs = [(a, b) for a in found for b in found if a.cards != b.cards and looks(a) == looks(b)]
    return chance.choice(pairs) if pairs else None


def _to_face_down(tables: Tables, chance: random.Random, deck: list[Any]) -> bool:
    """Play by chance up to a step in which somebody lays cards face down; False where the game ends first."""
    skip = chance.randint(0, 6)
    for _ in range(400):
        if tables.state.ending is not None:
            return False
        if tables.state.step.act == "play_hidden":
            if skip == 0:
                return True
            skip -= 1
        act(tables, chance, deck)  # type: ignore[arg-type]
    return False


def to_face_down(seed: int = 0) -> tuple[MemoryDesk, str]:
    """Return a table at which somebody is about to lay cards face down, and who."""
    chance = random.Random(seed)
    deck = random_deck(chance)
    tables = Tables(deck, players=4, operations=6)
    assert _to_face_down(tables, chance, [card for card in deck if card.kind != "operation"])
    return tables.desks[0], tables.state.step.owners[0]


def _evening(seed: int, back: str = "", *, pages: bool = False) -> bool:
    """Play one pair of evenings; say whether it came to cards that are hidden."""
    chance = random.Random(seed)
    deck = random_deck(chance)
    tables = Tables(deck, players=chance.randint(2, 5), operations=6, advanced=chance.random() < 0.3,
                    change_sides=chance.random() < 0.3)  # fmt: skip
    held = [card for card in deck if card.kind != "operation"]
    if not _to_face_down(tables, chance, held):
        return False
    pair = _two_plays(tables, chance, held)
    if pair is None:
        return False
    hider = tables.state.step.owners[0]
    tables.fork(*pair, frozenset({hider}))
    tables.check()
    if pages:
        _same_pages(tables)
    if back in ("undo", "redo"):
        tables.attempt(Undo(tables.now_ms))
        tables.is_taken_back = back == "undo"
        tables.do(AddNote("taken back")) if tables.is_taken_back else tables.attempt(Redo(tables.now_ms))
    tables.attempt(EndAct(tables.state.step.id, tables.now_ms))
    if tables.is_closed:
        tables.probe(held)
    while tables.state.step.act == "play_hidden":
        act(tables, chance, held)  # type: ignore[arg-type]
    if tables.is_taken_back:
        assert tables.differing() == [], "what was taken back is in the hand again"
        if pages:
            _same_pages(tables)
        for desk in tables.desks:
            assert _asked(desk, EndGame(desk.now_ms(), None, "agreed")) is None
    assert len(tables.differing()) == len(tables.eyes()), "turned over, everybody sees them"
    if pages:
        one, other = (told(desk) for desk in tables.desks)
        assert {"log", "report"} <= {key for key in one if one[key] != other[key]}
    return True


def _same_pages(tables: Tables) -> None:
    for eyes in (NOBODY, tables.eyes()[-1]):
        one, other = (told(desk, eyes) for desk in tables.desks)
        assert [key for key in one if one[key] != other[key]] == []


def _counted(seeds: range, play: Callable[[int], bool]) -> int:
    """Return how many evenings came to what they are about."""
    return sum(play(seed) for seed in seeds)


def test_what_lies_face_down_tells_nobody_anything() -> None:
    assert _evening(0, pages=True)
    assert _evening(1, "undo")


def test_a_card_laid_twice_is_told_at_the_reveal_alone() -> None:
    """That two hold the same card is an error of the table: before the cards are turned over nobody may learn of it."""
    table = Table(battle(), *(force(f"A{n:02}") for n in range(1, 6)), players=4)
    table.turn_over("O02")
    for card in ("A01", "A02", "A03", "A04"):
        table.play("allies", card)
    table.to("play_hidden")
    table.play("allies", "A05")
    table.play("allies", "A05")
    table.to("reveal")
    for player in ("p3", "p4"):
        table.do(DiscardHand(table.state.step.id, "bluff", Side(player)))
    rejected = table.refusal(EndAct(table.state.step.id, table.now_ms))
    assert "A05" in str(rejected.detail)
    table.do(DropInvalid("A05"))
    table.next()
    assert table.state.step.act == "trick"


def test_a_new_card_waits_for_the_reveal() -> None:
    desk, _player = to_face_down()
    assert desk.change is not None
    desk.send(EnterPrintedValue(printed_key("A60"), msgspec.to_builtins(force("A60"))))
    assert desk.change.rejected is not None
    assert "face down" in str(desk.change.rejected.detail)


@pytest.mark.long
def test_what_lies_face_down_tells_nobody_anything_on_any_evening() -> None:
    for back in ("", "undo", "redo"):
        assert _counted(range(100, 160), lambda seed: _evening(seed, back)) > 35  # noqa: B023 - called at once


@pytest.mark.long
def test_what_lies_face_down_stands_on_no_page_of_any_evening() -> None:
    assert _counted(range(500, 520), lambda seed: _evening(seed, pages=True)) > 12


# Piles


def _swapped(command: Command) -> tuple[TakeTrick, frozenset[str]] | None:
    """Return the same sharing of a trick but for two cards that change places, and whose they are; None for no sharing."""
    if not isinstance(command, TakeTrick) or len(command.shares) < 2:
        return None
    (one, his), (other, hers) = list(command.shares.items())[-2:]
    if not his or not hers or his[-1][0] == "O" or hers[-1][0] == "O":
        return None
    shares = {**command.shares, one: (*his[:-1], hers[-1]), other: (*hers[:-1], his[-1])}
    return msgspec.structs.replace(command, shares=shares), frozenset({one, other})


def _shared(seed: int, operations: int, *, pages: bool = False) -> bool:
    """Play a whole evening in which one trick is shared out in two ways; say whether it came to one."""
    chance = random.Random(seed)
    deck = random_deck(chance)
    tables = Tables(deck, players=5, operations=operations, advanced=True, series=2)
    tables.is_to_share = True
    held = [card for card in deck if card.kind != "operation"]
    for _ in range(900):
        if tables.state.step.act == "count" or tables.state.ending is not None:
            break
        act(tables, chance, held)  # type: ignore[arg-type]
        if pages and tables.hiders and tables.is_closed:
            _same_pages(tables)
            pages = False
    if not tables.hiders:
        return False
    assert tables.state.step.act == "count"
    assert len(tables.differing()) == len(tables.eyes()), "counted, everybody sees the piles"
    return True


def test_what_lies_in_a_pile_tells_nobody_anything_until_it_is_counted() -> None:
    assert _shared(2, 2)


@pytest.mark.long
def test_what_lies_in_a_pile_tells_nobody_anything_on_any_evening() -> None:
    assert _counted(range(20), lambda seed: _shared(seed, 4)) > 8
    assert _counted(range(20, 26), lambda seed: _shared(seed, 4, pages=True)) > 1
