"""The Engagement screen of a game kept by totals: who takes the Operation, and everybody's points at the end."""

from __future__ import annotations

from typing import Literal

from companion.core.ids import Side as SideId
from companion.core.state import GameState
from companion.core.text import Name, Say, side
from companion.games.med.pages.table import columns, hand_rows
from companion.games.med.rules import commands as cm
from companion.games.med.rules.by_totals import first_of, won_in
from companion.games.med.rules.slice import MedSlice, noted_at, operations_won, slice_of
from companion.pages.page import (
    Acts,
    Ask,
    Block,
    Button,
    Choices,
    Field,
    Form,
    Head,
    Item,
    Page,
    Rows,
    Send,
    State,
    Tiles,
    Words,
)
from companion.pages.parts import back_button, end_button, side_mark

__all__ = ["totals_page"]


def totals_page(state: GameState, acts: Acts) -> Page:
    """Return what the step asks for: who takes the Operation, or the points once the piles are uncovered."""
    own, step = slice_of(state), state.step
    if state.ending is not None or step.act == "count":
        return _count_page(state, acts, own)
    title = Say("Engagement {n} of {m}", n=step.stage, m=own.options.operations)
    main = end_button(state, acts)
    if step.act != "taken":
        lead = Say("Deal six cards to each player")
        return Page(f"{step.id}.deal", title, blocks=columns(lead, hand_rows(state)), main=main)
    open_ = Say("Choose who takes it")
    return Page(
        f"{step.id}.taken",
        title,
        tools=_others(state, acts),
        blocks=_taken_blocks(state, acts, own),
        main=main if noted_at(own, step) else Button(open_, why_not=open_),
    )


def _others(state: GameState, acts: Acts) -> tuple[Button, ...]:
    """Return the two ends of an Operation that nobody wins."""
    noted = noted_at(slice_of(state), state.step)
    ends: tuple[tuple[Literal["tie", "nobody"], Words], ...] = (
        ("tie", Say("Draw: fight again")),
        ("nobody", Say("Nobody")),
    )
    return tuple(
        Button(
            title,
            acts.put(f"note.{key}", Send(cm.NoteOperation(state.step.id, key))),
            is_on=noted is not None and noted.result == key,
        )
        for key, title in ends
    )


def _taken_blocks(state: GameState, acts: Acts, own: MedSlice) -> tuple[Block, ...]:
    step = state.step
    noted = noted_at(own, step)
    replays = sum(1 for one in own.noted if one.number == step.stage and one.step != step.id)
    won = operations_won(state)

    def tile(player: SideId) -> Item:
        shown: State = "chosen" if noted is not None and noted.player == player else "plain"
        act = acts.put(f"note.{player}", Send(cm.NoteOperation(step.id, "won", player)))
        count = Say.counted("{n} Operation", "{n} Operations", won[player])
        return Item(
            player, side(player), count, mark=side_mark(state.frozen_setup, player), state=shown, act=act
        )

    tiles = tuple(map(tile, own.players))
    keeps = own.options.advanced
    asks = Say("Who keeps the Operation's card?") if keeps else Say("Who takes the Operation?")
    first = side(first_of(own, step.stage, replays))
    lead = (
        Say("{player} moves first, fought again", player=first)
        if replays
        else Say("{player} moves first", player=first)
    )
    blocks: list[Block] = [Head("first", lead, asks), Tiles("who", tiles, columns=len(tiles))]
    if noted is not None and noted.player is not None:
        blocks.append(_freighter(state, acts, noted))
    return tuple(blocks)


def _freighter(state: GameState, acts: Acts, noted: cm.OperationNoted) -> Choices:
    """Return the load line of the card taken: who wants to be told the size of hands says it."""
    options = tuple(
        Item(
            line,
            Name("freighter", line),
            act=acts.put(f"line.{line}", Send(cm.NoteOperation(state.step.id, "won", noted.player, line))),
        )
        for line in ("none", "half", "full")
    )
    return Choices("freighter", options, noted.freighter, Say("Its freighter, if you want hand sizes told"))


def _ask_points(state: GameState) -> Ask:
    """Ask for everybody's points of this game, one player after the other."""
    own = slice_of(state)
    fields = tuple(
        Field(
            player,
            Say("Points of {player} in this game", player=side(player)),
            "number",
            Say.counted("Took {n} Operation", "Took {n} Operations", won_in(own, player)),
            value=str(own.counted.get(player, "")),
            most=3,
        )
        for player in own.players
    )
    form = Form("points", Say("Points"), fields)
    step = state.step.id
    return Ask(
        form,
        lambda answers: Send(cm.CountPoints(step, {player: int(answers[player]) for player in own.players})),
    )


def _count_page(state: GameState, acts: Acts, own: MedSlice) -> Page:
    tools: tuple[Button, ...] = ()
    lead, main = None, back_button(acts)
    if state.ending is None:
        enter = Button(Say("Enter the points"), acts.put("points", _ask_points(state)), "edit")
        if own.counted:
            tools, main = (enter,), end_button(state, acts)
        else:
            lead, main = Say("Uncover the piles and count them"), enter
    return Page(
        f"{state.step.id}.count",
        Say("Points"),
        lead,
        "muted",
        tools=tools,
        blocks=_rows(state, own),
        main=main,
    )


def _rows(state: GameState, own: MedSlice) -> tuple[Block, ...]:
    won = operations_won(state)
    rows = tuple(
        Item(
            player,
            side(player),
            Say.counted("{n} Operation", "{n} Operations", won[player]),
            own.counted.get(player),
            side_mark(state.frozen_setup, player),
        )
        for player in own.players
    )
    return (Rows("points", rows),)
