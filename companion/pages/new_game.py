"""The New game screen: scenarios to choose from, options with their values, and what `Desk.make_setup` gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.core.scenario import DataError, Fault
from companion.core.text import Name, Say, Typed, several
from companion.pages.desk import ScenarioInfo
from companion.pages.i18n import N_, _, current, ngettext
from companion.pages.labels import humanise, stage_count
from companion.pages.numbers import plain
from companion.pages.speak import Voice

__all__ = [
    "LABELS",
    "VALUES",
    "OptionRow",
    "ScenarioRow",
    "fault_lines",
    "games",
    "option_rows",
    "refusal",
    "resolved_options",
    "ruling_rows",
    "scenario_rows",
    "starting_options",
]

LABELS: dict[str, str] = {
    "players": N_("Players"),
    "time": N_("Time"),
    "minutes": N_("Minutes a stage"),
    "commander": N_("Commander game, six players"),
    "together": N_("Both sides at once where agreed"),
    "operations": N_("Operations"),
    "series": N_("Series"),
    "goal": N_("Points of the series"),
    "dealer": N_("Dealer"),
    "clock": N_("Clock"),
    "advanced": N_("Advanced rules"),
    "change_sides": N_("Change sides"),
    "fast": N_("Fast game"),
    "historicity": N_("Historical order"),
    "bid": N_("Bid, in Reinforcement Points"),
    "bid_side": N_("Side that gets the bid"),
    "values": N_("Figures"),
}
"""What options are called, unless their game has a name of its own for them."""

_HINTS: dict[str, str] = {
    "values": N_("Unofficial: collected by players, not by the publisher"),
}

VALUES: dict[str, str] = {
    "none": N_("No clock"),
    "count_up": N_("Count up"),
    "tournament": N_("Tournament"),
    "custom": N_("Own minutes"),
    "single": N_("Single game"),
    "points": N_("By points"),
    "allies": N_("Allies"),
    "axis": N_("Axis"),
    "yes": N_("Yes"),
    "no": N_("No"),
    "rulebook": N_("Rulebook"),
    "unofficial": N_("Unofficial"),
}
"""What values that are words are called."""

_CLOCK_FLAGS = ("tournament", "count_up")
DEFAULT_MINUTES = 20
"""Where own minutes start."""
_SHOWN_FAULTS = 3
"""Faults of a file that fit a notice; the command line lists every one."""
_MEND = Say("Mend the file, or take it out of the data folder.")


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """One scenario on one row."""

    game: str
    scenario: str
    title: str
    facts: str
    summary: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One option: its values as key and text; a row with `minutes` is stepped instead."""

    name: str
    label: str
    values: tuple[tuple[Any, str], ...]
    chosen: Any
    is_stepped: bool = False
    is_typed: bool = False
    """Whether its value is a text that is typed."""
    hint: str = ""


def fault_lines(faults: Sequence[Fault]) -> tuple[tuple[Say, Say], ...]:
    """Return what is wrong in data files, a text and what to do next for each file."""
    by_file: dict[str, list[Fault]] = {}
    for fault in faults:
        by_file.setdefault(fault.file, []).append(fault)
    return tuple((_told(found), _MEND) for found in by_file.values())


def refusal(error: ValueError) -> tuple[Typed, Typed | Say | None]:
    """Return why a game cannot be begun, and what to do next."""
    if not isinstance(error, DataError):
        return Typed(str(error)), None
    voice = Voice(current(), missing=_option_name)
    return Typed(voice.say(_told(error.faults))), error.hint


def _told(faults: Sequence[Fault]) -> Say:
    first = [fault.say for fault in faults[:_SHOWN_FAULTS]]
    left = len(faults) - len(first)
    if left:
        first.append(Say.counted("{n} more fault.", "{n} more faults.", left))
    return Say("{faults}", faults=several(first, "sentences"))


def _option_name(name: Name) -> str:
    """Return what an option is called, where nobody else has a word for a name."""
    return _(LABELS[name.id]) if name.kind == "option" and name.id in LABELS else humanise(name.id)


def games(infos: Sequence[ScenarioInfo]) -> tuple[tuple[str, str], ...]:
    """Return the games on offer, key and title."""
    return tuple(dict.fromkeys((info.game, _(info.game_title)) for info in infos))


