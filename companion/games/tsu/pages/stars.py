"""The Stars screen of The Soft Underbelly: replacements for stars, the boxes by nation, who holds which star."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.ids import Nation
from companion.core.judgement import Need
from companion.core.state import GameState
from companion.core.text import N_, Say, Several, Typed, Value, nation
from companion.games.tsu.names import side_or_nobody
from companion.games.tsu.pages.ask import ask_area_name, named_areas
from companion.games.tsu.pages.calendar import news_rows
from companion.games.tsu.pages.draft import StarsDraft
from companion.games.tsu.pages.tell import holder_say, star_say, stars_say
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.stars import replacement_fault
from companion.games.tsu.rules.state import (
    ALLIES,
    AXIS,
    ITALY,
    PATH,
    SIDE_OF,
    budget,
    left_of,
    lendable,
    lender_of,
    path_open,
    slice_of,
)
from companion.pages.page import (
    Acts,
    Ask,
    Block,
    Button,
    Choices,
    Draft,
    Item,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Sight,
    Tick,
    Tiles,
    asked,
)
from companion.pages.parts import back_button, counting, end_button, nation_mark, refusal_words, taking_tool
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["entry", "holder_options", "star_command", "star_key", "star_rows", "stars_page"]

_PEOPLE: dict[str, str] = {
    "germany": N_("Germans"),
    "italy": N_("Italians"),
    "britain": N_("British"),
    "us": N_("Americans"),
}
"""Nations as choices, short in every language."""


_ACROSS = 3
"""Stars side by side."""
_MOST = 30
"""More of a kind than these never lie in a box."""


def _show(tab: str, whose: str = "", *, takes: bool = False) -> Draft[StarsDraft]:
    return Draft(lambda _draft: StarsDraft(tab, whose, takes), StarsDraft())


def stars_page(sight: Sight) -> Shown:
    """Return the tab at hand; the replacements first in their phase, else the stars."""
    state, acts = sight.state, Acts()
    draft = sight.entered(StarsDraft())
    tab = draft.tab or ("replace" if state.step.phase == "reinforcements" else "stars")
    names = {"replace": Say("Replace"), "stars": Say("Stars"), "box": Say("Boxes")}
    blocks: tuple[Block, ...]
    tools: tuple[Button, ...] = ()
    key = tab
    if tab == "box":
        whose = Nation(draft.nation) if draft.nation else _acting(state)[0]
        key = f"box.{whose}"
        mark = nation_mark(state.frozen_setup, whose)
        tiles = _box_tiles(state, acts, whose, takes=draft.is_taking)
        blocks = (_nations(state, acts, whose), Tiles("box", tiles, mark=mark))
        turn = _show("box", whose, takes=not draft.is_taking)
        tools = (taking_tool(acts, turn, is_on=draft.is_taking),)
    elif tab == "replace":
        blocks = _replacements(state, acts)
    else:
        blocks = (Tiles("stars", star_rows(state, acts), columns=_ACROSS),)
    ends = state.step.phase == "reinforcements" and state.ending is None
    page = Page(
        key,
        Say("Stars"),
        _lead(state),
        tabs=tuple(Item(one, title, act=acts.put(f"tab.{one}", _show(one))) for one, title in names.items()),
        tab=tab,
        tools=tools,
        blocks=blocks,
        main=end_button(state, acts) if ends else back_button(acts),
    )
    return Shown(page, acts)


def _nations(state: GameState, acts: Acts, chosen: str) -> Choices:
    options = tuple(
        Item(
            info.id,
            Say(_PEOPLE[info.id]),
            act=acts.put(f"nation.{info.id}", _show("box", info.id)),
        )
        for info in state.frozen_setup.nations
    )
    return Choices("nations", options, chosen)


def _acting(state: GameState) -> list[Nation]:
    owners = state.step.owners
    return [Nation(one) for one, side in SIDE_OF.items() if not owners or side in owners]


def _lead(state: GameState) -> Say:
    own, stage = slice_of(state), state.step.stage
    parts = []
    for one in _acting(state):
        whole, left = budget(own, one, stage), left_of(own, one, stage)
        told = Say("{nation}: {stars}", nation=nation(one), stars=stars_say(whole))
        parts.append(told if left == whole else Say("{stars}, {n} left", stars=told, n=left))
    return (
        parts[0]
        if len(parts) == 1
        else Say("{one} · {other}", one=parts[0], other=Several(tuple(parts[1:]), "comma"))
    )


def _replacements(state: GameState, acts: Acts) -> tuple[Block, ...]:
    """Return the boxes of the acting side as tiles, a line or more for each nation, below what bears on them."""
    own, stage = slice_of(state), state.step.stage
    rows = list(news_rows(state)) if state.step.phase == "reinforcements" else []
    boxes = []
    for one in _acting(state):
        tiles = []
        lender = lender_of(own, one, stage)
        for kind, count in own.boxes[one].items():
            tiles.append(_replaced(state, acts, one, kind, count))
            if lender is not None and lendable(own, lender, stage):
                tiles.append(_replaced(state, acts, one, kind, count, lent=1))
        if tiles:
            mark = nation_mark(state.frozen_setup, one)
            boxes.append(Tiles(f"box.{one}", tuple(tiles), Say(_PEOPLE[one]), mark))
    if AXIS in state.step.owners and not own.italy_fallen:
        is_open = own.axis_path
        toggle = Send(cm.ReportHappening(state.step.id, "path_cut" if is_open else "path_open"))
        rows.append(
            Item(
                "path",
                Say("Overland path from Germany to Italy is open"),
                Say("Only then may Germany lend Italy one star per turn")
                if is_open is not None
                else Say("Not known: tap to say"),
                act=acts.put("path", toggle if is_open is not None else ask_path(state)),
                facet=None if is_open is None else Tick(is_open),
            )
        )
    empty = Rows("replace", (), empty=Say("The boxes of the acting side are empty"))
    return (*((Rows("news", tuple(rows)),) if rows else ()), *(boxes or (empty,)))


def _replaced(state: GameState, acts: Acts, whose: Nation, kind: str, count: int, *, lent: int = 0) -> Item:
    cost = slice_of(state).tables.units[kind].cost or 0
    fault = replacement_fault(state, whose, kind, lent)
    sub: Value = Say("costs {stars}", stars=stars_say(cost))
    if lent:
        lender = lender_of(slice_of(state), whose, state.step.stage)
        sub = Say("a star lent by {nation}", nation=nation(lender or ""))
    key = f"{whose}.{kind}.{lent}"
    return Item(
        key,
        unit_short(state, kind),
        sub,
        count,
        symbol=unit_symbol(state, kind),
        act=acts.put(key, Send(cm.Replace(state.step.id, whose, kind, lent))),
        why_not=None if fault is None or fault.needs else refusal_words(fault),
    )


def ask_path(state: GameState) -> Ask:
    """Ask whether Germany's overland path to Italy is open; the answer counts until the table reports another."""
    question = path_open(replace(slice_of(state), axis_path=None)).needs[0].question
    options = (Item("path_open", Say("Yes, it is open")), Item("path_cut", Say("No, it is cut")))
    return asked(
        "path",
        question,
        options,
        lambda key: Send(
            cm.ReportHappening(state.step.id, "path_open" if key == "path_open" else "path_cut")
        ),
    )


