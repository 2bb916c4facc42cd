"""What pages of the Engagement screen share: the Operation and both totals, what lies there, the dice, the page itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from companion.core.commands import Command
from companion.core.dice import DiceOrigin, joined
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, card, several, side
from companion.games.med.pages.draft import MedDraft, put
from companion.games.med.pages.words import CAMPS, camp_mark, card_facts, card_symbol, elements_say
from companion.games.med.rules.cards import CardNo
from companion.games.med.rules.engagement import Engagement, Play
from companion.games.med.rules.outcome import Fighter, dice_needed, rolled_for
from companion.games.med.rules.slice import counting, hands, known_cards, lies_hidden, slice_of
from companion.pages import page as pg
from companion.pages.dice import virtual_dice
from companion.pages.entered_dice import dice_buttons
from companion.pages.parts import end_button

__all__ = [
    "TakeDice",
    "Tool",
    "ask_card",
    "at_hand",
    "carried_out",
    "columns",
    "dice_pad",
    "engagement_page",
    "fighter_rows",
    "gone_row",
    "hand_rows",
    "open_cards",
    "player_options",
    "table_rows",
]

Tool = tuple[str, pg.Words, pg.Act]
"""An act that is possible beside the main one: its id, what it says, what it does."""

TakeDice = Callable[[tuple[int, ...], DiceOrigin], pg.Act]
"""What becomes of dice once all of them are there."""


def at_hand(state: GameState) -> Engagement | None:
    """Return the engagement of the step at hand; None before its Operation is turned over."""
    own, step = slice_of(state), state.step
    found = own.engagement
    if found is None or step.act in ("setup", "count") or found.number != step.stage:
        return None
    return None if step.act == "operation" and own.decided is not None else found


def columns(
    lead: pg.Words,
    rows: tuple[pg.Item, ...],
    pad: pg.Side | None = None,
    choices: tuple[pg.Item, ...] = (),
    empty: pg.Words | None = None,
) -> tuple[pg.Block, ...]:
    """Return who acts over what lies there, beside the pad where something is entered."""
    tiles: tuple[pg.Block, ...] = (pg.Tiles("choices", choices),) if choices else ()
    listed = (
        *tiles,
        pg.Rows(
            "rows", rows, empty=empty, is_wide=pad is not None or any(row.act is not None for row in rows)
        ),
    )
    if pad is None:
        return (pg.Head("lead", lead), *listed)
    return (pg.Sides("table", (pg.Side("rows", pg.Head("lead", lead), listed), pad)),)


def engagement_page(
    state: GameState,
    acts: pg.Acts,
    body: tuple[pg.Block, ...],
    *,
    above: tuple[pg.Block, ...] | None = None,
    tools: tuple[Tool | None, ...] = (),
    main: pg.Button | None = None,
    second: pg.Button | None = None,
    key: str = "",
) -> pg.Page:
    """Return a page: the Operation in its head, both totals unless something else stands above, then the body."""
    engagement = at_hand(state)
    title: pg.Words = Say("Engagement {n} of {m}", n=state.step.stage, m=slice_of(state).options.operations)
    facts = None
    if engagement is not None:
        title, facts = card(engagement.operation), _facts(state, engagement)
    if above is None:
        above = () if engagement is None else (_totals(state, engagement),)
    return pg.Page(
        f"{state.step.id}.{key}",
        title,
        facts,
        "muted",
        tools=tuple(pg.Button(tool[1], acts.put(tool[0], tool[2])) for tool in tools if tool is not None),
        blocks=(*above, *body),
        main=main if main is not None else end_button(state, acts),
        second=second,
    )


def _facts(state: GameState, engagement: Engagement) -> Value:
    own, operation = slice_of(state), known_cards(state)[engagement.operation]
    facts: list[Value] = [Say("Battle")] if own.options.is_battle(operation) else []
    facts = facts or [Name("operation", operation.operation)]
    facts += [Typed(str(operation.years[0])), elements_say(engagement.current_elements())]
    facts.append(Say("{n} VP", n=operation.victory_points))
    if engagement.replay:
        facts.append(Say("fought again"))
    return several(facts, "dots")


def _totals(state: GameState, engagement: Engagement) -> pg.Split:
    """Return the totals of what lies open on one bar, with a question mark where dice are still to be rolled."""
    own = slice_of(state)
    asked_of: set[str] = set()
    if own.decided is not None:
        sums = dict(own.decided.totals)
    else:
        hidden = {n for play in engagement.plays if lies_hidden(state, play) for n in play.cards}
        found = [one for one in counting(state, engagement) if one.card not in hidden]
        sums = {camp: sum(one.value for one in found if one.side == camp) for camp in CAMPS}
        open_dice = {rolled_for(key)[0] for key in dice_needed(engagement, known_cards(state))} - hidden
        asked_of = {one.side for one in found if {one.card, *one.bonuses} & open_dice}
    least = max(1, sum(sums.values())) / 2
    parts = []
    for camp in CAMPS:
        count = sums.get(camp, 0)
        title = Say("{n} + ?", n=count) if camp in asked_of else count
        parts.append(pg.Part(camp, max(count, least), title, Name("camp", camp), camp_mark(camp)))
    return pg.Split("totals", tuple(parts))


# What lies there


def open_cards(state: GameState, engagement: Engagement) -> tuple[CardNo, ...]:
    """Return the cards that lie there for everybody to see."""
    hidden = {n for play in engagement.plays if lies_hidden(state, play) for n in play.cards}
    return tuple(n for n in dict.fromkeys(engagement.lying()) if n not in hidden)


def _out(engagement: Engagement, play: Play | None = None) -> Value | None:
    """Return what no longer counts and why; of a play, or of all."""
    gone = [
        Say("{card} ({why})", card=card(one.card), why=Name("why", one.why))
        for one in engagement.removed
        if not engagement.is_void(one)
        and (play is None or any(one.takes(number, play.player) for number in play.cards))
    ]
    return several(gone, "comma") if gone else None


def table_rows(state: GameState, engagement: Engagement) -> tuple[pg.Item, ...]:
    """Return a line for everybody who has played or discarded, and what lies under the Operation."""
    values = {(one.player, one.card): one.value for one in counting(state, engagement)}
    rows = []
    for n, play in enumerate(engagement.plays):
        laid = [card(number) for number in play.cards if not engagement.is_removed(number, play.player)]
        parts: list[Value] = [several(laid, "comma")] if laid else []
        counts = [values[key] for number in play.cards if (key := (play.player, number)) in values]
        value = sum(counts) if counts else None
        if lies_hidden(state, play):  # what everybody may not know of it is not here
            parts, value = [*parts, Say("face down")], None
        else:
            gone = _out(engagement, play)
            parts += [Say("out: {cards}", cards=gone)] if gone is not None else []
        who: Value = side(play.player)
        if play.side:
            who = Say("{player}, {side}", player=who, side=Name("camp", play.side))
        is_secret = lies_hidden(state, play) and bool(laid)
        mark = camp_mark(play.side)
        rows.append(pg.Item(f"play.{n}", who, several(parts, "dots"), value, mark, is_secret=is_secret))
    rows += [
        pg.Item(f"discard.{n}", side(gone.player), Name("discard", gone.what))
        for n, gone in enumerate(engagement.discards)
    ]
    rows += [
        pg.Item(f"barred.{n}", side(one.player), Say("Sirocco: may not play"))
        for n, one in enumerate(engagement.barred)
        if not any(play.player == one.player for play in engagement.plays)
    ]
    if engagement.carried:
        under = several((card(one.card) for one in engagement.carried), "comma")
        rows.append(pg.Item("carried", Say("Under the Operation"), under))
    return tuple(rows)


def fighter_rows(state: GameState, found: Iterable[Fighter]) -> tuple[pg.Item, ...]:
    """Return a line for every card that counts, with its value."""
    cards = known_cards(state)
    rows = []
    for n, one in enumerate(found):
        parts = [card_facts(cards[one.card], is_short=True), *map(card, one.bonuses)]
        parts += [Say("doubled")] if one.doubled else []
        parts += [Name("effect", "bomb_alley")] if one.bomb_alley else []
        text = Say("{card}, {player}", card=card(one.card), player=side(one.player))
        key = f"fighter.{one.side}.{n}"
        symbol = card_symbol(state, cards[one.card])
        rows.append(pg.Item(key, text, several(parts, "dots"), one.value, camp_mark(one.side), symbol))
    return tuple(rows)


def gone_row(engagement: Engagement) -> tuple[pg.Item, ...]:
    """Return the line of everything that dropped out."""
    gone = _out(engagement)
    return (pg.Item("gone", Say("Out"), gone, state="muted"),) if gone is not None else ()


def hand_rows(state: GameState) -> tuple[pg.Item, ...]:
    """Return to how many cards each player fills his hand, in playing order."""
    own = slice_of(state)
    order = own.engagement.order if own.engagement is not None else own.players
    dealer = state.frozen_setup.options.get("dealer") if state.step.act == "setup" else None
    sizes = hands(state)
    rows = []
    for player in order:
        parts = [Say("hand size not known")]
        if player in sizes:
            parts = [Say.counted("fills up to {n} card", "fills up to {n} cards", sizes[player])]
        if own.decided is not None and player in own.decided.picked:
            parts.append(Say("{card} is back in the hand", card=card(own.decided.picked[player])))
        if dealer == own.players.index(player) + 1:
            parts.append(Say("deals and starts"))
        rows.append(pg.Item(player, side(player), several(parts, "dots"), sizes.get(player)))
    return tuple(rows)


# Questions


def ask_card(
    key: str,
    title: pg.Words,
    numbers: Iterable[CardNo],
    then: Callable[[CardNo], pg.Act],
    *more: tuple[pg.Words, pg.Act],
) -> pg.Ask:
    """Ask for one of some cards, or for one of a few other answers."""
    found: list[tuple[pg.Words, pg.Act | CardNo]] = [(card(number), number) for number in numbers]
    found += more
    options = tuple(pg.Item(str(n), text) for n, (text, _what) in enumerate(found))

    def answered(n: str) -> pg.Act:
        what = found[int(n)][1]
        return then(what) if isinstance(what, str) else what

    return pg.asked(key, title, options, answered)


def player_options(players: Iterable[str]) -> tuple[pg.Item, ...]:
    """Return players to choose from."""
    return tuple(pg.Item(player, side(player)) for player in players)


# Dice


def dice_pad(
    sight: pg.Sight, acts: pg.Acts, draft: MedDraft, count: int, take: TakeDice
) -> tuple[pg.Side, pg.Button, pg.Button, tuple[pg.Button, ...]]:
    """Return dice with the pad on which they are typed, and main act, second act and tools that read or roll them."""
    left = count - len(draft.dice)

    def entered(values: tuple[int, ...], origin: DiceOrigin | None = None) -> pg.Act:
        dice = (*draft.dice, *values)
        source = draft.origin if origin is None else joined(draft.origin, origin)
        if len(values) > left:
            return pg.Refuse(
                Say.counted(
                    "{n} die is rolled, but {m} were read. Take out what is not a die of this roll, or enter the dice by hand.",
                    "{n} dice are rolled, but {m} were read. Take out what is not a die of this roll, or enter the dice by hand.",
                    left,
                    m=len(values),
                )
            )
        return take(dice, source) if len(values) == left else put(dice=dice, origin=source)

    def photo(values: tuple[int, ...], origin: DiceOrigin) -> dict[str, pg.Act]:
        return {"act": entered(values, origin)}

    keys = tuple(
        pg.Item(str(face), face, act=acts.put(f"face.{face}", entered((face,)))) for face in range(1, 7)
    )
    read = pg.Go("dice", args={"kind": "d6", "back": ("med", {"draft": draft}), "record": photo})
    lying = tuple(pg.Die(str(n), 6, value) for n, value in enumerate(draft.dice))
    open_ = tuple(
        pg.Die(str(n), 6, None, "", "unsure" if n == len(lying) else "empty")
        for n in range(len(lying), count)
    )
    pad = pg.Side("pad", None, (pg.Dice("lying", (*lying, *open_)), pg.Pad("dice", keys, columns=3)))
    roll = acts.put("roll", pg.At(lambda seed: entered(*virtual_dice(seed, left, 6))))
    missing = Say.counted("Type {n} die", "Type {n} dice", left)
    return pad, *dice_buttons(sight, acts.put("read", read), roll, missing)


def carried_out(command: Command) -> pg.Send:
    """Return the act that sends dice and what they lead to; then none are being entered."""
    return pg.Send(command, then=put(effect="", dice=(), origin=DiceOrigin()))
