"""The arbiter's page on a phone of his own: locked until his PIN is entered there, and again after five minutes."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.ids import ARBITER, Millis, RulingId, Side
from companion.core.text import N_, Say, Typed, side
from companion.pages import arbiter as pa
from companion.pages.labels import correction_why
from companion.pages.page import (
    Act,
    Acts,
    Answers,
    Ask,
    At,
    Banner,
    Block,
    Button,
    Do,
    Draft,
    Field,
    Form,
    Item,
    OnBox,
    Options,
    Page,
    Refuse,
    Rows,
    ScreenEntry,
    Send,
    Shown,
    Sight,
    asked,
    sure,
)
from companion.pages.parts import side_mark
from companion.pages.prompts import GapPrompt, gap_command, prompt_for
from companion.pages.rulings import ask_ruling

__all__ = ["ARBITER_ENTRY", "UNLOCKED_MS", "ArbiterDraft", "arbiter_page"]

UNLOCKED_MS = 300_000
"""So long the arbiter's acts are open after his PIN."""
_MOST_SHEET = 40
_REASONS = ("question", "late_press", "wrong_press")


class ArbiterDraft(msgspec.Struct, frozen=True):
    """Until when the arbiter's acts are open."""

    until_ms: Millis = 0


def arbiter_page(sight: Sight) -> Shown:
    """Return the one button that asks for the PIN, or the arbiter's acts; each is asked about once more."""
    acts, desk = Acts(), sight.desk
    assert desk is not None, "an arbiter looks at a table"
    assert sight.change is not None, "and at a game"
    draft = sight.entered(ArbiterDraft())
    if pa.needs_pin(sight.change) and desk.now_ms() >= draft.until_ms:
        lock = Banner("lock", Say("Locked"), Say("The PIN opens it for five minutes."), symbol="lock")
        main = Button(Say("Enter the PIN"), acts.put("pin", _ask_pin(sight)))
        return Shown(Page("arbiter.locked", Say("Arbiter"), blocks=(lock,), main=main), acts)
    blocks: tuple[Block, ...] = (*_acts(sight, acts, draft), _sheet(sight))
    lock_again = Draft(lambda _draft: ArbiterDraft(), ArbiterDraft())
    main = Button(Say("Lock again"), acts.put("lock", lock_again), "lock")
    return Shown(Page("arbiter", Say("Arbiter"), blocks=blocks, main=main), acts)


def _ask_pin(sight: Sight) -> Act:
    desk = sight.desk
    assert desk is not None, "an arbiter looks at a table"
    if not desk.knows_arbiter_pin():
        return Refuse(Say("This box cannot check the arbiter's PIN of this game"))

    def tried(pin: str) -> Act:
        if not desk.check_arbiter(pin):
            return Refuse(Say("Wrong PIN"))
        until_ms = desk.now_ms() + UNLOCKED_MS
        return Draft(lambda _draft: ArbiterDraft(until_ms), ArbiterDraft())

    title = Say("Arbiter's PIN")
    form = Form("pin", title, (Field("pin", title, "pin"),))
    return Ask(form, lambda answers: Do(lambda: tried(answers["pin"])))


