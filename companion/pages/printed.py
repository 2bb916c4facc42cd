"""Printed values: figures that the rules text leaves to the pieces in the box, entered on a sheet that moves on by itself.

A unit or a place with several figures is a line of the sheet, in the order of the player aid or the board; single figures are
cells of a grid. The pad beside it enters the figure at hand with one tap and goes on to the next that is open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import msgspec

from companion.core import commands as cm
from companion.core.change import Change
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.core.text import Say, Typed, Value
from companion.pages.game_view import PrintedRow
from companion.pages.i18n import _
from companion.pages.labels import humanise
from companion.pages.modules import game_view
from companion.pages.page import (
    Act,
    Acts,
    At,
    Block,
    Button,
    Code,
    Do,
    Draft,
    Go,
    Head,
    Item,
    Keys,
    Notice,
    OnBox,
    Page,
    Photo,
    Refuse,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    State,
    Words,
    asked,
)
from companion.pages.parts import as_words
from companion.pages.speak import sentence
from companion.pages.value_pad import Held, ValuePad, shown_figure

__all__ = [
    "PrintedDraft",
    "PrintedView",
    "entry_command",
    "entry_fault",
    "figure",
    "parse_value",
    "printed_page",
    "printed_view",
    "value_fault",
]


class PrintedView(msgspec.Struct, frozen=True):
    """The entry form."""

    rows: tuple[PrintedRow, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()
    entered: str = ""


def printed_view(change: Change) -> PrintedView:
    """Return the form for the open game: what its rules ask for, then what was entered besides."""
    state = change.state
    rows = list(game_view(state.frozen_setup.game).printed(state))
    known = {row.key for row in rows}
    for key, value in state.printed.items():
        if key not in known and isinstance(value, int | float):
            rows.append(PrintedRow(key, humanise(key.replace(".", " ")), value))
    groups = tuple(dict.fromkeys((row.group, _(row.group) if row.group else _("Values")) for row in rows))
    done = sum(row.value is not None for row in rows)
    return PrintedView(tuple(rows), groups, _("{n} of {m} entered").format(n=done, m=len(rows)))


def parse_value(text: str) -> int | float | None:
    """Return a typed figure: a whole number, or a decimal fraction as the pad types it; None when empty or unfit."""
    text = text.strip().replace(",", ".")
    if not text:
        return None
    try:
        exact = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
    return int(exact) if exact.denominator == 1 else float(exact)


def entry_fault(change: Change, rules: GameRules, key: str, text: str) -> str | None:
    """Return what is wrong with a typed value; None when it can be taken. Empty text takes the value back."""
    if not text.strip():
        return None
    value = parse_value(text)
    if value is None:
        return _("Enter a number")
    return value_fault(rules, change.state, key, value)


def value_fault(rules: GameRules, state: GameState, key: str, value: object) -> str | None:
    """Return what is wrong with a printed value, in words; None when it can be taken."""
    fault = rules.printed_fault(state, key, value)
    return sentence(fault, state) if isinstance(fault, Say) else fault


def entry_command(key: str, text: str) -> cm.Command:
    """Return the entry of a value, or its taking back where the text is empty."""
    return cm.EnterPrintedValue(key, parse_value(text))


class PrintedDraft(msgspec.Struct, frozen=True):
    """What is looked at, and what has been tapped of the figure at hand."""

    group: str = ""
    at: str = ""
    """The key of the figure that the pad enters; empty: the first that is open."""
    held: Held = Held()
    shown: Photo | Code | None = None
    """The player aid that stands in place of the sheet, or the code that stands alone."""


_IN_GRID = 3
_SHEET_WEIGHT = 1.8
"""How wide the sheet is beside the pad."""


def printed_page(sight: Sight) -> Shown:
    """Return the figures of a group beside a pad: one tap enters a figure and moves on to the next that is open."""
    assert sight.change is not None, "a screen that needs a game is shown with one"
    acts, view = Acts(), printed_view(sight.change)
    names = {key: Typed(text) for key, text in view.groups}
    draft = sight.entered(PrintedDraft())
    group = draft.group if draft.group in names else _first_open(view.rows)
    rows = tuple(row for row in view.rows if row.group == group)
    at = _at(rows, draft.at)
    done = sum(row.value is not None for row in rows)
    lead = Say("{n} of {m}", n=done, m=len(rows)) if rows else None
    sheet = _table(acts, rows, at) if any(row.of for row in rows) else _grid(acts, rows, at)
    page = Page(
        f"printed.{group}",
        names[group] if len(names) > 1 else Say("Printed values"),
        lead,
        "ok" if rows and done == len(rows) else "muted",
        tools=(*_pick(acts, names, draft), *_aid(sight, acts, draft), _carry(sight, acts, draft)),
        blocks=_beside(sight, acts, sheet, None if at is None else (at, _after(view.rows, at)), draft),
        main=Button(Say("Done for now"), acts.put("table", Go("table"))),
    )
    return Shown(page, acts)


def _first_open(rows: Sequence[PrintedRow]) -> str:
    """Return the first group in which a figure is open; the first where none is."""
    return next((row.group for row in rows if row.value is None), rows[0].group if rows else "")


def _pick(acts: Acts, names: Mapping[str, Typed], draft: PrintedDraft) -> tuple[Button, ...]:
    """Return the question which figures are looked at, where there are several groups of them."""
    if len(names) < 2 or draft.shown is not None:
        return ()
    options = tuple(Item(key, name) for key, name in names.items())
    pick = acts.put("pick", asked("group", Say("Printed values"), options, _show))
    return (Button(Say("Sheets"), pick, "down"),)


def _carry(sight: Sight, acts: Acts, draft: PrintedDraft) -> Button:
    """Return the question whether to carry the values to another box or take those of another one."""
    options = [
        Item("printed_to_stick", Say("To a stick")),
        Item("printed_from_stick", Say("From a stick")),
    ]
    if sight.box is not None:
        options += [Item("code", Say("Show as a QR code")), Item("read", Say("Read a QR code"))]

    def carry(key: str) -> Act:
        if key == "code":
            return Do(lambda: _code(sight, draft))
        if key == "read":
            return _sources(sight, Say("Read a QR code"), lambda source: Do(lambda: _read(sight, source)))
        return OnBox(key)

    title = Say("Share printed values")
    return Button(Say("Share"), acts.put("share", asked("share", title, tuple(options), carry)))


def _sources(sight: Sight, title: Say, then: Callable[[str], Act], more: tuple[Item, ...] = ()) -> Act:
    """Ask where a picture comes from, or say what to do where there is none."""
    assert sight.box is not None, "a picture is asked for on the box alone"
    scanner = sight.box.scanner
    options = (*more, *(Item(key, Typed(name)) for key, name in scanner.sources()))
    if not options:
        place = Typed(scanner.place())
        return Refuse(
            Say("There is no camera, no USB stick with a photo, and no photo in {folder}.", folder=place)
        )
    return asked("source", title, options, then)


def _code(sight: Sight, draft: PrintedDraft) -> Act:
    """Show what is entered as a QR code, or say why it does not fit one."""
    assert sight.box is not None, "codes are made on the box alone"
    setup = sight.state.frozen_setup
    code = sight.box.scanner.code(setup.game, setup.scenario, sight.state.printed)
    if isinstance(code, Say):
        return Refuse(code)
    told = Say.counted("{n} printed value", "{n} printed values", len(sight.state.printed))
    words = Say("Read this code with the other box: Printed values, Share, Read a QR code.")
    return _shown(draft, Code("code", code, told, words))


def _read(sight: Sight, source: str) -> Act:
    """Take the values of the QR code in a picture, or say why there are none."""
    assert sight.box is not None, "codes are read on the box alone"
    text = sight.box.scanner.read(source)
    return Refuse(text) if isinstance(text, Say) else OnBox("printed_from_code", {"text": text})


def _aid(sight: Sight, acts: Acts, draft: PrintedDraft) -> tuple[Button, ...]:
    """Return the key that shows the photo of the player aid beside the pad, asks for one, or puts the sheet back."""
    if sight.box is None:
        return ()
    scanner, game = sight.box.scanner, sight.state.frozen_setup.game
    title = Say("Player aid")

    def keep(source: str) -> Act:
        def kept() -> Act:
            if source == _NONE:
                scanner.drop(game)
                return _shown(draft, None)
            fault = scanner.keep(source, game)
            return Refuse(fault) if fault is not None else _shown(draft, scanner.kept(game))

        return Do(kept)

    def show() -> Act:
        photo = scanner.kept(game)
        return _sources(sight, title, keep) if photo is None else _shown(draft, photo)

    if draft.shown is None:
        return (Button(Say("Photo"), acts.put("photo", Do(show)), "photo"),)
    sheet = Button(Say("Sheet"), acts.put("sheet", _shown(draft, None)))
    if isinstance(draft.shown, Code):
        return (sheet,)
    none = Item(_NONE, Say("Remove this photo"))
    ask = At(lambda _at_ms: _sources(sight, title, keep, (none,)))
    return (sheet, Button(Say("Other photo"), acts.put("other", ask)))


_NONE = "none"


def _shown(draft: PrintedDraft, shown: Photo | Code | None) -> Act:
    return Draft(lambda now: msgspec.structs.replace(now, shown=shown), draft)


def _at(rows: Sequence[PrintedRow], wanted: str) -> PrintedRow | None:
    """Return the figure at hand: the one that was tapped, else the first that is open, else the first."""
    opened = (row for row in rows if row.value is None)
    return next((row for row in rows if row.key == wanted), None) or next(opened, rows[0] if rows else None)


def _cell(acts: Acts, row: PrintedRow, at: PrintedRow | None, title: Words) -> Item:
    state: State = "chosen" if row == at else "plain"
    return Item(row.key, title, state=state, act=acts.put(f"at.{row.key}", _show(row.group, row.key)))


def _grid(acts: Acts, rows: Sequence[PrintedRow], at: PrintedRow | None) -> Rows:
    """Return single figures as cells side by side."""
    cells = tuple(
        msgspec.structs.replace(_cell(acts, row, at, as_words(row.label)), value=_value(row)) for row in rows
    )
    columns = _IN_GRID if all(len(row.label) < _SHORT for row in rows) else 2
    return Rows(
        "printed", cells, empty=Say("This game needs no printed values"), is_wide=False, columns=columns
    )


_SHORT = 20
"""Letters of a name that a cell of a third of the sheet, or half a line beside it, has room for."""


def _table(acts: Acts, rows: Sequence[PrintedRow], at: PrintedRow | None) -> Rows:
    """Return the figures of each unit or place as one line, with what each is below it."""
    lines: dict[str, list[PrintedRow]] = {}
    for row in rows:
        lines.setdefault(row.of, []).append(row)
    return Rows(
        "printed",
        tuple(
            Item(
                of,
                as_words(of),
                facet=Keys(
                    tuple(
                        msgspec.structs.replace(_cell(acts, row, at, _value(row)), sub=as_words(row.figure))
                        for row in figures
                    )
                ),
            )
            for of, figures in lines.items()
        ),
    )


def _beside(
    sight: Sight,
    acts: Acts,
    sheet: Rows,
    at: tuple[PrintedRow, PrintedRow] | None,
    draft: PrintedDraft,
) -> tuple[Block, ...]:
    """Return the sheet with the pad beside it; alone where its figures are entered elsewhere.

    `at` is the figure at hand and the one that follows.
    """
    if isinstance(draft.shown, Code):
        return (draft.shown,)
    if at is None or not at[0].is_entered_here:
        return (sheet,) if draft.shown is None else (draft.shown,)
    (row, following), held = at, draft.held

    def hold(newer: Held) -> Act:
        return Draft(lambda now: PrintedDraft(row.group, row.key, newer, now.shown), PrintedDraft())

    pad = ValuePad(
        acts,
        held,
        now=row.value,
        is_whole=row.is_whole,
        enter=lambda typed: _entered(sight, row, typed, following if typed else row),
        hold=hold,
        skip=_show(following.group, following.key),
    )
    keys = pad.blocks()
    is_short = len(row.label) < _SHORT and following != row
    then = Say("then {name}", name=as_words(following.label)) if is_short else None
    title, sub = (row.of, as_words(row.figure)) if row.of else (row.label, then)
    head = Head("at", as_words(title), sub, value=held.shown)
    hint = (Notice("hint", as_words(row.hint)),) if row.hint else ()
    beside = (sheet, *hint) if draft.shown is None else (draft.shown,)
    cells = Side("rows", None, beside, _SHEET_WEIGHT)
    return (Sides("sheet", (cells, Side("pad", head, keys))),)


def _after(rows: Sequence[PrintedRow], at: PrintedRow) -> PrintedRow:
    """Return the figure that follows: the next open one of its group, then of the groups after it; simply the next where none is."""
    group = [row for row in rows if row.group == at.group]
    here = group.index(at)
    order = list(dict.fromkeys(row.group for row in rows))
    later = order[order.index(at.group) + 1 :] + order[: order.index(at.group)]
    round_ = [*group[here + 1 :], *group[:here], *(row for one in later for row in rows if row.group == one)]
    opened = (row for row in round_ if row.value is None and row.is_entered_here)
    return next(opened, round_[0] if round_ and len(group) > 1 else at)


def figure(value: float) -> str:
    """Return a figure as the pad types it, such as ``0.75``."""
    return f"{value:g}"


def _show(group: str, at: str = "") -> Act:
    return Draft(lambda now: PrintedDraft(group, at, shown=now.shown), PrintedDraft())


def _value(row: PrintedRow) -> Value:
    if row.value is None:
        return Typed("–")
    if isinstance(row.value, bool) or not isinstance(row.value, int | float):
        return Typed(str(row.value))
    return Typed(shown_figure(row.value)) if row.value % 1 else row.value


def _entered(sight: Sight, row: PrintedRow, typed: str, following: PrintedRow) -> Act:
    """Return the entry of a figure, which moves on to the next; or why it cannot be taken."""
    if sight.change is not None and sight.rules is not None:
        fault = entry_fault(sight.change, sight.rules, row.key, typed)
        if fault is not None:
            return Refuse(as_words(fault))
    return Send(entry_command(row.key, typed), then=_show(following.group, following.key))