def entry(state: GameState, need: Need) -> Ask | None:
    """Return the question for a value of this game; None for printed values, which are plain numbers."""
    return ask_path(state) if need.kind == PATH else None


def _box_tiles(state: GameState, acts: Acts, whose: Nation, *, takes: bool) -> tuple[Item, ...]:
    """Return every kind that stars buy back, with how many of it lie in a nation's box."""
    own = slice_of(state)
    most = 0 if whose == ITALY and own.italy_fallen else _MOST
    tiles = []
    for kind, row in own.tables.units.items():
        if row.cost is not None:
            count = own.boxes[whose].get(kind, 0)
            less, more = (
                acts.put(f"{kind}.{name}", Send(cm.ChangeBox(whose, kind, by)))
                for name, by in (("less", -1), ("more", 1))
            )
            tile = Item(kind, unit_short(state, kind), symbol=unit_symbol(state, kind))
            tiles.append(counting(tile, count, less, more, takes=takes, most=most))
    return tuple(tiles)


def star_rows(state: GameState, acts: Acts) -> tuple[Item, ...]:
    """Return every star with its holder, and one more of the map; a tap asks who holds it."""
    own = slice_of(state)
    rows = [
        Item(
            star,
            star_say(state, star),
            holder_say(state, star),
            mark=None if holder is None else nation_mark(state.frozen_setup, holder),
            act=acts.put(f"star.{star}", _ask_holder(state, star, star_say(state, star))),
        )
        for star, holder in own.stars.items()
    ]
    rows.append(
        Item(
            "new",
            Say("Add a star of your map"),
            Say("The rules name only these"),
            act=acts.put("new", _ask_name(state)),
            is_way=True,
        )
    )
    return tuple(rows)


def _ask_name(state: GameState) -> Ask:
    def named(name: str) -> Ask | Refuse:
        key = star_key(name)
        if not key:
            return Refuse(Say("A name needs a letter or a digit."))
        return _ask_holder(state, key, Typed(name), name)

    return ask_area_name("new_star", Say("Name of the star's area"), named_areas(state), named)


def _ask_holder(state: GameState, star: str, title: Value, name: str = "") -> Ask:
    return asked(
        f"holder.{star}",
        Say("Who holds {star}?", star=title),
        holder_options(state, star),
        lambda option: Send(star_command(star, option, name)),
        is_wide=False,
    )


def holder_options(state: GameState, star: str) -> tuple[Item, ...]:
    """Return who may hold a star, and whose ships or aircraft may stand on it."""
    own = slice_of(state)
    found = [
        Item(f"hold.{one}", nation(one), mark=nation_mark(state.frozen_setup, one))
        for one in own.boxes
        if not (one == ITALY and own.italy_fallen)
    ]
    found.append(Item("hold.", Say("Nobody")))
    holder = own.stars.get(star)
    for side in (AXIS, ALLIES):
        if star in own.stars and (holder is None or SIDE_OF[holder] != side):
            found.append(
                Item(f"control.{side}", Say("Only ships or aircraft: {side}", side=side_or_nobody(side)))
            )
    if star in own.controlled:
        found.append(Item("control.", Say("No longer only ships or aircraft")))
    return tuple(found)


def star_command(star: str, option: str, name: str = "") -> cm.TakeStar | cm.ControlStar:
    """Return the command of an option of `holder_options`."""
    what, _dot, who = option.partition(".")
    if what == "control":
        side = AXIS if who == AXIS else ALLIES if who == ALLIES else None
        return cm.ControlStar(star, side)
    return cm.TakeStar(star, Nation(who) if who else None, name)


def star_key(name: str) -> str:
    """Return the key of a star that is added by its name; empty when the name has no letter or digit."""
    return "_".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
