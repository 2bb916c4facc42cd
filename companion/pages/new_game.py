"""The New game page: scenarios to choose from, options with their values, and what `Desk.make_setup` gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.core.presets import CHOICES, CONTROL, FIGURES, OWN, ControlPreset
from companion.core.scenario import DataError, Fault
from companion.core.setup import RulingInfo, Setup
from companion.core.text import Name, Range, Say, Several, Typed, Value, several
from companion.pages.desk import Desk, ScenarioInfo
from companion.pages.i18n import N_, _, current
from companion.pages.labels import PLAYERS
from companion.pages.modules import modules, words_of
from companion.pages.page import (
    Act,
    Acts,
    Answers,
    Ask,
    Block,
    Button,
    Counter,
    Draft,
    Field,
    Form,
    Go,
    Item,
    Notice,
    OnBox,
    Options,
    Page,
    Refuse,
    Rows,
    Shown,
    Side,
    Sides,
    Sight,
    Words,
    asked,
)  # fmt: skip
from companion.pages.player_names import kept_names
from companion.pages.speak import Voice, humanise

__all__ = [
    "LABELS",
    "VALUES",
    "NewGameDraft",
    "OptionRow",
    "facts",
    "fault_lines",
    "new_game_page",
    "opened",
    "option_rows",
    "refusal",
    "resolved_options",
    "ruling_rows",
    "starting_options",
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
DEFAULT_MINUTES = 20
"""Where own minutes start."""
_SHOWN_FAULTS = 3
"""Faults of a file that fit a notice; the command line lists every one."""
_MEND = Say("Fix the file, or remove it from the data folder.")


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
        first.append(Say.counted("{n} more error.", "{n} more errors.", left))
    return Say("{faults}", faults=several(first, "sentences"))


def _option_name(name: Name) -> str:
    """Return what an option is called, where nobody else has a word for a name."""
    return _(LABELS[name.id]) if name.kind == "option" and name.id in LABELS else humanise(name.id)


def facts(info: ScenarioInfo) -> Several:
    """Return how many can play, how long the box says it takes, and how many stages there are."""
    low, high = info.players
    told: list[Value] = [Say.counted("{count} player", "{count} players", high, count=Range(low, high))]
    if info.minutes is not None:
        told.append(_hours(*info.minutes))
    stages = words_of(info.game).stages
    told.append(Say.counted(stages.one, stages.many, info.stages))
    return several(told, "dots")


def _brief(info: ScenarioInfo) -> Value:
    """Return how many can play and how long it takes, where the box says so."""
    low, high = info.players
    told: list[Value] = [Say.counted("{count} player", "{count} players", high, count=Range(low, high))]
    return several((*told, *((_hours(*info.minutes),) if info.minutes is not None else ())), "dots")


def _hours(low: int, high: int) -> Say:
    if low >= 60 and low % 30 == 0 and high % 30 == 0:
        if low == high:
            return Say("{n} h", n=low / 60)
        return Say("{low}–{high} h", low=low / 60, high=high / 60)
    return Say("{n} min", n=Range(low, high))


def starting_options(info: ScenarioInfo, *, is_tournament: bool = False) -> dict[str, Any]:
    """Return every option at its default, the clock's flags as one choice ``time``: for a home evening or a tournament."""
    chosen = {name: values[0] for name, values in info.options.items() if name not in _CLOCK_FLAGS}
    if _has_own_minutes(info):
        chosen["time"] = (
            ("tournament" if is_tournament else "count_up") if _has_printed_minutes(info) else "none"
        )
        chosen["minutes"] = {}
    return chosen


def _has_own_minutes(info: ScenarioInfo) -> bool:
    """Whether each side may have minutes of the table's own: games with clocks of sides count up too."""
    return "count_up" in info.options


def _has_printed_minutes(info: ScenarioInfo) -> bool:
    """Whether tournament minutes may be printed for a scenario: the short ones state none."""
    return "tournament" in info.options and info.stages > 2


def _value_words(name: str, value: Any) -> Words:
    if isinstance(value, bool):
        return Say("On") if value else Say("Off")
    if isinstance(value, str):
        return Say(VALUES[value]) if value in VALUES else Typed(humanise(value))
    return Say("{n} min", n=value) if name == "clock" else Typed(str(value))


def _pairs(name: str, values: Sequence[Any]) -> tuple[tuple[Any, Words], ...]:
    return tuple((value, _value_words(name, value)) for value in values)


