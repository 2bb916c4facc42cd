"""Words of The Soft Underbelly: units, areas, reasons, refusals, labels of the log, scores, printed values.

What the game adds to the shared screens, and the labels of its commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from companion.core.history import Entry
from companion.core.state import GameState
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.reasons import TEXTS, Reason
from companion.games.tsu.rules.state import ALLIES, AXIS, SIDE_OF, slice_of
from companion.games.tsu.rules.units import Tables, Unit
from companion.games.tsu.rules.victory import victory_stars
from companion.games.tsu.words import SEASONS
from companion.pages.details import add_templates
from companion.pages.game_view import GameView, PrintedRow, Score, Series
from companion.pages.i18n import N_, _, ngettext
from companion.pages.labels import (
    label_command,
)

__all__ = [
    "AREA_WORDS",
    "HAPPENING_WORDS",
    "TEMPLATES",
    "WAY_WORDS",
    "attackers_text",
    "capital",
    "counts_text",
    "holder_text",
    "nation_name",
    "outcome_text",
    "short_way",
    "reason_line",
    "reorganized_text",
    "season_name",
    "side_name_of",
    "star_name",
    "stars_text",
    "unit_text",
    "unit_word",
    "units_text",
]

_UNIT_WORDS: dict[str, str] = {
    "panzer": N_("Panzer / Mechanized"),
    "infantry": N_("Infantry"),
    "parachute": N_("Parachute"),
    "supply": N_("Supply"),
    "fort": N_("Fort"),
    "tactical": N_("Tactical Air"),
    "strategic": N_("Strategic"),
    "flotilla": N_("Flotilla"),
    "carrier": N_("Carrier"),
    "convoy": N_("Convoy"),
    "landing_craft": N_("Landing Craft"),
}
_GROUP_WORDS: dict[str, str] = {
    "land": N_("land"),
    "tactical": N_("air"),
    "naval": N_("ships"),
    "land_tactical": N_("land and air"),
    "land_naval": N_("land and ships"),
    "tactical_naval": N_("air and ships"),
    "all": N_("land, air and ships"),
}
_SEASON_IDS = {name[:2]: name for name in SEASONS}
AREA_WORDS: dict[str, str] = {
    "land": N_("land area (square)"),
    "coastal": N_("coastal area or island (circle)"),
    "sea": N_("sea area (diamond)"),
}
WAY_WORDS: dict[str, str] = {
    "black": N_("by railway"),
    "road": N_("by road"),
    "port": N_("by sea lane, from a port"),
    "sea": N_("by sea lane, from a sea area"),
    "inside": N_("from inside: Malta, a parachute on top"),
}
HAPPENING_WORDS: dict[str, str] = {
    "landed_in_europe": N_("Allied landing in Europe"),
    "invaded_vichy": N_("Allied invasion of Vichy"),
    "no_garrison": N_("No Axis garrison in the Balkans"),
    "no_germans": N_("No German unit and no German area is left"),
    "allies_gone": N_("The Allies are off the map and every area is Axis"),
    "path_open": N_("Path from a German to an Italian star: open"),
    "path_cut": N_("Path from a German to an Italian star: cut"),
}
_SHORT_WAYS: dict[str, str] = {
    "black": N_("railway"),
    "road": N_("road"),
    "port": N_("sea lane"),
    "sea": N_("sea lane"),
    "inside": N_("inside"),
}
_LEVELS: dict[str, str] = {"strategic": N_("Strategic Victory"), "victory": N_("Victory")}
_REASONS: dict[str, str] = {
    "no_germans": N_("no German unit and no German area is left"),
    "four_stars": N_("Italy's three stars and Algiers are Allied"),
    "allies_gone": N_("the Allies are off the map"),
    "holds_a_star": N_("the Axis holds a star"),
    "neither": N_("neither side has what it needs"),
}


TEMPLATES: tuple[str, ...] = (
    N_("only Supply, Convoys and Landing Craft that carry nothing give supply"),
    N_("that supply is not to be had for another attack"),
    N_("nobody retreats"),
    N_("{a} does not retreat"),
    N_("{a} does not overstack {b}"),
    N_("{a} against {b}: nobody is lost"),
    N_("{a}: expected a Fort of {b}, got {c}"),
    N_("{a}: expected a whole number from 0 to 9, got {b}"),
    N_("declared attacks are still to be resolved or given up"),
    N_("{a} does not act now"),
    N_("0 or 1 star is lent, got {a}"),
    N_("{a} has no box for {b}"),
    N_("{a} in the box, {b} asked"),
    N_("{a} is not listed; give it a name to add it"),
    N_("{a} is not listed"),
    N_("{a} possesses {b} already"),
)
"""Every refusal of the rules that has no words by its code; see `companion.pages.details`."""

add_templates(
    TEMPLATES, {key: word for key, word in _UNIT_WORDS.items() if key != "fort"} | {"britain": N_("Britain")}
)


def unit_word(kind: str) -> str:
    """Return a kind of unit by name."""
    return _(_UNIT_WORDS[kind]) if kind in _UNIT_WORDS else kind


def unit_text(unit: Unit) -> str:
    """Return a unit by its own name with its kind, or by its kind, with cargo told."""
    word = f"{unit.name} ({unit_word(unit.kind)})" if unit.name else unit_word(unit.kind)
    if unit.kind == "fort":
        word = _("Fort {name}").format(name=unit.name) if unit.name else word
    return _("{unit}, aboard ship").format(unit=word) if unit.loaded else word


def counts_text(units: Mapping[str, int]) -> str:
    """Return kinds of units with their numbers on one line; empty when there are none."""
    return ", ".join(f"{n} {unit_word(kind)}" for kind, n in units.items())


def reorganized_text(tables: Tables) -> str:
    """Return what German Infantry counts in the reorganized army."""
    values = tables.units["infantry"].reorganized
    assert values is not None, "the data give it"
    text = _("German Infantry: attack {a}, defence {d}")
    return text.format(a=values.attack, d=values.defence)


def units_text(units: Iterable[Unit]) -> str:
    """Return units on one line, equal ones counted; a dash when there are none."""
    counts: dict[str, int] = {}
    for unit in units:
        word = unit.name or unit_word(unit.kind)
        if unit.kind == "fort":
            word = unit_text(unit)
        counts[word] = counts.get(word, 0) + 1
    return ", ".join(word if n == 1 else f"{n} {word}" for word, n in counts.items()) or "–"


def short_way(way: str) -> str:
    """Return a way to the target in a word or two."""
    return _(_SHORT_WAYS[way])


def attackers_text(attackers: Iterable[Attacker]) -> str:
    """Return attackers on one line."""
    return units_text(attacker.unit for attacker in attackers)


def nation_name(state: GameState, nation: str) -> str:
    """Return a nation's name."""
    names = {info.id: info.name for info in state.frozen_setup.nations}
    return _(names[nation]) if nation in names else nation  # type: ignore[index]


