"""What the war ledger adds to the shared screens: scores, the VP line, printed values, words for its commands."""

from __future__ import annotations

from collections.abc import Sequence

from companion.core.history import Entry
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.games.sfw.rules import control, resupply, seals, supply, support, tokens
from companion.games.sfw.rules.control import totals, totals_line
from companion.games.sfw.rules.ledger import printed_keys, tables
from companion.games.sfw.rules.victory import conditions
from companion.pages.frame import Mark, nation_mark
from companion.pages.game_view import GameView, PrintedRow, Score, Series
from companion.pages.i18n import N_, _
from companion.pages.labels import humanise, label_command, nation_name, side_name, unit_name
from companion.pages.numbers import quarters

__all__ = ["KINDS", "LedgerView", "kind_name", "nation_name", "points", "printed_text", "site_name", "who"]

KINDS: dict[str, str] = {"air": N_("Air"), "sea": N_("Sea"), "land": N_("Land")}
"""Resupply type to its name."""

_GROUPS: dict[str, str] = {
    "vp": N_("Tile values"),
    "resupply": N_("Resupply values"),
    "lane": N_("Shipping lanes"),
    "bridges": N_("Game box"),
    "deck": N_("Game box"),
}


def kind_name(kind: str) -> str:
    """Return the name of a resupply type."""
    return _(KINDS.get(kind, humanise(kind)))


def who(setup: Setup, nation: str) -> Mark:
    """Return a nation's mark."""
    return nation_mark(setup, nation)


def site_name(state: GameState, site: str) -> str:
    """Return the name of a site or of a resupply at sea."""
    table = tables(state)
    if site in table.sites:
        return _(table.sites[site].name)
    return next((_(item.name) for item in table.at_sea if item.id == site), humanise(site))


def points(amount: int | None) -> str:
    """Return victory points as text; an en dash while they are unknown."""
    return "–" if amount is None else quarters(amount)


def _series_x(state: GameState, index: int) -> float:
    """Return where a step lies on the axis of stages: stage 3 runs from 3.0 to 4.0."""
    span = state.itinerary.stage_span(index)
    return state.itinerary.steps[index].stage + (index - span.start) / max(1, len(span))


def _goal(state: GameState, side: str, is_met: bool) -> str:
    """Return how many points end the game, and from which stage on where they are there before they count."""
    rule = tables(state).victory
    if side not in rule.points:
        return ""
    needed, first = quarters(rule.points[side]), min(rule.stages)
    if is_met and state.step.stage < first:
        return _("of {n} from stage {stage}").format(n=needed, stage=first)
    return _("of {n}").format(n=needed)


class LedgerView(GameView):
    """Scores, VP line, printed values and the reason of the end, from the ledger."""

    def scores(self, state: GameState) -> tuple[Score, ...]:
        """Return both sides' points, or sites where control decides."""
        table, now = tables(state), totals(state)
        if not table.counts_points:
            return tuple(
                Score(item.side, f"{item.has} / {item.needs}", _("held"))
                for item in conditions(state)
                if item.kind == "control"
            )
        met = {item.side for item in conditions(state) if item.kind == "points" and item.is_met}
        return tuple(
            Score(info.id, points(now.quarters.get(info.id)), _goal(state, info.id, info.id in met))
            for info in state.frozen_setup.sides
        )

    def score_series(self, entries: Sequence[Entry], state: GameState) -> tuple[Series, ...]:  # noqa: ARG002
        """Return both sides' points over the stages; a step where a tile changed hands."""
        if not tables(state).counts_points:
            return ()
        first = next((i for i, step in enumerate(state.itinerary) if step.stage), 0)
        here = max(_series_x(state, state.index), _series_x(state, first))
        lines: dict[str, list[tuple[float, float]]] = {info.id: [] for info in state.frozen_setup.sides}
        for change, now in totals_line(state):
            at = _series_x(state, state.itinerary.index(change.step) if change else first)  # type: ignore[arg-type]
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
        rows = [PrintedRow(key, self._label(state, key), state.printed.get(key), _GROUPS[key.partition(".")[0]],
                           is_whole=not key.startswith("vp.")) for key in (*open_keys, *entered)]  # fmt: skip
        return tuple(sorted(rows, key=lambda row: (list(_GROUPS.values()).index(row.group), row.label)))

    def _label(self, state: GameState, key: str) -> str:
        group, *rest = key.split(".")
        match group:
            case "vp":
                return site_name(state, rest[-1])
            case "resupply":
                return f"{site_name(state, rest[1])}, {kind_name(rest[2])}"
            case "lane":
                return _("Sea spaces of lane {n}").format(n=rest[0])
            case "bridges":
                return _("Bridge tokens, {nation}").format(nation=nation_name(state.frozen_setup, rest[0]))
        return _("Cards in the deck, {nation}").format(nation=nation_name(state.frozen_setup, rest[0]))

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

    def extra_units(self, state: GameState) -> tuple[str, ...]:
        """Return the units of played cards that are active in the current movement step."""
        units = support.unit_table_of(state).units
        active = support.active_units_of(state, state.step)
        return tuple(_(units[unit].name) for unit in active if unit in units and units[unit].base)

    def screen_for(self, state: GameState) -> str:
        """Return where Victory, National Support and Resupply are done."""
        if state.ending is not None:
            return ""
        return {"victory": "control", "national_support": "support", "resupply": "resupply"}.get(
            state.step.phase, ""
        )


