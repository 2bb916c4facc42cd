"""One declared attack while it is fought: losses to choose, retreats, the advance; and what it came to."""

from __future__ import annotations

from dataclasses import replace

from companion.core.commands import Command
from companion.core.state import GameState
from companion.core.text import Say, Typed
from companion.games.tsu.names import in_full, listed
from companion.games.tsu.pages.draft import AttackDraft, StarsDraft, edit, take_up
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.attack import Verdict, verdict
from companion.games.tsu.rules.losses import Advance, Removal, advance_of
from companion.games.tsu.rules.state import BRITAIN, Declared, slice_of
from companion.games.tsu.rules.units import Unit
from companion.pages.page import (
    Acts,
    Ask,
    Button,
    Draft,
    Go,
    Item,
    Page,
    Pick,
    Rows,
    Send,
    Shown,
    State,
    Tick,
    Words,
    asked,
    sure,
)
from companion.pages.parts import apart, nation_mark
from companion.pages.rulings import ruling_items
from companion.pages.symbols import unit_symbol

__all__ = ["all_attacks", "ask_drop", "done_page", "fight_page", "result_line", "toggled", "turn_to"]


def result_line(result: cm.Result) -> Words:
    """Return what an attack came to on one line."""
    parts = []
    if not result.removed and not result.is_taken:
        parts.append(Say("failed"))
    if result.removed:
        parts.append(Say("lost: {units}", units=listed(result.removed)))
    if result.retreated:
        parts.append(Say("retreated: {units}", units=listed(result.retreated)))
    if result.advanced:
        parts.append(Say("advanced: {units}", units=listed(result.advanced)))
    if result.attackers_lost:
        parts.append(Say("attackers lost: {units}", units=listed(result.attackers_lost)))
    return apart(parts or [Say("taken without a fight")])


def all_attacks(acts: Acts) -> Button:
    """Return the main button back to the list of attacks."""
    return Button(Say("All attacks"), acts.put("list", take_up(AttackDraft())))


def ask_drop(state: GameState, number: int) -> Ask:
    """Ask whether an attack is given up."""
    drop = Send(cm.DropAttack(state.step.id, number), then=take_up(AttackDraft()))
    text = Say("The supply named for it stays used up.")
    return sure(Say("Give the attack up?"), drop, sub=text, yes=Say("Give it up"), is_danger=True)


def fight_page(state: GameState, declared: Declared, draft: AttackDraft) -> Shown:
    """Return the page of an attack that is fought now."""
    acts = Acts()
    attack, tables = declared.attack, slice_of(state).tables
    found = verdict(attack, tables)
    step, number, area = state.step.id, declared.number, Typed(attack.target)
    title = Say("{area}: {a} against {d}", area=area, a=found.attack_value, d=found.defence_value)
    if declared.unopposed:
        title = Say("{area}: unopposed landing", area=area)
    removal = _chosen(found, draft)

    def others() -> tuple[Item, ...]:
        drop = acts.put("drop", ask_drop(state, number))
        give_up = Item("drop", Say("Give the attack up"), Say("The supply stays used up"), act=drop)
        return (*_early(state, acts, declared, found), give_up)

    def carry_out(command: Command) -> Send:
        return Send(command, then=take_up(AttackDraft("done", number=number)))

    if attack.defenders and not found.wins:
        fails = acts.put("carry_out", carry_out(cm.ResolveAttack(step, number)))
        page = Page(
            f"fight.{number}",
            title,
            Say("The attack fails: all units stay where they are"),
            "danger",
            blocks=(Rows("fight", (*others(), *ruling_items(state, acts, _ruled(declared)))),),
            main=Button(Say("It fails"), fails),
        )
        return Shown(page, acts)
    staying = () if removal is None else removal.staying
    fighting = found.fighting if attack.defenders else attack.attackers
    known = removal is not None or not attack.defenders
    advance = advance_of(attack, fighting, staying, tables) if known else None
    tabs = {"losses": Say("Losses")}
    if removal is not None and removal.retreating:
        tabs["retreat"] = Say("Retreat")
    if advance is not None and (advance.leaders or advance.followers):
        tabs["advance"] = Say("Advance")
    tab = draft.tab if draft.tab in tabs else "losses"
    if tab == "retreat" and removal is not None:
        rows = _retreat_rows(state, acts, removal, draft)
    elif tab == "advance" and advance is not None:
        rows = _advance_rows(state, acts, declared, advance, draft)
    else:
        rows = (*_loss_rows(state, acts, found, draft), *others())
    lead = Say("Nobody is left to fight: the area is empty")
    if declared.unopposed:
        lead = Say("Nobody defends: an unopposed landing")
    if attack.defenders:
        lead = Say("Choose what the defender loses: at least {n}", n=found.difference)
    asks = lead  # what a dead button says, whichever tab is open
    if tab == "retreat":
        lead = Say("The defender's units retreat")
    elif tab == "advance":
        lead = Say("Choose who advances")
    order = {key: acts.put(f"tab.{key}", turn_to(key)) for key in tabs}
    keys = list(tabs)
    following = keys[keys.index(tab) + 1] if tab != keys[-1] else ""
    if following:
        main = Button(
            Say("Next: {what}", what=tabs[following]),
            order[following],
            why_not=None if known else asks,
        )
    elif known:
        lost = tuple(removal.retreating[i] for i in draft.lost) if removal is not None else ()
        choice = None if removal is None else found.removals.index(removal)
        command = cm.ResolveAttack(step, number, choice, lost, draft.advance)
        main = Button(Say("Carry it out"), acts.put("carry_out", carry_out(command)))
    else:
        main = Button(Say("Carry it out"), why_not=asks)
    page = Page(
        f"fight.{number}.{tab}",
        title,
        lead,
        "ok",
        tabs=tuple(Item(key, name, act=order[key]) for key, name in tabs.items()),
        tab=tab,
        blocks=(Rows(tab, (*rows, *ruling_items(state, acts, _ruled(declared)))),),
        main=main,
    )
    return Shown(page, acts)


