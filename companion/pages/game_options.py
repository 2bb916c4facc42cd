"""What a new game asks: its options with their values, the open points of its rulebook, and what ``Desk.make_setup`` gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from companion.core.presets import CHOICES, CONTROL, FIGURES, OWN, ControlPreset
from companion.core.setup import RulingInfo
from companion.core.text import Name, Say, Typed, several
from companion.pages.desk import ScenarioInfo
from companion.pages.i18n import N_, _
from companion.pages.labels import PLAYERS
from companion.pages.page import Words
from companion.pages.speak import humanise

__all__ = [
    "LABELS",
    "OptionRow",
    "VALUES",
    "has_own_minutes",
    "has_printed_minutes",
    "is_of_clock",
    "minutes_of",
    "option_name",
    "option_rows",
    "resolved_options",
    "ruling_rows",
    "starting_options",
    "value_words",
]

LABELS: dict[str, str] = {
    "players": N_("Players"),
    "time": N_("Time"),
    "minutes": N_("Minutes per stage"),
    "commander": N_("Commander game, six players"),
    "together": N_("Both sides at once if agreed"),
    "operations": N_("Operations"),
    "keep": N_("What the app keeps"),
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
    "control": N_("Time control"),
    "control.bank_min": N_("Minutes a side, whole game"),
    "control.turn_min": N_("Minutes per turn"),
    "control.increment_s": N_("Increment, seconds per turn"),
    "control.delay_s": N_("Delay, seconds per turn"),
    "control.tokens": N_("Extension tokens a side"),
    "control.token_min": N_("Minutes per token"),
    "control.periods": N_("Periods of byo-yomi"),
    "control.period_s": N_("Seconds per period"),
    "control.unit": N_("What a turn is"),
    "control.delay": N_("How the delay is shown"),
    "control.token_use": N_("How tokens are spent"),
    "control.token_rest": N_("Rest of a token"),
    "control.at_zero": N_("When the time is up"),
}
"""What options are called, unless their game has a name of its own for them."""
_HINTS: dict[str, str] = {
    "keep": N_("Totals: who takes each Operation, and the points at the end; no card is checked"),
    "change_sides": N_("Between the rounds of a battle; not for two players, nor in a fast game"),
    "historicity": N_("The type that a Battle card prints; not in a fast game"),
    "values": N_("Unofficial: collected by players, not by the publisher"),
}
VALUES: dict[str, str] = {
    "none": N_("No clock"),
    "count_up": N_("Count up"),
    "tournament": N_("Tournament"),
    "custom": N_("Custom minutes"),
    "single": N_("Single game"),
    "points": N_("By points"),
    "cards": N_("Every card"),
    "totals": N_("Totals only"),
    "allies": N_("Allies"),
    "axis": N_("Axis"),
    "yes": N_("Yes"),
    "no": N_("No"),
    "rulebook": N_("Rulebook"),
    "unofficial": N_("Unofficial"),
}
"""What values that are words are called."""
_CLOCK_FLAGS = ("tournament", "count_up")
_DEFAULT_MINUTES = 20
"""Where own minutes start."""


class OptionRow(msgspec.Struct, frozen=True):
    """One option: its values and what they are called; a row of minutes is stepped instead."""

    name: str
    label: Words
    values: tuple[tuple[Any, Words], ...]
    chosen: Any
    is_stepped: bool = False
    is_typed: bool = False
    """Whether its value is a text that is typed."""
    is_number: bool = False
    """Whether its value is a number that is entered; None until it was."""
    hint: Words | None = None


def is_of_clock(row: OptionRow) -> bool:
    """Say whether an option is about time."""
    name = row.name.partition(".")[0]
    return name in ("time", "by_stage", "minutes", "clock", "together", CONTROL)


def option_name(name: Name) -> str:
    """Return what an option is called, where nobody else has a word for a name."""
    return _(LABELS[name.id]) if name.kind == "option" and name.id in LABELS else humanise(name.id)


def starting_options(info: ScenarioInfo, *, is_tournament: bool = False) -> dict[str, Any]:
    """Return every option at its default, the clock's flags as one choice ``time``: for a home evening or a tournament."""
    chosen = {name: values[0] for name, values in info.options.items() if name not in _CLOCK_FLAGS}
    if has_own_minutes(info):
        chosen["time"] = (
            ("tournament" if is_tournament else "count_up") if has_printed_minutes(info) else "none"
        )
        chosen["minutes"] = {}
    return chosen


def has_own_minutes(info: ScenarioInfo) -> bool:
    """Whether each side may have minutes of the table's own: games with clocks of sides count up too."""
    return "count_up" in info.options


def has_printed_minutes(info: ScenarioInfo) -> bool:
    """Whether tournament minutes may be printed for a scenario: the short ones state none."""
    return "tournament" in info.options and info.stages > 2


