"""What is being entered on North Africa's Combat screen, and the frame that its pages share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from companion.core.commands import Command
from companion.core.ids import Millis, SiteId
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Value, area, nation, several, side, unit
from companion.games.aana.pages.tell import owner_mark, pieces_say, supply_say, tile_say
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import ATTACKER, DEFENDER
from companion.games.aana.rules.fight import Fight, key_parts, kind_key, lost_of
from companion.games.aana.rules.fight_dice import expected_hits
from companion.games.aana.rules.figures import COLOURS, SIDE_OF, enemy_of
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.tables import NO_SPACE
from companion.pages import page as pg
from companion.pages.entered_dice import EnteredDice
from companion.pages.parts import apart, counting, nation_mark, side_mark, taking_tool
from companion.pages.symbols import UNIT, unit_symbol

__all__ = [
    "CombatDraft",
    "Counters",
    "counted",
    "edit",
    "fight_page",
    "fresh",
    "lost_say",
    "luck_say",
    "owned",
    "press",
    "stage_key",
    "take_up",
]


@dataclass(frozen=True, slots=True)
class CombatDraft(EnteredDice):
    """What is being entered and not sent yet; its dice are those of the current stage, in the order of its volleys."""

    key: str = ""
    """What it was entered for; another stage starts anew."""
    target: SiteId = NO_SPACE
    counts: Mapping[str, int] = field(default_factory=dict)
    """Row key to count."""
    mines: tuple[SiteId, str, int] | None = None
    """Mines that go off: place, owner (or neighbour across the border), how many."""
    pay: Mapping[SiteId, str] = field(default_factory=dict)
    """Attacking territory to where its supply comes from, as in `AttackGroup.supply_from`."""
    aims: Mapping[int, tuple[int, Mapping[str, int]]] = field(default_factory=dict)
    """Number of a volley to the hits that are aimed, and those by named unit type."""
    plan: Mapping[SiteId, Mapping[Piece, int]] = field(default_factory=dict)
    """Territory to the pieces that retreat there."""
    is_taking: bool = False
    """A tap on a unit takes one off."""
    odds: pg.Words | None = None
    """The odds, once they were asked for."""
    advice: pg.Words | None = None
    """What the coach said, once it was asked."""
    outlook: str = ""
    """Whose odds are looked at: an attack's number, or ``fight``; empty: nobody's."""
    tab: str = "odds"
    """``odds``, ``coach`` or ``force``."""
    stop: tuple[str, int] = ("", 0)
    """When the attackers stop in the odds: after ``rounds``, with ``few`` left, pressing only ``against`` so many; else never."""
    leave: tuple[str, int] = ("", 0)
    """When the defenders retreat in them: from a ``round`` on, with ``few`` left; else never."""
    coached: str = "attacker"
    goal: str = "space"
    wanted: int = 70
    """Percent for which the smallest force is looked for."""
    coach: bool = True
    """The box's setting allows the coach."""


def fresh(draft: CombatDraft, key: str) -> CombatDraft:
    """Return the draft where it was entered for this, else an empty one."""
    return draft if draft.key == key else CombatDraft(key=key)


def edit(key: str, change: Callable[[CombatDraft], CombatDraft]) -> pg.Draft[CombatDraft]:
    """Return an act that changes what is being entered for something."""
    return pg.Draft(lambda draft: change(fresh(draft, key)), CombatDraft())


def take_up(draft: CombatDraft | None = None) -> pg.Draft[CombatDraft]:
    """Return an act that puts another draft in its place; an empty one where none is given."""
    return pg.Draft(lambda _draft: draft or CombatDraft(), CombatDraft())


def press(command: Command | Callable[[Millis], Command]) -> pg.Send:
    """Return the act of a main button: what was entered for it goes once it is taken, and stays when it is refused."""
    return pg.Send(command, then=take_up())