def _minute_rows(info: ScenarioInfo, chosen: Mapping[str, Any]) -> list[OptionRow]:
    """Return the table's own minutes: one number a side, or one a side and stage."""
    by_stage = bool(chosen.get("by_stage"))
    rows = []
    if info.stages > 1:
        each = ((False, Say("All the same")), (True, Say("Stage by stage")))
        rows.append(OptionRow("by_stage", Say("Minutes in each stage"), each, by_stage))
    for side in ("allies", "axis"):
        who = _value_words("", side)
        if not by_stage:
            label = Say("{side}, minutes per stage", side=who)
            rows.append(OptionRow(f"minutes.{side}", label, (), _minutes(chosen, side), is_stepped=True))
            continue
        for stage in range(info.stages):
            label = Say("{side}, stage {n}", side=who, n=stage + 1)
            minutes = _minutes(chosen, side, stage)
            rows.append(OptionRow(f"minutes.{side}.{stage}", label, (), minutes, is_stepped=True))
    return rows


def _minutes(chosen: Mapping[str, Any], side: str, stage: int | None = None) -> int:
    """Return a side's minutes; those of one stage default to what holds for all."""
    given = chosen.get("minutes", {})
    usual = int(given.get(side, DEFAULT_MINUTES))
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
        label, plays = _value_words("", str(seat["side"])), [Say(str(part)) for part in seat.get("plays", ())]
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
    if _has_own_minutes(info):
        times = ["tournament"] if _has_printed_minutes(info) and not chosen.get("commander") else []
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
                    each = [_minutes(chosen, side, stage) for stage in stages]
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


# The page


Tab = Literal["scenarios", "options", "rulings"]


class NewGameDraft(msgspec.Struct, frozen=True):
    """What is chosen so far."""

    game: str = ""
    """Whose scenarios are listed; empty: those of the first game."""
    scenario: str = ""
    """Whose options are or were open."""
    tab: Tab = "scenarios"
    chosen: Mapping[str, Any] = {}
    pin: str = ""

    def put(self, name: str, value: Any) -> NewGameDraft:
        """Return it with another value of an option."""
        chosen = {**self.chosen, name: value}
        if name == "commander" and value and chosen.get("time") == "tournament":
            chosen["time"] = "custom"
        return replace(self, chosen=chosen)

    def step(self, name: str, by: int) -> NewGameDraft:
        """Return it with more or fewer minutes of a side, or of a side and stage."""
        side, _dot, stage = name.removeprefix("minutes.").partition(".")
        minutes = _minutes(self.chosen, side, int(stage) if stage else None) + by
        return self.put("minutes", {**self.chosen.get("minutes", {}), name.removeprefix("minutes."): minutes})


def opened(info: ScenarioInfo, pin: str = "", tab: Tab = "options") -> NewGameDraft:
    """Return a draft in which a scenario is chosen with its options at their defaults."""
    return NewGameDraft(info.game, info.scenario, tab, starting_options(info), pin)


def new_game_page(sight: Sight) -> Shown:
    """Return all games beside the scenarios of one, with Start at once; or the options or rulings of the one chosen."""
    assert sight.desk is not None, "a new game is made by the desk"
    draft, infos = sight.entered(NewGameDraft()), sight.desk.scenarios()
    game = draft.game or (infos[0].game if infos else "")
    own = [one for one in infos if one.game == game]
    info = next((one for one in own if one.scenario == draft.scenario), next(iter(own), None))
    if info is None or draft.tab == "scenarios":
        return _scenarios(sight.desk, infos, game, info, draft)
    return _options(sight.desk, info, draft)


def _change(change: Callable[[NewGameDraft], NewGameDraft]) -> Draft[NewGameDraft]:
    return Draft(change, NewGameDraft())


def _game(key: str) -> Draft[NewGameDraft]:
    return _change(lambda _draft: NewGameDraft(key))


def _open(info: ScenarioInfo) -> Draft[NewGameDraft]:
    return _change(lambda draft: opened(info, draft.pin, "scenarios"))


def _tab(tab: Tab) -> Draft[NewGameDraft]:
    return _change(lambda draft: replace(draft, tab=tab))


def _step(name: str, by: int) -> Draft[NewGameDraft]:
    return _change(lambda draft: draft.step(name, by))


