"""Result: the figures at the end of a game, large; each player confirms on a half of their own or disputes them.

Once everybody has confirmed the same, the box signs it, and the page shows what it signed as a code for the director.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core.change import Change
from companion.core.ids import ARBITER, TABLE, Side
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, side
from companion.pages import page as pg
from companion.pages.frame import ending_text
from companion.pages.modules import game_view
from companion.pages.page import Acts, Block, Button, Item, Notice, Page, Rows, Shown, Sight, Words
from companion.pages.parts import back_button, side_mark

__all__ = [
    "NoSigner",
    "Outcome",
    "ResultDraft",
    "SignedCode",
    "Signer",
    "is_agreed",
    "outcome_of",
    "result_page",
    "told_of",
]

_SLIP = re.compile(r"(?:[0-9A-Z]{8}\.)?[0-9]{1,3}-[0-9]{1,4}-[0-9A-Z]{4}")


How = Literal["played", "conceded", "adjudicated"]
_HOW: Mapping[str, How] = {"conceded": "conceded", "director": "adjudicated"}
"""By the reason of an ending that the table or the director has given; any other was played."""


class Outcome(msgspec.Struct, frozen=True):
    """What a game has come to, in the terms of a tournament; sides by their ids."""

    winner: str | None
    how: How
    level: str
    vp: dict[str, int]
    """Empty where the game counts none, or where one is not known as a whole number."""
    left_s: dict[str, int]
    """Rounded up, as the clock shows them."""
    flags: tuple[str, ...]


class SignedCode(msgspec.Struct, frozen=True):
    """A signed result to be shown."""

    square: tuple[str, ...]
    """Rows of ``1`` for dark and ``0`` for light."""
    text: str
    box: str
    """Fingerprint of the box's key."""


class Signer(Protocol):
    """What signs a result with the box's own key. Slow: call it beside the thread that draws."""

    def signed(self, change: Change, outcome: Outcome, slip: str) -> SignedCode | Say:
        """Return a result, signed, or why it cannot be."""
        ...

    def box(self) -> str | Say:
        """Return the fingerprint of the box's key, made with the first question, or why there is none."""
        ...


class NoSigner:
    """A program that signs nothing."""

    def signed(self, change: Change, outcome: Outcome, slip: str) -> SignedCode | Say:  # noqa: ARG002
        """Say that it signs nothing."""
        return Say("This program signs no results.")

    def box(self) -> str | Say:
        """Say that it signs nothing."""
        return Say("This program signs no results.")


class ResultDraft(msgspec.Struct, frozen=True):
    """The code of the slip, as it was entered here last."""

    slip: str = ""


