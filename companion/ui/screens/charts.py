"""Charts: victory points over the stages, and who used how much time for what."""

from __future__ import annotations

from typing import Any

from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.pages import plots
from companion.pages.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import BarPlot, LinePlot, Text

__all__ = ["ChartsScreen"]


class ChartsScreen(Screen):
    """One plot at a time, chosen by tabs."""

    tab = StringProperty("phases")

    def enter(self, **args: Any) -> None:
        """Open a certain chart, where one is named."""
        self.tab = args.get("tab", self.tab)

    def refresh(self, change: Change | None) -> None:
        """Draw the chart at hand."""
        if change is None:
            return
        self.ids.tabs.options = [
            ("points", _("Points")),
            ("phases", _("Time by phase")),
            ("stages", _("Time by stage")),
        ]
        self.ids.tabs.chosen = self.tab
        entries, state = self.root.desk.entries(), change.state
        slot = self.ids.slot
        slot.clear_widgets()
        if self.tab == "points":
            model = plots.score_lines(entries, state)
            slot.add_widget(LinePlot(model=model) if model is not None else _nothing(plots.no_scores()))
        elif state.clocks.config.mode == "none":
            slot.add_widget(_nothing(_("This game keeps no time")))
        else:
            by = plots.time_by_phase if self.tab == "phases" else plots.time_by_stage
            slot.add_widget(BarPlot(model=by(entries, state)))
        self.main_text = _("Back to the table")

    def choose(self, key: str) -> None:
        """Show another chart."""
        self.tab = key
        self.refresh(self.root.desk.change)


def _nothing(text: str) -> Any:
    box = BoxLayout(padding=(theme.px(20), 0))
    box.add_widget(Text(text=text, tone="muted", align="center"))
    return box


load_kv(__file__)