class Counters:
    """The counters of a page; a tap on one keeps what all others show."""

    def __init__(self, acts: pg.Acts, draft: CombatDraft) -> None:
        self._acts, self._draft = acts, draft
        self.shown: dict[str, int] = {}
        self.has_units = False

    def item(
        self,
        key: str,
        title: pg.Words,
        most: int,
        *,
        usual: int = 0,
        least: int = 0,
        sub: pg.Words | None = None,
        mark: pg.Mark | None = None,
        symbol: str = "",
        is_lost: bool = False,
    ) -> pg.Item:
        """Return a row that counts; with a symbol, a tile on which a tap counts up, or down where taps take off.

        Args:
            usual: What it shows until it is changed.
            is_lost: What is counted is lost.
        """
        count = self.shown[key] = min(most, max(least, self._draft.counts.get(key, usual)))

        def step(by: int) -> pg.Draft[CombatDraft]:
            def change(draft: CombatDraft) -> CombatDraft:
                return replace(draft, counts={**self.shown, key: min(most, max(least, count + by))})

            return edit(self._draft.key, change)

        less, more = self._acts.put(f"{key}.less", step(-1)), self._acts.put(f"{key}.more", step(1))
        if not symbol:
            counter = pg.Counter(count, less, more, least=least, most=most)
            return pg.Item(key, title, sub, mark=mark, facet=counter)
        self.has_units = True
        state: pg.State = "plain" if not count else "lost" if is_lost else "chosen"
        tile = pg.Item(key, title, sub, mark=mark, symbol=symbol, state=state)
        return counting(tile, count, less, more, takes=self._draft.is_taking, least=least, most=most)

    @property
    def tools(self) -> tuple[pg.Button, ...]:
        """The tool that turns taps on units into taking off, where the page counts some."""
        if not self.has_units:
            return ()
        turn = edit(self._draft.key, lambda d: replace(d, is_taking=not d.is_taking))
        return (taking_tool(self._acts, turn, is_on=self._draft.is_taking),)


def counted(key: str, items: Sequence[pg.Item], *, is_wide: bool = False) -> tuple[pg.Block, ...]:
    """Return units that are counted as tiles, and all else as rows above them."""
    units = tuple(one for one in items if one.symbol.startswith(UNIT))
    rows = tuple(one for one in items if one not in units)
    if not units:
        return (pg.Rows(key, rows, is_wide=is_wide),)
    return (*((pg.Rows(key, rows, is_wide=is_wide),) if rows else ()), *owned(f"{key}.units", units))


def owned(key: str, units: Sequence[pg.Item]) -> tuple[pg.Tiles, ...]:
    """Return units as tiles beside the marks of their powers."""
    groups: dict[str, list[pg.Item]] = {}
    marks: dict[str, pg.Mark] = {}
    for item in units:
        mark = item.mark
        power = mark.name.id if mark is not None and isinstance(mark.name, Name) else ""
        groups.setdefault(power, []).append(msgspec.structs.replace(item, mark=None))
        if mark is not None:
            marks[power] = mark
    return tuple(
        pg.Tiles(
            f"{key}.{power}",
            tuple(items),
            Name("colour", power) if power in COLOURS else None,
            marks.get(power),
        )
        for power, items in groups.items()
    )


# The frame of a combat under way


def stage_key(fight: Fight) -> str:
    """Return what tells the stage at hand from every other."""
    return f"{fight.attack}.{fight.round_no}.{fight.stage}.{fight.fired_stage}.{len(fight.shots)}"


def fight_page(
    state: GameState,
    fight: Fight,
    acts: pg.Acts,
    *,
    lead: pg.Words | None,
    blocks: tuple[pg.Block, ...],
    main: pg.Button,
    note: pg.Words | None = None,
    second: pg.Button | None = None,
    tools: tuple[pg.Button, ...] = (),
    has_forces: bool = True,
) -> pg.Shown:
    """Return the page of a stage: both forces above what it asks, unless it shows them itself."""
    stage = Name("fight_stage", fight.stage)
    page = pg.Page(
        stage_key(fight),
        Say("{space}, round {n} · {stage}", space=area(fight.space), n=fight.round_no, stage=stage),
        lead,
        blocks=(
            *((_forces(state, fight),) if has_forces else ()),
            *blocks,
            *((pg.Head("note", note),) if note is not None else ()),
        ),
        main=main,
        second=second,
        tools=(*tools, *_odds_tool(fight, acts)),
    )
    return pg.Shown(page, acts)


