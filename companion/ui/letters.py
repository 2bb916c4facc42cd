"""Enter a text on the screen: letters, digits and a few signs, for names of spaces, cards and bridges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kivy.properties import StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.core.letters import can_show
from companion.core.places import Place, Places
from companion.core.text import Say
from companion.pages.desk import Notice
from companion.pages.i18n import _, pgettext
from companion.ui.dialogs import Act, Dialog
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.widgets import Plate, Text

__all__ = ["TextEntry"]

_ERASE, _MORE = "erase", "more"
_ACCENTS = "ÄÖÜßÉÈÊËÀÂÁ ÇÍÎÏÌÓÔÒÚÛÙ ÑŁØÅÆŒŠŽČĆŃ ĘĄŚŹŻŐŰÝÞÐ"
"""Letters with accents that no language's own keys need all have, by rows as the keys."""
_FITS = 3
"""Names that complete what is typed, side by side."""


class TextEntry(Dialog):
    """Type a text; `act` gets it. A real keyboard types every letter that it has."""

    takes_text = True

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
        names: Sequence[str] = (),
    ) -> None:
        """Ask for a text. `names` complete what is typed: those that fit stand above the keys, and a tap takes one."""
        super().__init__(title, text)
        self.card_width, self.card_height = 780, 560 if theme.is_portrait else 456
        self.value = value
        self._act, self._most, self._done = act, most, done
        self._places = Places(Place(name) for name in names)
        self._is_accented = False
        self._line: Any = None
        self._fits: Any = None

    def content(self) -> Widget:
        """The text and the keys."""
        box = BoxLayout(orientation="vertical", spacing=theme.px(4))
        self._line = Text(
            role="heading", size_hint_y=None, height=theme.px(36), wraps=False, may_shorten=True
        )
        box.add_widget(self._line)
        for row in self._rows():
            line = BoxLayout(spacing=theme.px(4))
            for key in row:
                line.add_widget(self._key(key))
            if row[-1] == " " and len(self._places):  # beside the space bar, so that no key gets smaller
                self._fits = BoxLayout(spacing=theme.px(4), size_hint_x=2 if theme.is_portrait else 3)
                line.add_widget(self._fits)
            box.add_widget(line)
        self._show()
        return box

    def _rows(self) -> Sequence[Sequence[str]]:
        """Return the keys row by row, as the language has them, and space below; in portrait each row falls into two."""
        keys = pgettext("the rows of a keyboard", "1234567890 QWERTYUIOP ASDFGHJKL- ZXCVBNM.'")
        keys = _ACCENTS if self._is_accented else keys
        rows: list[list[str]] = [list(row) for row in keys.split()]
        rows[-1].append(_ERASE)
        if theme.is_portrait:
            rows = [part for row in rows for part in (row[: (len(row) + 1) // 2], row[(len(row) + 1) // 2 :])]
        return (*rows, (_MORE, " "))

    def _key(self, key: str) -> Widget:
        icon = {_ERASE: "backspace"}.get(key, "")
        text = "" if icon else _("Space bar") if key == " " else key
        if key == _MORE:
            text = "ABC" if self._is_accented else "Äéł"
        plate = Plate(text=text, icon=icon, kind="soft", role="body")
        if key == _MORE:
            plate.size_hint_x, plate.width = None, theme.px(72)
        plate.key = key
        plate.bind(on_act=lambda widget, _touch: self.type(widget.key))
        return plate

    def type(self, key: str) -> None:
        """Take a key; the first letter of a word is large, the rest small."""
        if key == _MORE:
            self._is_accented = not self._is_accented
            self.build()
        elif key == _ERASE:
            self.value = self.value[:-1]
        elif len(self.value) < self._most:
            starts = not self.value or self.value[-1] in " -"
            self.value += key if starts else key.lower()
            if self._is_accented:  # one letter, and the usual keys are back
                self._is_accented = False
                self.build()
        self._show()

    def take_text(self, text: str) -> None:
        """Take what a real keyboard typed, large and small as it was typed."""
        signs = "".join(sign for sign in text if can_show(sign))
        if signs != text and self.root is not None:
            self.root.notify(Notice("info", Say("This sign cannot be shown here and was left out.")))
        self.value = (self.value + signs)[: self._most]
        self._show()

    def _show(self) -> None:
        if self._line is not None:
            self._line.text = self.value or "–"
        if self._fits is not None:
            self._fits.clear_widgets()
            for place in self._places.fitting(self.value, 2 if theme.is_portrait else _FITS):
                plate = Plate(text=place.name, kind="soft", role="body")
                plate.bind(on_act=lambda _widget, _touch, name=place.name: self._take(name))
                self._fits.add_widget(plate)

    def _take(self, name: str) -> None:
        """Take a name as it is spelled, and be done."""
        self.close()
        self._act(name)

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Cancel and done."""
        return ((_("Cancel"), "quiet", None), (self._done or _("Done"), "main", lambda _touch: None))

    def _press(self, act: Act | None, touch: Press | None) -> None:
        if act is None:
            super()._press(None, touch)
        elif self.value.strip():
            self.close()
            self._act(self.value.strip())

    def on_key(self, name: str, event: Press) -> None:
        """Erase takes a sign back, main is done; signs come as text."""
        if name == "erase":
            self.type(_ERASE)
        else:
            super().on_key(name, event)
