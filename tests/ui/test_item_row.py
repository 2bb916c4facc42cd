"""A row keeps its words in sight whatever it said before."""

from __future__ import annotations

from companion.core.text import Say, Typed
from companion.pages.page import Item
from companion.ui.render.items import ItemRow
from companion.ui.render.pen import Pen


def test_a_title_stays_in_its_row_when_the_second_line_below_it_goes() -> None:
    row = ItemRow(Pen(lambda _act, _touch: None, lambda _words: None), size_hint=(None, None), size=(300, 60))
    for sub in (None, Say("Trying every rule"), None, Say("Trying every rule"), None):
        row.show(Item("best", Say("Best times to press and cease"), sub, Typed("1 %")))
        row.do_layout()
        if sub is not None:
            row._parts["lines"].do_layout()
            row._fit_lines()
        title = row._parts["title"]
        assert title.height <= row.height
        assert row.y <= title.center_y <= row.top