def _odds_tool(fight: Fight, acts: pg.Acts) -> tuple[pg.Button, ...]:
    """Return the way to the odds under every rule, at the stages that have odds."""
    if fight.stage not in ("orders", "leave", "press"):
        return ()
    act = edit(stage_key(fight), lambda draft: replace(draft, outlook="fight"))
    return (pg.Button(Say("Odds"), acts.put("outlook", act), "chart"),)


def _forces(state: GameState, fight: Fight) -> pg.Sides:
    """Return what both sides still have, side by side."""
    attack, setup = bm.attack_of(state, fight), state.frozen_setup
    foe = enemy_of(SIDE_OF[attack.power])
    sides = (
        ("attack", nation(attack.power), nation_mark(setup, attack.power), fight.attackers, fight.a),
        ("defence", side(foe), side_mark(setup, foe), fight.defenders, fight.d),
    )
    columns = []
    for key, name, mark, kinds, counts in sides:
        pieces: dict[Piece, int] = {}
        for kind, n in zip(kinds, counts, strict=True):
            body = key_parts(kind_key(kind))[0]
            pieces[body] = pieces.get(body, 0) + n
        tiles = tuple(
            pg.Item(
                body,
                tile_say(state, body),
                value=n,
                mark=owner_mark(state, body),
                symbol=unit_symbol(state, body),
            )
            for body, n in pieces.items()
            if n
        )
        gone, left = (
            sum(lost_of(fight, ATTACKER if key == "attack" else DEFENDER).values()),
            sum(pieces.values()),
        )
        cargo = _cargo_say(fight) if key == "defence" else None
        lost = Say("lost: {n}", n=gone) if gone else None
        head = pg.Head(key, name, lost if cargo is None else cargo, left, mark)
        nobody = pg.Rows(key, (), empty=Say("Nobody is left."))
        columns.append(pg.Side(key, head, owned(key, tiles) or (nobody,)))
    return pg.Sides("forces", tuple(columns))


def _gone_say(fight: Fight, role: str) -> Value | None:
    """Return the units that a side has lost; None where it lost none."""
    units = tuple(Count(n, unit(id_)) for id_, n in lost_of(fight, role).items())
    return several(units, "comma") if units else None


def lost_say(state: GameState, fight: Fight) -> Value | None:
    """Return what both sides have lost in a combat so far, for a page that does not show them; None where that is nothing."""
    attacker = SIDE_OF[bm.attack_of(state, fight).power]
    sides = ((ATTACKER, attacker), (DEFENDER, enemy_of(attacker)))
    told = [
        Say("{side} {units}", side=side(of), units=units)
        for role, of in sides
        if (units := _gone_say(fight, role)) is not None
    ]
    return Say("Lost: {units}", units=apart(told)) if told else None


def _cargo_say(fight: Fight) -> Value | None:
    """Return what lies on the defender's transports."""
    cargo = fight.cargo
    if not cargo.count:
        return None
    units = pieces_say({piece_key(power, unit): n for power, unit, n in cargo.units})
    loads = [load for load in (units, supply_say(cargo.tokens) if cargo.tokens else None) if load is not None]
    return Say("on transports: {units}", units=several(loads, "comma"))


def luck_say(fight: Fight) -> Value | None:
    """Return hits against expectation so far, by side; None before anybody fired."""
    parts = []
    for role, word in (("attacker", Say("Attack")), ("defender", Say("Defence"))):
        shots = [shot for shot in fight.shots if shot.role == role]
        if shots:
            hits, mean = sum(shot.hits for shot in shots), round(float(expected_hits(shots)), 1)
            parts.append(Say("{side}: hits {hits}, expected {mean}", side=word, hits=hits, mean=mean))
    return apart(parts) if parts else None