def outcome_of(state: GameState) -> Outcome | None:
    """Return what the game has come to; None while it is not over."""
    if state.ending is None:
        return None
    sides = [info.id for info in state.frozen_setup.sides]
    figures = [one for one in game_view(state.frozen_setup.game).figures(state) if one.is_points]
    whole: dict[str, int] = {
        one.side: int(one.amount)
        for one in figures
        if one.amount is not None and one.amount == int(one.amount)
    }
    left = {one: ck.remaining(state.clocks, one, state.clocks.last_ms) for one in sides}
    stage = state.step.stage
    return Outcome(
        state.ending.winner,
        _HOW.get(state.ending.reason, "played"),
        state.ending.level,
        whole if set(whole) == set(sides) else {},
        {one: -(-ms // 1000) for one, ms in left.items() if ms is not None},
        tuple(one for one in sides if ck.fallen(state.clocks, one, stage)),
    )


def told_of(outcome: Outcome) -> str:
    """Return an outcome as the one line that a side confirms, the same for the same figures."""
    return msgspec.json.encode(outcome, order="deterministic").decode()


def is_agreed(state: GameState) -> bool:
    """Say whether every side has confirmed the result as it stands now, each with the same slip."""
    outcome = outcome_of(state)
    kept = [state.confirmed.get(info.id) for info in state.frozen_setup.sides]
    if outcome is None or state.disputed or None in kept or len(set(kept)) != 1:
        return False
    return kept[0] is not None and kept[0].told == told_of(outcome)


def result_page(sight: Sight) -> Shown:
    """Return the result and both halves, or while the game is not over the ways to end it."""
    acts, state = Acts(), sight.state
    outcome = outcome_of(state)
    if outcome is None:
        return _open_page(sight, acts)
    slip = sight.entered(ResultDraft()).slip or next(
        (one.slip for one in reversed(state.confirmed.values()) if one.slip), _seat_slip(sight)
    )
    told = told_of(outcome)
    sides = [info.id for info in state.frozen_setup.sides]
    ready = [
        one
        for one in sides
        if (kept := state.confirmed.get(one)) is not None and (kept.told, kept.slip) == (told, slip)
    ]
    is_all = len(ready) == len(sides) and not state.disputed
    code = _code(sight, outcome, slip) if is_all and slip else None
    halves = pg.Sides(
        "halves", tuple(_half(state, acts, one, outcome, slip, is_ready=one in ready) for one in sides)
    )
    if code is not None:
        blocks: tuple[Block, ...] = (code,)
    elif state.disputed:
        who = Name("side", sorted(state.disputed)[0])
        call = Say("{side} disputes the result. Call the director.", side=who)
        blocks = (Notice("dispute", call, state="danger"), halves)
    else:
        blocks = (_head(state, outcome), halves)
    lead = Typed(slip.rpartition(".")[2]) if slip else Say("No slip")
    tools: tuple[Button, ...] = ()
    if not is_all or not slip:
        tools = (Button(Say("Slip code"), acts.put("slip", _ask_slip(sight)), "edit"),)
    page = Page(
        "result",
        Say("Result"),
        lead,
        "ok" if is_all else "muted",
        tools=tools,
        blocks=blocks,
        main=back_button(acts),
    )
    return Shown(page, acts)


def _seat_slip(sight: Sight) -> str:
    """Return the code that the director has given with the seat of this very game."""
    if sight.box is None:
        return ""
    hall = sight.box.hall.state
    return hall.slip if hall.slip_game and hall.slip_game == sight.state.frozen_setup.game_id else ""


def _head(state: GameState, outcome: Outcome) -> Block:
    mark = side_mark(state.frozen_setup, outcome.winner) if outcome.winner else None
    points = [str(outcome.vp[info.id]) for info in state.frozen_setup.sides if info.id in outcome.vp]
    return pg.Banner(
        "end", Typed(ending_text(state)), value=Typed(" : ".join(points)) if points else None, mark=mark
    )


def _half(state: GameState, acts: Acts, one: Side, outcome: Outcome, slip: str, *, is_ready: bool) -> pg.Side:
    """Return a side's own half: its figures, and its keys until it has confirmed."""
    setup = state.frozen_setup
    won: Words = (
        Say("Draw") if outcome.winner is None else Say("Won") if outcome.winner == one else Say("Lost")
    )
    rows = []
    if one in outcome.vp:
        rows.append(Item("points", Say("Victory points"), value=Typed(str(outcome.vp[one]))))
    if one in outcome.left_s:
        seconds = outcome.left_s[one]
        rows.append(Item("left", Say("Time left"), value=Typed(f"{seconds // 60}:{seconds % 60:02d}")))
    if one in outcome.flags:
        rows.append(Item("flag", Say("Flag fallen"), state="danger"))
    if is_ready:
        notice = Notice(f"done.{one}", Say("Confirmed"), state="ok")
    else:
        confirm = pg.Send(cm.ConfirmResult(one, told_of(outcome), slip))
        keys = [Button(Say("Confirm"), acts.put(f"confirm.{one}", confirm), "check")]
        if one not in state.disputed:
            dispute = pg.sure(
                Say("Is the result wrong?"),
                pg.Send(cm.DisputeResult(one)),
                sub=Say("Nothing is signed then, until the director has looked at it."),
                yes=Say("It is wrong"),
                is_danger=True,
            )
            keys.append(Button(Say("Dispute"), acts.put(f"dispute.{one}", dispute), is_danger=True))
        notice = Notice(f"ask.{one}", Say("Is this right?"), acts=tuple(keys))
    head = pg.Head(f"head.{one}", side(one), value=won, mark=side_mark(setup, one))
    figures = (Rows(f"rows.{one}", tuple(rows)),) if rows else ()
    return pg.Side(one, head, (*figures, notice))


def _code(sight: Sight, outcome: Outcome, slip: str) -> Block:
    """Return the signed result to be scanned, or why there is none yet."""
    change = sight.change
    assert change is not None, "a screen that needs a game is shown with one"
    if sight.box is None:
        return Notice("code", Say("The code stands on the box."), state="ok")
    signer = sight.box.signer
    made = sight.work(("result", change.seq, slip), lambda: signer.signed(change, outcome, slip))
    if made is None:
        return Notice("code", Say("The result is being signed."))
    if isinstance(made, Say):
        return Notice("code", Say("The result is confirmed, but not signed."), made, "danger")
    return pg.Code(
        "code",
        made.square,
        Say("Everybody has confirmed. Show this code to the director."),
        Say("Signed by box {box}", box=Typed(made.box)),
        Typed(slip.rpartition(".")[2]),
    )


def _ask_slip(sight: Sight) -> pg.Ask:
    """Ask for the code of the slip: typed, or read from a picture of it."""

    def typed(text: str) -> pg.Act:
        code = "".join(text.split()).upper()
        if not _SLIP.fullmatch(code):
            return pg.Refuse(Say("A slip's code reads like 2-14-K7QF: round, table and four signs."))
        return pg.Draft(lambda _draft: ResultDraft(code), ResultDraft())

    field = pg.Field("slip", Say("Code of the slip"), "text", Say("Such as 2-14-K7QF"), most=24)
    by_hand = pg.Ask(
        pg.Form("slip", Say("Code of the slip"), (field,)), lambda answers: typed(answers["slip"])
    )
    if sight.box is None:
        return by_hand
    scanner = sight.box.scanner

    def read(key: str) -> pg.Act:
        if key == "type":
            return by_hand

        def look() -> pg.Act:
            text = scanner.read(key)
            return pg.Refuse(text) if isinstance(text, Say) else typed(text)

        return pg.Do(look)

    options = (Item("type", Say("Type it")), *(Item(key, Typed(name)) for key, name in scanner.sources()))
    return by_hand if len(options) == 1 else pg.asked("how", Say("Code of the slip"), options, read)


def _open_page(sight: Sight, acts: Acts) -> Shown:
    """Return the ways to end a game before its rules do."""
    state = sight.state
    setup, sides = state.frozen_setup, [info.id for info in state.frozen_setup.sides]
    rows: list[Item] = []

    def way(key: str, title: Say, winner: Side | None, reason: str, who: str | None = None) -> None:
        actor = ARBITER if reason == "director" else TABLE
        send = pg.Send(lambda at_ms: cm.EndGame(at_ms=at_ms, winner=winner, reason=reason), actor=actor)
        sure = pg.sure(title, send, sub=Say("Undo takes it back."), yes=Say("End the game"), is_danger=True)
        mark = None if who is None else side_mark(setup, who)
        rows.append(Item(key, title, mark=mark, act=acts.put(key, sure)))

    if len(sides) == 2:
        for loser, winner in (sides, sides[::-1]):
            told = Say("Concede as {side}", side=Name("side", loser))
            way(f"concede.{loser}", told, winner, "conceded", loser)
    way("draw", Say("Draw, as agreed"), None, "agreed")
    for one in sides:
        told = Say("Director: victory for {side}", side=Name("side", one))
        way(f"director.{one}", told, one, "director", one)
    way("director", Say("Director: draw"), None, "director")
    blocks: list[Block] = [
        Rows("end", tuple(rows), title=Say("End it now"), is_wide=False),
    ]
    if sight.box is not None:
        box = sight.work("signer", sight.box.signer.box)
        shown: Words = box if isinstance(box, Say) else Typed(box or "")
        blocks.append(Rows("box", (Item("box", Say("This box signs as"), shown),)))
    note = Say("The game is not over. Its result is confirmed here when it is.")
    page = Page("result.open", Say("Result"), note, "muted", blocks=tuple(blocks), main=back_button(acts))
    return Shown(page, acts)
