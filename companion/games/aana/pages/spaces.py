"""The spaces of North Africa side by side: who holds each, who fights for it, and what stands there."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator

from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.core.text import Say, Typed, Value, area, nation, several, unit
from companion.games.aana.pages.entries import ask_vichy
from companion.games.aana.pages.moves import (
    BoardDraft,
    lose_aircraft,
    moves_by_rule,
)
from companion.games.aana.pages.tell import (
    pieces_say,
    supply_say,
)
from companion.games.aana.rules.conditions import route_open
from companion.games.aana.rules.figures import SIDE_OF, SIDES
from companion.games.aana.rules.ledger import (
    board,
    figures,
    held_units,
    known_supply,
    ledger_of,
    mines_of,
    occupants,
    stacked,
)
from companion.games.aana.rules.pieces import split
from companion.games.aana.rules.tables import NO_SPACE
from companion.games.aana.rules.turn import turn_powers
from companion.games.aana.rules.vichy import vichy_grounds
from companion.games.aana.shipped import unofficial_names
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Block,
    Draft,
    Field,
    Form,
    Item,
    Mark,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    State,
    Tiles,
    sure,
)
from companion.pages.parts import back_button, nation_mark, side_mark
from companion.pages.place_names import named_like, plain_letters
from companion.pages.rulings import ruling_tools
from companion.pages.symbols import unit_symbol

__all__ = ["crowded", "detail", "edit", "holder_mark", "list_page", "turn_to"]

_ACROSS = 6
"""Spaces side by side, from west to east as on the board."""
_ZONES = 3
"""Convoy zones side by side."""


def edit(**changes: object) -> Draft[BoardDraft]:
    """Return an act that changes what is being entered on the board."""
    return Draft(lambda draft: replace(draft, **changes), BoardDraft())


def turn_to(space: SiteId = NO_SPACE, mode: str = "count") -> Draft[BoardDraft]:
    """Show a space, or the list; what was entered for another one goes."""
    return Draft(lambda d: BoardDraft(d.tab, space, mode, d.power), BoardDraft())


def list_page(state: GameState, draft: BoardDraft) -> Shown:
    """Return the spaces of a tab, with what waits for an answer above them."""
    acts = Acts()
    tabs = {
        "land": Say("Land"),
        "sea": Say("Sea"),
        "convoy": Say("Convoys"),
    }
    blocks: list[Block] = []
    lost = lose_aircraft(state)
    if lost is not None:
        title, yes = Say("Aircraft with nowhere to land are lost"), Say("They are lost")
        act = acts.put("lost", sure(title, Send(lost[0]), sub=lost[1], yes=yes, is_danger=True))
        blocks.append(Rows("lost", (Item("lost", title, lost[1], state="danger", act=act),)))
    grounds = tuple(
        Item(
            f"vichy.{space}",
            Say("Take control of {space} from Vichy France?", space=area(space)),
            act=acts.put(f"vichy.{space}", ask_vichy(state, space)),
        )
        for space in vichy_grounds(state)
    )
    if grounds:
        blocks.append(Rows("vichy", grounds))
    spaces = tuple(_spaces(state, acts, draft.tab))
    columns = _ZONES if draft.tab == "convoy" else _ACROSS
    blocks.append(Tiles(draft.tab, spaces, columns=columns, is_board=True))
    page = Page(
        f"board.{draft.tab}",
        Say("Board"),
        tabs=tuple(Item(key, name, act=acts.put(f"tab.{key}", edit(tab=key))) for key, name in tabs.items()),
        tools=ruling_tools(state, acts, ("aana.vichy_ground",)) if grounds else (),
        tab=draft.tab,
        blocks=tuple(blocks),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _spaces(state: GameState, acts: Acts, tab: str) -> Iterator[Item]:
    own, ledger = board(state), ledger_of(state)
    spaces = {
        "land": [row.id for row in own.territories()],
        "convoy": list(own.convoys),
        "sea": list(own.sea_zones()),
    }[tab]
    # Where the acting power stands is where it moves from.
    movers = turn_powers(state) if moves_by_rule(state) else ()
    for space in spaces:
        act = acts.put(f"space.{space}", turn_to(space))
        item = Item(space, area(space), mark=holder_mark(state, space), act=act)
        held = held_units(ledger, space)
        is_fought = len({SIDE_OF.get(split(piece)[0]) for piece in held}) > 1
        is_open = held or space in ledger.told
        stands: State = "danger" if is_fought else "plain" if is_open else "muted"
        is_mover = bool(held_units(ledger, space, movers))
        yield replace(
            item, signs=_signs(state, space), state="chosen" if is_mover and not is_fought else stands
        )
    if tab == "land":
        act = acts.put("add", _ask_territory(state))
        yield Item("add", Say("Add a territory from your board"), act=act)


def _signs(state: GameState, space: SiteId) -> tuple[Item, ...]:
    """Return what stands in a space: the pieces of each power, its supply and its mines."""
    ledger, counts = ledger_of(state), Tally[str]()
    for piece, n in held_units(ledger, space).items():
        counts[split(piece)[0]] += n
    signs = [
        Item(power, nation(power), value=n, mark=nation_mark(state.frozen_setup, power))
        for power, n in counts.items()
    ]
    mines = sum(n for key, n in ledger.mines.items() if mines_of(key)[0] == space)
    if crowded(state, space):
        signs.insert(
            0, Item("limit", Say("over the limit of {n}", n=board(state).limit(space)), symbol="warning")
        )
    supply = known_supply(ledger, space) or 0
    if board(state).type_of(space) == "convoy":
        supply = sum(known_supply(ledger, f"{space}@{power}") or 0 for power in SIDE_OF)
        is_open = route_open(state, space)
        if not is_open.is_yes:
            why = Say("not known") if is_open.is_unknown else Say("closed")
            signs.insert(0, Item("way", why, symbol="help" if is_open.is_unknown else "lock"))
    for kind, n in (("supply", supply), ("mine", mines)):
        if n:
            signs.append(Item(kind, unit(kind), value=n, symbol=unit_symbol(state, kind)))
    return tuple(signs)


def crowded(state: GameState, space: SiteId) -> int:
    """Return how many sides have more units in a territory than may stand there."""
    ledger, book, own = ledger_of(state), figures(state), board(state)
    sides = (side for side in SIDES if occupants(ledger, book, space, side))
    is_land = own.type_of(space) == "land"
    return sum(is_land and stacked(ledger, book, space, side) > own.limit(space) for side in sides)


def holder_mark(state: GameState, space: SiteId) -> Mark | None:
    """Return the mark of the power that holds a territory; None where nobody is known to."""
    row = board(state).territory(space)
    holder = ledger_of(state).control.get(space) or (row.owner if row is not None else "")
    if not holder:
        return None
    # The shape says which power, the colour which side: that is seen from farther away.
    setup, whose = state.frozen_setup, SIDE_OF.get(holder)
    own = nation_mark(setup, holder)
    return replace(own, tone=side_mark(setup, whose).tone) if whose else own


def detail(state: GameState, space: SiteId) -> Value:
    """Return what is known of a space on one line."""
    own, ledger = board(state), ledger_of(state)
    held = held_units(ledger, space)
    kind = own.type_of(space)
    parts: list[Value] = []
    pieces = pieces_say(held)
    if pieces is not None:
        parts.append(pieces)
    if kind == "land":
        tokens = known_supply(ledger, space) or 0
        if tokens:
            parts.append(supply_say(tokens))
        if space == "malta" and tokens > 3:
            parts.append(Say("the damaged chart shows a limit of 3"))
        parts += [Say("over the limit of {n}", n=own.limit(space))] * crowded(state, space)
    if kind == "convoy":
        tokens = sum(known_supply(ledger, f"{space}@{power}") or 0 for power in SIDE_OF)
        if tokens:
            parts.append(supply_say(tokens))
        is_open = route_open(state, space)
        stands = Say("open") if is_open.is_yes else Say("closed")
        parts.append(
            stands
            if not is_open.is_unknown
            else Say("not known: {question}", question=is_open.needs[0].question)
        )
    mines = {parts_of: n for key, n in ledger.mines.items() if (parts_of := mines_of(key))[0] == space and n}
    for (_place, other, is_border), n in mines.items():
        parts.append(Say("Mines: {n}, {where}", n=n, where=area(other) if is_border else nation(other)))
    if kind != "convoy" and not parts and space not in ledger.told:
        parts.append(Say("not counted"))
    return several(parts, "comma") if parts else Say("empty")


def _ask_territory(state: GameState) -> Ask:
    there = {row.name: row.id for row in board(state).territories()}
    listed = {name: space for space, name in unofficial_names().items() if name not in there}
    every = {**listed, **there}

    def named(typed: str) -> Act:
        name = named_like(typed, dict(zip(every, every, strict=True))) or " ".join(typed.split()).title()
        letters = "".join(c if c.isalnum() and c.isascii() else " " for c in plain_letters(name))
        key = every.get(name, "_".join(letters.split()))
        if not key:
            return Refuse(Say("A name needs a letter or a digit."))
        if board(state).type_of(SiteId(key)) is not None:
            return Refuse(Say("{space} is on the board already.", space=area(key)))
        return Send(EnterPrintedValue(f"space.{key}", name))

    title = Say("Name of the territory")
    options = tuple(Item(space, Typed(name)) for name, space in listed.items())
    field = Field("name", title, "text", options=options)
    return Ask(Form("territory", title, (field,)), lambda answers: named(answers["name"]))