def _hours(minutes: tuple[int, int]) -> str:
    low, high = minutes
    if low >= 60 and low % 30 == 0 and high % 30 == 0:
        texts = [plain(m / 60) for m in (low, high)]
        return _("{n} h").format(n=texts[0] if low == high else "–".join(texts))
    return _("{n} min").format(n=str(low) if low == high else f"{low}–{high}")


def scenario_rows(infos: Sequence[ScenarioInfo], game: str) -> tuple[ScenarioRow, ...]:
    """Return the scenarios of a game."""
    rows = []
    for info in infos:
        if info.game != game:
            continue
        low, high = info.players
        count = str(low) if low == high else f"{low}–{high}"
        facts = [ngettext("{n} player", "{n} players", high).format(n=count)]
        if info.minutes is not None:
            facts.append(_hours(info.minutes))
        facts.append(stage_count(game, info.stages))
        # No line ends between a number and its word.
        told = " · ".join(fact.replace(" ", "\u00a0") for fact in facts)
        rows.append(ScenarioRow(info.game, info.scenario, _(info.title), told, _(info.summary)))
    return tuple(rows)


def starting_options(info: ScenarioInfo) -> dict[str, Any]:
    """Return every option at its default, the clock's flags as one choice ``time``."""
    chosen = {name: values[0] for name, values in info.options.items() if name not in _CLOCK_FLAGS}
    if _has_own_minutes(info):
        chosen["time"] = "tournament" if _has_printed_minutes(info) else "none"
        chosen["minutes"] = {}
    return chosen


def _has_own_minutes(info: ScenarioInfo) -> bool:
    """Whether each side may have minutes of the table's own: games with clocks of sides count up too."""
    return "count_up" in info.options


def _has_printed_minutes(info: ScenarioInfo) -> bool:
    """Whether tournament minutes may be printed for a scenario: the short ones state none."""
    return "tournament" in info.options and info.stages > 2


def _value_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return _("On") if value else _("Off")
    if isinstance(value, str):
        return _(VALUES.get(value, humanise(value)))
    if name == "clock":
        return _("{n} min").format(n=value)
    return str(value)


def _pairs(name: str, values: Sequence[Any]) -> tuple[tuple[Any, str], ...]:
    return tuple((value, _value_text(name, value)) for value in values)


def _minute_rows(info: ScenarioInfo, chosen: Mapping[str, Any]) -> list[OptionRow]:
    """Return the table's own minutes: one number a side, or one a side and stage."""
    by_stage = bool(chosen.get("by_stage"))
    rows = []
    if info.stages > 1:
        each = ((False, _("The same")), (True, _("Stage by stage")))
        rows.append(OptionRow("by_stage", _("Minutes in each stage"), each, by_stage))
    for side in ("allies", "axis"):
        who = _value_text("", side)
        if not by_stage:
            label = _("{side}, minutes a stage").format(side=who)
            rows.append(OptionRow(f"minutes.{side}", label, (), _minutes(chosen, side), is_stepped=True))
            continue
        for stage in range(info.stages):
            label = _("{side}, stage {n}").format(side=who, n=stage + 1)
            minutes = _minutes(chosen, side, stage)
            rows.append(OptionRow(f"minutes.{side}.{stage}", label, (), minutes, is_stepped=True))
    return rows


def _minutes(chosen: Mapping[str, Any], side: str, stage: int | None = None) -> int:
    """Return a side's minutes; those of one stage default to what holds for all."""
    given = chosen.get("minutes", {})
    usual = int(given.get(side, DEFAULT_MINUTES))
    return usual if stage is None else int(given.get(f"{side}.{stage}", usual))


def _seat_rows(chosen: Mapping[str, Any], seats: Sequence[Mapping[str, Any]]) -> list[OptionRow]:
    """Return a row a seat: what it plays, and the name of who sits there."""
    rows = []
    for n, seat in enumerate(seats):
        plays = " + ".join(_(str(part)) for part in seat.get("plays", ()))
        label = (
            f"{_value_text('', str(seat['side']))}: {plays}" if plays else _value_text("", str(seat["side"]))
        )
        text = str(chosen.get(f"seat.{n}") or _("Player {n}").format(n=n + 1))
        rows.append(OptionRow(f"seat.{n}", label, ((text, text),), text, is_typed=True))
    return rows


