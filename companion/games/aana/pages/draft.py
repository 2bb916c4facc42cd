"""What is being entered on North Africa's Combat screen, and the frame that its pages share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from companion.core.commands import Command
from companion.core.ids import Millis
from companion.core.state import GameState
from companion.core.text import Name, Say, Value, area, nation, several, side
from companion.games.aana.pages.tell import apart, piece_say, pieces_say, supply_say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.fight import Fight, kind_key
from companion.games.aana.rules.fight_dice import expected_hits
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.pages.entered_dice import EnteredDice
from companion.pages.page import (
    Acts,
    Block,
    Button,
    Counter,
    Draft,
    Head,
    Item,
    Mark,
    Page,
    Rows,
    Send,
    Shown,
    Words,
)
from companion.pages.parts import nation_mark, side_mark

__all__ = [
    "CombatDraft",
    "Counters",
    "edit",
    "fight_page",
    "fresh",
    "luck_say",
    "press",
    "stage_key",
    "take_up",
]


@dataclass(frozen=True, slots=True)
class CombatDraft(EnteredDice):
    """What is being entered and not sent yet; its dice are those of the current stage, in the order of its volleys."""

    key: str = ""
    """What it was entered for; another stage starts anew."""
    target: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Row key to count."""
    mines: tuple[str, str, int] | None = None
    """Mines that go off: place, owner (or neighbour across the border), how many."""
    pay: Mapping[str, str] = field(default_factory=dict)
    """Attacking territory to where its supply comes from, as in `AttackGroup.supply_from`."""
    aims: Mapping[int, tuple[int, Mapping[str, int]]] = field(default_factory=dict)
    """Number of a volley to the hits that are aimed, and those by named unit type."""
    plan: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Territory to the pieces that retreat there."""
    odds: Words | None = None
    """The odds, once they were asked for."""
    advice: Words | None = None
    """What the coach said, once it was asked."""
    coach: bool = True
    """The box's setting allows the coach."""


def fresh(draft: CombatDraft, key: str) -> CombatDraft:
    """Return the draft where it was entered for this, else an empty one."""
    return draft if draft.key == key else CombatDraft(key=key)


def edit(key: str, change: Callable[[CombatDraft], CombatDraft]) -> Draft[CombatDraft]:
    """Return an act that changes what is being entered for something."""
    return Draft(lambda draft: change(fresh(draft, key)), CombatDraft())


def take_up(draft: CombatDraft | None = None) -> Draft[CombatDraft]:
    """Return an act that puts another draft in its place; an empty one where none is given."""
    return Draft(lambda _draft: draft or CombatDraft(), CombatDraft())


def press(command: Command | Callable[[Millis], Command]) -> Send:
    """Return the act of a main button: what was entered for it goes once it is taken, and stays when it is refused."""
    return Send(command, then=take_up())


class Counters:
    """The counters of a page; a tap on one keeps what all others show."""

    def __init__(self, acts: Acts, draft: CombatDraft) -> None:
        self._acts, self._draft = acts, draft
        self.shown: dict[str, int] = {}

    def item(
        self,
        key: str,
        title: Words,
        most: int,
        *,
        usual: int = 0,
        least: int = 0,
        sub: Words | None = None,
        mark: Mark | None = None,
    ) -> Item:
        """Return a row that counts.

        Args:
            usual: What it shows until it is changed.
        """
        count = self.shown[key] = min(most, max(least, self._draft.counts.get(key, usual)))

        def step(by: int) -> Draft[CombatDraft]:
            def change(draft: CombatDraft) -> CombatDraft:
                return replace(draft, counts={**self.shown, key: min(most, max(least, count + by))})

            return edit(self._draft.key, change)

        less, more = self._acts.put(f"{key}.less", step(-1)), self._acts.put(f"{key}.more", step(1))
        return Item(key, title, sub, mark=mark, facet=Counter(count, less, more, least=least, most=most))


# The frame of a combat under way


def stage_key(fight: Fight) -> str:
    """Return what tells the stage at hand from every other."""
    return f"{fight.attack}.{fight.round_no}.{fight.stage}.{fight.fired_stage}.{len(fight.shots)}"


def fight_page(
    state: GameState,
    fight: Fight,
    acts: Acts,
    *,
    lead: Words | None,
    blocks: tuple[Block, ...],
    main: Button,
    note: Words | None = None,
    second: Button | None = None,
) -> Shown:
    """Return the page of a stage: both forces above what it asks."""
    attack, setup = bm.attack_of(state, fight), state.frozen_setup
    foe = enemy_of(SIDE_OF[attack.power])
    forces = (
        Item(
            "attack",
            _force(nation(attack.power), fight, attacking=True),
            mark=nation_mark(setup, attack.power),
        ),
        Item("defence", _force(side(foe), fight, attacking=False), mark=side_mark(setup, foe)),
    )
    stage = Name("fight_stage", fight.stage)
    page = Page(
        stage_key(fight),
        Say("{space} · Round {n} · {stage}", space=area(fight.space), n=fight.round_no, stage=stage),
        lead,
        blocks=(
            Rows("forces", forces, is_wide=False),
            *blocks,
            *((Head("note", note),) if note is not None else ()),
        ),
        main=main,
        second=second,
    )
    return Shown(page, acts)


def _force(name: Name, fight: Fight, *, attacking: bool) -> Say:
    """Return a side's pieces on one line, land units by the territory that they attack from."""
    kinds = fight.attackers if attacking else fight.defenders
    counts = fight.a if attacking else fight.d
    places: dict[str, list[Value]] = {}
    for kind, n in zip(kinds, counts, strict=True):
        if n:
            key = kind_key(kind).partition("@")[0]
            places.setdefault(kind.origin, []).append(Say("{n} × {unit}", n=n, unit=piece_say(key)))
    many = len([origin for origin in places if origin]) > 1
    lines: list[Value] = [
        Say("{space} {units}", space=area(origin), units=several(units, "comma"))
        if origin and many
        else several(units, "comma")
        for origin, units in sorted(places.items(), key=lambda item: not item[0])
    ]
    if not attacking and fight.cargo.count:
        cargo = fight.cargo
        units = pieces_say({f"{power}.{unit}": n for power, unit, n in cargo.units})
        loads = [
            load for load in (units, supply_say(cargo.tokens) if cargo.tokens else None) if load is not None
        ]
        lines.append(Say("on transports: {units}", units=several(loads, "comma")))
    return Say("{power}: {units}", power=name, units=apart(lines) if lines else Say("nobody"))


def luck_say(fight: Fight) -> Value | None:
    """Return hits against expectation so far, by side; None before anybody fired."""
    parts = []
    for role, word in (("attacker", Say("Attack")), ("defender", Say("Defence"))):
        shots = [shot for shot in fight.shots if shot.role == role]
        if shots:
            hits, mean = sum(shot.hits for shot in shots), round(float(expected_hits(shots)), 1)
            parts.append(Say("{side}: hits {hits}, expected {mean}", side=word, hits=hits, mean=mean))
    return apart(parts) if parts else None
