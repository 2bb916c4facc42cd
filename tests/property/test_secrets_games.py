"""What is sealed, and what is being entered, is told to nobody: pairs of evenings of the other four games.

Tables of Song for War seal different notes and then hear the same, chosen by chance. Every answer, and everything that any
page, log, report or film tells, must be equal until the note is revealed; then it must differ. The other games hide nothing: what
everybody may know of them is what the rules decide by.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.codec import Codec
from companion.core.commands import AddNote, Command, EndAct, JumpTo, Redo, TickCheck, Undo
from companion.core.history import Entry
from companion.core.ids import ARBITER, Nation, Side, StepId
from companion.core.ledger import SealedEnvelope, reseal_proof
from companion.core.rules import Code, Rejected
from companion.core.secrecy import NOBODY
from companion.core.setup import Setup
from companion.games.aana.pages.draft import CombatDraft
from companion.games.med.pages.card import blank
from companion.games.med.pages.draft import MedDraft
from companion.games.med.rules.commands import PlayHand
from companion.games.registry import games_by_key
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.buying import ResupplyDraft
from companion.games.sfw.pages.seal_draft import Note, SealedDraft
from companion.games.sfw.rules import seal_messages as sm
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger import nation_side
from companion.games.tsu.pages.draft import AttackDraft
from companion.pages.modules import modules, secrets_of
from companion.pages.page import Sight, Viewer
from companion.pages.phone_pages import WATCHED, watched_page
from companion.session.scenario_loader import load_game, make_setup
from companion.session.seals import TableVault, Vault
from companion.session.timesource import ManualTime
from companion.testing.memory_desk import MemoryDesk
from tests.property.test_secrets_med import to_face_down
from tests.property.told import told

US = Nation("us")
SEALED = ("sfw96", "sfw1")
OPEN = ("aana", "tsu")


SCENARIOS = {"sfw96": "apr43", "sfw1": "first_apr43", "aana": "torch", "tsu": "campaign", "med": "match"}


def _setup(game: str) -> Setup:
    family = modules()[game].family
    return make_setup(family, load_game(family), SCENARIOS[game], {})


class Table:
    """A table with a vault of its own."""

    def __init__(self, setup: Setup, folder: Path, content: sm.Content, pin: str) -> None:
        self.desk = MemoryDesk(setup, games_by_key()[setup.game].rules())
        self.vault = TableVault(Vault(folder, ManualTime(), kdf_n=1 << 10))
        self.content, self.pin = content, pin
        self.opening = ""

    @property
    def state(self) -> Any:
        assert self.desk.change is not None
        return self.desk.change.state

    def ask(self, command: Command) -> tuple[str, object] | None:
        self.desk.advance(1_000)
        self.desk.send(command)
        assert self.desk.change is not None
        rejected = self.desk.change.rejected
        return None if rejected is None else (rejected.code, rejected.detail)

    def seal(self, nation: Nation, secret: str = "") -> sm.SealSecret:
        """Return the command that seals what this table hides; of a secret that is sealed already, again."""
        place = se.place_to_seal(self.state, nation, "fleet", secret)
        side = nation_side(self.state.frozen_setup, nation)
        envelope, _code = self.vault.seal(
            se.content_text(self.content), place, side=side, side_pin=self.pin, arbiter_pin=f"9{self.pin}"
        )
        proof = reseal_proof(self.opening) if secret else ""
        _text, self.opening = self.vault.open(envelope, place, side, self.pin, tries_of="x")
        return sm.SealSecret(nation, "fleet", "Hidden Fleet", envelope, secret, proof)

    def reveal(self, secret: str) -> sm.RevealSecret:
        return sm.RevealSecret(secret, se.content_text(self.content), self.opening)


FLEETS = (
    sm.Content("J4", {"battleship": 1, "destroyer": 2}, "at dawn"),
    sm.Content("K11", {"cruiser": 5}, "at dusk"),
    sm.Content("J4", {"cruiser": 5}, "at dawn, off the cape"),
    sm.Content("K11", {"battleship": 1, "destroyer": 2}, "by night"),
    sm.Content("K11", {"destroyer": 3}, "x"),
    sm.Content("J4", {"destroyer": 4}, "with a long note that says where it goes next, and why"),
)
PINS = ("4829", "7731", "1111", "90210", "246810", "5555")


def fleets(count: int, chance: random.Random) -> list[tuple[sm.Content, str]]:
    """Return so many notes with a PIN each: those above, and others by chance."""
    found = list(zip(FLEETS, PINS, strict=True))
    while len(found) < count:
        kinds = chance.sample(("battleship", "cruiser", "destroyer"), 2)
        note = "".join(chance.choices("jqxz", k=chance.randint(8, 60)))  # nothing that a log says otherwise
        content = sm.Content(
            chance.choice(("J4", "K11")), {kind: chance.randint(1, 3) for kind in kinds}, note
        )
        if all(content != other for other, _pin in found):
            found.append((content, str(chance.randint(1_000, 99_999_999))))
    return found[:count]


class Tables:
    """The same evening at tables that hide different things."""

    def __init__(self, game: str, folder: Path, hidden: list[tuple[sm.Content, str]]) -> None:
        setup = _setup(game)
        self.tables = tuple(
            Table(setup, folder / str(n), content, pin) for n, (content, pin) in enumerate(hidden)
        )

    @property
    def state(self) -> Any:
        return self.tables[0].state

    def ask(self, *commands: Command) -> tuple[str, object] | None:
        """Ask all the same, or each its own; the answers are alike."""
        each = commands if len(commands) > 1 else commands * len(self.tables)
        answers = [table.ask(command) for table, command in zip(self.tables, each, strict=True)]
        assert all(one == answers[0] for one in answers), f"{each[0]} is answered by what is hidden"
        return answers[0]

    def seal(self, secret: str = "") -> tuple[str, object] | None:
        """Seal what each table hides; where it is refused, the notes of before hold."""
        before = [table.opening for table in self.tables]
        refused = self.ask(*(table.seal(US, secret) for table in self.tables))
        if refused is not None:
            for table, opening in zip(self.tables, before, strict=True):
                table.opening = opening
        return refused

    def by_chance(self, chance: random.Random) -> None:
        """Ask for something that may touch what is hidden, or go on."""
        state, secret = self.state, f"{US}.fleet.1"
        sides = [info.id for info in state.frozen_setup.sides]
        nations = [Nation(info.id) for info in state.frozen_setup.nations]
        now = self.tables[0].desk.now_ms()
        deeds: list[Command] = [
            *(sm.SearchSpace(chance.choice(nations), space, found) for space in ("J4", "K11") for found in ((), (secret,))),
            *(sm.OweReveal(secret, chance.choice(sm.FORCED)) for _ in range(2)),
            sm.ConfirmHidden(state.step.id, chance.choice(sides)),
            sm.RecordOpening(secret, chance.choice(("side", "arbiter", "recovery")), chance.random() < 0.5),
            sm.RevealSecret(secret, se.content_text(sm.Content("J4")), "0" * 64),
            AddNote("a note"),
            Undo(now),
            Redo(now),
            *(TickCheck(state.step.id, check) for check in state.step.checks[:2]),
        ]  # fmt: skip
        if chance.random() < 0.15 and state.game["seals"].secrets:
            self.seal(secret)
        elif chance.random() < 0.5:
            self.ask(chance.choice(deeds))
        self.ask(EndAct(self.state.step.id, self.tables[0].desk.now_ms(), confirmed=True))

    def differing(self) -> set[str]:
        first, *others = (told(table.desk) for table in self.tables)
        return {key for key in first if any(other[key] != first[key] for other in others)}

    def is_alike(self) -> bool:
        """Say whether everything that is known of the tables is the same but for the signs of what is sealed: so many of each."""
        first, *others = (_bare(table.desk) for table in self.tables)
        return all(one == first for one in others)


def _bare(desk: MemoryDesk) -> tuple[object, ...]:
    """Return what everybody may know of a table, with the number of signs in the place of what chance made."""
    seen = desk.seen(NOBODY)
    assert seen is not None
    state, change = seen.change.state, seen.change
    seals = state.game["seals"]
    secrets = {
        key: replace(one, versions=tuple(replace(v, envelope=_signs(v.envelope)) for v in one.versions))
        for key, one in seals.secrets.items()
    }
    return (
        replace(state, game={**state.game, "seals": replace(seals, secrets=secrets)}),
        change.rejected,
        *map(_bare_entry, (*seen.entries, change.undo, change.redo)),
    )


def _bare_entry(entry: Entry | None) -> Entry | None:
    if entry is None or not isinstance(entry.command, se.SealSecret):
        return entry
    command, events = entry.command, entry.events
    return replace(
        entry,
        command=replace(command, envelope=_signs(command.envelope), proof=str(len(command.proof))),
        events=tuple(
            replace(event, envelope=_signs(event.envelope)) if isinstance(event, se.SecretSealed) else event
            for event in events
        ),
    )


def _signs(envelope: SealedEnvelope) -> SealedEnvelope:
    """Return an envelope with the number of its signs in their place."""
    names = ("nonce", "text", "commitment", "lock", "device", "mac")
    keys = tuple(
        replace(one, **{name: str(len(getattr(one, name))) for name in ("salt", "nonce", "wrapped")})
        for one in envelope.keys
    )
    return replace(envelope, keys=keys, **{name: str(len(getattr(envelope, name))) for name in names})


def sealed_evening(
    game: str, folder: Path, seed: int, most: int = 40, tables: int = 6, *, pages: bool | None = None
) -> list[int]:
    """Play one evening at tables that seal different notes; return how many tables came to a reveal.

    `pages`: compare every page as well, not only all that they are made of; None: at every tenth.
    """
    chance = random.Random(seed)
    pages = chance.random() < 0.1 if pages is None else pages
    all_ = Tables(game, folder, fleets(tables, chance))
    assert all_.seal() is None
    assert not pages or all_.differing() == set()
    for _ in range(chance.randint(3, most)):
        all_.by_chance(chance)
        assert all_.is_alike()
    assert not pages or all_.differing() == set()
    for table in all_.tables:  # nothing that stands in the log says it either
        seen = table.desk.seen(NOBODY)
        assert seen is not None
        codec = Codec(table.desk.rules)  # type: ignore[arg-type]
        for entry in seen.entries:
            written = codec.encode_events(entry.events) + codec.encode_command(entry.command)
            assert len(table.content.note) < 4 or table.content.note.encode() not in written
    secret = f"{US}.fleet.1"
    while (
        all_.state.step.phase != "tactical"
        or all_.ask(*(one.reveal(secret) for one in all_.tables)) is not None
    ):
        if all_.ask(EndAct(all_.state.step.id, all_.tables[0].desk.now_ms(), confirmed=True)) is not None:
            return []
    assert not all_.is_alike(), "revealed, it stands everywhere"
    assert not pages or {"page sealed", "report"} <= all_.differing()
    return [tables]


@pytest.mark.parametrize("game", SEALED)
def test_a_sealed_note_tells_nobody_anything(game: str, tmp_path: Path) -> None:
    assert sealed_evening(game, tmp_path, 1, 12, 2, pages=True)


@pytest.mark.long
@pytest.mark.parametrize("game", SEALED)
def test_a_sealed_note_tells_nobody_anything_on_any_evening(game: str, tmp_path: Path) -> None:
    assert sum(bool(sealed_evening(game, tmp_path / str(seed), seed)) for seed in range(30)) > 15


@pytest.mark.parametrize("game", OPEN)
def test_of_a_game_that_hides_nothing_everybody_knows_what_the_rules_know(game: str) -> None:
    assert not secrets_of(game).held
    desk = MemoryDesk(_setup(game), games_by_key()[game].rules())
    for _ in range(12):
        desk.advance(1_000)
        assert desk.change is not None
        desk.send(EndAct(desk.change.state.step.id, desk.now_ms(), confirmed=True))
        for eyes in (NOBODY, frozenset(info.id for info in desk.true_state.frozen_setup.sides)):
            seen = desk.seen(eyes)
            assert seen is not None
            assert seen.change.state is desk.true_state


@pytest.mark.parametrize("game", list(games_by_key()))
def test_what_is_being_entered_stands_on_no_page_of_whoever_watches(game: str) -> None:
    """Whatever the screen at the table holds: purchases, an attack, losses, a note, cards."""
    desk = MemoryDesk(_setup(game), games_by_key()[game].rules())
    drafts = _drafts(game)
    assert drafts
    for step in _first_steps(desk):
        desk.send(JumpTo(desk.true_state.step.id, step, desk.now_ms()), actor=ARBITER)
        sight = Sight(Viewer("watch", may_act=False), desk.change, desk.rules, desk=desk)
        for key in WATCHED:
            bare = watched_page(key, sight, desk.now_ms())
            for draft in drafts:
                entered = Sight(sight.viewer, desk.change, desk.rules, draft, desk)
                assert watched_page(key, entered, desk.now_ms()) == bare


def _first_steps(desk: MemoryDesk) -> list[StepId]:
    """Return the first step of every phase, and the first in which something is declared."""
    found: dict[tuple[str, bool], StepId] = {}
    for step in desk.true_state.itinerary.steps:
        found.setdefault((step.phase, step.act == "declare"), step.id)
    return list(found.values())


def _drafts(game: str) -> list[object]:
    """Return what may be being entered on a game's own screens."""
    song_for_war: list[object] = [
        BattleDraft(page="odds", tab="sea"),
        ResupplyDraft(tab="board", is_taking=True),
        SealedDraft(Note(US, "fleet", space="J4")),
    ]
    return {
        "sfw96": song_for_war,
        "sfw1": song_for_war,
        "aana": [CombatDraft(target="libya", is_taking=True)],
        "tsu": [AttackDraft(mode="edit", side="allies", target="rome")],
        "med": [MedDraft(form=blank("O05")), MedDraft(number="A0")],
    }[game]


def test_what_one_seat_asks_in_vain_is_refused_at_the_table_without_a_reason() -> None:
    """The phone of whoever asked hears why; the screen that all see does not."""
    desk, player = to_face_down()
    assert desk.change is not None
    desk.send(PlayHand(desk.change.state.step.id, "allies", ("A99",)), actor=Side(player), source="phone")
    shown, own = desk.seen(NOBODY), desk.seen(frozenset({player}))
    assert shown is not None
    assert own is not None
    assert shown.change.rejected == Rejected(Code.IN_SECRET)
    assert own.change.rejected is not None
    assert "A99" in str(own.change.rejected.detail)
    assert "A99" not in str(shown.change)
