"""The Board screen of North Africa: who holds what, what stands where, counting it and moving it.

`board_page` returns the list of spaces, one space that is counted or moved from, or where its pieces may go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.ids import SiteId
from companion.core.state import GameState
from companion.core.text import N_, Say, area, unit
from companion.games.aana.pages.draft import owned
from companion.games.aana.pages.entries import ask_marker
from companion.games.aana.pages.moves import (
    BoardDraft,
    Where,
    blitz_targets,
    can_blitz,
    carry_destinations,
    carry_units,
    is_mapped,
    move_destinations,
    move_note,
    moves_by_rule,
    room_to_move,
)
from companion.games.aana.pages.spaces import crowded, detail, edit, holder_mark, list_page, turn_to
from companion.games.aana.pages.tell import (
    choose,
    owner_mark,
    pieces_say,
    tile_say,
)
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.board import POOL
from companion.games.aana.rules.ledger_messages import CountSpace, MoveUnits, SetMines
from companion.games.aana.rules.movement import is_hunted
from companion.games.aana.rules.pieces import piece_key, split
from companion.games.aana.rules.tables import NO_SPACE
from companion.games.aana.rules.turn import turn_powers
from companion.pages import page as pg
from companion.pages.parts import counting, nation_mark, taking_tool
from companion.pages.rulings import ruling_items
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["board_page"]

_SHORT: Mapping[str, str] = {
    "germany": N_("GER"),
    "italy": N_("ITA"),
    "vichy": N_("VIC"),
    "uk": N_("UK"),
    "us": N_("US"),
    "free_french": N_("FR"),
}


def board_page(sight: pg.Sight) -> pg.Shown:
    """Return the list of spaces, one space, or where its pieces may go."""
    state, draft = sight.state, sight.entered(BoardDraft())
    if not draft.space:
        return list_page(state, draft)
    if draft.where is not None:
        return _where_page(state, draft, draft.where)
    if draft.mode == "count":
        return _count_page(state, draft)
    return _move_page(state, draft)


# One space


def _modes(state: GameState, acts: pg.Acts, draft: BoardDraft) -> tuple[pg.Item, ...]:
    modes = {"count": Say("Count"), "move": Say("Move")}
    if moves_by_rule(state):
        modes["correct"] = Say("Move freely")
    return (
        pg.Item("all", Say("All spaces"), act=acts.put("all", turn_to())),
        *(
            pg.Item(key, name, act=acts.put(f"mode.{key}", turn_to(draft.space, key)))
            for key, name in modes.items()
        ),
    )


def _tile(acts: pg.Acts, draft: BoardDraft, item: pg.Item, count: int, most: int) -> pg.Item:
    """Return the tile of a piece or of the supply on which taps count."""
    key = item.key

    def put(by: int) -> pg.Draft[BoardDraft]:
        n = min(most, max(0, count + by))
        if key == "supply":
            return edit(supply=n)
        return pg.Draft(lambda d: replace(d, counts={**d.counts, key: n}), BoardDraft())

    less, more = acts.put(f"{key}.less", put(-1)), acts.put(f"{key}.more", put(1))
    item = replace(item, state="chosen" if count else "plain")
    return counting(item, count, less, more, most=most, takes=draft.is_taking)


def _count_page(state: GameState, draft: BoardDraft) -> pg.Shown:
    """Return the pieces of a power that can be there, beside the numbers of the others."""
    acts, space, power = pg.Acts(), draft.space, draft.power
    own, ledger, book = lg.board(state), lg.ledger_of(state), lg.figures(state)
    kind = own.type_of(space)
    units = {**lg.held_units(ledger, space), **draft.counts}
    there = lg.known_supply(ledger, space) if kind == "land" else None
    tokens = draft.supply if draft.supply is not None else (there or 0)
    tiles = []
    if kind == "land":
        tiles.append(_tile(acts, draft, _symbol_tile(state, "supply", "supply"), tokens, 99))
    for row in book.rows():
        key = piece_key(power, row.unit)
        fits = not (kind == "sea" and row.type in ("land", "truck")) and not (kind == "land" and row.is_sea)
        if fits and book.has(power, row.unit) and book.row(power, row.unit) is row:
            tiles.append(_tile(acts, draft, _symbol_tile(state, key, row.unit), units.get(key, 0), 99))
    powers = tuple(
        pg.Item(one, Say(_SHORT[one]), act=acts.put(f"power.{one}", edit(power=one)))
        for one in (info.id for info in state.frozen_setup.nations)
    )
    tools = [_taking(acts, draft)]
    if own.is_open_to_capture(space):
        tools.append(pg.Button(Say("Marker"), acts.put("marker", ask_marker(state, space))))
    if kind == "land":
        tools.append(pg.Button(Say("Mines"), acts.put("mines", _ask_mines(state, space))))
    all_ = {piece: n for piece, n in units.items() if n}
    others = any(split(piece)[0] != power for piece in all_)
    count = pg.Send(CountSpace(space, all_, tokens if kind == "land" else None), then=turn_to())
    mark = nation_mark(state.frozen_setup, power)
    page = pg.Page(
        f"count.{space}.{power}",
        area(space),
        detail(state, space) if kind == "convoy" or others or crowded(state, space) else None,
        "muted",
        tabs=_modes(state, acts, draft),
        tab="count",
        tools=tuple(tools),
        blocks=(pg.Choices("powers", powers, power), pg.Tiles("pieces", tuple(tiles), mark=mark)),
        main=pg.Button(Say("Everything is entered"), acts.put("counted", count)),
    )
    return pg.Shown(page, acts)


def _taking(acts: pg.Acts, draft: BoardDraft) -> pg.Button:
    return taking_tool(acts, edit(is_taking=not draft.is_taking), is_on=draft.is_taking)


def _symbol_tile(state: GameState, key: str, kind: str) -> pg.Item:
    return pg.Item(key, unit_short(state, kind), symbol=unit_symbol(state, kind))


def _ask_mines(state: GameState, space: SiteId) -> pg.Ask:
    """Ask for a border and its mines: which territories touch is the table's matter.

    Those with mines stand first, then those that lie near, from west to east as on the board.
    """
    order = [row.id for row in lg.board(state).territories()]
    mined = {
        toward
        for place, toward, is_border in map(lg.mines_of, lg.ledger_of(state).mines)
        if is_border and place == space
    }
    here = order.index(space)
    near = sorted(order, key=lambda one: (one not in mined, abs(order.index(one) - here)))
    options = tuple(pg.Item(one, area(one), mark=holder_mark(state, one)) for one in near if one != space)
    counts = tuple(pg.Item(str(n), n) for n in range(_MOST_MINES + 1))

    def of_border(toward: SiteId) -> pg.Ask:
        return pg.asked(
            "mines",
            Say("Mine icons on the border to {space}", space=area(toward)),
            counts,
            lambda n: pg.Send(SetMines(space, toward, int(n))),
            is_wide=False,
        )

    return pg.asked(
        "border", Say("Facing which territory?"), options, lambda key: of_border(SiteId(key)), is_wide=False
    )


_MOST_MINES = 9
"""Mine icons that a tap enters for a border."""


# Moving


def _move_page(state: GameState, draft: BoardDraft) -> pg.Shown:
    acts, space = pg.Acts(), draft.space
    by_rule = draft.mode == "move" and moves_by_rule(state)
    rows, going = list(_ways(state, acts, draft)) if by_rule else [], {}
    pieces = []
    for piece, n in lg.held_units(lg.ledger_of(state), space).items():
        able, far = (
            room_to_move(state, space, piece, road=draft.road, blitz=draft.blitz) if by_rule else (n, None)
        )
        # What is shown is what goes: a counter never stands above what may move.
        going[piece] = min(able, draft.counts.get(piece, 0))
        symbol, mark = unit_symbol(state, piece), owner_mark(state, piece)
        item = pg.Item(piece, tile_say(state, piece), far, mark=mark, symbol=symbol)
        pieces.append(_tile(acts, draft, item, going[piece], able))
    there = (
        lg.known_supply(lg.ledger_of(state), space) or 0
        if lg.board(state).type_of(space) == "land" or by_rule
        else 0
    )
    has_room = not by_rule or any(n and split(piece)[1] == "truck" for piece, n in going.items())
    tokens = min(there, draft.supply or 0) if has_room else 0
    if there and has_room:
        tile = _symbol_tile(state, "supply", "supply")  # beside the pieces that it goes with
        tile = replace(tile, mark=pieces[-1].mark if pieces else None)
        pieces.append(_tile(acts, draft, tile, tokens, there))
    moved = replace(draft, counts=going, supply=tokens)
    main = pg.Button(Say("Choose where they go"), why_not=Say("Nobody is chosen"))
    if any(going.values()) or (tokens and not by_rule):
        main = pg.Button(main.title, acts.put("where", _ask_where(state, moved, by_rule=by_rule)))
    page = pg.Page(
        f"{draft.mode}.{space}",
        area(space),
        move_note(state) if by_rule else detail(state, space),
        "muted",
        tabs=_modes(state, acts, draft),
        tab=draft.mode,
        tools=(_taking(acts, draft),) if pieces else (),
        blocks=(
            *((pg.Rows("ways", tuple(rows), is_wide=False),) if rows else ()),
            *(owned("pieces", pieces) or (pg.Rows("pieces", (), empty=Say("No units known here")),)),
        ),
        main=main,
    )
    return pg.Shown(page, acts)


def _ways(state: GameState, acts: pg.Acts, draft: BoardDraft) -> Iterator[pg.Item]:
    """Yield what a move by the rules may be besides: coast road, blitz, spaces on the way, a bomber's load."""
    held = lg.held_units(lg.ledger_of(state), draft.space, turn_powers(state))
    if any(split(piece)[1] == "submarine" for piece in held) and is_hunted(
        state, draft.space, lg.acting_side(state)
    ):
        yield from ruling_items(state, acts, ("aana.hunted_sub",))
    if state.step.phase == "noncombat":
        act = acts.put("road", edit(road=not draft.road, counts={}))
        yield pg.Item("road", Say("Coast road"), act=act, facet=pg.Tick(draft.road))
    if can_blitz(state, draft.space):
        act = acts.put("blitz", edit(blitz=not draft.blitz, counts={}))
        yield pg.Item("blitz", Say("Blitz"), act=act, facet=pg.Tick(draft.blitz))
    if carried := carry_units(state, draft.space):
        options = tuple(pg.Item(kind, unit(kind)) for kind in carried)

        def chosen(kind: str) -> pg.Act:
            flights = carry_destinations(state, kind, draft.spaces)
            found = ((pg.Send(flight), area(flight.to)) for flight in flights)
            ask = choose("landing", Say("Where do they land?"), found, is_wide=False)
            return ask if flights else pg.Refuse(Say("Nowhere to go"))

        act = acts.put(
            "carry", pg.asked("carry", Say("Which unit is carried?"), options, chosen, is_wide=False)
        )
        yield pg.Item("carry", Say("A bomber carries"), act=act)
    if not is_mapped(state):
        less = acts.put("spaces.less", edit(spaces=max(1, draft.spaces - 1)))
        more = acts.put("spaces.more", edit(spaces=min(6, draft.spaces + 1)))
        counter = pg.Counter(draft.spaces, less, more, least=1, most=6)
        yield pg.Item("spaces", Say("Spaces moved through"), facet=counter)