def _scenarios(
    desk: Desk, infos: Sequence[ScenarioInfo], game: str, info: ScenarioInfo | None, draft: NewGameDraft
) -> Shown:
    """Return the games on the left and the scenarios of one on the right; Start begins the one that is chosen."""
    acts = Acts()
    titles = {one.game: one.game_title for one in infos}
    games = tuple(
        Item(
            key,
            Say(title),
            symbol=f"unit.{modules()[key].symbol}" if key in modules() else "",
            state="chosen" if key == game else "plain",
            act=acts.put(f"game.{key}", _game(key)),
        )
        for key, title in titles.items()
    )
    rows = tuple(
        Item(
            one.scenario,
            Say(one.title),
            _brief(one),
            state="chosen" if one == info else "plain",
            act=acts.put(f"open.{one.scenario}", _open(one)),
        )
        for one in infos
        if one.game == game
    )
    back = Button(Typed(""), acts.put("back", Go("home")), "back")
    help_ = Button(Typed(""), acts.put("help", OnBox("help")), "help")
    empty = Rows("scenarios", (), empty=Say("No scenario data was found"))
    blocks: tuple[Block, ...] = (empty,)
    main = second = about = None
    tools: tuple[Button, ...] = ()
    if info is not None:
        chosen = draft if draft.scenario == info.scenario and draft.chosen else opened(info, draft.pin)
        about = Say(info.summary) if info.summary else None
        tools = _evening(info, chosen, acts)
        blocks = (
            Sides(
                "new",
                (
                    Side("games", None, (Rows("games", games),), weight=0.5),
                    Side("scenarios", None, (Rows("scenarios", rows, columns=2),)),
                ),
            ),
        )
        more = _change(lambda _draft: replace(chosen, tab="options"))
        title = several((_chosen_say(info, chosen), Say("Change options")), "lines")
        second = Button(title, acts.put("options", more), "settings")
        main = Button(Say("Start"), acts.put("start", _start(desk, info, chosen)), "play")
    page = Page(
        f"new_game.{game}",
        Say("New game"),
        about,
        "muted",
        tools=tools,
        blocks=blocks,
        aside=(back, help_),
        second=second,
        main=main,
    )
    return Shown(page, acts)


def _evening(info: ScenarioInfo, draft: NewGameDraft, acts: Acts) -> tuple[Button, ...]:
    """Return what the game is played for, where tournament time can be had: it is chosen in one tap."""
    if not (_has_own_minutes(info) and _has_printed_minutes(info)):
        return ()
    is_on = draft.chosen["time"] == "tournament"
    home = starting_options(info)["time"]

    def turn(time: str) -> Draft[NewGameDraft]:
        return _change(lambda _draft: replace(draft, tab="scenarios").put("time", time))

    return tuple(
        Button(title, acts.put(f"time.{time}", turn(time)), is_on=chosen)
        for title, time, chosen in (
            (Say("Home evening"), home, not is_on),
            (Say("Tournament"), "tournament", is_on),
        )
    )


def _chosen_say(info: ScenarioInfo, draft: NewGameDraft) -> Words:
    """Return the options that every table looks at, and how many others differ from what is usual."""
    chosen, usual = draft.chosen, starting_options(info)
    told: list[Value] = []
    if chosen.get("commander"):
        told.append(Say("6 players"))
    elif "players" in chosen:
        told.append(Say.counted("{n} player", "{n} players", int(chosen["players"])))
    told += [_value_words(name, chosen[name]) for name in ("time", "clock") if name in chosen]
    shown = ("players", "commander", "time", "clock")
    others = sum(value != usual.get(name) for name, value in chosen.items() if name not in shown)
    if others:
        told.append(Say.counted("{n} more changed", "{n} more changed", others))
    return several(told, "dots") if told else Say("Usual options")


def _start(desk: Desk, info: ScenarioInfo, draft: NewGameDraft) -> OnBox:
    """Return the act that starts a game as it is chosen."""
    is_named = any(name.startswith("seat.") for name in draft.chosen)
    seats = _seats(desk, info, draft.chosen) if is_named else ()
    return OnBox(
        "start_game",
        {
            "game": info.game,
            "scenario": info.scenario,
            "options": resolved_options(info, draft.chosen, seats),
            "pin": draft.pin,
        },
    )


def _options(desk: Desk, info: ScenarioInfo, draft: NewGameDraft) -> Shown:
    acts = Acts()
    if not draft.chosen:
        draft = opened(info, draft.pin, draft.tab)
    pages: tuple[tuple[Tab, Words], ...] = (("options", Say("Options")), ("rulings", Say("Rulings")))
    tabs = tuple(Item(key, title, act=acts.put(f"tab.{key}", _tab(key))) for key, title in pages)
    blocks: list[Block] = []
    rulings: Sequence[RulingInfo] = ()
    nations: Sequence[tuple[str, str]] = ()
    try:
        setup = desk.make_setup(info.game, info.scenario, {})
        rulings, nations = setup.ruling_infos, _nations(setup)
    except ValueError as fault:
        blocks.append(Notice("broken", Say("This scenario's data is damaged"), refusal(fault)[0], "danger"))
    seats = _seats(desk, info, draft.chosen)
    if draft.tab == "rulings":
        rows = [_ruling(row, acts) for row in ruling_rows(info, draft.chosen, rulings)]
    else:
        names = kept_names(desk.settings())
        rows = [_option(row, acts, names) for row in option_rows(info, draft.chosen, seats, nations)]
        rows.append(_pin(bool(draft.pin), acts))
    page = Page(
        f"new_game.{info.scenario}.{draft.tab}",
        Say("New game"),
        Say(info.title),
        "text",
        tabs=tabs,
        tab=draft.tab,
        blocks=(*blocks, Rows("options", tuple(rows))),
        back=acts.put("back", _tab("scenarios")),
        main=Button(Say("Start"), acts.put("start", _start(desk, info, draft)), "play"),
    )
    return Shown(page, acts)