def _acts(sight: Sight, acts: Acts, draft: ArbiterDraft) -> tuple[Block, ...]:
    change, rules, desk = sight.change, sight.rules, sight.desk
    assert change is not None, "an arbiter looks at a game"
    assert rules is not None, "and its rules"
    assert desk is not None, "at a table"
    state, view = change.state, pa.arbiter_view(change, rules, desk.now_ms())
    is_free = not pa.needs_pin(change)

    def timely(make: Callable[[Millis], Act]) -> Act:
        """Do something only while it is unlocked: a page that stood open too long does nothing."""
        locked = Refuse(Say("It is locked again. Enter the PIN."))
        return At(lambda at_ms: make(at_ms) if is_free or at_ms < draft.until_ms else locked)

    def asks(key: str, title: Say, command: Callable[[Millis], cm.Command]) -> Item:
        act = sure(title, timely(lambda at_ms: Send(command(at_ms), ARBITER)))
        return Item(key, title, act=acts.put(key, act))

    clocks = tuple(
        Item(who.id, side(who.id), value=Typed(left), mark=side_mark(state.frozen_setup, who.id))
        for who, left in zip(view.sides, view.remaining, strict=True)
        if left
    )
    rows = []
    prompt = prompt_for(change, rules)
    if isinstance(prompt, GapPrompt):
        gap = acts.put("gap", _ask_gap(prompt, timely))
        rows.append(Item("gap", Typed(prompt.title), Typed(prompt.text), state="danger", act=gap))
    rows.append(
        asks("pause", Say("Resume"), lambda at_ms: cm.Resume(at_ms=at_ms))
        if view.is_paused
        else asks("pause", Say("Pause"), lambda at_ms: cm.Pause(at_ms=at_ms))
    )
    if view.can_correct:
        rows.append(
            Item("correct", Say("Correct a clock"), act=acts.put("correct", _ask_time(sight, timely)))
        )
    if view.back_text:
        back = pa.step_back_command(state, rules, 0)
        assert back is not None, "there is a step before this one"

        def stepped(at_ms: Millis) -> cm.Command:
            found = pa.step_back_command(state, rules, at_ms)
            assert found is not None, "there is a step before this one"
            return found

        one = asks("back", Say("Step back"), stepped)
        rows.append(msgspec.structs.replace(one, sub=Typed(view.back_text)))
    if ck.is_tournament(state.clocks):
        keys = tuple(
            Item(key, word, act=acts.put(key, timely(lambda _at, key=key: _lets(key == "presses"))))  # type: ignore[misc]
            for key, word in (("no_presses", Say("Only the box")), ("presses", Say("Phones too")))
        )
        rows.append(Item("presses", Say("Clock presses in this tournament"), facet=Options(keys)))
    rulings = tuple(info.id for info in state.frozen_setup.ruling_infos)
    if rulings:

        def settled(ruling: str, choice: str) -> Act:
            return timely(lambda _at: Send(cm.SetRuling(RulingId(ruling), choice), ARBITER))

        rows.append(
            Item("ruling", Say("Ruling"), act=acts.put("ruling", ask_ruling(state, rulings, settled)))
        )
    sides = tuple(Item(info.id, side(info.id)) for info in state.frozen_setup.sides)
    title = Say("Take the seat away")
    kick = asked("kick", title, sides, lambda one: timely(lambda _at: OnBox("phones_kick", {"seat": one})))
    rows.append(Item("kick", title, act=acts.put("kick", kick)))
    return Rows("clocks", clocks), Rows("acts", tuple(rows))


def _lets(is_on: bool) -> OnBox:
    return OnBox("phones_presses", {"is_on": is_on})


def _ask_gap(prompt: GapPrompt, timely: Callable[[Callable[[Millis], Act]], Act]) -> Ask:
    """Ask who is charged the time that nobody measured."""
    sides = tuple(Item(one.id, side(one.id)) for one in prompt.sides)
    nobody = Say("Charge nobody") if sides else Say("Continue")

    def decided(one: str) -> Act:
        who = None if one == _NOBODY else one
        return timely(lambda at_ms: Send(gap_command(who, prompt.gap_ms, at_ms), ARBITER))

    title = Say("The clocks are set to the last time seen.")
    return asked("gap", title, (Item(_NOBODY, nobody), *sides), decided)


_NOBODY = "-"
"""Among sides: none of them."""


def _ask_time(sight: Sight, timely: Callable[[Callable[[Millis], Act]], Act]) -> Ask:
    """Ask whose clock is corrected, by how much, and why."""
    state = sight.state
    sides = tuple(Item(info.id, side(info.id)) for info in state.frozen_setup.sides)
    ways = (Item("more", Say("More time")), Item("less", Say("Less time")))
    reasons = tuple(Item(key, correction_why(key)) for key in _REASONS)
    fields = (
        Field("side", Say("Which clock?"), "choose", options=sides),
        Field("way", Say("More or less?"), "choose", options=ways),
        Field("minutes", Say("Minutes"), "count", value="0", most=99),
        Field("seconds", Say("Seconds"), "count", value="0", most=59),
        Field("reason", Say("Why is the clock corrected?"), "choose", options=reasons),
    )

    def answered(answers: Answers) -> Act:
        amount_ms = 1000 * (60 * int(answers["minutes"]) + int(answers["seconds"]))
        if not amount_ms:
            return Refuse(Say("Enter the time"))
        who = answers["side"]

        def corrected(at_ms: Millis) -> Act:
            left = ck.remaining(state.clocks, Side(who), at_ms) or 0
            delta = amount_ms if answers["way"] == "more" else -min(amount_ms, left)
            return Send(pa.correct_command(who, delta, at_ms, answers["reason"]), ARBITER)

        return timely(corrected)

    return Ask(Form("correct", Say("Correct a clock"), fields, yes=Say("Correct")), answered)


def _sheet(sight: Sight) -> Rows:
    change, desk = sight.change, sight.desk
    assert change is not None, "an arbiter looks at a game"
    assert desk is not None, "at a table"
    found = pa.sheet_rows(change, desk.entries(), sight.wall_ms)[: -_MOST_SHEET - 1 : -1]
    rows = tuple(
        Item(str(n), Typed(one.text), Typed(one.when), Typed(one.amount) if one.amount else None)
        for n, one in enumerate(found)
    )
    return Rows("sheet", rows, Say("Time sheet"), Say("No times recorded yet"))


ARBITER_ENTRY = ScreenEntry(
    key="arbiter", title=N_("Arbiter"), icon="clocks", make=lambda: arbiter_page, needs_game=False
)