def printed_text(state: GameState, key: str) -> str:
    """Return a printed value of the ledger in words, such as ``Malta: tile value``; unknown keys without their dots."""
    group, *rest = key.split(".")
    named = [site_name(state, part) for part in rest[1:2]]
    match group:
        case "vp" if named:
            return _("{site}: tile value").format(site=named[0])
        case "holder" if named:
            return _("{site}: who holds it at the start").format(site=named[0])
        case "start_space" if named:
            return _("{site}: where it stands at the start").format(site=named[0])
        case "resupply" if named and len(rest) > 2:
            return _("{site}: {kind} resupply").format(site=named[0], kind=kind_name(rest[2]))
        case "lane" | "lane_sites" if rest:
            return _("Lane {lane}").format(lane=rest[0])
        case "bridges" if rest:
            return _("Bridge tokens, {nation}").format(nation=nation_name(state.frozen_setup, rest[0]))
        case "deck" if rest:
            return _("Cards in the deck, {nation}").format(nation=nation_name(state.frozen_setup, rest[0]))
    return ", ".join(humanise(part) for part in (group, *rest))


# Words for the log and the undo button


@label_command(control.TakeControl)
def _take(command: control.TakeControl, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    return _("{nation} takes {site}").format(nation=nation, site=site_name(state, command.site))


@label_command(control.CorrectControl)
def _correct(command: control.CorrectControl, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    return _("Corrected: {site} to {nation}").format(nation=nation, site=site_name(state, command.site))


@label_command(control.SetTotals)
def _totals(command: control.SetTotals, state: GameState) -> str:
    both = " : ".join(quarters(command.quarters.get(info.id, 0)) for info in state.frozen_setup.sides)
    return _("Victory points set to {both}").format(both=both)


@label_command(support.PlayCard)
def _card(command: support.PlayCard, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    return _("{nation} plays {card}").format(nation=nation, card=command.name)


@label_command(support.DiscardCard)
def _discard(command: support.DiscardCard, state: GameState) -> str:
    return _("{nation} discards").format(nation=nation_name(state.frozen_setup, command.nation))


@label_command(support.CorrectSupport)
def _hand(command: support.CorrectSupport, state: GameState) -> str:
    return _("{nation}: hand corrected").format(nation=nation_name(state.frozen_setup, command.nation))


@label_command(resupply.Purchase)
def _purchase(command: resupply.Purchase, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    text = _("{nation} buys {n} × {unit}") if command.count > 0 else _("{nation} puts back {n} × {unit}")
    return text.format(nation=nation, n=abs(command.count), unit=unit_name(command.unit))


@label_command(resupply.ChooseResupply)
def _choose(command: resupply.ChooseResupply, state: GameState) -> str:
    nation, kind = nation_name(state.frozen_setup, command.nation), kind_name(command.unit_type)
    if not command.source:
        return _("{nation}: no {kind} resupply").format(nation=nation, kind=kind)
    site = site_name(state, command.source)
    return _("{nation}: {kind} at {site}").format(nation=nation, kind=kind, site=site)


@label_command(resupply.Place)
def _place(command: resupply.Place, state: GameState) -> str:
    nation, kind = nation_name(state.frozen_setup, command.nation), kind_name(command.unit_type)
    return _("{nation}: {kind} units placed").format(nation=nation, kind=kind)


@label_command(resupply.PassResupply)
def _pass(command: resupply.PassResupply, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    text = _("{nation} buys nothing more") if command.passes else _("{nation} buys again")
    return text.format(nation=nation)


@label_command(resupply.EnterLane)
def _lane(command: resupply.EnterLane, state: GameState) -> str:
    both = " : ".join(str(command.spaces.get(info.id, 0)) for info in state.frozen_setup.sides)
    return _("Lane {lane}: {both}").format(lane=command.lane, both=both)


@label_command(resupply.CutLane)
def _cut(command: resupply.CutLane, state: GameState) -> str:
    return _("Lane {lane} cuts {site}").format(lane=command.lane, site=site_name(state, command.site))


@label_command(resupply.ReportCondition)
def _condition(command: resupply.ReportCondition, state: GameState) -> str:
    words = {"contested": _("contested"), "blockade": _("blockaded"), "sea_space": _("ships among enemies")}
    text = "{site}: {what}" if command.holds else _("{site}: not {what}")
    return text.format(
        site=site_name(state, command.source), what=words.get(command.condition, command.condition)
    )


@label_command(resupply.RecordBombing)
def _bombing(command: resupply.RecordBombing, state: GameState) -> str:
    site = site_name(state, command.site)
    return _("{site} bombed: {n} hits").format(site=site, n=command.hits)


@label_command(resupply.RecordCardEffect)
def _effect(command: resupply.RecordCardEffect, state: GameState) -> str:
    return _("{card} at {site}").format(card=command.card, site=site_name(state, command.source))


@label_command(resupply.ReportAtSea)
def _at_sea(command: resupply.ReportAtSea, state: GameState) -> str:
    return _("{site} reported").format(site=site_name(state, command.source))


@label_command(resupply.ResolveMines)
def _mines(command: resupply.ResolveMines, state: GameState) -> str:
    return _("{nation}: mines rolled for").format(nation=nation_name(state.frozen_setup, command.nation))


@label_command(resupply.SetReserve)
def _reserve(command: resupply.SetReserve, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    return _("{nation}: {n} {unit} left").format(nation=nation, n=command.left, unit=unit_name(command.unit))


@label_command(resupply.PickAbility)
def _ability(command: resupply.PickAbility, state: GameState) -> str:
    side = side_name(state.frozen_setup, command.side)
    return f"{side}, {kind_name(command.command)}: {command.ability}"


@label_command(tokens.PlaceToken)
def _token(command: tokens.PlaceToken, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    text = _("{nation}: mine in {where}") if command.face == "mine" else _("{nation}: line at {where}")
    return text.format(nation=nation, where=command.where)


@label_command(tokens.RemoveToken)
def _removed(command: tokens.RemoveToken, state: GameState) -> str:  # noqa: ARG001
    return _("Token back in reserve")


@label_command(tokens.BlowBridge)
def _bridge(command: tokens.BlowBridge, state: GameState) -> str:  # noqa: ARG001
    return _("Bridge blown: {bridge}").format(bridge=command.bridge)


@label_command(tokens.SetCounter)
def _counter(command: tokens.SetCounter, state: GameState) -> str:  # noqa: ARG001
    return _("{n} {what} in use").format(n=command.used, what=_(humanise(command.counter)))


@label_command(supply.SetUpHub)
def _hub(command: supply.SetUpHub, state: GameState) -> str:  # noqa: ARG001
    return _("Mobile hub at {where}").format(where=command.where)


@label_command(supply.RemoveHub)
def _no_hub(command: supply.RemoveHub, state: GameState) -> str:  # noqa: ARG001
    return _("Mobile hub gone")


@label_command(supply.WatchGroup)
def _watch(command: supply.WatchGroup, state: GameState) -> str:  # noqa: ARG001
    return _("Supply of {group} watched").format(group=command.label)


@label_command(supply.ForgetGroup)
def _forget(command: supply.ForgetGroup, state: GameState) -> str:  # noqa: ARG001
    return _("Group no longer watched")


def _secret(state: GameState, secret: str) -> str:
    found = state.game["seals"].secrets.get(secret)
    return found.label if found is not None else humanise(secret)


@label_command(seals.SealSecret)
def _seal(command: seals.SealSecret, state: GameState) -> str:  # noqa: ARG001
    return _("Sealed: {label}").format(label=command.label)


@label_command(seals.RevealSecret)
def _reveal(command: seals.RevealSecret, state: GameState) -> str:
    return _("Revealed: {label}").format(label=_secret(state, command.secret))


@label_command(seals.OweReveal)
def _owe(command: seals.OweReveal, state: GameState) -> str:
    return _("Must be revealed: {label}").format(label=_secret(state, command.secret))


@label_command(seals.ConfirmHidden)
def _confirm(command: seals.ConfirmHidden, state: GameState) -> str:
    return _("{side}: stays hidden").format(side=side_name(state.frozen_setup, command.side))


@label_command(seals.SearchSpace)
def _search(command: seals.SearchSpace, state: GameState) -> str:
    nation = nation_name(state.frozen_setup, command.nation)
    return _("{nation} searches {space}").format(nation=nation, space=command.space)


@label_command(seals.RecordOpening)
def _opening(command: seals.RecordOpening, state: GameState) -> str:
    label = _secret(state, command.secret)
    by = {"side": _("its side"), "arbiter": _("the arbiter"), "recovery": _("recovery code")}[command.by]
    text = _("{label} opened by {by}") if command.is_right else _("{label}: wrong PIN ({by})")
    return text.format(label=label, by=by)
