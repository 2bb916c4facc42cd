"""A page as somebody sees it who may only look: nothing to press, what is chosen stands as a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.text import several
from companion.pages.page import (
    Block,
    Button,
    Choices,
    Counter,
    Item,
    Keys,
    Options,
    Pad,
    Page,
    Pick,
    Rows,
    Sides,
    Tick,
    Tiles,
)

__all__ = ["read_only"]

_ACTS = ("act", "less", "more")


def read_only(page: Page, *, has_keys: bool = True) -> Page:
    """Return a page without acts, tools and questions; what can only be pressed falls away, and the tab it is on is told.

    `has_keys`: rows stay that are there to be pressed alone, since their words tell something.
    """
    tab = next((one.title for one in page.tabs if one.key == page.tab), None)
    lead, tone = (page.lead, page.lead_tone) if page.lead is not None or tab is None else (tab, "muted")
    return Page(page.key, page.title, lead, tone, blocks=tuple(_blocks(page.blocks, has_keys=has_keys)))


def _blocks(blocks: tuple[Block, ...], *, has_keys: bool) -> Iterator[Block]:
    for block in blocks:
        match block:
            case Pad():
                continue
            case Tiles() if block.tiles and all(map(_is_key, block.tiles)):
                continue
            case Rows() if not has_keys and any(map(_is_key, block.rows)):
                told = tuple(row for row in block.rows if not _is_key(row))
                if told:
                    yield _quiet(replace(block, rows=told))
            case Sides():
                sides = (
                    replace(
                        side,
                        head=_quiet(side.head),
                        blocks=tuple(_blocks(side.blocks, has_keys=has_keys)),
                    )
                    for side in block.sides
                )
                pairs = zip(block.sides, sides, strict=True)
                yield replace(block, sides=tuple(now for was, now in pairs if now.blocks or not was.blocks))
            case Choices():
                chosen = tuple(one for one in block.options if one.key == block.chosen)
                if chosen:
                    yield Rows(block.key, _quiet(chosen), block.title)
            case _:
                yield _quiet(block)


def _is_key(item: Item) -> bool:
    """Say whether an item is there to be pressed alone: it tells nothing that is or was chosen."""
    is_told = item.facet is not None or item.value is not None or bool(item.signs)
    return item.act is not None and not is_told and item.state == "plain"


def _leads_on(value: Any) -> bool:
    """Say whether a part of a page is there for a finger alone."""
    return isinstance(value, Button) or (isinstance(value, Item) and value.is_way)


def _quiet(value: Any) -> Any:
    """Return a part of a page without its acts."""
    if isinstance(value, Item):
        return _read(value)
    if isinstance(value, tuple):
        return tuple(_quiet(one) for one in value if not _leads_on(one))
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return replace(
            value, **{name: None if name in _ACTS else _quiet(getattr(value, name)) for name in names}
        )
    return value


def _read(item: Item) -> Item:
    """Return an item as it is read: what it is set to is its value."""
    value, state = item.value, item.state
    match item.facet:
        case Counter():
            value = item.facet.count if item.facet.count or value is None else value
        case Tick() | Pick():
            state = "chosen" if item.facet.is_on and state == "plain" else state
        case Keys():
            on = [key.title for key in item.facet.keys if key.state == "chosen"]
            value = several(on, "comma") if on else value
        case Options():
            chosen = next((one for one in item.facet.options if one.key == item.facet.chosen), None)
            value = chosen.title if chosen is not None else value
        case _:
            pass
    return replace(item, act=None, facet=None, value=value, state=state)
