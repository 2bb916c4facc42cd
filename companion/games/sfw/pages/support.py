"""The Support screen: National Support tokens and cards, mines and lines, bridges, supply, counters with limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from companion.core.commands import EnterPrintedValue
from companion.core.ids import ARBITER, TABLE, Nation
from companion.core.ids import Side as SideId
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, nation, several, unit
from companion.games.sfw.pages.card_unit import ask_card, new_card
from companion.games.sfw.pages.ledger_view import stage_say
from companion.games.sfw.pages.spaces import ask_space, sea_spaces
from companion.games.sfw.pages.supply_lines import supply_tab
from companion.games.sfw.pages.support_parts import Tab, both_sides
from companion.games.sfw.rules import support as su
from companion.games.sfw.rules import tokens as tk
from companion.games.sfw.rules.ledger import nation_side, nations_of
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.tokens import bridge_name
from companion.games.sfw.words_ledger import CARD_KINDS
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Block,
    Counter,
    Draft,
    Field,
    Form,
    Item,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Sight,
    Tiles,
    asked,
    sure,
)
from companion.pages.parts import back_button, end_button, nation_mark, refusal_words

__all__ = ["SupportDraft", "card_detail", "support_page"]


class SupportDraft(msgspec.Struct, frozen=True):
    """What is looked at."""

    tab: str = ""
    """``cards``, ``tokens``, ``bridges``, ``supply`` or ``box``; empty: the first that this scenario has."""


def support_page(sight: Sight) -> Shown:
    """Return the tab at hand of those that this scenario has."""
    state, acts = sight.state, Acts()
    table = tables(state)
    names = {
        "cards": (Say("Cards"), table.has_support),
        "tokens": (Say("Mines, lines"), table.limits.tokens_each > 0),
        "bridges": (Say("Bridges"), table.has_bridges),
        "supply": (Say("Supply"), table.has_supply),
        "box": (Say("Game box"), True),
    }
    tabs = [key for key, (_title, has) in names.items() if has]
    entered = sight.entered(SupportDraft()).tab
    tab = entered if entered in tabs else tabs[0]
    lead, tools, blocks = _TABS[tab](state, acts)
    is_now = state.step.phase == "national_support"
    page = Page(
        tab,
        Name("act", state.step.act) if is_now else Say("Support"),
        lead,
        "muted",
        tabs=tuple(Item(key, names[key][0], act=acts.put(f"tab.{key}", _show(key))) for key in tabs),
        tab=tab,
        tools=tools,
        blocks=blocks,
        main=end_button(state, acts) if is_now else back_button(acts),
    )
    return Shown(page, acts)


def _show(tab: str) -> Draft[SupportDraft]:
    return Draft(lambda _draft: SupportDraft(tab), SupportDraft())


def _two_spaces(state: GameState, titles: tuple[Say, Say], then: Callable[[list[str]], Act]) -> Ask:
    """Ask for two spaces, one after the other."""
    first, second = titles
    return ask_space(state, first, lambda one: ask_space(state, second, lambda other: then([one, other])))


# Cards


def _cards(state: GameState, acts: Acts) -> Tab:
    own: su.SupportState = state.game["support"]

    def hands(of: SideId) -> tuple[Block, ...]:
        return tuple(_hand(state, acts, one) for one in nations_of(state.frozen_setup, of))

    rows = tuple(_played(state, acts, n, play) for n, play in reversed(tuple(enumerate(own.plays))))
    held = sum(hand.tokens for hand in own.hands.values())
    limits = tables(state).limits
    lead = Say("{n} of {m} tokens on the board", n=held, m=limits.support_tokens_box)
    if _is_drawing(state):
        lead = Say(
            "Each nation: take {tokens}, draw {cards}. They are counted here.",
            tokens=Say.counted("{n} support token", "{n} support tokens", limits.support_tokens_each),
            cards=Say.counted("{n} card", "{n} cards", limits.support_cards_each),
        )
    empty = Say("No card has been played yet")
    return lead, (), (both_sides(state, hands), Rows("played", rows, empty=empty, is_wide=False))


def _is_drawing(state: GameState) -> bool:
    """Say whether tokens and cards are taken now; they are played in the act after it."""
    return state.step.phase == "national_support" and state.step.act == "draw"


def _hand(state: GameState, acts: Acts, who: Nation) -> Tiles:
    """Return what a nation holds: a tap on its cards plays one, a tap on a figure sets it right."""
    hand: su.Hand = state.game["support"].hands[who]
    step = state.step
    is_turn = step.phase == "national_support" and (
        not step.owners or nation_side(state.frozen_setup, who) in step.owners
    )
    can_play = is_turn and not _is_drawing(state) and hand.cards > 0
    correct = acts.put(f"correct.{who}", _correct(state, who))
    play = acts.put(f"play.{who}", _ask_play(state, who)) if can_play else None
    return Tiles(
        f"hand.{who}",
        (
            Item("tokens", Say("Tokens"), value=hand.tokens, act=correct),
            Item(
                "cards",
                Say("Play") if can_play else Say("Cards"),
                value=hand.cards,
                act=play or correct,
                state="chosen" if can_play else "plain",
            ),
            Item("discarded", Say("Discards"), value=hand.discarded),
        ),
        title=nation(who),
        mark=nation_mark(state.frozen_setup, who),
    )


def card_detail(play: su.CardPlay) -> Value:
    """Return what is known of a played card: when, what kind, for how much."""
    parts: list[Value] = [
        stage_say(play.stage),
        Name("card_kind", play.kind),
        Say("cost {n}", n=play.cost),
    ]
    return several(
        [*parts, *(Typed(text) for text in (play.unit.get("name", ""), play.note) if text)], "comma"
    )


def _played(state: GameState, acts: Acts, n: int, play: su.CardPlay) -> Item:
    act = None
    if play.is_lasting and not play.unit:
        title = Say("Discard {card}?", card=Typed(play.name))
        discard = Send(su.DiscardCard(play.nation, play.name))
        act = acts.put(f"card.{n}", sure(title, discard, sub=Say("Its effect ends."), yes=Say("Discard")))
    return Item(
        str(n),
        Typed(play.name),
        card_detail(play),
        mark=nation_mark(state.frozen_setup, play.nation),
        state="ok" if play.is_lasting else "plain",
        act=act,
    )


def _correct(state: GameState, who: Nation) -> Ask:
    fields = (
        Field("tokens", Say("Tokens, {nation}", nation=nation(who)), "number", most=2),
        Field("cards", Say("Cards in hand, {nation}", nation=nation(who)), "number", most=2),
    )
    actor = ARBITER if state.clocks.config.tournament else TABLE
    return Ask(
        Form("correct", fields[0].title, fields),
        lambda answers: Send(
            su.CorrectSupport(Nation(who), int(answers["tokens"]), int(answers["cards"])), actor
        ),
    )


def _ask_play(state: GameState, who: Nation) -> Ask:
    """Ask for the card that is played: one that is known by name, or another one."""
    known = su.known_cards(state, who)
    in_force = {play.name.casefold() for play in su.lasting(state.game["support"], who)}
    cards = {str(n): card for n, card in enumerate(known) if card.name.casefold() not in in_force}
    if not cards:
        return _ask_new(state, who)
    options = tuple(
        Item(key, Say("{card}: {kind}, cost {n}", card=Typed(card.name), kind=Name("card_kind", card.kind), n=card.cost))
        for key, card in cards.items()
    )  # fmt: skip

    def chosen(key: str) -> Act:
        return _ask_new(state, who) if key == "new" else _sure(state, who, cards[key])

    title = Say("Card of {nation}", nation=nation(who))
    return asked("play", title, (*options, Item("new", Say("Another card"))), chosen)


def _sure(state: GameState, who: Nation, card: su.KnownCard) -> Ask:
    """Ask once before a known card is played: what it costs, and what is left then."""
    left = state.game["support"].hands[who].tokens - card.cost
    stays = (
        Say("Stays in force")
        if card.is_lasting or card.unit
        else Say("Discarded at once, as its symbol says")
    )
    told = Say("Cost {n}, then {left} left. {stays}.", n=card.cost, left=left, stays=stays)
    return sure(Typed(card.name), Send(card.played_by(Nation(who))), sub=told, yes=Say("Play"))


def _ask_new(state: GameState, who: Nation) -> Ask:
    """Ask for a card's name, kind and cost, and its unit or whether it stays; it is remembered, and played."""
    title = Say("Card of {nation}", nation=nation(who))
    nations = (info.id for info in state.frozen_setup.nations)
    names = dict.fromkeys(card.name for one in (who, *nations) for card in su.known_cards(state, one))
    fields = (
        Field("name", title, "text", options=tuple(Item(name, Typed(name)) for name in names)),
        Field(
            "kind",
            Say("Which kind of card?"),
            "choose",
            options=tuple(Item(key, Name("card_kind", key)) for key in CARD_KINDS),
        ),
        Field("cost", Say("Cost in tokens"), "number", most=1),
    )

    def costed(name: str, kind: su.CardKind, cost: int) -> Act:
        def play(is_lasting: bool, unit_of_card: dict[str, Any] | None = None) -> Act:
            card = su.KnownCard(name, kind, cost, is_lasting, unit_of_card or {})
            command = card.played_by(Nation(who))
            refused = su.why_not_play(state, command)
            if refused is not None:
                return Refuse(refusal_words(refused))
            # Remembered first: undo then takes back the play, not what is known of the card.
            remember = EnterPrintedValue(su.card_key(who, name), msgspec.to_builtins(card))
            return Send(remember, then=Send(command))

        if kind in ("upgrade", "unique"):
            units = tuple(
                Item(spec.id, unit(spec.id))
                for spec in su.unit_table_of(state).units.values()
                if not spec.base
            )
            return asked(
                "base",
                Say("Which unit is it based on?"),
                units,
                lambda base: ask_card(state, new_card(name, base, who), lambda card: play(True, dict(card))),
                is_wide=False,
            )
        stays = (
            Item("once", Say("Discarded at once, as its symbol says")),
            Item("stays", Say("Stays in force")),
        )
        return asked("stays", Typed(name), stays, lambda key: play(key == "stays"))

    return Ask(
        Form("play", title, fields),
        lambda answers: costed(answers["name"].strip(), answers["kind"], int(answers["cost"])),  # type: ignore[arg-type]
    )


