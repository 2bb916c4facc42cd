"""What one player laid face down is nowhere to be seen or found by asking before the cards are turned over.

Two evenings are played that differ in one player's face-down card alone. Every screen, the log, the line behind Undo, the report
and every answer to a probe must be the same; once the cards are turned over they must differ, or the test would see nothing.
"""

from __future__ import annotations

import random
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core.commands import Command, EnterPrintedValue
from companion.core.ids import Side
from companion.games.med.game import GAMES
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import Card, plain, printed_key
from companion.games.med.rules.game_rules import RULES
from companion.games.med.rules.new_game import MedFamily
from companion.pages import screens
from companion.pages.frame import frame
from companion.pages.html import page_html
from companion.pages.i18n import LANGUAGES, speaking
from companion.pages.labels import entry_label
from companion.pages.page import TABLE_VIEWER, Sight, Viewer
from companion.pages.phone_pages import WATCHED, watched_page
from companion.pages.report import report_html
from companion.pages.speak import Voice
from companion.pages.table import main_command, table_view
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.memory_desk import MemoryDesk

LOADED = load_game(MedFamily())
PLAYERS = tuple(Side(f"p{n}") for n in range(1, 5))
FORCES = tuple(
    Card(
        f"{letter}{n:02}",
        "force",
        f"Ship {letter}{n}",
        (n % 4, 2, 1),
        (1942,),
        1 + n % 5,
        "all",
        victim=victim,
    )
    for letter in "AX"
    for n, victim in ((n, f"Ship X{n}" if letter == "A" and n % 3 == 0 else "") for n in range(1, 16))
)
OPERATION = Card("O05", "operation", years=(1942,), victory_points=3, operation="battle", freighter="none")
CARDS = (OPERATION, *FORCES)


class Evening:
    """A battle of four players, played by commands."""

    def __init__(self) -> None:
        self.desk = MemoryDesk(make_setup(MedFamily(), LOADED, "match", {"players": 4}), RULES)
        for card in CARDS:
            self.do(EnterPrintedValue(printed_key(card.number), plain(card)))
        self.next()
        self.do(cm.TurnOver(self.step, OPERATION.number))
        self.next()

    @property
    def state(self) -> Any:
        assert self.desk.change is not None
        return self.desk.change.state

    @property
    def step(self) -> Any:
        return self.state.step.id

    def do(self, command: Command) -> Any:
        self.desk.advance(1_000)
        self.desk.send(command)
        assert self.desk.change is not None
        return self.desk.change.rejected

    def next(self) -> None:
        self.do(main_command(self.state, self.desk.now_ms()))

    def lay(self, card: str) -> None:
        side = "allies" if card[0] == "A" else "axis"
        rejected = self.do(cm.PlayHand(self.step, side, (card,)))
        assert rejected is None, rejected
        self.next()

    def told(self) -> tuple[object, ...]:
        """Return everything that anybody at the table can see."""
        change = self.desk.change
        assert change is not None
        entries = self.desk.entries()
        seen: list[object] = [frame(change, RULES, entry_label(entries[-1], change.state))]
        seen += [entry_label(entry, change.state) for entry in entries]
        seen.append(table_view(change, RULES, self.desk.now_ms()))
        for entry in (*screens.SHARED, *GAMES[0].screens):
            if not entry.needs_game or entry.key == "charts":
                continue
            sight = Sight(TABLE_VIEWER, change, RULES, desk=self.desk)
            shown = entry.make()(sight)
            seen += [entry.key, shown.page, tuple(sorted(shown.acts))]
        sight = Sight(Viewer("watch"), change, RULES, desk=self.desk)
        with speaking(list(LANGUAGES)[len(entries) % len(LANGUAGES)]) as language:
            voice = Voice(language, GAMES[0].key, change.state)
            pages = [watched_page(key, sight, self.desk.now_ms()) for key in WATCHED]
            seen += [page_html(page, voice, now_ms=self.desk.now_ms()) for page in pages]
        seen.append(report_html(change, entries, lambda _seq: True, 0))
        return tuple(seen)

    def probes(self, others: tuple[Side, ...], chance: random.Random) -> tuple[object, ...]:
        """Return the answer to every way of asking after a card, none of which is kept."""
        answers: list[object] = []
        for card in FORCES:
            side = "allies" if card.number[0] == "A" else "axis"
            commands: list[Command] = [
                cm.DropInvalid(card.number),
                cm.LayStorm(self.step, chance.choice(others), "S06", card.number),
                cm.PlayHand(self.step, side, (card.number,)),
            ]
            for command in commands:
                answers.append((card.number, type(command).__name__, _refusal(self.desk.true_state, command)))
        return tuple(answers)


def _refusal(state: Any, command: Command) -> object:
    from companion.core.rules import Context, Rejected

    decision = RULES.decide(state, command, Context(0, Side("table")))  # type: ignore[arg-type]
    return (decision.code, decision.detail) if isinstance(decision, Rejected) else "taken"


def _differ(one: Evening, other: Evening) -> list[int]:
    """Return the places at which what is told differs; the things themselves are too large to be shown."""
    pairs = zip(one.told(), other.told(), strict=True)
    return [n for n, (here, there) in enumerate(pairs) if here != there]


def _battle(first: list[str], hidden: str, seat: int) -> Evening:
    """Play the first round and the second up to a seat that lays `hidden` face down."""
    evening = Evening()
    for card in first:
        evening.lay(card)
    while evening.state.step.act != "play_hidden":
        evening.next()
    for _before in range(seat):
        evening.next()
    evening.lay(hidden)
    return evening


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2))
def test_a_face_down_card_tells_nobody_anything(seed: int, seat: int) -> None:
    chance = random.Random(seed)
    letters = [chance.choice("AX") for _player in PLAYERS]
    deck = {letter: [c.number for c in FORCES if c.number[0] == letter] for letter in "AX"}
    for numbers in deck.values():
        chance.shuffle(numbers)
    first = [deck[letter].pop() for letter in letters]
    one, other = deck[letters[seat]].pop(), deck[letters[seat]].pop()
    a, b = _battle(first, one, seat), _battle(first, other, seat)
    assert _differ(a, b) == []
    others = tuple(player for n, player in enumerate(PLAYERS) if n != seat)
    assert a.probes(others, random.Random(1)) == b.probes(others, random.Random(1))
    while a.state.step.act == "play_hidden":
        assert _differ(a, b) == []
        a.next()
        b.next()
    assert a.state.step.act == "reveal"
    assert _differ(a, b), "turned over, they are seen"


def test_a_card_laid_twice_is_told_at_the_reveal_alone() -> None:
    evening = _battle(["A01", "A02", "A03", "A04"], "A05", 0)
    evening.lay("A05")
    evening.next()
    evening.next()
    assert evening.state.step.act == "reveal"
    for player in (Side("p3"), Side("p4")):
        evening.do(cm.DiscardHand(evening.step, "bluff", player))
    rejected = evening.do(main_command(evening.state, evening.desk.now_ms()))
    assert rejected is not None
    assert "A05" in str(rejected.detail)
    assert evening.do(cm.DropInvalid("A05")) is None
    evening.next()
    assert evening.state.step.act == "trick"


def test_a_new_card_waits_for_the_reveal() -> None:
    evening = _battle(["A01", "A02", "A03", "A04"], "A05", 0)
    new = msgspec.structs.replace(FORCES[0], number="A60")
    rejected = evening.do(EnterPrintedValue(printed_key("A60"), plain(new)))
    assert rejected is not None
    assert "face down" in str(rejected.detail)
