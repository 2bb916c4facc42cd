"""The Score screen that all games share: who would win now on one bar, a chart with its list, the points over time."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from companion.core.text import Say, Value, several
from companion.pages.coast import spot
from companion.pages.modules import game_view
from companion.pages.page import (
    Acts,
    Block,
    Button,
    Draft,
    Item,
    Notice,
    Page,
    Picture,
    Plot,
    Rows,
    Shown,
    Sight,
    Spot,
    Tiles,
    Words,
)
from companion.pages.plots import score_lines

__all__ = ["ScoreDraft", "score_shown"]


class ScoreDraft(msgspec.Struct, frozen=True):
    """How it is looked at."""

    tab: str = "chart"
    """``chart``, ``list`` or ``time``; where there is no chart, its list."""


def _to(tab: str) -> Draft[ScoreDraft]:
    return Draft(lambda _draft: ScoreDraft(tab), ScoreDraft())


def score_shown(
    sight: Sight,
    acts: Acts,
    *,
    main: Button,
    conditions: tuple[Item, ...],
    places: tuple[Item, ...] = (),
    where: Mapping[str, tuple[float, float]] | None = None,
    open_: Words | None = None,
    faults: tuple[Words, ...] = (),
    second: Button | None = None,
) -> Shown:
    """Return the bar over the chart with its holders, their list with what wins, or the points over the stages.

    Args:
        sight: What is looked at.
        acts: Where the items' acts are kept already.
        main: The main act.
        conditions: What wins the game for whom, and how far each side is from it; then what the table can claim.
        places: Everything that is held, with its holder; what never changes hands stands on the chart alone.
        where: Longitude and latitude of places by key; a place without them stands in the list alone.
        open_: What hides how the game stands; None: nothing does.
        faults: What of the entered values cannot be.
        second: One more act.
    """
    state, tab = sight.state, sight.entered(ScoreDraft()).tab
    standing = game_view(state.frozen_setup.game).standing(state)
    spots = tuple(Spot(*spot(*where[item.key]), item) for item in places if where and item.key in where)
    lines = score_lines(state)
    names = {"chart": Say("Chart")} if spots else {}
    names["list"] = Say("List")
    if lines is not None:
        names["time"] = Say("Over time")
    tab = tab if tab in names else next(iter(names))
    title: Words = Say("If it ended now: not known yet")
    if standing is not None and standing.now != open_:
        title = standing.now
    notes: tuple[Value, ...] = tuple(
        one for one in (None if standing is None else standing.far, open_) if one is not None
    )
    note = several(notes, "lines") if notes else None
    blocks: list[Block] = [] if standing is None or (tab == "list" and spots) else [standing.split]
    blocks += [Notice(f"refused.{n}", fault, state="danger") for n, fault in enumerate(faults)]
    if tab == "list":
        blocks.append(Rows("conditions", conditions, is_wide=not spots))
        listed = tuple(item for item in places if item.act is not None)
        if listed:
            blocks.append(Tiles("places", listed))
    elif tab == "time" and lines is not None:
        blocks.append(Plot("line", lines))
    else:
        blocks.append(Picture("holders", "chart", spots, note=note))
    page = Page(
        f"score.{tab}",
        title,
        tools=tuple(
            Button(words, acts.put(f"tab.{key}", _to(key)), is_on=key == tab) for key, words in names.items()
        )
        if len(names) > 1
        else (),
        blocks=tuple(blocks),
        main=main,
        second=second,
    )
    return Shown(page, acts)
