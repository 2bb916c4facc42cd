"""The Battle screen: declare, compose by taps, roll, take casualties, retreat, and the odds before and after.

Composing is in `companion.games.sfw.pages.battle_compose`, fighting in `battle_fight`, dice in `battle_roll`, odds and luck
in `companion.games.sfw.pages.battle_odds` and `companion.games.sfw.pages.battle_luck`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value
from companion.games.sfw.pages.battle_coach import coach_page
from companion.games.sfw.pages.battle_compose import compose_page
from companion.games.sfw.pages.battle_course import BattleView, battle_view
from companion.games.sfw.pages.battle_draft import BattleDraft, all_battles, look
from companion.games.sfw.pages.battle_fight import deciding, fought_page, left_of
from companion.games.sfw.pages.battle_group import ask_declaration, declare_at
from companion.games.sfw.pages.battle_luck import luck_page
from companion.games.sfw.pages.battle_odds import odds_blocks, odds_page
from companion.games.sfw.pages.battle_outcome import decided_by, kept_say, outcome_blocks, take_button
from companion.games.sfw.pages.battle_roll import roll_page
from companion.games.sfw.pages.spaces import known_spaces, name_space
from companion.games.sfw.pages.tell import DASH, counts_say
from companion.games.sfw.rules.battle import Group
from companion.games.sfw.rules.battle_legal import is_late
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import (
    acting_side,
    are_over,
    as_now,
    battles_of,
    edition_of,
    returning_side,
)
from companion.games.sfw.rules.desert import can_roll
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.page import Act, Acts, Button, Draft, Go, Item, Page, Rows, Shown, Sight, Tiles
from companion.pages.parts import as_words, back_button, leave_button, refusal_words
from companion.pages.rulings import ruling_block, ruling_tools

__all__ = ["at_hand", "battle_page", "known_occasions", "other_occasions"]

_ENDED = ("over", "broken_off")
_FIRST = ("fighting", "declared", *_ENDED)


def at_hand(state: GameState, draft: BattleDraft) -> Declared | None:
    """Return the battle that is looked at: as chosen, just declared, being fought, the first that waits, or the last one over.

    Who declares has the units' movement behind him: what was rolled for that is looked at no longer.
    """
    battles = battles_of(state).battles
    new = [one for one in battles if draft.after and one.id not in draft.after]
    chosen = [one for one in battles if one.id == draft.battle]
    is_past = state.step.act == "declare"
    rest = [
        one for one in battles if not (is_past and one.battle.occasion != "battle" and one.status in _ENDED)
    ]
    found = min(chosen or new or rest, key=lambda one: _FIRST.index(one.status), default=None)
    return None if found is None else as_now(state, found)


def battle_page(sight: Sight) -> Shown:
    """Return the list of battles, or what the battle at hand asks for."""
    state, acts, draft = sight.state, Acts(), sight.entered(BattleDraft())
    declared = at_hand(state, draft)
    if draft.page == "luck":
        return Shown(luck_page(sight, acts), acts)
    can_declare = acting_side(state) is not None
    if can_declare and (draft.page == "where" or (declared is None and draft.page != "list")):
        return Shown(_places_page(state, acts), acts)
    if draft.page in ("list", "where") or declared is None:
        return Shown(_list_page(state, acts), acts)
    if draft.page == "odds":
        return Shown(odds_page(sight, acts, declared, draft), acts)
    if draft.page == "coach":
        return Shown(coach_page(sight, acts, declared, draft), acts)
    if declared.status == "declared":
        return Shown(compose_page(sight, acts, declared, draft), acts)
    view = battle_view(state, declared)
    if view.phase == "over":
        page = _over_page(sight, acts, view, draft)
    elif view.phase == "roll":
        page = roll_page(sight, acts, view, draft)
    else:
        page = fought_page(state, acts, view, draft)
    odds = (Button(Say("Odds"), acts.put("odds", look(page="odds"))),)
    every = () if view.phase == "roll" else (all_battles(acts),)
    points = (*(decided_by(state, declared) if view.phase == "over" else ()), *deciding(view))
    ruled = () if view.phase == "losses" else ruling_tools(state, acts, points)
    # While dice are being entered only what concerns them stands in the head.
    others = () if draft.at(declared.progress).typed else (*ruled, *odds, *every)
    return Shown(replace(page, tools=(*page.tools, *others)), acts)


# The list


def _list_page(state: GameState, acts: Acts) -> Page:
    battles = battles_of(state).battles
    rows = tuple(_row(acts, as_now(state, one)) for one in battles)
    others = tuple(
        Item(key, text, act=acts.put(f"other.{key}", _other(state, key)))
        for key, text in other_occasions(state)
    )
    luck = Button(Say("Luck"), acts.put("luck", look(page="luck")))
    can_declare = acting_side(state) is not None
    beside = (*_known_rows(state, acts), *others)
    none = Say("No battle is declared in this movement step")
    return Page(
        "list",
        Say("Battles"),
        tools=(luck,),
        blocks=(
            Rows("battles", rows, empty=none if can_declare else _NOT_NOW),
            *((Rows("others", beside, is_wide=False),) if beside else ()),
            *ruling_block(state, acts, ("same_space_again", "late_marker") if is_late(state) else ()),
        ),
        main=Button(Say("Declare a battle"), acts.put("declare", look(page="where")))
        if can_declare
        else back_button(acts),
    )


_NOT_NOW = Say("Battles are declared in movement steps 1 to 5, by the side whose step it is")


def _places_page(state: GameState, acts: Acts) -> Page:
    """Return the spaces in which a battle may be declared, those fought over last first: a tap declares it."""
    named = name_space(
        state,
        Say("Where is the battle?"),
        lambda space: declare_at(state, "battle", space, _opened(state)),
    )
    other = Item("other", Say("Another space"), act=acts.put("declare", named), is_way=True)
    tiles = tuple(
        Item(one, space_of(one), act=acts.put(f"at.{one}", declare_at(state, "battle", one, _opened(state))))
        for one in known_spaces(state)
    )
    others = tuple(
        Button(as_words(text), acts.put(f"other.{key}", _other(state, key)))
        for key, text in other_occasions(state)
    )
    luck = Button(Say("Luck"), acts.put("luck", look(page="luck")))
    known = tuple(replace(row, sub=None) for row in _known_rows(state, acts)[:_KNOWN])
    return Page(
        "places",
        Say("Where is the battle?"),
        tools=(*others, luck),
        blocks=(
            *((Rows("known", known, columns=_KNOWN),) if known else ()),
            Tiles(
                "places", (*tiles, other), columns=_PLACES + (bool(known) or len(tiles) >= _LINES * _PLACES)
            ),
        ),
        second=all_battles(acts) if battles_of(state).battles else None,
        main=leave_button(state, acts),
    )


_KNOWN = 3
"""What the log offers stands on one line above the spaces; the tools in the head offer all of it."""
_PLACES = 6
"""Spaces side by side, so that those of a whole theater stand on one page; one more below what the log offers, or with many."""
_LINES = 4
"""Lines of spaces that a page of the least window holds."""


def _opened(state: GameState) -> Draft[BattleDraft]:
    known = tuple(one.id for one in battles_of(state).battles) or ("",)
    return Draft(lambda _draft: BattleDraft(after=known), BattleDraft())


def _declare(state: GameState, occasion: str) -> Act:
    return ask_declaration(state, occasion, _opened(state))


def _other(state: GameState, occasion: str) -> Act:
    return Go("desert") if occasion == "desert" else _declare(state, occasion)


def other_occasions(state: GameState) -> tuple[tuple[str, Value], ...]:
    """Return what else is rolled for in the current act in this edition: occasion and text."""
    is_acting = acting_side(state) is not None
    on_land = state.step.movement_step in (4, 5)
    offers = (
        ("movement", Name("declared", "movement"), is_acting or returning_side(state) is not None),
        ("disengage", Say("Full disengage"), is_acting and on_land and edition_of(state).has_disengage),
        ("desert", Say("Desert roll"), "desert" in state.game and on_land and can_roll(state)),
    )
    return tuple((occasion, text) for occasion, text, is_offered in offers if is_offered)


_MOST_KNOWN = 3
"""Spaces that the log offers at most for each of what else is rolled for."""


def known_occasions(state: GameState) -> tuple[tuple[str, Value, str], ...]:
    """Return what else can be rolled for where the log knows the units: occasion, text and space, the newest space first.

    Land units leave a space in which both sides were left; a side pushes through one in which enemies were.
    """
    side, units, own = (
        acting_side(state) or returning_side(state),
        unit_table_of(state).units,
        battles_of(state),
    )
    if side is None:
        return ()
    found = []
    # Who has left a space since its last battle is not there any more.
    last = {one.space: one.battle.occasion for one in (*own.history, *own.battles)}
    for occasion, text in other_occasions(state):
        spaces = []
        for space, left in reversed(own.compositions.items()):
            there = {
                of: any(
                    group.count and not group.distance and units[group.unit].type == "land"
                    for group in groups
                )
                for of, groups in left.items()
            }
            has_enemies = any(is_there for of, is_there in there.items() if of != side)
            stays = bool(there.get(side)) and last.get(space) != "disengage"
            if has_enemies and (occasion == "movement" or (occasion == "disengage" and stays)):
                spaces.append((occasion, text, space))
        found += spaces[:_MOST_KNOWN]
    return tuple(found)


def _known_rows(state: GameState, acts: Acts) -> tuple[Item, ...]:
    """Return what the log offers, each declared by one tap."""
    return tuple(
        Item(
            f"known.{occasion}.{space}",
            Say("{occasion}: {space}", occasion=text, space=space_of(space)),
            Say("Units as they were left there"),
            act=acts.put(f"known.{occasion}.{space}", declare_at(state, occasion, space, _opened(state))),
        )
        for occasion, text, space in known_occasions(state)
    )


def _row(acts: Acts, declared: Declared) -> Item:
    title = Say(
        "{id}  {space}  ({status})",
        id=Typed(declared.id),
        space=space_of(declared.space),
        status=Name("battle_status", declared.status),
    )
    sides = Say(
        "{attackers}  ·  {defenders}",
        attackers=_groups(declared.battle.attacking),
        defenders=_groups(declared.battle.defending),
    )
    is_empty = not declared.battle.attacking and not declared.battle.defending
    open_it = acts.put(f"open.{declared.id}", _open(declared.id))
    return Item(declared.id, title, None if is_empty else sides, act=open_it, may_shorten=True)


def _groups(groups: Sequence[Group]) -> Value:
    ordered = groupby(sorted(groups, key=lambda group: group.unit), key=lambda group: group.unit)
    totals = [(of, sum(group.count for group in each)) for of, each in ordered]
    return counts_say(totals) if totals else DASH


def _open(battle: str) -> Draft[BattleDraft]:
    return Draft(lambda draft: BattleDraft(battle, policy=draft.policy), BattleDraft())


# The end


def _over_page(sight: Sight, acts: Acts, view: BattleView, draft: BattleDraft) -> Page:
    """Return who is left, and the odds before it, unless the table has to confirm something first."""
    state, declared = sight.state, view.declared
    waiting = [one.id for one in battles_of(state).battles if one.status == "declared"]
    on = Button(Say("Next battle"), acts.put("next", _open(waiting[0]))) if waiting else None
    take = take_button(state, acts, declared)
    step: Value = view.step if view.fault is None else refusal_words(view.fault)
    title = Say("{id}  {space} · {step}", id=Typed(declared.id), space=space_of(declared.space), step=step)
    outcome = outcome_blocks(state, acts, declared)
    odds = () if outcome else odds_blocks(sight, declared, draft.policy, is_short=True)
    blocks = (*outcome, *left_of(state, view), *odds)
    main, second = (on or _after_the_last(state, acts), None) if take is None else (take, on)
    kept = kept_say(state, declared)
    return Page(f"{declared.id}.over", title, kept, blocks=blocks, main=main, second=second)


def _after_the_last(state: GameState, acts: Acts) -> Button:
    """Return the end of the act where all its battles are over, else the way back."""
    is_done = state.ending is None and state.step.act in ("declare", "resolve") and are_over(state)
    return leave_button(state, acts) if is_done else back_button(acts)