# Mines and lines


def _tokens(state: GameState, acts: Acts) -> Tab:
    why = {
        info.id: {face: tk.why_not_token(state, info.id, face) for face in ("mine", "line")}
        for info in state.frozen_setup.nations
    }

    def pieces(of: SideId) -> tuple[Block, ...]:
        nations = nations_of(state.frozen_setup, of)
        rows = tuple(
            _token(state, acts, token) for token in state.game["tokens"].tokens if token.nation in nations
        )
        reserves = tuple(_reserve(state, acts, one, why[one]) for one in nations)
        return (*reserves, Rows("board", rows, empty=Say("None on the board")))

    first = next((fault for faults in why.values() for fault in faults.values() if fault is not None), None)
    lead = None if first is None else refusal_words(first)
    return lead, (), (both_sides(state, pieces),)


def _reserve(state: GameState, acts: Acts, who: Nation, why: dict[str, Rejected | None]) -> Tiles:
    """Return a nation's tokens; a tap on a face places one."""
    count = tk.reserve(state, who)
    asks = {
        "mine": ask_space(
            state,
            Say("Place a mine in which space?"),
            lambda where: Send(tk.PlaceToken(Nation(who), "mine", where)),
            known=sea_spaces(state) if tk.is_laid_at_sea(state) else None,
        ),
        "line": _two_spaces(
            state,
            (Say("Which space does the line defend?"), Say("Which space does it face?")),
            lambda spaces: Send(tk.PlaceToken(Nation(who), "line", *spaces)),
        ),
    }
    titles = {"mine": Say("Mine"), "line": Say("Line")}
    faces = tuple(
        Item(
            face,
            titles[face],
            value=sum(token.face == face and token.nation == who for token in state.game["tokens"].tokens),
            act=acts.put(f"{face}.{who}", ask if why[face] is None else Refuse(refusal_words(why[face]))),  # type: ignore[arg-type]
            state="plain" if why[face] is None else "muted",
        )
        for face, ask in asks.items()
    )
    left = Item("left", Say("Reserve"), value=Say("{n} of {m}", n=count.left or 0, m=count.limit or 0))
    return Tiles(
        f"reserve.{who}", (left, *faces), title=nation(who), mark=nation_mark(state.frozen_setup, who)
    )


