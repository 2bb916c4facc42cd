"""Enter a text on the screen: letters, digits and a few signs, for names of spaces, cards and bridges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout

from companion.presenters.i18n import _
from companion.ui.dialogs import Act, Dialog
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Text

__all__ = ["TextEntry"]

_KEYS = ("1234567890", "QWERTYUIOP", "ASDFGHJKL-", "ZXCVBNM. <")


class TextEntry(Dialog):
    """Type a text; `act` gets it. A real keyboard's letters do not reach it, its digits do."""

    value = StringProperty("")

    def __init__(
        self,
        title: str,
        act: Callable[[str], None],
        *,
        text: str = "",
        value: str = "",
        most: int = 40,
        done: str = "",
    ) -> None:
        super().__init__(title, text)
        self.card_width, self.card_height = 780, 452
        self.value = value
        self._act, self._most, self._done = act, most, done
        self._line: Any = None

    def content(self) -> Any:
        """The text and the keys."""
        box = BoxLayout(orientation="vertical", spacing=theme.px(6))
        self._line = Text(
            role="heading", size_hint_y=None, height=theme.px(36), wraps=False, may_shorten=True
        )
        box.add_widget(self._line)
        keys = "".join(_KEYS)
        columns = 6 if theme.is_portrait else 10
        grid = GridLayout(cols=columns, spacing=theme.px(4))
        for key in keys:
            grid.add_widget(self._key(key))
        box.add_widget(grid)
        self._show()
        return box

    def _key(self, key: str) -> Any:
        icon = {"<": "backspace"}.get(key, "")
        plate = Plate(text="" if icon else "_" if key == " " else key, icon=icon, kind="soft", role="body")
        plate.key = key
        plate.bind(on_act=lambda widget, _touch: self.type(widget.key))
        return plate

    def type(self, key: str) -> None:
        """Take a key; the first letter of a word is large, the rest small."""
        if key == "<":
            self.value = self.value[:-1]
        elif len(self.value) < self._most:
            starts = not self.value or self.value[-1] in " -"
            self.value += key if starts else key.lower()
        self._show()

    def _show(self) -> None:
        if self._line is not None:
            self._line.text = self.value or "–"

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Cancel and done."""
        return ((_("Cancel"), "quiet", None), (self._done or _("Done"), "main", lambda _touch: None))

    def _press(self, act: Act | None, touch: Any) -> None:
        if act is None:
            super()._press(None, touch)
        elif self.value.strip():
            self.close()
            self._act(self.value.strip())

    def on_key(self, name: str, event: Any) -> None:
        """Digits type, erase erases, main is done."""
        if name.startswith("digit"):
            self.type(name[5:])
        elif name == "erase":
            self.type("<")
        else:
            super().on_key(name, event)
