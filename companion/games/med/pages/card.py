"""Entering a card of the card game: its number on a pad, and what is on its print by a few taps."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.options import says
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value
from companion.games.med.pages.draft import MedDraft, edit, joined, put
from companion.games.med.rules.cards import (
    ELEMENTS,
    LONGEST_NAME,
    POINTS,
    STATED,
    VALUES,
    YEARS,
    Card,
    CardNo,
    card_fault,
    plain,
    played_side,
    printed_key,
)
from companion.games.med.rules.effects import EFFECTS, STORM_NUMBERS
from companion.games.med.rules.slice import known_cards, slice_of
from companion.pages import page as pg
from companion.pages.symbols import unit_symbol

__all__ = [
    "ask_name",
    "blank",
    "card_form",
    "card_pad",
    "half_typed",
    "known_storm",
    "name_options",
    "number_typed",
    "pressed",
    "remember",
    "typed",
]

LETTERS = "AXSO"
_KEYS = (*LETTERS, "erase", *"1234567890")
_FIGHTS = ("force", "bonus")
_PRINTED: dict[str, tuple[str, ...]] = {
    "force": ("values", "years", "victory_points", "frame", "nation"),
    "bonus": ("values", "frame", "nation", "alone"),
    "operation": ("operation", "years", "victory_points", "freighter", "historic"),
}
"""Kind to what is on its cards beside a name and a target; all others have their effect."""
_MISSING: dict[str, Say] = {
    "operation": Say("Convoy or battle?"),
    "values": Say("Enter the three values"),
    "years": Say("Tick the years"),
    "victory_points": Say("Choose the victory points"),
    "frame": Say("Choose the frame"),
    "freighter": Say("Choose the load line"),
    "effect": Say("Say which card it is"),
}
"""What has to be entered, in this order."""


# The number


def typed(number: str, key: str) -> str:
    """Return a card number after a key of the pad: a letter starts anew, two digits end it."""
    if key == "erase":
        return number[:-1]
    if key in LETTERS:
        return key
    return number + key if number and len(number) < 3 else number


def card_pad(state: GameState, acts: pg.Acts, draft: MedDraft) -> pg.Side:
    """Return the pad that enters card numbers; an Operation's letter stands there already."""
    is_open = state.step.act == "operation" and (not draft.operation or draft.is_second)
    start = draft.number or ("O" if is_open else "")

    def key(name: str) -> pg.Item:
        symbol, title = ("backspace", Say("Erase")) if name == "erase" else ("", Typed(name))
        if not start and name not in LETTERS:  # nothing else would do anything
            return pg.Item(name, title, symbol=symbol)
        number = typed(start, name)
        act = number_typed(state, draft, CardNo(number)) if len(number) == 3 else put(number=number)
        return pg.Item(name, title, symbol=symbol, act=acts.put(f"key.{name}", act))

    head = pg.Head("number", Say("Card number"), value=Typed(start or "–"))
    return pg.Side("pad", head, (pg.Pad("pad", tuple(map(key, _KEYS)), columns=5),))


def half_typed(draft: MedDraft) -> Say | None:
    """Return what is said while a number lacks its second digit, so that nobody waits for it to be taken; None otherwise."""
    if len(draft.number) != 2:
        return None
    return Say("Two digits, such as {number}", number=Typed(f"{draft.number[0]}0{draft.number[1]}"))


def known_storm(number: CardNo, state: GameState) -> Card | None:
    """Return a Storm card that the rulebook's list tells by its number, where the table plays by that list."""
    effect = STORM_NUMBERS.get(number)
    if effect is None or not says(state, "storm_numbers", "list_order"):
        return None
    return Card(number, "storm", effect=effect)


