"""What the war ledger adds to the shared screens: scores, the VP line, printed values, words for its commands."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from companion.core.ids import Side
from companion.core.ledger import points as in_points
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several
from companion.core.text import key as key_name
from companion.core.text import nation as nation_of
from companion.core.text import side as side_of
from companion.core.text import site as site_of
from companion.core.text import unit as unit_of
from companion.games.sfw.rules import support
from companion.games.sfw.rules.control import Totals, totals, totals_line
from companion.games.sfw.rules.ledger_values import printed_keys, stated_sums, tables
from companion.games.sfw.rules.seal_messages import ConfirmHidden
from companion.games.sfw.rules.seals import hidden_checks
from companion.games.sfw.rules.victory import Condition, conditions, missing_for, verdict
from companion.games.sfw.words_ledger import KINDS
from companion.pages.game_view import Figure, GameView, OwnCheck, PrintedRow, Score, Series, Standing
from companion.pages.i18n import N_, _
from companion.pages.labels import nation_name, side_name
from companion.pages.numbers import quarters
from companion.pages.page import Part, Split, Threshold, Words
from companion.pages.parts import side_mark
from companion.pages.speak import sentence, speak

__all__ = [
    "KINDS",
    "LedgerView",
    "kind_name",
    "nation_name",
    "points",
    "printed_text",
    "site_name",
    "stage_say",
]

_GROUPS: dict[str, str] = {
    "vp": N_("Tile values"),
    "resupply": N_("Resupply"),
    "lane": N_("Game box"),
    "bridges": N_("Game box"),
    "deck": N_("Game box"),
}


def kind_name(state: GameState, kind: str) -> str:
    """Return the name of a kind of resupply."""
    return speak(Name("kind", kind), state)


def stage_say(stage: int) -> Say:
    """Return a stage by its number; ``Set-up`` before the first."""
    return Say("Stage {n}", n=stage) if stage else Say("Set-up")


def site_name(state: GameState, site: str) -> str:
    """Return the name of a site or of a resupply at sea."""
    return speak(site_of(site), state)


def points(amount: int | None) -> str:
    """Return victory points as text; an en dash while they are unknown."""
    return "–" if amount is None else quarters(amount)


def _series_x(state: GameState, index: int) -> float:
    """Return where a step lies on the axis of stages: stage 3 runs from 3.0 to 4.0."""
    span = state.itinerary.stage_span(index)
    return state.itinerary.steps[index].stage + (index - span.start) / max(1, len(span))


def _goal(state: GameState, side: Side, is_met: bool) -> str:
    """Return how many points end the game, and from which stage on where they are there before they count."""
    rule = tables(state).victory
    if side not in rule.points:
        return ""
    needed, first = quarters(rule.points[side]), min(rule.stages)
    if is_met and state.step.stage < first:
        return _("of {n} from stage {stage}").format(n=needed, stage=first)
    return _("of {n}").format(n=needed)


def points_value(amount: int | None) -> Value:
    """Return quarters of victory points as a figure; an en dash while they are unknown."""
    if amount is None:
        return Typed("–")
    return amount // 4 if amount % 4 == 0 else Fraction(amount, 4)


def _won_now(state: GameState) -> Words:
    """Say who would win if the last stage ended now; where a value hides it, which."""
    won = verdict(state, tables(state).victory.stages[-1])
    if won is not None and won.winner is not None:
        return Say("If it ended now: {side} win", side=side_of(won.winner))
    return missing_for(state) or Say("If it ended now: nobody can tell yet")


def _short_say(item: Condition) -> Say:
    """Say how much a side lacks for the condition that it can meet at the end of a stage."""
    name = side_of(item.side)
    if item.is_met:
        return Say("{side} have what they need", side=name)
    return Say("{side} {n} short", side=name, n=points_value(item.short_by))


def _far(counted: Sequence[Condition], found: Sequence[Condition]) -> Value | None:
    """Say how far each side is, and who wins at the end where neither gets there."""
    if not counted:
        return None
    short = several(map(_short_say, counted), "lines")
    last = next((item for item in found if item.kind == "denial"), None)
    if last is None or not last.is_met:
        return short
    end = Say("Neither by stage {n}: {side} win", n=last.stages[-1], side=side_of(last.side))
    return several((short, end), "lines")


def _sum(state: GameState, now: Totals, side: Side) -> tuple[str, ...]:
    """Return what a side's points are made of: what it began with, and each tile won or lost since."""
    if side not in now.start or not now.moved:
        return ()
    tiles = ", ".join(
        f"{'+' if one.side == side else '−'}{quarters(one.quarters)} {speak(site_of(one.site), state)}"
        for one in now.moved
    )
    return (_("{n} at first, then {changes}").format(n=quarters(now.start[side]), changes=tiles),)


