"""The list of attacks of a turn on The Soft Underbelly's Attack screen, and who attacks when."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Say, Typed, Value
from companion.games.tsu.names import listed, side_or_nobody
from companion.games.tsu.pages.draft import AttackDraft, draft_of, take_up
from companion.games.tsu.pages.fight import ask_drop, result_line
from companion.games.tsu.pages.tell import attackers_say
from companion.games.tsu.rules.attack import verdict
from companion.games.tsu.rules.state import ALLIES, AXIS, Declared, season_of, slice_of
from companion.pages.page import Act, Acts, Item, Page, Rows, Shown
from companion.pages.parts import back_button, fight_or_end

__all__ = ["attacking_side", "can_declare", "defending_side", "list_page"]


def attacking_side(state: GameState, draft: AttackDraft) -> str:
    """Return the side whose attack is worked out: as chosen, else the one that acts, the Axis during set-up."""
    owners = state.step.owners
    acting = owners[0] if owners else AXIS
    return acting if can_declare(state) or not draft.side else draft.side


def defending_side(state: GameState, draft: AttackDraft) -> str:
    """Return the other side."""
    return ALLIES if attacking_side(state, draft) == AXIS else AXIS


def can_declare(state: GameState) -> bool:
    """Say whether attacks are declared in the current phase."""
    return state.step.phase in ("supply", "attack") and state.ending is None


def list_page(state: GameState, begin: Act) -> Shown:
    """Return the attacks of the turn, and what the phase asks; `begin` opens a new one."""
    acts = Acts()
    phase, attacks = state.step.phase, slice_of(state).attacks
    waiting = sum(not declared.done for declared in attacks)
    ends = can_declare(state) or phase == "breakthrough"
    rows = [
        Item(
            "new",
            Say("Declare an attack") if can_declare(state) else Say("Work out an attack"),
            Say("Shows whether it is allowed, what falls and what would win"),
            act=acts.put("new", begin),
            is_way=True,
        )
    ]
    if phase == "breakthrough":
        lead = Say("Panzer and Mechanized that did not attack or land may move again")
        rows = [*_breakthrough(state), *rows]
    elif phase == "supply":
        side = side_or_nobody(attacking_side(state, AttackDraft()))
        lead = Say("{side}: name each attack with the supply that it uses up", side=side)
    elif phase == "attack":
        lead = (
            Say.counted(
                "{n} attack waiting: tap it to fight", "{n} attacks waiting: tap one to fight", waiting
            )
            if waiting
            else Say("All attacks have been fought")
            if attacks
            else Say("No attack was declared")
        )
    else:
        lead = Say("Try out any attack here; attacks are declared in the supply phase")
    told = {declared.number: _attack_row(state, acts, declared) for declared in attacks}
    rows += told.values()
    main, second = back_button(acts), None
    if ends:
        first = next((one for one in attacks if not one.done), None) if phase == "attack" else None
        waits = Item("next", Typed(first.attack.target), act=told[first.number].act) if first else None
        main, second = fight_or_end(state, acts, waits)
    page = Page(
        f"list.{state.step.id}",
        Say("Attacks"),
        lead,
        blocks=(Rows("attacks", tuple(rows), empty=Say("No attack was declared")),),
        main=main,
        second=second,
    )
    return Shown(page, acts)


def _breakthrough(state: GameState) -> list[Item]:
    attacked = [
        unit
        for declared in slice_of(state).attacks
        if declared.result is not None
        for unit in (a.unit for a in declared.attack.attackers)
        if unit.kind == "panzer"
    ]
    rows = []
    if attacked:
        text = Say("No breakthrough: {units}", units=listed(attacked))
        rows.append(Item("tired", text, Say("They attacked")))
    if season_of(slice_of(state), state.step.stage).startswith("fall"):
        text = Say("No breakthrough in the winter zone")
        rows.append(Item("fall", text, Say("It is Fall"), state="danger"))
    return rows


def _attack_row(state: GameState, acts: Acts, declared: Declared) -> Item:
    attack, number = declared.attack, declared.number
    found = verdict(attack, slice_of(state).tables)
    area = Typed(attack.target)
    values = (found.attack_value, found.defence_value)
    if declared.result is not None:
        values = (declared.result.attack_value, declared.result.defence_value)
    text = Say("{area}: {a} against {d}", area=area, a=values[0], d=values[1])
    if declared.unopposed:
        text = Say("{area}: unopposed landing", area=area)
    act: Act
    sub: Value
    if declared.dropped:
        act, sub = take_up(draft_of(attack)), Say("Given up; tap to work it out again")
    elif declared.result is not None:
        act, sub = take_up(AttackDraft("done", number=number)), result_line(declared.result)
    else:
        supplies = [s.unit for s in slice_of(state).supplies if s.number in declared.supplies]
        text = Say("{attack} ({units})", attack=text, units=listed(supplies))
        sub = Say(
            "{attackers} against {defenders}",
            attackers=attackers_say(attack.attackers),
            defenders=listed(attack.defenders),
        )
        is_fought = state.step.phase == "attack"
        act = take_up(AttackDraft("fight", number=number)) if is_fought else ask_drop(state, number)
    return Item(str(number), text, sub, act=acts.put(f"attack.{number}", act))