def number_typed(state: GameState, draft: MedDraft, number: CardNo) -> pg.Act:
    """Return what a whole card number leads to: known cards join the others, unknown ones open their form."""
    is_operation = number[0] == "O"
    if is_operation != (state.step.act == "operation"):
        return put(number="")
    if is_operation and draft.is_second:  # put away unseen: its values are not needed
        return put(number="", put_away=number, is_second=False)
    if number in known_cards(state):
        return _join(number)
    storm = known_storm(number, state)
    if storm is not None:
        return pg.Send(EnterPrintedValue(printed_key(number), plain(storm)), then=_join(number))
    return put(number="", form=blank(number, state), at=0)


def _join(number: CardNo) -> pg.Draft[MedDraft]:
    return edit(lambda d: joined(d, number))


# The print


def blank(number: CardNo, state: GameState | None = None) -> Card:
    """Return a card of which only its number and what the text says of it are known.

    One played in the open fits the Operation's year.
    """
    kind: Any = {"S": "storm", "O": "operation"}.get(number[0], "force")
    empty: Any = {"values": (None, None, None), "frame": "", "freighter": "", **STATED.get(number, {})}
    kind = empty.pop("kind", kind)
    engagement = slice_of(state).engagement if state is not None else None
    if state is None or engagement is None or kind != "force" or state.step.act not in ("play", "play_again"):
        return Card(number, kind, **empty)
    return Card(number, kind, years=known_cards(state)[engagement.operation].years, **empty)


def pressed(form: Card, field: str, value: Any) -> Card:
    """Return a card after a tap on an option of a line of its form."""
    match field:
        case "years" if form.kind != "operation":
            value = tuple(sorted(set(form.years) ^ {value}))
        case "years":
            value = (value,)
        case "historic":
            chosen = set(form.historic) ^ {value}
            value = tuple(element for element in ELEMENTS if element in chosen)
        case "kind":
            only = {("supply", "A"): "medway", ("supply", "X"): "remo"}.get((value, form.number[0]), "")
            return replace(form, kind=value, effect=only)
    return replace(form, **{field: value})


def remember(form: Card) -> EnterPrintedValue | Say:
    """Return the command that remembers a card, or what is still missing."""
    printed = _PRINTED.get(form.kind, ("effect",))
    for field, missing in _MISSING.items():
        value = getattr(form, field)
        if field in printed and (not value or (field == "values" and None in value)):
            return missing
    kept = {field: getattr(form, field) for field in ("number", "kind", "name", "victim", *printed)}
    fault = card_fault(form.number, kept)
    return fault or EnterPrintedValue(printed_key(form.number), plain(Card(**kept)))


def card_form(state: GameState, draft: MedDraft, form: Card) -> pg.Shown:
    """Return the page on which a card's print is entered: values with their keys, a line for everything else."""
    acts = pg.Acts()
    leave = acts.put("leave", put(form=None))
    if form.kind == "operation" and not form.operation:
        return _first_question(state, acts, form, leave)
    lines = _Lines(state, acts, form, is_proposed=draft.is_frame_proposed)
    found = remember(form)
    if isinstance(found, Say):
        main = pg.Button(found, why_not=found)
    else:
        main = pg.Button(
            Say("Remember the card"), acts.put("remember", pg.Send(found, then=_join(form.number)))
        )
    printed = pg.Rows("print", lines.rows(), is_wide=form.kind != "storm")
    blocks: tuple[pg.Block, ...] = (printed,)
    if form.kind in _FIGHTS:
        blocks = (pg.Sides("form", (_values(acts, draft, form), pg.Side("print", None, (printed,)))),)
    page = pg.Page(
        f"form.{form.number}",
        Typed(form.number),
        tools=lines.kinds(),
        blocks=blocks,
        main=main,
        second=pg.Button(Say("Back"), leave, "back"),
        back=leave,
    )
    return pg.Shown(page, acts)