def _nations(setup: Setup) -> tuple[tuple[str, str], ...]:
    """Return the nations that take turns of their own, in playing order."""
    names = {str(nation.id): nation.name for nation in setup.nations}
    order = dict.fromkeys(step.nation for step in setup.steps if step.nation is not None)
    return tuple((who, names[who]) for who in order if who in names)


def _seats(desk: Desk, info: ScenarioInfo, chosen: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return the seats of the game as it is chosen so far; none where a game has no seats or a choice is faulty."""
    try:
        setup = desk.make_setup(info.game, info.scenario, resolved_options(info, chosen))
    except ValueError:
        return ()
    names = {str(nation.id): nation.name for nation in setup.nations}
    return tuple(
        {"side": seat["side"], "plays": [names.get(key, humanise(key)) for key in seat["plays"]]}
        for seat in setup.options.get("seats", ())
    )


_MOST_BESIDE = 5
"""Values that stand side by side on their row; more are asked for."""


def _put(name: str, value: Any) -> Draft[NewGameDraft]:
    return _change(lambda draft: draft.put(name, value))


def _option(row: OptionRow, acts: Acts, names: tuple[str, ...]) -> Item:
    name = row.name
    if row.is_stepped:
        less, more = (acts.put(f"{name}.{way}", _step(name, by)) for way, by in (("less", -1), ("more", 1)))
        return Item(name, row.label, facet=Counter(row.chosen, less, more, 1, 600, Say("minutes")))
    if row.is_number:
        number = Field("n", row.label, "number", most=3, has_fraction=row.name.endswith("_min"))
        enter = Ask(Form(name, row.label, (number,)), lambda answers: _put(name, _number(answers["n"])))
        shown = Say("Enter") if row.chosen is None else row.chosen
        return Item(name, row.label, value=shown, act=acts.put(name, enter))
    if row.is_typed:
        known = tuple(Item(name, Typed(name)) for name in names)
        field = Field("name", row.label, "text", options=known, most=24)
        ask = Ask(Form(name, row.label, (field,)), lambda answers: _put(name, answers["name"]))
        return Item(name, row.label, value=Typed(row.chosen), act=acts.put(name, ask))
    if len(row.values) > _MOST_BESIDE:
        return _ask_item(row, acts, {"value": _chosen(row), "sub": row.hint})
    options = tuple(
        Item(str(value), words, act=acts.put(f"{name}.{value}", _put(name, value)))
        for value, words in row.values
    )
    return Item(name, row.label, row.hint, facet=Options(options, str(row.chosen)))


def _number(text: str) -> int | float:
    value = float(text.replace(",", "."))
    return int(value) if value == int(value) else value


def _ruling(row: OptionRow, acts: Acts) -> Item:
    return _ask_item(row, acts, {"sub": _chosen(row)})


def _ask_item(row: OptionRow, acts: Acts, shown: Mapping[str, Any]) -> Item:
    values = {str(value): value for value, _words in row.values}
    options = tuple(Item(str(value), words) for value, words in row.values)
    ask = asked(row.name, row.label, options, lambda key: _put(row.name, values[key]))
    return Item(row.name, row.label, act=acts.put(row.name, ask), **shown)


def _chosen(row: OptionRow) -> Words:
    return next((words for value, words in row.values if value == row.chosen), Typed(str(row.chosen)))


def _pin(is_set: bool, acts: Acts) -> Item:
    def given(answers: Answers) -> Act:
        pin = answers["pin"]
        return Refuse(Say("Four digits or more")) if len(pin) < 4 else _change(lambda d: replace(d, pin=pin))

    title = Say("Arbiter's PIN")
    ask = Ask(Form("pin", title, (Field("pin", title, "pin", Say("Four digits or more")),)), given)
    options = (
        Item("pin", Say("Set") if is_set else Say("Set a PIN"), act=acts.put("pin.give", ask)),
        Item("none", Say("None"), act=acts.put("pin.none", _change(lambda d: replace(d, pin="")))),
    )
    return Item("pin", title, facet=Options(options, "pin" if is_set else "none"))
