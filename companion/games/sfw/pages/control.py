"""The Control screen: who holds what, victory points, the distance to each condition, and a capture step by step."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from companion.core.commands import EnterPrintedValue
from companion.core.ids import ARBITER, TABLE, Nation, SiteId
from companion.core.ids import Side as SideId
from companion.core.ledger import quarters
from companion.core.rules import Context, Rejected
from companion.core.state import GameState
from companion.core.text import N_, Name, Say, nation, several, side, site
from companion.games.sfw.pages.control_words import (
    change_says,
    holder_mark,
    site_notes,
)
from companion.games.sfw.pages.ledger_view import points_value
from companion.games.sfw.pages.spaces import by_name
from companion.games.sfw.rules.battle_settle import capture_offer
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.control import (
    ControlCode,
    CorrectControl,
    SetTotals,
    TakeControl,
    holder,
    totals,
)
from companion.games.sfw.rules.ledger import nations_of, other_side
from companion.games.sfw.rules.ledger_values import printed_fault, printed_key, tables
from companion.pages.modules import game_view
from companion.pages.needs import enter_first
from companion.pages.page import (
    Act,
    Acts,
    Answers,
    Ask,
    Block,
    Button,
    Choices,
    Draft,
    Field,
    Form,
    Head,
    Item,
    Notice,
    OnBox,
    Page,
    Plot,
    Refuse,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    Tiles,
    Words,
    asked,
)
from companion.pages.parts import (
    as_words,
    back_button,
    counting,
    end_button,
    nation_mark,
    refusal_words,
    side_mark,
    taking_tool,
)
from companion.pages.plots import score_lines
from companion.pages.rulings import deciding, ruling_tools

__all__ = [
    "Capture",
    "ControlDraft",
    "control_page",
    "took",
]


class Capture(msgspec.Struct, frozen=True):
    """The answers given so far about a capture."""

    site: SiteId
    nation: str = ""
    own: dict[str, int] = {}
    """Control-capable units of the taking side there, by nation."""
    left: dict[str, int] = {}
    """Those left to the holders."""
    is_agreed: bool = False

    @property
    def taker(self) -> str:
        """The nation that takes the site: the one with most units, or the one agreed on; empty while none is there."""
        counts = {one: count for one, count in self.own.items() if count > 0}
        most = [one for one, count in counts.items() if count == max(counts.values())]
        return self.nation if self.nation in most else next(iter(most), "")

    @property
    def command(self) -> TakeControl | None:
        """What is sent; None while no unit of the taker is there."""
        if not self.taker:
            return None
        own, left = ({one: n for one, n in counts.items() if n} for counts in (self.own, self.left))
        return TakeControl(SiteId(self.site), Nation(self.taker), own, left, self.is_agreed)

    def step(self, which: str, one: str, amount: int) -> Capture:
        """Return it with one unit of a nation more or fewer."""
        counts = {**getattr(self, which), one: max(0, getattr(self, which).get(one, 0) + amount)}
        return replace(self, **{which: counts, "is_agreed": False})


class ControlDraft(msgspec.Struct, frozen=True):
    """What is looked at, and the capture that is being entered."""

    tab: str = "sites"
    """``sites`` or ``changes``."""
    capture: Capture | None = None
    is_taking: bool = False
    """Taps on the units there take off."""


_TABS = {"sites": N_("Objectives"), "changes": N_("Changes")}


def _to(draft: ControlDraft) -> Draft[ControlDraft]:
    return Draft(lambda _draft: draft, ControlDraft())


def control_page(sight: Sight) -> Shown:
    """Return the tab at hand, or the questions about one site."""
    state, acts, draft = sight.state, Acts(), sight.entered(ControlDraft())
    if draft.capture is not None and draft.capture.site in tables(state).sites:
        return _capture_page(sight, acts, draft, draft.capture)
    tools: tuple[Button, ...] = ()
    blocks: tuple[Block, ...]
    has_points = tables(state).counts_points
    if draft.tab == "sites":
        blocks = _sites(state, acts)
        if has_points and not tables(state).is_complete:
            tools = (Button(Say("Add one"), acts.put("add", _ask_site(state)), "plus"),)
    else:
        blocks = _changes(sight, acts)
        if has_points:
            tools = (Button(Say("Set totals manually"), acts.put("totals", _ask_totals(state))),)
    is_ours = state.step.phase == "victory" and state.ending is None
    page = Page(
        draft.tab,
        _title(state) if is_ours else Say("Control"),
        tabs=tuple(
            Item(key, Say(text), act=acts.put(f"tab.{key}", _to(ControlDraft(key))))
            for key, text in _TABS.items()
        ),
        tab=draft.tab,
        tools=tools,
        blocks=blocks,
        main=end_button(state, acts) if is_ours else back_button(acts),
    )
    return Shown(page, acts)


def _title(state: GameState) -> Words:
    """Return what is done now in the Victory phase: who confirms, then who would win."""
    standing = game_view(state.frozen_setup.game).standing(state)
    if state.step.act == "check" and standing is not None:
        return standing.now
    return Name("step", state.step.id)


# Objectives


def _sites(state: GameState, acts: Acts) -> tuple[Block, ...]:
    table, now = tables(state), totals(state)
    sides = {one: holder(state, one).side for one in map(SiteId, by_name(state, table.sites, site))}

    def tiles(of: str | None) -> tuple[Item, ...]:
        return tuple(_site(state, acts, one) for one, held in sides.items() if held == of)

    columns = Sides(
        "sides",
        tuple(
            Side(
                info.id,
                Head(
                    info.id,
                    side(info.id),
                    value=points_value(now.quarters.get(info.id)) if table.counts_points else None,
                    mark=side_mark(state.frozen_setup, info.id),
                ),
                (Tiles(f"sites.{info.id}", tiles(info.id)),),
            )
            for info in state.frozen_setup.sides
        ),
    )
    unknown = tiles(None)
    return (columns, Tiles("unknown", unknown, title=Say("whose?"))) if unknown else (columns,)


def _site(state: GameState, acts: Acts, one: SiteId) -> Item:
    table, held = tables(state), holder(state, one)
    notes, vp = site_notes(state, one)[held.side is None :], table.sites[one].vp
    return Item(
        one,
        site(one),
        several(notes, "comma") if notes else None,
        points_value(vp) if table.counts_points else None,
        mark=holder_mark(state, one),
        act=acts.put(f"site.{one}", _to(ControlDraft("sites", _survived(state, one)))),
    )


def _survived(state: GameState, one: SiteId) -> Capture:
    """Return the capture of a site, with who was left there by the battle that has just ended for it."""
    for declared in reversed(battles_of(state).battles):
        offer = capture_offer(state, declared)
        if offer is not None and offer.site == one:
            return Capture(one, own=offer.own)
    return Capture(one)


def _ask_site(state: GameState) -> Ask:
    """Ask for an Objective or Airfield that the rules text does not name."""
    kinds = (Item("objective", Say("Objective")), Item("airfield", Say("Airfield")))
    fields = (
        Field("name", Say("Its name on the board"), "text"),
        Field("kind", Say("Objective or Airfield"), "choose", options=kinds),
    )

    def named(answers: Answers) -> Act:
        name = answers["name"].strip()
        short = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in name.lower())
        key = printed_key(tables(state), "site", short if short[:1].isalpha() else f"s_{short}")
        return Send(EnterPrintedValue(key, {"name": name, "kind": answers["kind"]}))

    return Ask(Form("site", fields[0].title, fields), named)


# One site

_RULINGS = ("capture_blocked_by", "late_control")
"""Open points that may decide about a capture."""


def _capture_page(sight: Sight, acts: Acts, draft: ControlDraft, capture: Capture) -> Shown:
    """Return a capture: units of both sides there, and what the rules say to it."""
    state, setup = sight.state, sight.state.frozen_setup
    one, held = capture.site, holder(state, capture.site)
    holding = held.side or setup.sides[0].id
    taking = other_side(setup, holding)
    close = _to(ControlDraft(draft.tab))
    command, fault = capture.command, None
    lead: Words | None = Say("Enter the units there that can take control.")
    if command is not None:
        assert sight.rules is not None, "a game that is open has rules"
        answer = sight.rules.decide(state, command, Context())
        fault = answer if isinstance(answer, Rejected) else None
        lead = None if fault is None else refusal_words(fault)
    counts = [capture.own.get(who, 0) for who in nations_of(setup, taking)]
    is_tie = counts.count(max(counts)) > 1 and max(counts) > 0
    needs_agreement = fault is not None and fault.code == ControlCode.TEAMMATES_AGREE
    blocks: list[Block] = [
        Sides(
            "units",
            (
                _units(state, acts, capture, "own", taking, is_taking=draft.is_taking),
                _units(state, acts, capture, "left", holding, is_taking=draft.is_taking),
            ),
        )
    ]
    main = Button(Say("Take it"), why_not=lead)
    if needs_agreement or (is_tie and capture.is_agreed):
        title = Say("Equal numbers: who takes it by agreement?")
        lead = lead if not needs_agreement else None
        blocks.append(_agreement(state, acts, capture, taking, title))
    title = Say("Set manually") if held.nation is not None else Say("Enter the nation")
    tools = [Button(title, acts.put("by_hand", _ask_holder(state, one, close)))]
    if tables(state).counts_points:
        tools.append(Button(Say("Value"), acts.put("value", _ask_value(sight, one))))
    turn = Draft[ControlDraft](lambda d: replace(d, is_taking=not d.is_taking), ControlDraft())
    tools += (
        taking_tool(acts, turn, is_on=draft.is_taking),
        Button(Say("Sites"), acts.put("close", close), "back"),
    )
    if command is not None and fault is None:
        take = acts.put("take", took(state, command, close))
        main = Button(Say("{nation} takes {site}", nation=nation(capture.taker), site=site(one)), take)
    tools += ruling_tools(state, acts, _deciding(sight, command))
    needs = () if fault is None else fault.needs
    ask = enter_first(state, needs, Send(command, then=close)) if command is not None else None
    if ask is not None:
        main = Button(ask.form.title, acts.put("enter", ask))
    page = Page(
        f"site.{one}",
        site(one),
        lead,
        "muted",
        tools=tuple(tools),
        blocks=tuple(blocks),
        main=main,
    )
    return Shown(page, acts)


def _deciding(sight: Sight, command: TakeControl | None) -> tuple[str, ...]:
    """Return the open points of the rules without which something else would be said of a capture."""
    rules = sight.rules
    if command is None or rules is None:
        return ()
    return deciding(sight.state, _RULINGS, lambda state: rules.decide(state, command, Context()))


def _entered(capture: Capture) -> Draft[ControlDraft]:
    return Draft(lambda draft: replace(draft, capture=capture), ControlDraft())


def _units(
    state: GameState, acts: Acts, capture: Capture, which: str, of: SideId, *, is_taking: bool
) -> Side:
    setup = state.frozen_setup
    subs = {"own": Say("attackers there"), "left": Say("holders left")}
    tiles = tuple(
        counting(
            Item(f"{which}.{who}", nation(who), value=0, mark=nation_mark(setup, who)),
            getattr(capture, which).get(who, 0),
            acts.put(f"{which}.{who}.less", _entered(capture.step(which, who, -1))),
            acts.put(f"{which}.{who}.more", _entered(capture.step(which, who, 1))),
            takes=is_taking,
        )
        for who in nations_of(setup, of)
    )
    return Side(of, Head(of, side(of), subs[which], mark=side_mark(setup, of)), (Tiles(which, tiles),))


def _agreement(state: GameState, acts: Acts, capture: Capture, taking: SideId, title: Say) -> Choices:
    most = max(capture.own.values())
    options = tuple(
        Item(
            who,
            nation(who),
            act=acts.put(f"agree.{who}", _entered(replace(capture, nation=who, is_agreed=True))),
        )
        for who in nations_of(state.frozen_setup, taking)
        if capture.own.get(who, 0) == most
    )
    return Choices("agreement", options, capture.nation if capture.is_agreed else "", title)


def _ask_holder(state: GameState, one: str, close: Draft[ControlDraft]) -> Ask:
    """Ask which nation holds a site: at the start, or by hand, as the arbiter under tournament time."""
    key = printed_key(tables(state), "holder", one)
    at_start = one not in state.game["control"].holders and key not in state.printed
    actor = ARBITER if state.clocks.config.tournament else TABLE

    def chosen(who: str) -> Act:
        if at_start:
            return Send(EnterPrintedValue(key, who), then=close)
        return Send(CorrectControl(SiteId(one), Nation(who)), actor, close)

    setup = state.frozen_setup
    options = tuple(
        Item(info.id, nation(info.id), mark=nation_mark(setup, info.id)) for info in setup.nations
    )
    title = Say("Who holds it at the start?") if at_start else Say("Set manually")
    return asked("holder", title, options, chosen)


def _ask_quarters(title: Say, sub: Say, example: float, then: Callable[[int], Act]) -> Ask:
    """Ask for victory points in quarter steps."""
    field = Field("points", title, "number", sub, has_fraction=True)

    def answered(answers: Answers) -> Act:
        try:
            amount = quarters(answers["points"])
        except ValueError:
            return Refuse(Say("In steps of a quarter, such as {example}", example=example))
        return then(amount)

    return Ask(Form("points", title, (field,)), answered)


def _ask_value(sight: Sight, one: str) -> Ask:
    state, rules = sight.state, sight.rules
    key = printed_key(tables(state), "vp", one)

    def valued(amount: int) -> Act:
        fault = None if rules is None else rules.printed_fault(state, key, amount / 4)
        return Send(EnterPrintedValue(key, amount / 4)) if fault is None else Refuse(as_words(fault))

    return _ask_quarters(Say("Tile value"), Say("As printed on the tile or the board."), 0.75, valued)


_POINTS = (0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
"""What one tap enters of a tile's points; anything else is typed."""


