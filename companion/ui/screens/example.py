"""An example screen to copy: it counts what the table has done in each stage.

It shows what every screen needs: a frozen view from a pure function, rows in pages, a main act with its press stamp.
Real screens keep their view function in `companion.pages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core import commands as cm
from companion.core.change import Change
from companion.pages.i18n import _
from companion.pages.labels import stage_name
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Plate

__all__ = ["ExampleScreen"]


@dataclass(frozen=True, slots=True)
class ExampleView:
    """What the example shows."""

    headline: str = ""
    rows: tuple[str, ...] = ()


def example_view(change: Change) -> ExampleView:
    """Return the view: pure, so that it is tested without a window."""
    setup = change.state.frozen_setup
    steps = change.state.itinerary.steps
    rows = tuple(
        _("{stage}: {n} steps").format(
            stage=stage_name(setup, stage), n=sum(step.stage == stage for step in steps)
        )
        for stage in change.state.itinerary.stages()
    )
    return ExampleView(_(setup.title), rows)


class ExampleScreen(Screen):
    """Copy this class, its kv file and its test."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = ExampleView()
        super().__init__(root, **kwargs)
        self.ids.rows.make = lambda text: Plate(text=text, kind="row", align="left", acts_on="release")
        self.ids.rows.row_px = theme.px(54)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self.vm = example_view(change)
        self.ids.rows.items = list(self.vm.rows)
        self.main_text = _("Pause")

    def main_act(self, touch: Any) -> None:
        """Send a command with the stamp of the press."""
        self.send(cm.Pause(at_ms=self.stamp_ms(touch)))


load_kv(__file__)