class LedgerView(GameView):
    """Scores, VP line, printed values and the reason of the end, from the ledger."""

    score_screen = "score"

    def scores(self, state: GameState) -> tuple[Score, ...]:
        """Return both sides' points, or sites where control decides."""
        table, now = tables(state), totals(state)
        if not table.counts_points:
            return tuple(
                Score(item.side, f"{'–' if item.has is None else item.has} / {item.needs}", _("held"))
                for item in conditions(state)
                if item.kind == "control"
            )
        met = {item.side for item in conditions(state) if item.kind == "points" and item.is_met}
        return tuple(
            Score(info.id, points(now.quarters.get(info.id)), _goal(state, info.id, info.id in met))
            for info in state.frozen_setup.sides
        )

    def figures(self, state: GameState) -> tuple[Figure, ...]:
        """Return both sides' points with their sum; where control decides, who would win, as if the last stage ended now."""
        table, now = tables(state), totals(state)
        if not table.counts_points:
            won, text = verdict(state, table.victory.stages[-1]), speak(_won_now(state), state)
            winner = None if won is None else won.winner
            held = {one.side: (_("{score} held").format(score=one.text),) for one in self.scores(state)}
            return tuple(
                Figure(
                    info.id,
                    None if winner is None else float(info.id == winner),
                    (*held.get(info.id, ()), text),
                    is_points=False,
                )
                for info in state.frozen_setup.sides
            )
        missing = tuple(speak(site_of(loss.site), state) for loss in now.missing)
        needs = (_("Value missing: {sites}").format(sites=", ".join(missing)),) if missing else ()
        found = []
        for info in state.frozen_setup.sides:
            amount = now.quarters.get(info.id)
            goal = table.victory.points.get(info.id)
            wins = () if goal is None else (_("{n} are needed to win").format(n=quarters(goal)),)
            lines = (*wins, *_sum(state, now, info.id), *needs)
            found.append(Figure(info.id, None if amount is None else amount / 4, lines))
        return tuple(found)

    def standing(self, state: GameState) -> Standing | None:
        """Return the points of both sides, or how many of the named sites are held, with what wins."""
        setup, now, found = state.frozen_setup, totals(state).quarters, conditions(state)
        counted = [item for item in found if item.kind in ("points", "control") and item.has is not None]
        far = _far(counted, found)
        if now and sum(now.values()):
            first, whole = setup.sides[0].id, sum(now.values()) / 4
            parts = tuple(
                Part(
                    info.id,
                    now[info.id] / 4,
                    points_value(now[info.id]),
                    Say("VP"),
                    side_mark(setup, info.id),
                )
                for info in setup.sides
            )
            marks = tuple(
                Threshold(
                    item.needs / 4 if item.side == first else whole - item.needs / 4,
                    Say("{side} win at {n}", side=side_of(item.side), n=points_value(item.needs)),
                    state.step.stage not in item.stages,
                )
                for item in found
                if item.kind == "points" and item.needs is not None
            )
            bar = Split("points", parts, marks, unit=Say("Victory points"))
            return Standing(bar, _won_now(state), far)
        held = next((item for item in found if item.kind == "control" and item.has is not None), None)
        if held is None or held.has is None or not held.needs:
            return None
        other = next(info.id for info in setup.sides if info.id != held.side)
        rest = held.needs - held.has
        parts = (
            Part(
                held.side,
                held.has,
                held.has,
                None,
                side_mark(setup, held.side),
            ),
            Part(other, rest, rest, None, side_mark(setup, other)),
        )
        wanted = tables(state).victory.control[held.side]
        unit = (
            Say("Who holds {site}", site=site_of(wanted[0]))
            if len(wanted) == 1
            else Say("Who holds the {n} places to take", n=len(wanted))
        )
        return Standing(Split("sites", parts, unit=unit), _won_now(state), far)

    def score_series(self, state: GameState) -> tuple[Series, ...]:
        """Return both sides' points over the stages; a step where a tile changed hands."""
        if not tables(state).counts_points:
            return ()
        first = next((i for i, step in enumerate(state.itinerary) if step.stage), 0)
        here = max(_series_x(state, state.index), _series_x(state, first))
        lines: dict[str, list[tuple[float, float]]] = {info.id: [] for info in state.frozen_setup.sides}
        for change, now in totals_line(state):
            at = _series_x(state, state.itinerary.index(change.step) if change else first)
            for side, amount in now.quarters.items():
                if lines[side]:
                    lines[side].append((at, lines[side][-1][1]))
                lines[side].append((at, amount / 4))
        for found in lines.values():
            if found and here > found[-1][0]:
                found.append((here, found[-1][1]))
        return tuple(Series(side, "", tuple(found)) for side, found in lines.items() if found)

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        """Return the figures that fit a number pad: tile values, resupply values, lanes, tokens and decks."""
        table, setup = tables(state), state.frozen_setup
        open_keys = [key for key in printed_keys(table, setup) if key.partition(".")[0] in _GROUPS]
        entered = [key for key in state.printed if key.partition(".")[0] in _GROUPS and key not in open_keys]
        rows = [self._row(state, key) for key in (*open_keys, *entered)]
        order = list(_GROUPS)

        def place(row: PrintedRow) -> tuple[int, str]:
            return order.index(row.key.partition(".")[0]), row.of or row.label

        return tuple(sorted(rows, key=place))

    def _row(self, state: GameState, key: str) -> PrintedRow:
        group, *rest = key.split(".")
        row = PrintedRow(key, printed_text(state, key), state.printed.get(key), _GROUPS[group])
        match group:
            case "vp":
                hint = _sum_hint(state, rest[-1])
                return replace(row, label=site_name(state, rest[-1]), hint=hint, is_whole=False)
            case "resupply":
                of, kind = site_name(state, rest[1]), kind_name(state, rest[2])
                return replace(row, label=f"{of}, {kind}", of=of, figure=kind)
            case "lane":
                lane = speak(Say("Lane {lane}", lane=Typed(rest[-1])), state)
                return replace(row, of=lane, figure=_("Sea spaces"))
            case "bridges" | "deck":
                word = _("Bridge tokens") if group == "bridges" else _("Cards in the deck")
                return replace(row, of=nation_name(state.frozen_setup, rest[-1]), figure=word)
        return row

    def ending(self, state: GameState) -> str:
        """Return how the game was won."""
        end = state.ending
        if end is None or end.winner is None or end.level not in ("automatic", "standard"):
            return ""
        side = side_name(state.frozen_setup, end.winner)
        return (
            _("Automatic victory: {side}").format(side=side)
            if end.level == "automatic"
            else _("Standard victory: {side}").format(side=side)
        )

    def active_kinds(self, state: GameState) -> tuple[str, ...]:
        """Return the kinds active in the current act."""
        return support.active_units_of(state, state.step)

    def active_units(self, state: GameState) -> tuple[str, ...]:
        """Return the units active in the current act; those that only some of its nations have with the nations."""
        table, nations = support.unit_table_of(state), support.acting_nations(state, state.step)
        found = []
        for unit in support.active_units_of(state, state.step):
            having = support.fielding(table, nations, unit)
            only = several(map(nation_of, having)) if 0 < len(having) < len(nations) else None
            said = unit_of(unit)
            found.append(
                speak(said if only is None else Say("{unit} ({nations})", unit=said, nations=only), state)
            )
        return tuple(found)

    def own_checks(self, state: GameState) -> tuple[OwnCheck, ...]:
        """Return the reminder of each side whose Hidden Fleet may have to be revealed in this act."""
        return tuple(
            OwnCheck(
                f"hidden.{side}",
                speak(Say("{side}: the Hidden Fleet stays hidden", side=side_of(side)), state),
                is_said,
                ConfirmHidden(state.step.id, side),
            )
            for side, is_said in hidden_checks(state, state.step)
        )

    def screen_for(self, state: GameState) -> str:
        """Return where Victory, National Support and Resupply are done."""
        if state.ending is not None:
            return ""
        return {"victory": "score", "national_support": "support", "resupply": "resupply"}.get(
            state.step.phase, ""
        )


def _sum_hint(state: GameState, site: str) -> str:
    """Say what a tile's value must add up to with others, and what is left of that; empty where nothing is stated."""
    table = tables(state)
    for item in stated_sums(table, site):
        known = [table.sites[key].vp or 0 for key in item.keys if table.sites[key].vp is not None]
        hint = Say(
            "{tiles} add up to {total}: {left} left.",
            tiles=item.text,
            total=in_points(item.total),
            left=in_points(item.total - sum(known)),
        )
        return sentence(hint, state)
    return ""


def printed_text(state: GameState, key: str) -> str:
    """Return a printed value of the ledger in words, such as ``Malta, tile value``."""
    return speak(key_name(key), state)
