"""The New game page: scenarios to choose from, and the options of the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.core.presets import CONTROL
from companion.core.scenario import DataError, Fault
from companion.core.setup import RulingInfo, Setup
from companion.core.text import Range, Say, Several, Typed, Value, several
from companion.pages.desk import Desk, ScenarioInfo
from companion.pages.game_options import (
    OptionRow,
    has_own_minutes,
    has_printed_minutes,
    is_of_clock,
    minutes_of,
    option_name,
    option_rows,
    resolved_options,
    ruling_rows,
    starting_options,
    value_words,
)
from companion.pages.i18n import current
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
    "NewGameDraft",
    "facts",
    "fault_lines",
    "new_game_page",
    "opened",
    "refusal",
]

_SHOWN_FAULTS = 3
"""Faults of a file that fit a notice; the command line lists every one."""
_MEND = Say("Fix the file, or remove it from the data folder.")


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
    voice = Voice(current(), missing=option_name)
    return Typed(voice.say(_told(error.faults))), error.hint


def _told(faults: Sequence[Fault]) -> Say:
    first = [fault.say for fault in faults[:_SHOWN_FAULTS]]
    left = len(faults) - len(first)
    if left:
        first.append(Say.counted("{n} more error.", "{n} more errors.", left))
    return Say("{faults}", faults=several(first, "sentences"))


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


# The page


Tab = Literal["scenarios", "options", "clock", "rulings"]


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
        minutes = minutes_of(self.chosen, side, int(stage) if stage else None) + by
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
        main = Button(Say("Start the game"), acts.put("start", _start(desk, info, chosen)), "play")
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
    if not (has_own_minutes(info) and has_printed_minutes(info)):
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
    told += [value_words(name, chosen[name]) for name in ("time", "clock") if name in chosen]
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
    pages: tuple[tuple[Tab, Words], ...] = (
        ("options", Say("Options")),
        ("clock", Say("Clock")),
        ("rulings", Say("Rulings")),
    )
    tabs = tuple(Item(key, title, act=acts.put(f"tab.{key}", _tab(key))) for key, title in pages)
    blocks: list[Block] = []
    rulings: Sequence[RulingInfo] = ()
    entered: tuple[Item, ...] = ()
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
        shown = [
            row
            for row in option_rows(info, draft.chosen, seats, nations)
            if is_of_clock(row) == (draft.tab == "clock")
        ]
        rows = [_option(row, acts, names) for row in shown if not _is_short(row)]
        if draft.tab == "options":
            rows.append(_pin(bool(draft.pin), acts))
        entered = tuple(_option(row, acts, names) for row in shown if _is_short(row))
    page = Page(
        f"new_game.{info.scenario}.{draft.tab}",
        Say("New game"),
        Say(info.title),
        "text",
        tabs=tabs,
        tab=draft.tab,
        blocks=(
            *blocks,
            Rows("options", tuple(rows)),
            *(
                (Rows("entered", entered, is_wide=False, columns=3 if len(entered) > _MANY else 0),)
                if entered
                else ()
            ),
        ),
        back=acts.put("back", _tab("scenarios")),
        main=Button(Say("Start the game"), acts.put("start", _start(desk, info, draft)), "play"),
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


_MANY = 9
"""More that is entered than this, such as all figures of a time control, stands three side by side."""


def _is_short(row: OptionRow) -> bool:
    """Say whether a row needs no more than half a line: what is entered or asked for, not chosen on it."""
    return row.is_stepped or row.is_number or row.is_typed or _is_asked(row)


def _is_asked(row: OptionRow) -> bool:
    """Say whether a row's values are asked for: there are many, or the row is one of many of a time control."""
    return len(row.values) > _MOST_BESIDE or row.name == "dealer" or row.name.startswith(f"{CONTROL}.")


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
    if _is_asked(row):
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