def took(state: GameState, command: TakeControl, then: Act | None = None) -> Act:
    """Return a capture; where nobody has entered the points of its tile they are asked once, with it."""
    take, one = Send(command, then=then), command.site
    if not tables(state).counts_points or tables(state).sites[one].vp is not None:
        return take
    key = printed_key(tables(state), "vp", one)

    def valued(amount: int) -> Act:
        fault = printed_fault(tables(state), state.frozen_setup, key, amount / 4)
        return Refuse(fault) if fault is not None else Send(EnterPrintedValue(key, amount / 4), then=take)

    title = Say("Tile value of {site}", site=site(one))
    typed = _ask_quarters(title, Say("As printed on the tile or the board."), 0.75, valued)

    def chosen(answer: str) -> Act:
        if answer in ("other", "later"):
            return typed if answer == "other" else take
        made = valued(round(float(answer) * 4))
        return made if isinstance(made, Send) else asked_again(made)

    def asked_again(why: Act) -> Act:
        sub = why.why if isinstance(why, Refuse) else None
        return asked("points", title, options, chosen, sub=sub, is_wide=False)

    options = (
        *(Item(f"{n:g}", points_value(round(n * 4))) for n in _POINTS),
        Item("other", Say("Other")),
        Item("later", Say("Enter it later")),
    )
    return asked(
        "points", title, options, chosen, sub=Say("As printed on the tile or the board."), is_wide=False
    )