def side_name_of(side: str | None) -> str:
    """Return a side's name; nobody's where there is none."""
    return _("Axis") if side == AXIS else _("Allies") if side == ALLIES else _("nobody")


def star_name(state: GameState, star: str) -> str:
    """Return a star's name."""
    return _(slice_of(state).star_names.get(star, star))


def holder_text(state: GameState, star: str) -> str:
    """Return who holds a star, and whose ships or aircraft stand on it."""
    own = slice_of(state)
    holder = own.stars.get(star)
    text = nation_name(state, holder) if holder else _("nobody")
    if star in own.controlled:
        side = side_name_of(own.controlled[star])
        text = _("{holder}; ships or aircraft alone: {side}").format(holder=text, side=side)
    return text


def capital(text: str) -> str:
    """Return a text with a capital letter first, the rest as it is."""
    return text[:1].upper() + text[1:]


def stars_text(count: int) -> str:
    """Return a number of stars."""
    return ngettext("{n} star", "{n} stars", count).format(n=count)


def season_name(season: str) -> str:
    """Return a season such as ``fall 1942`` in words."""
    name, _space, year = season.partition(" ")
    return _(SEASONS[name]).format(year=year)


def _word(text: str, *, is_group: bool) -> str:
    words = _GROUP_WORDS if is_group else _UNIT_WORDS
    return _(words[text]) if text in words else text


def reason_line(reason: Reason) -> str:
    """Return why an attack is not allowed, with a capital letter."""
    is_group = "{who} against {where}" in TEXTS[reason.code]
    text = _(TEXTS[reason.code]).format(
        who=_word(reason.who, is_group=is_group),
        where=_word(reason.where, is_group=is_group),
        need=reason.need,
        have=reason.have,
    )
    return capital(text)


def outcome_text(winner: str | None, level: str, reason: str) -> str:
    """Return how a game ends in one sentence."""
    why = _(_REASONS[reason]) if reason in _REASONS else reason
    if winner is None:
        return _("Draw: {why}").format(why=why)
    what = _(_LEVELS[level]) if level in _LEVELS else level
    return f"{side_name_of(winner)}, {what}: {why}"