def _first_question(state: GameState, acts: pg.Acts, form: Card, leave: Any) -> pg.Shown:
    """Return the page on which it is said what a new Operation is, before anything else of it is asked."""
    tiles = tuple(
        pg.Item(
            kind,
            Name("operation", kind),
            symbol=unit_symbol(state, kind),
            act=acts.put(f"operation.{kind}", put(form=pressed(form, "operation", kind))),
        )
        for kind in ("convoy", "battle")
    )
    page = pg.Page(
        f"form.{form.number}",
        _MISSING["operation"],
        Typed(form.number),
        blocks=(pg.Tiles("operation", tiles, columns=2),),
        main=pg.Button(Say("Back"), leave, "back"),
        back=leave,
    )
    return pg.Shown(page, acts)


def _values(acts: pg.Acts, draft: MedDraft, form: Card) -> pg.Side:
    """Return the three values, the next one marked, and their keys."""

    def enter(value: Any) -> pg.Act:
        values = tuple(value if n == draft.at else old for n, old in enumerate(form.values))
        is_open = not form.frame or draft.is_frame_proposed
        frame = _frame_of(values) if is_open and form.number[0] in "AX" else form.frame
        entered = replace(form, values=values, frame=frame)
        return put(form=entered, at=min(2, draft.at + 1), is_frame_proposed=is_open and bool(frame))

    tiles = tuple(
        pg.Item(
            element,
            Name("element", element),
            value=Typed("–" if value is None else str(value)),
            state="chosen" if n == draft.at else "plain",
            act=acts.put(f"at.{element}", put(at=n)),
        )
        for n, (element, value) in enumerate(zip(ELEMENTS, form.values, strict=True))
    )
    keys = tuple(
        pg.Item(str(value), Typed(str(value)), act=acts.put(f"value.{value}", enter(value)))
        for value in VALUES
    )
    return pg.Side("values", None, (pg.Tiles("values", tiles), pg.Pad("value", keys, columns=3)))


_ROLLED = 7
"""What a value that is rolled for counts here: it is what its card is for."""


def _frame_of(values: tuple[Any, ...]) -> Any:
    """Return the frame that a card with these values mostly has, its only value's or its highest; empty where they leave it open.

    It is proposed, not known: the print decides.
    """
    if None in values:
        return ""
    worth = [value if isinstance(value, int) else _ROLLED for value in values]
    best = [element for element, value in zip(ELEMENTS, worth, strict=True) if value == max(worth) and value]
    return best[0] if len(best) == 1 else ""