# Victory


def _ask_totals(state: GameState) -> Ask:
    """Ask for one side's total; the other side gets the rest."""
    one = state.frozen_setup.sides[0].id

    def summed(amount: int) -> Act:
        total = tables(state).total or 0
        if not 0 <= amount <= total:
            return Refuse(Say("Enter a number from {least} to {most}.", least=0, most=points_value(total)))
        return Send(SetTotals({one: amount, other_side(state.frozen_setup, one): total - amount}))

    title = Say("Victory points, {side}", side=side(one))
    return _ask_quarters(
        title, Say("The other side gets the rest: the sum of both never changes."), 48.5, summed
    )


# Changes


def _changes(sight: Sight, acts: Acts) -> tuple[Block, ...]:
    state = sight.state
    rows = tuple(Item(str(n), text) for n, text in enumerate(change_says(state)))
    lines = score_lines(state)
    listed = Rows("changes", rows, empty=Say("Nothing has changed hands yet"))
    stick = Notice(
        "stick",
        Say("Printed values"),
        acts=(
            Button(Say("To a stick"), acts.put("to_stick", OnBox("printed_to_stick"))),
            Button(Say("From a stick"), acts.put("from_stick", OnBox("printed_from_stick"))),
        ),
    )
    if lines is None:
        return listed, stick
    columns = Sides(
        "columns",
        (
            Side("changes", Head("changes", Say("What changed hands")), (listed,)),
            Side("line", Head("line", Say("Victory points")), (Plot("line", lines),)),
        ),
    )
    return columns, stick
