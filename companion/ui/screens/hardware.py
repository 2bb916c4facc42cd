"""Hardware: every input live, every output tested by a tap, and the corner-touch test."""

from __future__ import annotations

from typing import Any

from companion.core.change import Change
from companion.presenters.hardware import HardwareView, PartRow, hardware_view
from companion.presenters.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.new_game import OptionLine
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Text

__all__ = ["HardwareScreen"]


class HardwareScreen(Screen):
    """Shows the bench of the root and follows it."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = HardwareView()
        super().__init__(root, **kwargs)
        self._held = root.bench.subscribe(self._moved)
        self.ids.rows.make = self._row
        self.ids.rows.columns = 1 if theme.is_portrait else 2
        self.ids.rows.row_px = theme.px(OptionLine.ROW[theme.is_portrait])

    def refresh(self, change: Change | None) -> None:
        """Show the bench as it is."""
        self._show()
        in_game = change is not None and change.state.setup is not None
        self.main_text = _("Back to the table") if in_game else _("Done")

    def leave(self) -> None:
        """Stop following the bench."""
        self._held.cancel()

    def corners(self) -> None:
        """Start the corner-touch test."""
        from companion.ui.corners import CornerTest

        self.root.ask(CornerTest())

    def _moved(self) -> None:
        if self.root.screen is self:
            self._show()

    def _show(self) -> None:
        self.vm = hardware_view(self.root.bench)
        self.ids.rows.items = list(self.vm.rows)

    def _row(self, row: PartRow) -> Any:
        line = OptionLine(label=row.name)
        line.ids.slot.add_widget(Text(text=row.state, tone=row.tone, align="right"))
        if row.can_test:
            plate = Plate(text=_("Test"), kind="soft", acts_on="release")
            plate.bind(on_act=lambda _w, _t: self.root.bench.test(row.key))
            line.ids.slot.add_widget(plate)
        return line


load_kv(__file__)
