"""Charts: victory points over the stages, and who used how much time for what."""

from __future__ import annotations

import msgspec

from companion.core.text import N_, Say
from companion.pages import plots
from companion.pages.page import Acts, Block, Draft, Item, Page, Plot, Rows, Shown, Sight
from companion.pages.parts import as_words, back_button

__all__ = ["ChartsDraft", "charts_page"]

_TABS: dict[str, str] = {
    "points": N_("Points"),
    "phases": N_("Time by phase"),
    "stages": N_("Time by stage"),
}


class ChartsDraft(msgspec.Struct, frozen=True):
    """What is looked at: ``points``, ``phases`` or ``stages``."""

    tab: str = "phases"


def _show(tab: str) -> Draft[ChartsDraft]:
    return Draft(lambda _draft: ChartsDraft(tab), ChartsDraft())


def charts_page(sight: Sight) -> Shown:
    """Return one chart at a time."""
    acts, tab = Acts(), sight.entered(ChartsDraft()).tab
    page = Page(
        f"charts.{tab}",
        Say("Charts"),
        tabs=tuple(
            Item(key, Say(text), act=acts.put(f"tab.{key}", _show(key))) for key, text in _TABS.items()
        ),
        tab=tab,
        blocks=(_chart(sight, tab),),
        main=back_button(acts),
    )
    return Shown(page, acts)


def _chart(sight: Sight, tab: str) -> Block:
    state = sight.state
    entries = sight.desk.entries() if sight.desk is not None else ()
    if tab == "points":
        lines = plots.score_lines(state)
        if lines is None:
            return Rows("none", (), empty=as_words(plots.no_scores()))
        return Plot("points", lines)
    if state.clocks.config.mode == "none":
        return Rows("none", (), empty=Say("This game does not track time"))
    by = plots.time_by_phase if tab == "phases" else plots.time_by_stage
    return Plot(tab, by(entries, state, now_ms=None if sight.desk is None else sight.desk.now_ms()))
