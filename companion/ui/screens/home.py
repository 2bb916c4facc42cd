"""Home: go on with the last game, start a new one, or take an older one from the shelf."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kivy.properties import NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.pages.home import HomeView, SavedRow, home_view
from companion.pages.i18n import _
from companion.pages.new_game import NewGameDraft
from companion.ui.dialogs import Act, Choose, Confirm, Dialog
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets.tap import Tap

__all__ = ["HomeScreen"]

_EMPTY = HomeView()


class SavedLine(Tap, BoxLayout):
    """One saved game in the list."""

    row = ObjectProperty(None, allownone=True, rebind=True)
    title = StringProperty("")
    where = StringProperty("")
    when = StringProperty("")
    title_px = NumericProperty(0)
    """Type size of the title: the same in all rows."""


class DamagedGame(Dialog):
    """Says in full why a game cannot be opened, and offers what can still be done with its file."""

    def __init__(self, row: SavedRow, act: Callable[[str], None]) -> None:
        super().__init__(row.title, row.fault)
        self.card_width, self.card_height = 720, 330
        self._act = act

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """The bin, away, and the harmless one last: the main key presses it."""
        return (
            (_("Move to bin"), "danger", lambda _touch: self._act("delete")),
            (_("Close"), "quiet", None),
            (_("Copy to a USB stick"), "main", lambda _touch: self._act("export")),
        )


class HomeScreen(Screen):
    """Shows a `HomeView`; the main act goes on with the last game."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = _EMPTY
        self._side_resume = False
        """Whether the buttons beside the main one were made for a game to resume."""
        super().__init__(root, **kwargs)
        self.ids.saved.make = self._row
        saved = self.ids.saved
        saved.row_px = theme.px(62) * (1 + 0.06 * theme.text_step)
        saved.text_of, saved.text_role, saved.text_wraps = lambda row: row.title, "strong", False
        saved.inset_px = theme.px(2 * 14 + 10 + 18)

    def refresh(self, change: Change | None) -> None:
        """Show the shelf."""
        self._read_shelf()
        if self._can_resume(change) != self._side_resume:  # the first game came, or the last one went
            self.root.go("home")
            return
        self.ids.saved.items = list(self.vm.others)
        self.ids.saved.empty_text = (
            _("Older games will appear here") if self.vm.resume else _("No saved games yet")
        )
        self.main_text = _("Resume") if self._can_resume(change) else _("New game")
        self.main_icon = "play" if self._can_resume(change) else "plus"

    def _read_shelf(self) -> None:
        self.vm = home_view(self.root.desk.saved_games(), self.root.wall_ms())

    def _can_resume(self, change: Change | None) -> bool:
        """Whether a game waits to be gone on with: stored, or open and not over."""
        return self.vm.resume is not None or (change is not None and change.state.ending is None)

    def main_act(self, touch: Any) -> None:  # noqa: ARG002
        """Resume the last game, or start the first one."""
        desk = self.root.desk
        if self.vm.resume is not None:
            self._open(self.vm.resume.path)
        elif desk.change is not None and desk.change.state.ending is None:
            self.root.go("table")
        else:
            self.root.go("new_game", draft=NewGameDraft())

    def side_actions(self) -> tuple[tuple[str, str, Any], ...]:
        """New game, unless the main button is that, and settings. Asked for before anything is shown."""
        self._read_shelf()
        settings = (_("Settings"), "settings", lambda: self.root.go("settings"))
        self._side_resume = self._can_resume(self.root.desk.change)
        if not self._side_resume:
            return (settings,)
        return ((_("New game"), "plus", lambda: self.root.go("new_game", draft=NewGameDraft())), settings)

    def _open(self, path: Path) -> None:
        desk = self.root.desk
        if getattr(desk, "path", None) == path and desk.change is not None:
            self.root.go("table")
            return
        self.root.open_game(path)

    def _row(self, row: Any) -> Any:
        line = SavedLine(row=row, title=row.title, where=row.brief, when=row.saved)
        line.title_px = self.ids.saved.font_px
        line.bind(on_act=lambda widget, _touch: self._chosen(widget.row))
        return line

    def _chosen(self, row: Any) -> None:
        if row.fault:
            self.root.ask(DamagedGame(row, lambda key: self._do(key, row)))
            return
        options = [
            ("open", _("Open")),
            ("export", _("Copy to a USB stick")),
            ("delete", _("Move to bin")),
        ]
        self.root.ask(
            Choose(row.title, options, lambda key: self._do(key, row), text=f"{row.where}\n{row.when}")
        )

    def more(self) -> None:
        """Offer what else can be done with the game to resume."""
        if self.vm.resume is not None:
            self._chosen(self.vm.resume)

    def _do(self, key: str, row: Any) -> None:
        if key == "open":
            self._open(row.path)
        elif key == "export":
            self.root.export(row.path)
        else:
            self.root.ask(
                Confirm(
                    _("Move this game to the bin?"),
                    _("{title}, {where}. You can get it back from the bin folder.").format(
                        title=row.title, where=row.where
                    ),
                    _("Move to bin"),
                    lambda _touch: self._delete(row),
                    is_danger=True,
                )
            )

    def _delete(self, row: Any) -> None:
        self.root.desk.delete(row.path)
        self.root.refresh()

    def import_game(self) -> None:
        """Take a game from a USB stick."""
        self.root.import_game()


load_kv(__file__)
