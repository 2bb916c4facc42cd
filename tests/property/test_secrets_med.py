"""What a player of the card game hides is told to nobody: evenings that differ in it alone are the same to all others.

An evening is played by chance at one table up to a moment; then it goes on at several, at each of which one player lays other
cards face down. From there on everything that is asked at all must be answered alike, and all that anybody else may know of
any, the whole log and the whole state that every page is made of, must be equal. Once the cards are turned over each two must
differ, or the test would see nothing.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product
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
from tests.games.med.test_med_play import STORMS
from tests.property.frames import Sent
from tests.property.told import told
from tests.property.twin import twin

LOADED = load_game(MedFamily())
Answer = tuple[str, Say | None] | None


class Tables:
    """The same evening at one table, and from a moment on at several."""

    def __init__(self, deck: list[Any], **options: Any) -> None:
        setup = make_setup(MedFamily(), LOADED, "match", options)
        printed = {printed_key(card.number): msgspec.to_builtins(card) for card in deck}
        setup = msgspec.structs.replace(setup, printed={**setup.printed, **printed})
        self.desks: tuple[MemoryDesk, ...] = (MemoryDesk(setup, RULES),)
        self.hiders: frozenset[str] = frozenset()
        self.is_taken_back = False
        self.is_to_share = False
        self.most = 2
        """Tables at most."""
        self.shared: list[Tables] = []
        """The same evening from each moment on at which a trick was shared out in several ways."""
        self.sent: tuple[Sent, ...] = ()
        """What watching phones are sent, where that is looked at."""

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
        """Return who is told nothing of what is hidden: whoever watches, all others together, and each of them."""
        others = [player for player in self.own.players if player not in self.hiders]
        return [NOBODY, frozenset(others), *(frozenset({player}) for player in others)]

    def attempt(self, command: Command, actor: Actor = TABLE) -> Rejected | None:
        """Ask the same at every table; the answers are the same, and so is what the others know afterwards."""
        answers = [_asked(desk, command, actor) for desk in self.desks]
        by_himself = isinstance(command, PlayHand | DiscardHand | UseEffect | EndAct)
        if not (by_himself and {*self.state.step.owners} & self.hiders):  # of his own cards he may be told
            first = _answer(answers[0])
            assert all(_answer(one) == first for one in answers), f"{command} is answered by what is hidden"
        if self.hiders and self.is_closed:
            assert self.differing(self.eyes()[:2]) == []
            first, *others = ([one.new() for one in self.sent]) or ([], [])
            assert all(one == first for one in others), "what watching phones are sent tells it"
        return answers[0]

    @property
    def is_closed(self) -> bool:
        """Whether what was laid, or shared out, on the one table and not on the other is still hidden."""
        if self.is_to_share:
            return self.state.ending is None and self.state.step.act != "count"
        return self.state.step.act in FACE_DOWN or self.is_taken_back

    def do(self, command: Command) -> None:
        ways = _swapped(command) if self.is_to_share and not self.hiders else None
        if ways is not None:
            beside = self.branch()
            beside.fork((command, *ways[0][: self.most - 1]), ways[1])
            beside.attempt(EndAct(beside.state.step.id, beside.now_ms))
            self.shared.append(beside)
        rejected = self.attempt(command)
        assert rejected is None, rejected

    def differing(self, eyes: list[Eyes] | None = None) -> list[Eyes]:
        """Return the eyes to which the evenings are not all the same."""
        found = []
        for one in self.eyes() if eyes is None else eyes:
            first = _seen(self.desks[0], one)
            if any(_seen(desk, one) != first for desk in self.desks[1:]):
                found.append(one)
        return found

    def told_apart(self, eyes: Eyes) -> bool:
        """Say whether each two of the evenings are different to some eyes."""
        seen = [_seen(desk, eyes) for desk in self.desks]
        return all(one != other for one, other in combinations(seen, 2))

    def probe(self, deck: list[Any]) -> None:
        """Ask after cards in every way; nothing that is taken is kept."""
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
                assert all(one == found[0] for one in found), f"{command} is answered by what is hidden"

    def fork(self, ways: Sequence[Command], hiders: frozenset[str]) -> None:
        """Go on at as many tables as there are ways to hide something; nobody but who hides it sees which."""
        (desk,) = self.desks
        self.hiders = hiders
        for eyes in (hiders, *self.eyes()):  # looked through before, each view is carried on from there
            _seen(desk, eyes)
        self.desks = tuple(twin(desk) for _way in ways)
        for table, command in zip(self.desks, ways, strict=True):
            assert _asked(table, command) is None
        assert self.told_apart(hiders), "they themselves see it"
        assert self.differing() == []

    def branch(self) -> Tables:
        """Return the same evening to go on with, while this one stays where it is."""
        made = copy.copy(self)
        made.desks = tuple(map(twin, self.desks))
        return made


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


def _ways(tables: Tables, chance: random.Random, deck: list[Any], most: int = 2) -> list[PlayHand]:
    """Return plays that whoever is to lay face down may make, and that look the same to the others; none where he has no choice."""
    true = tables.desks[0].true_state
    player, found = true.step.owners[0], dict[tuple[str, ...], PlayHand]()
    engagement = slice_of(true).engagement
    assert engagement is not None
    lying = [card for card in deck if engagement.holders(card.number)]
    deck = [*deck, *8 * lying] if chance.random() < 0.5 else deck
    for _try in range(40 + 10 * most):
        play: PlayHand = likely_play(tables, chance, deck, None)  # type: ignore[arg-type]
        if play.cards not in found and _is_taken(true, play):
            found[play.cards] = play

    def looks(play: PlayHand) -> Play:
        return open_part(true, Play(player, 2, play.side, play.cards, bomb_alley_on=play.bomb_alley_on))

    alike: list[list[PlayHand]] = []
    for play in found.values():
        same = next((some for some in alike if looks(some[0]) == looks(play)), None)
        if same is None:
            alike.append([play])
        else:
            same.append(play)
    choices = [some[:most] for some in alike if len(some) > 1]
    return max(choices, key=len) if most > 2 and choices else chance.choice(choices) if choices else []


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
    tables, held = _begun(chance)
    if not _to_face_down(tables, chance, held):
        return False
    ways = _ways(tables, chance, held)
    if not ways:
        return False
    _hidden(tables, ways, chance, held, back, pages=pages)
    return True


def _begun(chance: random.Random) -> tuple[Tables, list[Any]]:
    """Return an evening that begins, and the cards that are held in hands."""
    deck = random_deck(chance)
    players = chance.randint(2, 5)
    tables = Tables(deck, players=players, operations=6, advanced=chance.random() < 0.3,
                    change_sides=chance.random() < 0.3 and players > 2)  # fmt: skip
    return tables, [card for card in deck if card.kind != "operation"]


def _hidden(
    tables: Tables,
    ways: Sequence[PlayHand],
    chance: random.Random,
    held: list[Any],
    back: str,
    *,
    pages: bool,
) -> None:
    """Lay cards face down in several ways and go on until they are turned over.

    That two lay the same card is an error of the table: it happens here often, and nobody may learn of it either.
    """
    hider, numbers = tables.state.step.owners[0], {number for way in ways for number in way.cards}
    laid = [card for card in held if card.number in numbers]
    probed = [*chance.sample(laid, min(6, len(laid))), *chance.sample(held, 4)] if len(ways) > 2 else held
    held = [*laid, *chance.sample(held, 8), *STORMS] if chance.random() < 0.5 else held
    tables.fork(ways, frozenset({hider}))
    if pages:
        _same_pages(tables)
        tables.sent = tuple(Sent(desk) for desk in tables.desks[:4])
    if back in ("undo", "redo"):
        tables.attempt(Undo(tables.now_ms))
        tables.is_taken_back = back == "undo"
        tables.do(AddNote("taken back")) if tables.is_taken_back else tables.attempt(Redo(tables.now_ms))
    tables.attempt(EndAct(tables.state.step.id, tables.now_ms))
    if tables.is_closed:
        tables.probe(probed)
    while tables.state.step.act == "play_hidden":
        if chance.random() < 0.3:  # nothing takes more cards out while they lie face down
            step, whose = tables.state.step, chance.choice(tables.own.players)
            tables.attempt(LayStorm(step.id, step.owners[0], "S01"))
            tables.attempt(UseEffect(step.id, "sirocco", (1,), whose))
        act(tables, chance, held)  # type: ignore[arg-type]
        for desk in tables.desks:
            _own_cards_are_seen(desk)
    if tables.is_taken_back:
        assert tables.differing() == [], "what was taken back is in the hand again"
        if pages:
            _same_pages(tables)
        for desk in tables.desks:
            assert _asked(desk, EndGame(desk.now_ms(), None, "agreed")) is None
    eyes = tables.eyes() if len(ways) == 2 else tables.eyes()[:1]
    assert all(map(tables.told_apart, eyes)), "turned over, everybody sees them"
    if pages:
        one, other = (told(desk) for desk in tables.desks[:2])
        assert {"log", "report"} <= {key for key in one if one[key] != other[key]}


def _own_cards_are_seen(desk: MemoryDesk) -> None:
    """Of a card that two hold each sees of his own what the rules count; what became of the other's is not his to know."""
    engagement = slice_of(desk.true_state).engagement
    assert engagement is not None
    laid = Counter(number for play in engagement.plays for number in play.cards)
    if not any(laid[one.card] > 1 for one in engagement.removed):
        return
    for player in engagement.order:
        seen = slice_of(_seen(desk, frozenset({player})).change.state).engagement
        assert seen is not None
        mine, true = (
            [
                (number, one.is_removed(number, player))
                for play in one.plays
                if play.player == player
                for number in play.cards
            ]
            for one in (seen, engagement)
        )
        assert mine == true, f"{player} sees of his own cards what is not so"