def value_words(name: str, value: Any) -> Words:
    if isinstance(value, bool):
        return Say("On") if value else Say("Off")
    if isinstance(value, str):
        return Say(VALUES[value]) if value in VALUES else Typed(humanise(value))
    return Say("{n} min", n=value) if name == "clock" else Typed(str(value))


def _pairs(name: str, values: Sequence[Any]) -> tuple[tuple[Any, Words], ...]:
    return tuple((value, value_words(name, value)) for value in values)


def _minute_rows(info: ScenarioInfo, chosen: Mapping[str, Any]) -> list[OptionRow]:
    """Return the table's own minutes: one number a side, or one a side and stage."""
    by_stage = bool(chosen.get("by_stage"))
    rows = []
    if info.stages > 1:
        each = ((False, Say("All the same")), (True, Say("Stage by stage")))
        rows.append(OptionRow("by_stage", Say("Minutes in each stage"), each, by_stage))
    for side in ("allies", "axis"):
        who = value_words("", side)
        if not by_stage:
            label = Say("{side}, minutes per stage", side=who)
            rows.append(OptionRow(f"minutes.{side}", label, (), minutes_of(chosen, side), is_stepped=True))
            continue
        for stage in range(info.stages):
            label = Say("{side}, stage {n}", side=who, n=stage + 1)
            minutes = minutes_of(chosen, side, stage)
            rows.append(OptionRow(f"minutes.{side}.{stage}", label, (), minutes, is_stepped=True))
    return rows


def minutes_of(chosen: Mapping[str, Any], side: str, stage: int | None = None) -> int:
    """Return a side's minutes; those of one stage default to what holds for all."""
    given = chosen.get("minutes", {})
    usual = int(given.get(side, _DEFAULT_MINUTES))
    return usual if stage is None else int(given.get(f"{side}.{stage}", usual))


_CONTROL_VALUES: dict[str, str] = {
    "none": N_("As set above"),
    "own": N_("Own control"),
    "turn": N_("All acts of a side or nation"),
    "step": N_("One act"),
    "stage": N_("A whole stage"),
    "bronstein": N_("With the clock"),
    "simple": N_("Before the clock"),
    "auto": N_("Automatically"),
    "ask": N_("On request"),
    "lost": N_("Lost"),
    "kept": N_("Kept"),
    "flag": N_("The flag falls"),
    "lose": N_("The game is lost"),
    "only_mark": N_("It is noted"),
}


def _control_of(info: ScenarioInfo, chosen: Mapping[str, Any]) -> ControlPreset | None:
    """Return the time control that is chosen so far."""
    name = chosen.get(CONTROL, "none")
    return next((one for one in (*info.controls, OWN) if one.id == name), None)


def _control_rows(
    info: ScenarioInfo, chosen: Mapping[str, Any], nations: Sequence[tuple[str, str]]
) -> list[OptionRow]:
    """Return the time control and what it asks: figures that no source states, or everything of the table's own.

    Minutes of a turn are asked for each of the `nations` that take turns, by id and name; else once for all.
    """
    if not info.controls:
        return []
    pairs: list[tuple[Any, Words]] = [("none", Say(_CONTROL_VALUES["none"]))]
    pairs += [(one.id, Say(one.title)) for one in info.controls]
    pairs.append((OWN.id, Say(_CONTROL_VALUES["own"])))
    preset = _control_of(info, chosen)
    hint = Say(preset.text) if preset is not None and preset.text else None
    rows = [OptionRow(CONTROL, Say(LABELS[CONTROL]), tuple(pairs), chosen.get(CONTROL, "none"), hint=hint)]
    for name in () if preset is None else preset.ask:
        key = f"{CONTROL}.{name}"
        label = Say(LABELS[key])
        if name in FIGURES:
            first = 0 if preset is OWN else None
            each = [
                (f"{key}.{who}", Say("{nation}, minutes per turn", nation=Say(of))) for who, of in nations
            ]
            for one, words in each if name == "turn_min" and nations else [(key, label)]:
                rows.append(OptionRow(one, words, (), chosen.get(one, first), is_number=True))
            continue
        values = tuple((value, Say(_CONTROL_VALUES[value])) for value in CHOICES[name])
        rows.append(OptionRow(key, label, values, chosen.get(key, CHOICES[name][0])))
    return rows


def _seat_rows(chosen: Mapping[str, Any], seats: Sequence[Mapping[str, Any]]) -> list[OptionRow]:
    """Return a row a seat: what it plays, and the name of who sits there."""
    rows = []
    for n, seat in enumerate(seats):
        label, plays = value_words("", str(seat["side"])), [Say(str(part)) for part in seat.get("plays", ())]
        if plays:
            label = Say("{side}: {plays}", side=label, plays=several(plays, "plus"))
        rows.append(_typed(f"seat.{n}", label, _(_seat_name(chosen, n))))
    return rows


def _seat_name(chosen: Mapping[str, Any], n: int) -> str:
    """Return the name that a seat gets, the game's own one where nobody gave it another; that is translated where it is shown."""
    return str(chosen.get(f"seat.{n}") or PLAYERS[n])


