"""The first start of a box: which language, do picture and touch agree, and the tour.

What was answered is not asked again, should the plug be pulled in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kivy.uix.boxlayout import BoxLayout
from kivy.uix.widget import Widget

from companion.pages.i18n import LANGUAGES, N_, language_of
from companion.ui.corners import CornerTest
from companion.ui.dialogs import Act, Dialog
from companion.ui.theme import theme
from companion.ui.touch import Press
from companion.ui.tour import start_tour
from companion.ui.widgets import Plate

if TYPE_CHECKING:
    from companion.ui.root import Root

__all__ = ["LanguageQuestion", "first_start"]


class LanguageQuestion(Dialog):
    """Asks for the language, each in its own words; nothing else is said, since nobody knows yet in which."""

    is_closable = False

    def __init__(self, act: Callable[[str], None]) -> None:
        """`act` gets the key of the language."""
        words = (language_of(code).text(N_("Language")) for code in LANGUAGES)
        super().__init__(" · ".join(dict.fromkeys(words)))
        self._act = act

    def content(self) -> Widget:
        """One large button for each language, one above the other."""
        box = BoxLayout(orientation="vertical", spacing=theme.px(12), padding=(0, theme.px(10)))
        for key, name in LANGUAGES.items():
            plate = Plate(text=name, kind="main", role="heading", acts_on="release")
            plate.bind(on_act=lambda _w, _touch, key=key: self._chosen(key))
            box.add_widget(plate)
        return box

    def buttons(self) -> Sequence[tuple[str, str, Act | None]]:
        """Nothing but the languages."""
        return ()

    def _chosen(self, key: str) -> None:
        self.close()
        self._act(key)

    def on_key(self, name: str, event: Press) -> None:  # noqa: ARG002
        """Digit 1 is the first language, 2 the second."""
        keys = list(LANGUAGES)
        if name.startswith("digit") and 1 <= int(name[5:]) <= len(keys):
            self._chosen(keys[int(name[5:]) - 1])


def first_start(root: Root, *, has_touch: bool) -> None:
    """Ask what is not known yet, then show the tour.

    Args:
        has_touch: The touch panel is the only input, so that the corners are worth a test.
    """
    stored = root.desk.settings()

    def tour() -> None:
        root.desk.change_setting("corners_done", True)
        start_tour(root)

    def corners() -> None:
        if has_touch and stored.get("corners_done") is not True:
            root.ask(CornerTest(then=tour))
        else:
            start_tour(root)

    def chosen(language: str) -> None:
        root.set("language", language)
        corners()

    if stored.get("language") in LANGUAGES:
        corners()
    else:
        root.ask(LanguageQuestion(chosen))