def evening_of(seed: int, most: int = 10) -> list[int]:
    """Play an evening by chance; whenever cards are laid face down, lay them in several ways. Return in how many each time."""
    chance = random.Random(seed)
    tables, held = _begun(chance)
    found = []
    for _ in range(400):
        if tables.state.ending is not None:
            break
        if tables.state.step.act == "play_hidden":
            ways = _ways(tables, chance, held, most)
            if ways:
                back, pages = chance.choice(("", "", "undo", "redo")), chance.random() < 0.01
                _hidden(tables.branch(), ways, chance, held, back, pages=pages)
                found.append(len(ways))
        act(tables, chance, held)  # type: ignore[arg-type]
    return found


def _same_pages(tables: Tables) -> None:
    for eyes in tables.eyes()[:2]:
        first, *others = (told(desk, eyes) for desk in tables.desks[:4])
        for other in others:
            assert [key for key in first if first[key] != other[key]] == []


def _counted(seeds: range, play: Callable[[int], bool]) -> int:
    """Return how many evenings came to what they are about."""
    return sum(map(play, seeds))


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


def _swapped(command: Command) -> tuple[list[TakeTrick], frozenset[str]] | None:
    """Return the same sharing of a trick but for two cards that change places, in all ways, and whose they are; None for none."""
    if not isinstance(command, TakeTrick) or len(command.shares) < 2:
        return None
    (one, his), (other, hers) = list(command.shares.items())[-2:]
    found = []
    for a, b in product(reversed(range(len(his))), reversed(range(len(hers)))):
        if "O" not in (his[a][0], hers[b][0]):
            mine = (*his[:a], hers[b], *his[a + 1 :])
            theirs = (*hers[:b], his[a], *hers[b + 1 :])
            found.append(
                msgspec.structs.replace(command, shares={**command.shares, one: mine, other: theirs})
            )
    return (found, frozenset({one, other})) if found else None


