"""The wall in the director's window: a line a table, the one that needs him most first; the same order as in a browser."""

from __future__ import annotations

from collections import Counter

from companion.core.text import Duration, Say, Typed, several
from companion.director.look import NEED_MARKS, Director, DirectorDraft, Look, opened, to, words_in
from companion.hall.desk.web.html import short_name
from companion.hall.desk.web.view import place_of, points_of
from companion.hall.wall import Tile, tiles
from companion.pages.page import (
    Act,
    Acts,
    Ask,
    Block,
    Button,
    Choices,
    Field,
    Form,
    Item,
    Notice,
    Refuse,
    Rows,
    State,
    Words,
)

__all__ = ["URGENT", "left_of", "tables_of", "wall_blocks", "wall_tools"]

URGENT = ("dispute", "called", "flag", "gap", "lost")
_SLOW = ("behind", "late", "near")
_NAME = 13
"""Letters of a name on the wall."""


def tables_of(look: Look) -> tuple[Tile, ...]:
    """Return the tables of the newest round, the one that needs the director most first."""
    view = look.view
    return tiles(view.now, view.live, view.now_ms, view.left_ms)


def left_of(ms: int) -> Duration:
    """Return what is left on a clock, in whole minutes until the last one, so that a wall of tables stands still."""
    return Duration(max(0, ms) // 60_000 * 60_000 if ms >= 60_000 else max(0, ms) // 1000 * 1000)


def wall_blocks(look: Look, draft: DirectorDraft, director: Director, acts: Acts) -> tuple[Block, ...]:
    """Return how many tables need what, and the tables."""
    found, blocks = tables_of(look), list[Block]()
    if look.view.link:
        blocks.append(Notice("link", Say("Link to the tables"), words_in(look.view.link), "danger"))
    groups = Counter(_group(tile) for tile in found)
    filters = (
        ("all", Say("All: {n}", n=len(found))),
        ("urgent", Say("Need you: {n}", n=groups["urgent"])),
        ("slow", Say("Watch: {n}", n=groups["slow"])),
        ("play", Say("In play: {n}", n=groups["play"])),
        ("done", Say("Finished: {n}", n=groups["done"])),
    )
    if len(found) > 1:
        chips = tuple(Item(key, words, act=acts.put(f"need.{key}", to(need=key))) for key, words in filters)
        blocks.append(Choices("need", chips, draft.need))
    rows = tuple(_row(tile, director, acts) for tile in found if draft.need in ("all", _group(tile)))
    empty = Say("No round has been paired yet.") if not found else Say("No table in this list.")
    blocks.append(Rows("wall", rows, empty=empty, is_wide=False))
    return tuple(blocks)


def _group(tile: Tile) -> str:
    if tile.need in URGENT:
        return "urgent"
    return "slow" if tile.need in _SLOW else "done" if tile.need == "done" else "play"


def _row(tile: Tile, director: Director, acts: Acts) -> Item:
    names = " – ".join(short_name(name, _NAME) for name in tile.names)
    told: list[Words] = [tile.word]
    state = tile.live.state
    if tile.is_silent:
        told.append(Say("Not heard"))
    if tile.clocks:
        told.append(
            Say(
                "{one} : {other}", one=left_of(tile.clocks[0].left_ms), other=left_of(tile.clocks[-1].left_ms)
            )
        )
    if state is not None:
        told += [Typed(text) for text in (place_of(state), points_of(state, tile.sides)) if text]
    how: State = "danger" if tile.need in URGENT else "muted" if tile.need == "done" else "plain"
    return Item(
        str(tile.table),
        Typed(f"{tile.table} · {names}"),
        several(told, "dots"),
        mark=NEED_MARKS[tile.need],
        state=how,
        act=acts.put(f"table.{tile.table}", opened(director, tile.table)),
        may_shorten=True,
    )


def wall_tools(look: Look, director: Director, acts: Acts) -> tuple[Button, ...]:
    """Return the way to a table by its number."""
    known = {tile.table for tile in tables_of(look)}

    def go(answer: str) -> Act:
        number = int(answer) if answer.isdecimal() else 0
        if number not in known:
            return Refuse(Say("There is no such table in this round."))
        return opened(director, number)

    if len(known) < _MANY:
        return ()
    field = Field("table", Say("Table"), "number", most=6)
    ask = Ask(Form("go", Say("Go to a table"), (field,)), lambda answers: go(answers["table"]))
    return (Button(Say("Go to a table"), acts.put("go", ask), "forward"),)


_MANY = 9