def _ruled(declared: Declared) -> tuple[str, ...]:
    """Return the rulings that decide what an attack costs its landing: an army that stays aboard, the one-use craft."""
    landing = [one for one in declared.attack.attackers if one.landing]
    found = ("failed_landing",) if any(one.from_sea for one in landing) and not declared.unopposed else ()
    craft = any(one.unit.kind == "landing_craft" and one.unit.nation == BRITAIN for one in landing)
    return (*found, *(("one_use",) if craft else ()))


def _chosen(found: Verdict, draft: AttackDraft) -> Removal | None:
    if not found.removals:
        return None
    if len(found.removals) == 1:
        return found.removals[0]
    if draft.choice is None or draft.choice >= len(found.removals):
        return None
    return found.removals[draft.choice]


def turn_to(tab: str) -> Draft[AttackDraft]:
    """Return an act that shows another tab."""
    return edit(lambda d: replace(d, tab=tab))


def _choose(n: int) -> Draft[AttackDraft]:
    return edit(lambda d: replace(d, choice=n, lost=(), advance=()))


def _loss_rows(state: GameState, acts: Acts, found: Verdict, draft: AttackDraft) -> tuple[Item, ...]:
    only = len(found.removals) == 1
    rows = []
    for n, removal in enumerate(found.removals):
        sub = Say("nobody is left")
        if removal.retreating:
            sub = Say("Back one area or lost: {units}", units=listed(removal.retreating))
        elif removal.staying:
            sub = Say("Stay: {units}", units=listed(removal.staying))
        key, is_on = f"choice.{n}", only or draft.choice == n
        act = acts.put(key, _choose(n))
        symbol = unit_symbol(state, removal.units[0].kind) if removal.units else ""
        row_state: State = "lost" if is_on else "plain"
        rows.append(
            Item(key, listed(removal.units), sub, symbol=symbol, state=row_state, act=act, facet=Pick(is_on))
        )
    return tuple(rows)


def _early(state: GameState, acts: Acts, declared: Declared, found: Verdict) -> tuple[Item, ...]:
    return tuple(
        Item(
            f"early.{n}",
            Say("{unit} leaves before the combat", unit=in_full(one)),
            Say("The defender decides; it needs a friendly area next to it"),
            mark=nation_mark(state.frozen_setup, one.nation),
            symbol=unit_symbol(state, one.kind),
            act=acts.put(f"early.{n}", Send(cm.RetreatBefore(state.step.id, declared.number, (one,)))),
        )
        for n, one in enumerate(found.may_retreat_before)
    )


def _retreat_rows(state: GameState, acts: Acts, removal: Removal, draft: AttackDraft) -> tuple[Item, ...]:
    head = Item(
        "how",
        Say("The owner moves each one area, to a friendly area or an empty sea area"),
        Say("Tick the units that have nowhere to go: they are lost"),
        state="muted",
    )
    return (
        head,
        *(
            Item(
                f"lost.{n}",
                in_full(one),
                Say("nowhere to go: lost") if n in draft.lost else Say("retreats one area"),
                mark=nation_mark(state.frozen_setup, one.nation),
                symbol=unit_symbol(state, one.kind),
                act=acts.put(f"lost.{n}", _turn_lost(n)),
                facet=Tick(n in draft.lost),
            )
            for n, one in enumerate(removal.retreating)
        ),
    )