def _token(state: GameState, acts: Acts, token: tk.Token) -> Item:
    where = space_of(token.where)
    title = (
        Say("mine in {where}", where=where)
        if token.face == "mine"
        else Say("line at {where}, facing {facing}", where=where, facing=space_of(token.facing))
    )
    off = sure(
        title, Send(tk.RemoveToken(token.id)), sub=Say("Detonated or destroyed"), yes=Say("Remove from board")
    )
    mark = nation_mark(state.frozen_setup, token.nation)
    return Item(str(token.id), title, mark=mark, act=acts.put(f"token.{token.id}", off))


# Bridges


def _bridges(state: GameState, acts: Acts) -> Tab:
    setup, rows = state.frozen_setup, []
    for info in setup.nations:
        count = tk.bridge_counter(state, info.id)
        left = Say("{n} of {m} tokens left", n=count.left or 0, m=count.limit or 0)
        who = Nation(info.id)
        blow = _ask_bridge(state, who)
        rows.append(
            Item(
                info.id,
                Say("{nation}: blow up a bridge", nation=nation(info.id)),
                left if info.id in tables(state).bridges_each else Say("{left} (inferred, check)", left=left),
                mark=nation_mark(setup, info.id),
                act=acts.put(f"blow.{info.id}", blow),
            )
        )
    blown = tuple(
        Item(
            f"blown.{n}",
            bridge_name(bridge),
            Say("blown, cannot be repaired"),
            mark=nation_mark(setup, bridge.nation),
        )
        for n, bridge in enumerate(state.game["tokens"].bridges)
    )
    empty = Say("No bridge is blown")
    return (
        None,
        (),
        (Rows("nations", tuple(rows), is_wide=False), Rows("blown", blown, empty=empty, is_wide=False)),
    )


def _ask_bridge(state: GameState, who: Nation) -> Ask:
    """Ask for the two spaces that a bridge joins; they are its name."""
    titles = (Say("Which space is at one end of the bridge?"), Say("Which space is at its other end?"))
    return _two_spaces(state, titles, lambda spaces: Send(tk.BlowBridge(who, spaces=tuple(spaces))))


# The box


def _box(state: GameState, acts: Acts) -> Tab:
    rows = tuple(
        Item(
            key,
            Name("counter", key),
            facet=Counter(
                count.used,
                acts.put(f"{key}.less", Send(tk.SetCounter(key, count.used - 1))),
                acts.put(f"{key}.more", Send(tk.SetCounter(key, count.used + 1))),
                most=99 if count.limit is None else count.limit,
                left=None if count.limit is None else Say("of {n}", n=count.limit),
            ),
        )
        for key, count in tk.counters(state).items()
    )
    return Say("Pieces in use"), (), (Rows("box", rows, is_wide=False),)


_TABS: dict[str, Callable[[GameState, Acts], Tab]] = {
    "cards": _cards,
    "tokens": _tokens,
    "bridges": _bridges,
    "supply": supply_tab,
    "box": _box,
}
