"""More: every screen of this game, and what else the table can do."""

from __future__ import annotations

from typing import Any

from companion.core import commands as cm
from companion.core.change import Change
from companion.pages.i18n import _
from companion.pages.prompts import adjourn_text
from companion.ui import registry
from companion.ui.dialogs import Confirm
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Plate

__all__ = ["MoreScreen"]


class MoreScreen(Screen):
    """A page of large entries."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        super().__init__(root, **kwargs)
        pages = self.ids.entries
        pages.columns = 2 if theme.is_portrait else 3
        pages.row_px = theme.px(62)
        pages.make = self._entry

    def refresh(self, change: Change | None) -> None:
        """List what there is."""
        if change is None:
            return
        shown = [
            s
            for s in registry.for_game(change.state.frozen_setup.game)
            if s.key not in ("table", "clocks", "more")
        ]
        items: list[tuple[str, str, str, Any]] = [
            (s.key, _(s.title), s.icon, lambda _t, key=s.key: self.root.go(key)) for s in shown
        ]
        items += [
            ("arbiter", _("Arbiter"), "arbiter", lambda _t: self._arbiter()),
            ("settings", _("Settings"), "settings", lambda _t: self.root.go("settings")),
            ("adjourn", _("Adjourn"), "save", self._adjourn),
            ("home", _("Home"), "home", lambda _t: self.root.go("home")),
        ]
        if [one[0] for one in items] != [one[0] for one in self.ids.entries.items]:
            self.ids.entries.items = items
        self.main_text = _("Back to the table")

    def _entry(self, item: Any) -> Any:
        _key, text, icon, act = item
        plate = Plate(text=text, icon=icon, kind="soft", align="left", acts_on="release")
        plate.bind(on_act=lambda _w, touch: act(touch))
        return plate

    def _arbiter(self) -> None:
        from companion.ui.arbiter import open_arbiter

        open_arbiter(self.root)

    def _adjourn(self, touch: Any) -> None:
        at_ms = self.stamp_ms(touch)
        change = self.root.desk.change
        if change is None:
            return

        def go(_touch: Any) -> None:
            self.send(cm.Adjourn(at_ms=at_ms))
            self.root.desk.close()
            self.root.go("home")

        self.root.ask(
            Confirm(
                _("Adjourn the game?"),
                adjourn_text(change.state),
                _("Adjourn"),
                go,
            )
        )


load_kv(__file__)