def _ask_where(state: GameState, moved: BoardDraft, *, by_rule: bool) -> pg.Act:
    """Return the act that shows where pieces may go; a blitz asks first which territory is taken.

    The spaces are worked out when it is pressed: to try them all takes its time.
    """

    def to(via: SiteId = NO_SPACE) -> pg.Draft[BoardDraft]:
        def found(_draft: BoardDraft) -> BoardDraft:
            draft = replace(moved, via=via)
            return replace(
                draft, where=move_destinations(state, draft) if by_rule else _anywhere(state, draft)
            )

        return pg.Draft(found, BoardDraft())

    if not (by_rule and moved.blitz):
        return to()
    targets = tuple(pg.Item(space, area(space)) for space in blitz_targets(state, moved.space))
    if not targets:
        return pg.Refuse(Say("No hostile territory without combat units can be taken from here."))
    return pg.asked(
        "via", Say("Which territory is taken?"), targets, lambda key: to(SiteId(key)), is_wide=False
    )


def _anywhere(state: GameState, draft: BoardDraft) -> Where:
    """Return every other space, the same kind first, and the box last."""
    own, ledger = lg.board(state), lg.ledger_of(state)
    land, sea = [row.id for row in own.territories()], [*own.sea_zones(), *own.convoys]
    ordered = [*land, *sea] if own.type_of(draft.space) == "land" else [*sea, *land]
    units = {piece: n for piece, n in draft.counts.items() if n}

    def move(to: SiteId) -> Command:
        return MoveUnits(draft.space, to, units, draft.supply or 0)

    found = [
        (move(to), pg.Item(to, area(to), pieces_say(lg.held_units(ledger, to))))
        for to in ordered
        if to != draft.space
    ]
    return Where((*found, (move(POOL), pg.Item(POOL, Say("Back to the box")))), None)


def _where_page(state: GameState, draft: BoardDraft, where: Where) -> pg.Shown:
    acts = pg.Acts()
    rows = tuple(
        replace(item, act=acts.put(f"to.{item.key}", pg.Send(command, then=turn_to())), may_shorten=True)
        for command, item in where.found
    )
    page = pg.Page(
        f"where.{draft.space}",
        Say("Where do they go?"),
        pieces_say(draft.counts),
        tabs=_modes(state, acts, draft),
        tab=draft.mode,
        blocks=(pg.Rows("where", rows, empty=where.why_not, is_wide=False),),
        main=pg.Button(Say("Choose others"), acts.put("back", edit(where=None, via="")), "back"),
    )
    return pg.Shown(page, acts)