def _turn_lost(n: int) -> Draft[AttackDraft]:
    return edit(lambda d: replace(d, lost=toggled(d.lost, n)))


def _turn_advance(n: int) -> Draft[AttackDraft]:
    return edit(lambda d: replace(d, advance=toggled(d.advance, n)))


def _advance_rows(
    state: GameState, acts: Acts, declared: Declared, advance: Advance, draft: AttackDraft
) -> tuple[Item, ...]:
    attackers = declared.attack.attackers
    how = (
        Say("One land unit may advance, then ships and aircraft that fought")
        if advance.kind == "land"
        else Say("Ships and aircraft that fought may advance")
    )
    rows = [Item("how", how, state="muted")]
    for i in advance.inside:
        one = attackers[i].unit
        badge = nation_mark(state.frozen_setup, one.nation)
        rows.append(
            Item(
                f"in.{i}",
                in_full(one),
                Say("stands there already"),
                mark=badge,
                symbol=unit_symbol(state, one.kind),
            )
        )
    for i in (*advance.leaders, *advance.followers):
        one = Unit(attackers[i].unit.kind, attackers[i].unit.nation, attackers[i].unit.name)
        rows.append(
            Item(
                f"advance.{i}",
                in_full(one),
                Say("from {area}", area=Typed(attackers[i].origin)),
                mark=nation_mark(state.frozen_setup, one.nation),
                symbol=unit_symbol(state, one.kind),
                act=acts.put(f"advance.{i}", _turn_advance(i)),
                facet=Tick(i in draft.advance),
            )
        )
    return tuple(rows)


def done_page(state: GameState, declared: Declared) -> Shown:
    """Return what an attack came to, and what the table has to do now."""
    result, acts = declared.result, Acts()
    assert result is not None
    area = Typed(declared.attack.target)
    rows = []
    forts = [one for one in result.removed if one.kind == "fort"]
    others = [one for one in result.removed if one.kind != "fort"]

    def told(
        key: str, text: Words, units: tuple[Unit, ...], sub: Words | None = None, *, is_lost: bool
    ) -> Item:
        symbol = unit_symbol(state, units[0].kind)
        return Item(key, text, sub, symbol=symbol, state="lost" if is_lost else "plain")

    if others:
        text = Say("To the replacement box: {units}", units=listed(others))
        rows.append(told("lost", text, tuple(others), is_lost=True))
    if forts:
        text = Say("Out of the game for good: {units}", units=listed(forts))
        rows.append(told("fort", text, tuple(forts), is_lost=True))
    if result.retreated:
        text = Say("Retreat one area: {units}", units=listed(result.retreated))
        rows.append(told("retreat", text, result.retreated, Say("Their owner chooses where"), is_lost=False))
    if result.attackers_lost:
        text = Say("The attackers lose: {units}", units=listed(result.attackers_lost))
        rows.append(told("ours", text, result.attackers_lost, is_lost=True))
    if result.advanced:
        text = Say("Advance to {area}: {units}", area=area, units=listed(result.advanced))
        rows.append(told("advance", text, result.advanced, is_lost=False))
    if result.is_taken:
        go = acts.put("stars", Go("tsu_stars", StarsDraft("stars")))
        rows.append(Item("star", Say("Is there a star? Set its holder on the Stars screen"), act=go))
    for n, (origin, units) in enumerate(result.overstacked.items()):
        act = acts.put(f"overstack.{n}", _ask_overstack(state, declared.number, origin, units))
        text = Say("Overstacked: {area}", area=Typed(origin))
        sub = Say("Choose which army is lost: {units}", units=listed(units))
        rows.append(Item(f"overstack.{n}", text, sub, act=act))
    if not rows:
        rows.append(Item("none", Say("All units stay where they are")))
    page = Page(
        f"done.{declared.number}",
        Say("{area}: {a} against {d}", area=area, a=result.attack_value, d=result.defence_value),
        result_line(result),
        "ok" if result.removed or result.is_taken else "muted",
        blocks=(Rows("done", tuple(rows)),),
        main=all_attacks(acts),
    )
    return Shown(page, acts)


def _ask_overstack(state: GameState, number: int, origin: str, units: tuple[Unit, ...]) -> Ask:
    options = tuple(Item(str(n), in_full(one)) for n, one in enumerate(units))
    return asked(
        "overstack",
        Say("Which army in {area} is lost?", area=Typed(origin)),
        options,
        lambda n: Send(cm.ClearOverstack(state.step.id, number, origin, units[int(n)])),
    )


def toggled(chosen: tuple[int, ...], n: int) -> tuple[int, ...]:
    """Return a choice of several with one of them turned."""
    return tuple(i for i in chosen if i != n) if n in chosen else (*chosen, n)