def shared(seed: int, operations: int = 2, most: int = 6, *, pages: bool = False) -> list[int]:
    """Play a whole evening, and from each trick that is shared out on in several ways; return in how many each time."""
    chance = random.Random(seed)
    deck = random_deck(chance)
    tables = Tables(deck, players=5, operations=operations, advanced=True, series=2)
    tables.is_to_share, tables.most = True, most
    held = [card for card in deck if card.kind != "operation"]
    _to_count(tables, chance, held)
    for beside in tables.shared:
        if pages:
            _same_pages(beside)
        _to_count(beside, chance, held)
        assert beside.state.step.act == "count"
        assert all(map(beside.told_apart, beside.eyes())), "counted, everybody sees the piles"
    return [len(beside.desks) for beside in tables.shared]


def _to_count(tables: Tables, chance: random.Random, held: list[Any]) -> None:
    for _ in range(900):
        if tables.state.step.act == "count" or tables.state.ending is not None:
            return
        act(tables, chance, held)  # type: ignore[arg-type]


def test_what_lies_in_a_pile_tells_nobody_anything_until_it_is_counted() -> None:
    assert shared(2, 2, 2)


@pytest.mark.long
def test_what_lies_in_a_pile_tells_nobody_anything_on_any_evening() -> None:
    assert _counted(range(20), lambda seed: shared(seed, 4) != []) > 8
    assert _counted(range(20, 26), lambda seed: shared(seed, 4, pages=True) != []) > 1