def _typed(name: str, label: Words, text: str) -> OptionRow:
    return OptionRow(name, label, ((text, Typed(text)),), text, is_typed=True)


def option_rows(
    info: ScenarioInfo,
    chosen: Mapping[str, Any],
    seats: Sequence[Mapping[str, Any]] = (),
    nations: Sequence[tuple[str, str]] = (),
) -> tuple[OptionRow, ...]:
    """Return the options of a scenario but its rulings, the commonest first.

    `seats` are the seats of the game as chosen so far: ``side``, and in ``plays`` the names of nations or commands.
    `nations` are those that take turns of their own, by id and name.
    """
    rows = []
    if has_own_minutes(info):
        times = ["tournament"] if has_printed_minutes(info) and not chosen.get("commander") else []
        times += ["custom", "count_up", "none"]
        rows.append(OptionRow("time", Say(LABELS["time"]), _pairs("time", times), chosen.get("time")))
        if chosen.get("time") == "custom":
            rows += _minute_rows(info, chosen)
        rows += _control_rows(info, chosen, nations)
    for name, values in info.options.items():
        if name in _CLOCK_FLAGS or name.startswith("rulings."):
            continue
        if name == "together" and chosen.get("time") == "tournament":
            continue
        if name == "players" and chosen.get("commander"):
            continue
        if name == "goal" and chosen.get("series") != "points":
            continue
        hint: Words | None = None
        if name.startswith("first."):
            label: Words = Say("Stage {n}: who acts first", n=int(name[6:]))
            hint = Say("Check the flags on your board")
        else:
            known = info.option_names.get(name) or LABELS.get(name)
            label = Say(known) if known else Typed(humanise(name))
            hint = Say(_HINTS[name]) if name in _HINTS else None
            if name == "players" and seats:
                hint = Say("Two may share a seat, under both names")
        shown: list[Any] = sorted(values) if name == "players" else list(values)
        if all(isinstance(v, bool) for v in values):
            shown = [True, False]
        if name == "dealer":
            pairs = tuple(
                (n, Typed(_(_player_name(chosen, n)))) for n in shown if n <= int(chosen.get("players", 2))
            )
            rows.append(OptionRow(name, label, pairs, min(int(chosen.get(name, 1)), len(pairs)), hint=hint))
            continue
        rows.append(OptionRow(name, label, _pairs(name, shown), chosen.get(name), hint=hint))
        if name == "clock":
            rows += _control_rows(info, chosen, nations)
        if name == "players" and info.names_players:
            for n in range(1, int(chosen.get("players", 2)) + 1):
                rows.append(_typed(f"name.{n}", Say("Name of player {n}", n=n), _(_player_name(chosen, n))))
    return (*rows, *_seat_rows(chosen, seats))


def _player_name(chosen: Mapping[str, Any], n: int) -> str:
    return str(chosen.get(f"name.{n}") or PLAYERS[n - 1])


def ruling_rows(
    info: ScenarioInfo, chosen: Mapping[str, Any], rulings: Sequence[RulingInfo]
) -> tuple[OptionRow, ...]:
    """Return the open points of the rulebook, each with its question and its choices' words."""
    known = {one.id: one for one in rulings}
    rows = []
    for name, values in info.options.items():
        if not name.startswith("rulings."):
            continue
        ruling = known.get(name[8:])
        words = ruling.choice_texts if ruling is not None else {}
        pairs = tuple(
            (value, Say(words[value]) if value in words else Typed(humanise(str(value)))) for value in values
        )
        label = Say(ruling.text) if ruling is not None else Typed(humanise(name[8:]))
        rows.append(OptionRow(name, label, pairs, chosen.get(name)))
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
                    each = [minutes_of(chosen, side, stage) for stage in stages]
                    out.setdefault("minutes", {})[side] = each if chosen.get("by_stage") else each[0]
        elif name == "minutes":
            continue
        elif name in info.options and value != info.options[name][0]:
            out[name] = value
    preset = _control_of(info, chosen)
    if preset is not None:
        out[CONTROL] = preset.id
        for name in preset.ask:
            asked_keys = (key for key in chosen if f"{key}.".startswith(f"{CONTROL}.{name}."))
            out.update({key: chosen[key] for key in asked_keys if chosen[key] is not None})
    if chosen.get("time") == "tournament":
        out.pop("together", None)
    if chosen.get("commander"):
        out.pop("players", None)
    if chosen.get("series") != "points":
        out.pop("goal", None)
    if any(chosen.get(f"seat.{n}") for n in range(len(seats))):
        out["seats"] = [_seat_name(chosen, n) for n in range(len(seats))]
    if info.names_players:
        players = int(chosen.get("players", info.options["players"][0]))
        out["names"] = [_player_name(chosen, n) for n in range(1, players + 1)]
        if "dealer" in out:
            out["dealer"] = min(int(out["dealer"]), players)
    return out