def option_rows(
    info: ScenarioInfo, chosen: Mapping[str, Any], seats: Sequence[Mapping[str, Any]] = ()
) -> tuple[OptionRow, ...]:
    """Return the options of a scenario but its rulings, the commonest first.

    `seats` are the seats of the game as chosen so far: ``side``, and in ``plays`` the names of nations or commands.
    """
    rows = []
    if _has_own_minutes(info):
        times = ["tournament"] if _has_printed_minutes(info) and not chosen.get("commander") else []
        times += ["custom", "count_up", "none"]
        rows.append(OptionRow("time", _(LABELS["time"]), _pairs("time", times), chosen.get("time")))
        if chosen.get("time") == "custom":
            rows += _minute_rows(info, chosen)
    for name, values in info.options.items():
        if name in _CLOCK_FLAGS or name.startswith("rulings."):
            continue
        if name == "together" and chosen.get("time") == "tournament":
            continue
        if name == "players" and chosen.get("commander"):
            continue
        if name == "goal" and chosen.get("series") != "points":
            continue
        hint = ""
        if name.startswith("first."):
            label = _("Stage {n}: who acts first").format(n=name[6:])
            hint = _("Check the flags on your board")
        else:
            label = _(info.option_names.get(name) or LABELS.get(name) or humanise(name))
            hint = _(_HINTS[name]) if name in _HINTS else ""
        shown: list[Any] = sorted(values) if name == "players" else list(values)
        if all(isinstance(v, bool) for v in values):
            shown = [True, False]
        if name == "dealer":
            pairs = tuple((n, _player_name(chosen, n)) for n in shown if n <= int(chosen.get("players", 2)))
            rows.append(OptionRow(name, label, pairs, min(int(chosen.get(name, 1)), len(pairs)), hint=hint))
            continue
        rows.append(OptionRow(name, label, _pairs(name, shown), chosen.get(name), hint=hint))
        if name == "players" and info.names_players:
            for n in range(1, int(chosen.get("players", 2)) + 1):
                text = _player_name(chosen, n)
                label = _("Name of player {n}").format(n=n)
                rows.append(OptionRow(f"name.{n}", label, ((text, text),), text, is_typed=True))
    return (*rows, *_seat_rows(chosen, seats))


def _player_name(chosen: Mapping[str, Any], n: int) -> str:
    return str(chosen.get(f"name.{n}") or _("Player {n}").format(n=n))


def ruling_rows(
    info: ScenarioInfo, chosen: Mapping[str, Any], texts: Mapping[str, tuple[str, Mapping[str, str]]]
) -> tuple[OptionRow, ...]:
    """Return the open points of the rulebook; `texts` gives each ruling's question and its choices' words."""
    rows = []
    for name, values in info.options.items():
        if not name.startswith("rulings."):
            continue
        question, words = texts.get(name[8:], (humanise(name[8:]), {}))
        pairs = tuple((value, _(words.get(value, humanise(str(value))))) for value in values)
        rows.append(OptionRow(name, _(question), pairs, chosen.get(name)))
    return tuple(rows)


def resolved_options(
    info: ScenarioInfo, chosen: Mapping[str, Any], seats: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return what `Desk.make_setup` gets: only what differs from the defaults. `seats` as in `option_rows`."""
    out: dict[str, Any] = {}
    for name, value in chosen.items():
        if name == "time":
            if value == "tournament":
                out["tournament"] = True
            elif value == "count_up":
                out["count_up"] = True
            elif value == "custom":
                stages: Sequence[int | None] = range(info.stages) if chosen.get("by_stage") else (None,)
                for side in ("allies", "axis"):
                    each = [_minutes(chosen, side, stage) for stage in stages]
                    out.setdefault("minutes", {})[side] = each if chosen.get("by_stage") else each[0]
        elif name == "minutes":
            continue
        elif name in info.options and value != info.options[name][0]:
            out[name] = value
    if chosen.get("time") == "tournament":
        out.pop("together", None)
    if chosen.get("commander"):
        out.pop("players", None)
    if chosen.get("series") != "points":
        out.pop("goal", None)
    if any(chosen.get(f"seat.{n}") for n in range(len(seats))):
        out["seats"] = [row.chosen for row in _seat_rows(chosen, seats)]
    if info.names_players:
        players = int(chosen.get("players", info.options["players"][0]))
        out["names"] = [_player_name(chosen, n) for n in range(1, players + 1)]
        if "dealer" in out:
            out["dealer"] = min(int(out["dealer"]), players)
    return out