class _Lines:
    """The lines of one card's form."""

    def __init__(self, state: GameState, acts: pg.Acts, form: Card, *, is_proposed: bool = False) -> None:
        self._state, self._acts, self._form = state, acts, form
        self._is_proposed = is_proposed and bool(form.frame)

    def _press(self, field: str, value: Any) -> Any:
        seen = {"is_frame_proposed": False} if field == "frame" else {}
        return self._acts.put(f"{field}.{value}", put(form=pressed(self._form, field, value), **seen))

    def kinds(self) -> tuple[pg.Button, ...]:
        """Return what the number leaves open: which kind of card, or of Operation."""
        field = "operation" if self._form.kind == "operation" else "kind"
        ids = {"A": ("force", "bonus", "supply", "special"), "O": ("convoy", "battle"), "S": ()}
        ids["X"] = ids["A"]
        return tuple(
            pg.Button(Name(field, id_), self._press(field, id_), is_on=getattr(self._form, field) == id_)
            for id_ in ids[self._form.number[0]]
        )

    def _line(self, field: str, title: pg.Words, options: dict[Any, pg.Words]) -> pg.Item:
        now = getattr(self._form, field)
        chosen = now if isinstance(now, tuple) else (now,)

        def key(value: Any) -> pg.Item:
            state: pg.State = "chosen" if value in chosen else "plain"
            return pg.Item(str(value), options[value], state=state, act=self._press(field, value))

        return pg.Item(field, title, facet=pg.Keys(tuple(map(key, options))))

    def _named(self, field: str, title: pg.Words, kind: str, *ids: str) -> pg.Item:
        return self._line(field, title, {id_: Name(kind, id_) for id_ in ids})

    def rows(self) -> tuple[pg.Item, ...]:
        """Return the lines that a card of this kind needs, what is on every card first."""
        form, rows = self._form, []
        if form.kind not in _PRINTED:
            return self._effects()
        if form.kind != "bonus":
            years: dict[Any, pg.Words] = {year: Typed(f"'{year % 100}") for year in YEARS}
            rows.append(self._line("years", Say("Year") if form.kind == "operation" else Say("Years"), years))
            rows.append(self._line("victory_points", Say("VP"), {n: n for n in POINTS[form.kind]}))
        if form.kind == "operation":
            rows.append(self._named("freighter", Say("Load line"), "freighter", "none", "half", "full"))
            if form.operation == "battle":
                rows.append(self._named("historic", Say("Printed type"), "element", *ELEMENTS))
        else:
            frame = Say("Frame: check") if self._is_proposed else Say("Frame")
            rows.append(self._named("frame", frame, "element", *ELEMENTS, "all"))
            if form.number[0] == "X":
                rows.append(self._named("nation", Say("Flag"), "nation", "germany", "italy", "romania"))
        if form.kind == "bonus":
            rows.append(self._line("alone", Say("Alone"), {True: Say("Yes"), False: Say("No")}))
        return (*rows, self._typed())

    def _effects(self) -> tuple[pg.Item, ...]:
        form = self._form
        side = played_side(form.number)
        return tuple(
            pg.Item(
                one.id,
                Name("effect", one.id),
                act=self._press("effect", one.id),
                facet=pg.Pick(form.effect == one.id),
            )
            for one in EFFECTS.values()
            if one.kind == form.kind and one.side == side
        )

    def _typed(self) -> pg.Item:
        form = self._form
        titles = {"name": Say("Name"), "victim": Say("Target")}
        fields = ("name",) if form.kind == "operation" else ("name", "victim")
        keys = tuple(
            pg.Item(
                field,
                Typed(getattr(form, field) or "–"),
                titles[field],
                act=self._acts.put(field, ask_name(self._state, form, field)),
            )
            for field in fields
        )
        return pg.Item("names", Say("Printed"), facet=pg.Keys(keys))


def name_options(state: GameState, form: Card, field: str) -> tuple[str, ...]:
    """Return names that fit without typing: for a target those of known cards, for a name targets not found yet.

    Args:
        field: ``name`` or ``victim``.
    """
    cards = known_cards(state)
    if field == "victim":
        side = form.number[0]
        return tuple(sorted({one.name for one in cards.values() if one.name and one.number[0] != side}))
    taken = {one.name.strip().casefold() for one in cards.values()} | {n.casefold() for n in cards}
    targets = {one.victim.strip().casefold(): one.victim for one in cards.values() if one.victim}
    return tuple(sorted(text for key, text in targets.items() if key not in taken))


def ask_name(state: GameState, form: Card, field: str) -> pg.Ask:
    """Ask for a card's name or for the card in its target: one that fits, none, or another that is typed."""
    title = Say("Name of the card") if field == "name" else Say("Card in the target")

    def enter(text: str) -> pg.Act:
        return put(form=replace(form, **{field: text.strip()}))

    now = getattr(form, field)
    answer = pg.Field("name", title, "text", value=now, most=LONGEST_NAME, may_be_empty=True)
    type_it = pg.Ask(pg.Form(field, title, (answer,)), lambda answers: enter(answers["name"]))
    found = name_options(state, form, field)
    if not found and not now:
        return type_it
    rows: list[tuple[Value, pg.Act]] = [(Typed(name), enter(name)) for name in found]
    rows += [(Say("None"), enter("")), (Say("Type a name"), type_it)]
    options = tuple(pg.Item(str(n), text) for n, (text, _act) in enumerate(rows))
    return pg.asked(field, title, options, lambda n: rows[int(n)][1])