class SoftUnderbellyView(GameView):
    """What the game adds to the shared screens."""

    def scores(self, state: GameState) -> tuple[Score, ...]:
        """Return how many of the four victory stars each side holds, and how many it needs in the end."""
        needed = {AXIS: 1, ALLIES: len(slice_of(state).star_roles["victory"])}
        return tuple(
            Score(side, f"{len(victory_stars(state, side))} / {count}", _("stars"))
            for side, count in needed.items()
        )

    def score_series(self, entries: Sequence[Entry], state: GameState) -> tuple[Series, ...]:  # noqa: ARG002
        """Return the victory stars of each side by possession, over the turns."""
        own = slice_of(state)
        moves = own.star_moves
        if not moves:
            return ()
        last = float(max(1, state.step.stage))
        holders = {row["id"]: row["holder"] for row in state.frozen_setup.tables["game"]["stars"]}
        lines: dict[str, list[tuple[float, float]]] = {AXIS: [], ALLIES: []}
        for stage in range(1, int(last) + 1):
            holders.update({move.star: move.holder or "" for move in moves if max(1, move.stage) == stage})
            for side, line in lines.items():
                n = sum(SIDE_OF.get(holders[star]) == side for star in own.star_roles["victory"])
                line.append((float(stage), float(n)))
        return tuple(Series(side, "", tuple(line)) for side, line in lines.items())

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        """Return the values on the counters of the Forts."""
        rows = []
        for fort in state.frozen_setup.tables["game"]["forts"]:
            key = f"fort.{fort['id']}.value"
            inferred = "inferred" in (fort.get("status", {}).get("value") or ("",))[0]
            hint = _("Inferred from the example turn; check your counter.") if inferred else ""
            label = _("Fort {name}: value on its counter").format(name=_(fort["name"]))
            rows.append(PrintedRow(key, label, state.printed.get(key), _("Forts"), hint))
        return tuple(rows)

    def ending(self, state: GameState) -> str:
        """Return who won at which level and why."""
        end = state.ending
        if end is None or end.reason not in _REASONS:
            return ""
        return outcome_text(end.winner, end.level, end.reason) + "."

    def screen_for(self, state: GameState) -> str:
        """Return the screen that the current phase leads to."""
        if state.ending is not None:
            return ""
        return {
            "reinforcements": "tsu_stars",
            "supply": "tsu_attack",
            "attack": "tsu_attack",
            "breakthrough": "tsu_attack",
            "end": "tsu_calendar",
        }.get(state.step.phase, "")


@label_command(cm.Replace)
def _replace(command: cm.Replace, state: GameState) -> str:
    unit = unit_word(command.unit)
    return _("Replaced: {nation}, {unit}").format(nation=nation_name(state, command.nation), unit=unit)


@label_command(cm.ChangeBox)
def _change_box(command: cm.ChangeBox, state: GameState) -> str:
    unit, nation = unit_word(command.unit), nation_name(state, command.nation)
    return _("Box of {nation}: {by:+d} {unit}").format(nation=nation, by=command.by, unit=unit)


@label_command(cm.TakeStar)
def _take_star(command: cm.TakeStar, state: GameState) -> str:
    who = nation_name(state, command.holder) if command.holder else _("nobody")
    return _("Star {name}: {who}").format(name=command.name or star_name(state, command.star), who=who)


@label_command(cm.ControlStar)
def _control_star(command: cm.ControlStar, state: GameState) -> str:
    name, side = star_name(state, command.star), side_name_of(command.side)
    return _("Ships or aircraft alone on {name}: {side}").format(name=name, side=side)


@label_command(cm.DeclareAttack)
def _declare(command: cm.DeclareAttack, _state: GameState) -> str:
    return _("Attack declared: {area}").format(area=command.attack.target)


def _target(state: GameState, number: int) -> str:
    found = next((d for d in slice_of(state).attacks if d.number == number), None)
    return f"{number}" if found is None else found.attack.target


@label_command(cm.DropAttack)
def _drop(command: cm.DropAttack, state: GameState) -> str:
    return _("Attack given up: {area}").format(area=_target(state, command.attack))


@label_command(cm.RetreatBefore)
def _retreat_before(command: cm.RetreatBefore, _state: GameState) -> str:
    return _("Left before the combat: {units}").format(units=units_text(command.units))


@label_command(cm.ResolveAttack)
def _resolve(command: cm.ResolveAttack, state: GameState) -> str:
    return _("Attack fought: {area}").format(area=_target(state, command.attack))


@label_command(cm.ClearOverstack)
def _clear(command: cm.ClearOverstack, _state: GameState) -> str:
    return _("Overstacked, lost: {unit}").format(unit=unit_text(command.unit))


@label_command(cm.ReportHappening)
def _report(command: cm.ReportHappening, _state: GameState) -> str:
    return _(HAPPENING_WORDS[command.what])


@label_command(cm.DeclareReorganization)
def _reorganize(_command: cm.DeclareReorganization, _state: GameState) -> str:
    return _("Germany reorganizes its army")
