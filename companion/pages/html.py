"""Pages as HTML: the same value that the box draws, as the inner part of a document for a phone.

Pure: a page and a voice give a text. Every text passes through `escaped`, acts go out as their ids on buttons of one form, and a
clock goes out as its anchor, so that whoever shows it counts on by itself. There is no script and no style in it: classes name
colour tokens and states, ``<use>`` names symbols of one sprite, and `data-k` keeps an element over a change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from companion.core.ids import Millis
from companion.core.text import Say, Typed
from companion.pages import page as pg
from companion.pages.html_known import Known
from companion.pages.html_plots import plot_html
from companion.pages.html_tags import clock_text, escaped, square, tag, token, use
from companion.pages.page import Words
from companion.pages.speak import Voice, humanise
from companion.pages.symbols import UNIT

__all__ = ["EMBLEMS", "Writer", "page_html", "without_digits"]

EMBLEMS = ("circle", "square", "star", "ring", "diamond", "triangle")
"""Marks that are shapes; all others are letters."""

_CUT_SYMBOL = 2
_DIGITS = re.compile('( role="timer"[^>]*>)[^<]*')
"""What a clock showed when its page was made, and the tag before it."""
_ICON_WORDS = {"help": Say("Help"), "back": Say("Back")}


def page_html(
    page: pg.Page,
    voice: Voice,
    *,
    now_ms: Millis | None = None,
    symbols: Container[str] = (),
    hidden: Mapping[str, str] | None = None,
    known: Known | None = None,
) -> str:
    """Return a page as the inner part of a document.

    Args:
        page: What is shown.
        voice: In whose language, and in which game's words.
        now_ms: The instant that clocks show where nothing counts them on; None: as they were at their anchor.
        symbols: Names that the sprite has, such as ``unit.tank`` or ``pause``.
        hidden: Values that go back with every act.
        known: What was written before in the same language; blocks and rows that are as they were are taken from it.
    """
    return Writer(voice, now_ms, symbols, hidden or {}, known or Known()).page(page)


def without_digits(html: str) -> str:
    """Return a page that was written here without what its clocks showed: two such are equal where nothing else differs."""
    return _DIGITS.sub(r"\1", html)


class Writer:
    """Writes one page for one viewer."""

    def __init__(
        self,
        voice: Voice,
        now_ms: Millis | None,
        symbols: Container[str],
        hidden: Mapping[str, str],
        known: Known,
    ) -> None:
        """Speak with a voice, at an instant."""
        self.voice, self.now_ms, self.symbols, self.hidden = voice, now_ms, symbols, hidden
        self._known, self.has_secret = known, False
        known.begin(voice.state)

    # Words

    def plain(self, words: Words | None) -> str:
        """Return words as plain text; nothing where there are none."""
        return "" if words is None else self.voice.say(words)

    def say(self, words: Words | None) -> str:
        """Return words, escaped; nothing where there are none."""
        return escaped(self.plain(words))

    def title(self, words: Words | None) -> str:
        """Return words that begin with a capital, escaped."""
        text = self.plain(words)
        return escaped(text[:1].upper() + text[1:])

    def _line(self, css: str, words: Words | None, name: str = "span", *, is_title: bool = False) -> str:
        text = self.title(words) if is_title else self.say(words)
        return tag(name, text, class_=css) if text else ""

    # Pages

    def page(self, page: pg.Page) -> str:
        """Return a whole page: head, open question, tools, tabs, blocks and acts."""
        head = tag("h1", self.title(page.title))
        if page.lead is not None:
            css = f"lead {token(page.lead_tone)}" + (" secret" if page.is_glance else "")
            head += tag("p", self.title(page.lead), class_=css, aria_live="polite")
        tabs = "".join(self._option(tab, is_on=tab.key == page.tab) for tab in page.tabs)
        foot = "".join(
            self.button(one, css)
            for css, one in (("main", page.main), ("second", page.second))
            if one is not None
        )
        foot += "".join(self.button(one, "aside") for one in page.aside)
        if page.back is not None:
            foot += tag("button", escaped(self.voice.say(Say("Back"))), name="act", value=page.back)
        blocks = self.blocks(page.blocks)
        foot += self.hold() if self.has_secret else ""
        body = self._buttons(page.tools, "tools")
        body += self.strip(pg.Strip("steps", page.steps)) if page.steps else ""
        body += tag("div", tabs, class_="tabs", role="group") if tabs else ""
        body += tag("div", blocks, class_="blocks")
        body += tag("footer", foot, class_="acts") if foot else ""
        rest = tag("form", self._hidden() + body, method="post", action="/act", class_="rest")
        css = "page private" if page.is_private else "page"
        css += " secrets" if self.has_secret else ""
        return tag("main", tag("header", head) + self._form(page.form) + rest, class_=css, data_k=page.key)

    def hold(self) -> str:
        """Return the key that uncovers what is secret while it is held; the phone's script knows it."""
        inner = self.symbol("eye") + tag("span", self.title(Say("Hold to look")))
        return tag("button", inner, type="button", class_="hold", data_k="hold")

    def _hidden(self) -> str:
        return "".join(
            tag("input", type="hidden", name=name, value=value) for name, value in self.hidden.items()
        )

    def blocks(self, blocks: Iterable[pg.Block]) -> str:
        """Return blocks below each other."""
        return "".join(map(self._any_block, blocks))

    def _any_block(self, block: pg.Block) -> str:
        """Return a block, as it was written before where it is the same; one that holds a secret is always written anew."""
        html = self._known.block(block)
        if html is None:
            had_secret, self.has_secret = self.has_secret, False
            html = _BLOCKS[type(block).__name__](self, block)
            if not self.has_secret:
                self._known.put_block(block, html)
            self.has_secret = self.has_secret or had_secret
        return html

    def _form(self, form: pg.Form | None) -> str:
        from companion.pages.html_forms import form_html

        return "" if form is None else form_html(self, form, self._hidden())

    # Parts of blocks

    def mark(self, mark: pg.Mark | None) -> str:
        """Return how a side is told apart; its name is for who hears the page."""
        if mark is None:
            return ""
        css = f"emblem {token(mark.tone)}"
        if mark.emblem in EMBLEMS:
            shape = use(mark.emblem, css)
        else:
            shape = tag("b", escaped(mark.emblem), class_=css, aria_hidden="true") if mark.emblem else ""
        return shape + self._line("heard", mark.name)

    def symbol(self, name: str, tone: str = "") -> str:
        """Return a symbol; a unit that nobody drew has its first letters, and an icon that is not there is left out."""
        css = f"symbol {token(tone)}" if tone else "symbol"
        if name.startswith(UNIT) and name.endswith("+"):  # the better one of its kind has a bar over it
            name, css = name[:-1], f"{css} elite"
        if name in self.symbols:
            return use(name, f"{css} unit" if name.startswith(UNIT) else css)
        if name.startswith(UNIT):
            letters = name.removeprefix(UNIT)[:_CUT_SYMBOL].capitalize()
            return tag("b", escaped(letters), class_=f"{css} letters", aria_hidden="true")
        return ""

    def button(self, button: pg.Button, css: str = "") -> str:
        """Return a button; one that cannot be pressed is dead and says why where the page knows."""
        is_dead = button.act is None or button.why_not is not None
        classes = " ".join(one for one in (css, "danger" if button.is_danger else "") if one)
        inner = self.symbol(button.symbol) + tag("span", self.title(button.title))
        sub = button.why_not if button.why_not is not None else button.sub
        inner += self._line("sub", sub) if self.plain(sub) != self.plain(button.title) else ""
        label = "" if self.plain(button.title) else self._icon_word(button.symbol)
        return self._act(inner, button.act, is_dead=is_dead, css=classes, pressed=button.is_on, label=label)

    def _icon_word(self, symbol: str) -> str:
        """Return what a button says aloud that has a picture alone."""
        return self.voice.say(_ICON_WORDS.get(symbol, Typed(humanise(symbol))))

    def _act(
        self,
        inner: str,
        act: pg.ActId | None,
        *,
        is_dead: bool = False,
        css: str = "",
        pressed: bool | None = None,
        label: str = "",
        role: str | None = None,
        checked: bool | None = None,
    ) -> str:
        return tag(
            "button",
            inner,
            name="act",
            value=act if act is not None else None,
            class_=css or None,
            disabled=is_dead or act is None,
            role=role,
            aria_checked=None if checked is None else str(checked).lower(),
            aria_pressed=None if pressed is None else str(pressed).lower(),
            aria_label=label or None,
        )

    def _buttons(self, buttons: tuple[pg.Button, ...], css: str) -> str:
        return tag("div", "".join(map(self.button, buttons)), class_=css) if buttons else ""

    def _sign(self, one: pg.Item) -> str:
        return self.mark(one.mark) + self.symbol(one.symbol) + self._line("n", one.value)

    def _option(self, item: pg.Item, *, is_on: bool) -> str:
        """Return one of a few as a button that stays pressed."""
        inner = self.mark(item.mark) + self.symbol(item.symbol) + tag("span", self.title(item.title))
        inner += self._line("sub", item.why_not if item.why_not is not None else item.sub)
        inner += self._line("value", item.value)
        return self._act(inner, item.act, is_dead=item.why_not is not None, css="option", pressed=is_on)

    def item(self, item: pg.Item, name: str = "li", covered: str = "") -> str:
        """Return an item: a button as a whole where it has one act, or its words beside its keys."""
        is_dead, facet = item.why_not is not None, item.facet
        tone = item.mark.tone if item.mark is not None else ""
        words = self._line("name", item.title, is_title=True)
        words += self._line("sub", item.why_not if is_dead else item.sub)
        inner = self.mark(item.mark) + self.symbol(item.symbol, tone)
        inner += tag("span", words, class_="words") + self._line("value", item.value)
        inner += tag("span", "".join(map(self._sign, item.signs)), class_="keys") if item.signs else ""
        css = f"item s-{item.state}" + (" dead" if is_dead else "")
        if item.is_secret:
            css, self.has_secret = f"{css} secret", True
            inner = tag("span", escaped(covered), class_="covered") + inner
        match facet:
            case pg.Tick() | pg.Pick():
                sign = tag("i", class_="tick on" if facet.is_on else "tick", aria_hidden="true")
                role = "checkbox" if isinstance(facet, pg.Tick) else None
                checked = facet.is_on if role else None
                pressed = None if role else facet.is_on
                inner = self._act(
                    sign + inner, item.act, is_dead=is_dead, role=role, checked=checked, pressed=pressed
                )
            case pg.Counter():
                css += " counted"
                inner = self._own_act(inner, item, is_dead=is_dead) + self._counter(
                    item, facet, is_dead=is_dead
                )
            case pg.Keys():
                keys = (self._option(key, is_on=key.state == "chosen") for key in facet.keys)
                inner += tag("span", "".join(keys), class_="keys")
            case pg.Options():
                options = (self._option(one, is_on=one.key == facet.chosen) for one in facet.options)
                inner += tag("span", "".join(options), class_="keys")
            case _:
                inner = self._own_act(inner, item, is_dead=is_dead)
        return tag(name, inner, class_=css, data_k=item.key)

    def _own_act(self, inner: str, item: pg.Item, *, is_dead: bool) -> str:
        pressed = True if item.state == "chosen" else None
        return inner if item.act is None else self._act(inner, item.act, is_dead=is_dead, pressed=pressed)

    def _counter(self, item: pg.Item, facet: pg.Counter, *, is_dead: bool) -> str:
        less = self.voice.say(Say("{what}: one less", what=item.title))
        more = self.voice.say(Say("{what}: one more", what=item.title))
        can_less = not is_dead and facet.count > facet.least
        can_more = not is_dead and facet.count < facet.most
        parts = self._act("\N{MINUS SIGN}", facet.less, is_dead=not can_less, label=less)
        parts += tag("output", escaped(str(facet.count)), aria_label=self.plain(item.title))
        parts += self._act("+", facet.more, is_dead=not can_more, label=more)
        return tag("span", parts + self._line("left", facet.left), class_="counter")

    def _list(self, items: Iterable[pg.Item], css: str, empty: Words | None) -> str:
        rows = tuple(items)
        inner = "".join(self._row(one, n, len(rows)) for n, one in enumerate(rows, 1))
        return tag("ul", inner, class_=css) if inner else self._line("empty", empty, "p", is_title=True)

    def _row(self, item: pg.Item, n: int, most: int) -> str:
        """Return a row of a list, as it was written before where it is the same."""
        if item.is_secret:
            return self.item(item, covered=self.voice.say(Say("{n} of {all}", n=n, all=most)))
        html = self._known.get(item)
        if html is None:
            html = self.item(item)
            self._known.put(item, html)
        return html

    # Blocks

    def head(self, block: pg.Head) -> str:
        """Return a `Head`."""
        tone = token(block.mark.tone) if block.mark is not None else ""
        inner = self.mark(block.mark) + tag("h2", self.title(block.title), class_=tone or None)
        inner += self._line("sub", block.sub) + self._line("value", block.value)
        return _block("head", block, inner + self._buttons(block.tools, "tools"))

    def choices(self, block: pg.Choices) -> str:
        """Return `Choices`."""
        options = "".join(self._option(one, is_on=one.key == block.chosen) for one in block.options)
        css = "options wide" if block.is_wide else "options"
        inner = self._line("caption", block.title, is_title=True)
        return _block("choices", block, inner + tag("div", options, class_=css, role="group"))

    def banner(self, block: pg.Banner) -> str:
        """Return a `Banner`."""
        ground = token(block.mark.tone).replace("t-", "g-", 1) if block.mark is not None else "g-surface"
        words = self._line("name", block.title, is_title=True) + self._line("sub", block.sub)
        inner = self.mark(block.mark) + self.symbol(block.symbol) + tag("span", words, class_="words")
        figure = self._line("value", block.value) + self._line("unit-of", block.unit)
        inner += tag("span", figure, class_="figure") if figure else ""
        return _block(f"banner {ground}", block, inner, role="status")

    def clocks(self, block: pg.Clocks) -> str:
        """Return `Clocks`: each with its anchor, and its text at the instant of the page."""
        css = "clocks large" if block.is_large else "clocks"
        css += " many" if len(block.clocks) > 2 else ""
        return _block(css, block, "".join(map(self._clock, block.clocks)))

    def _clock(self, clock: pg.Clock) -> str:
        anchor = clock.anchor
        data: dict[str, str | bool | int | None] = {}
        if anchor is not None:
            data = {
                "data_left_ms": anchor.left_ms,
                "data_at_ms": anchor.at_ms,
                "data_run": "1" if anchor.is_running else None,
                "data_up": "1" if anchor.is_counting_up else None,
                "data_tenths_ms": anchor.tenths_below_ms or None,
            }
        is_on = anchor is not None and anchor.is_running
        text = "" if anchor is None else clock_text(anchor, self.now_ms)
        inner = self.mark(clock.mark) + tag("b", escaped(text), class_="digits", role="timer", **data)
        inner += self._line("sub", clock.note)
        ground = token(clock.mark.tone).replace("t-", "g-", 1) if is_on else "g-surface"
        css = f"clock l-{clock.level} {ground}"
        if clock.act is not None:
            return tag("div", self._act(inner, clock.act), class_=css, data_k=clock.key)
        return tag("div", inner, class_=css, data_k=clock.key)

    def strip(self, block: pg.Strip) -> str:
        """Return a `Strip`."""
        return _block(
            "strip",
            block,
            tag(
                "ol", "".join(self._cell(cell, n, len(block.cells)) for n, cell in enumerate(block.cells, 1))
            ),
        )

    def _cell(self, cell: pg.Cell, n: int, count: int) -> str:
        label = "" if self.plain(cell.title) else self.voice.say(Say("{n} of {all}", n=n, all=count))
        words = self.symbol(cell.symbol) + tag("span", self.say(cell.title))
        inner = self._act(words, cell.act, label=label) if cell.act is not None else words
        if cell.state == "now" and cell.part:
            inner += tag(
                "progress",
                max=1,
                value=round(cell.part, 3),
                aria_hidden="true",
            )
        css = f"cell c-{cell.state}" + (" wide" if cell.weight > 1 else "")
        return tag(
            "li", inner, class_=css, data_k=cell.key, aria_current="step" if cell.state == "now" else None
        )

    def split(self, block: pg.Split) -> str:
        """Return a `Split`: its bar as a picture, its parts and marks as lists."""
        whole = sum(part.amount for part in block.parts) or 1.0
        at, shapes = 0.0, ""
        for part in block.parts:
            tone = token(part.mark.tone if part.mark is not None else "raised")
            wide = 1000 * part.amount / whole
            shapes += tag("rect", x=round(at, 1), y=0, width=round(wide, 1), height=24, class_=tone)
            at += wide
        for mark in block.thresholds:
            x = 1000 * min(1.0, max(0.0, mark.at / whole))
            shapes += tag("rect", x=round(x - 3, 1), y=0, width=6, height=24, class_="threshold")
        bar = tag(
            "svg", shapes, viewBox="0 0 1000 24", preserveAspectRatio="none", class_="bar", aria_hidden="true"
        )
        parts = "".join(
            tag(
                "li",
                self.mark(part.mark) + self._line("value", part.title) + self._line("sub", part.sub),
                data_k=part.key,
            )
            for part in block.parts
        )
        marks = "".join(
            tag("li", self.say(mark.title), class_="open" if mark.is_open else None)
            for mark in block.thresholds
        )
        inner = bar + tag("ul", parts, class_="parts")
        inner += tag("ul", marks, class_="marks") if marks else ""
        inner += self._line("sub", block.unit, "p")
        inner += self._line(f"note s-{block.state}", block.note, "p", is_title=True)
        return _block("split", block, inner)

    def rows(self, block: pg.Rows) -> str:
        """Return `Rows`."""
        inner = self._line("caption", block.title, "h2", is_title=True)
        return _block("rows", block, inner + self._list(block.rows, "list", block.empty))

    def tiles(self, block: pg.Tiles) -> str:
        """Return `Tiles`."""
        caption = self.mark(block.mark) + self._line("caption", block.title, "h2", is_title=True)
        css = f"tiles {token(block.mark.tone)}" if block.mark is not None else "tiles"
        return _block(css, block, caption + self._list(block.tiles, "grid", block.empty))

    def sides(self, block: pg.Sides) -> str:
        """Return `Sides`, each as a section of its own."""
        sides = ""
        for side in block.sides:
            inner = (self.head(side.head) if side.head is not None else "") + self.blocks(side.blocks)
            sides += tag("section", inner, class_="side", data_k=side.key)
        return _block("sides", block, sides)

    def dice(self, block: pg.Dice) -> str:
        """Return `Dice`."""
        inner = self.mark(block.mark) + self._line("caption", block.title, is_title=True)
        dice = "".join(map(self._die, block.dice))
        return _block("dice", block, inner + tag("ul", dice, class_="tray"))

    def _die(self, die: pg.Die) -> str:
        value = "" if die.value is None else str(die.value)
        text = f"{value}?" if die.state == "unsure" else value
        heard = self.voice.say(Say("A d{faces}", faces=die.faces))
        inner = tag("b", escaped(text)) + tag("span", escaped(heard), class_="heard")
        css = f"die d-{die.state}" + (f" {token('piece:' + die.colour)}" if die.colour else "")
        body = self._act(inner, die.act) if die.act is not None else inner
        return tag("li", body, class_=css, data_k=die.key)

    def pad(self, block: pg.Pad) -> str:
        """Return a `Pad`."""
        inner = self._line("caption", block.title, "h2", is_title=True)
        if block.entered is not None:
            inner += tag("output", self.title(block.entered), class_="entered")
        inner += self._line("sub", block.then)
        keys = "".join(self._option(key, is_on=key.state == "chosen") for key in block.keys)
        return _block("pad", block, inner + tag("div", keys, class_="keys", role="group"))

    def picture(self, block: pg.Picture) -> str:
        """Return a `Picture` as its list: fingers are large and phones are small."""
        inner = self._line("caption", block.title, "h2", is_title=True)
        inner += self._line("note", block.note, "p", is_title=True)
        return _block("rows", block, inner + self._list((spot.item for spot in block.spots), "list", None))

    def photo(self, block: pg.Photo) -> str:
        """Return a `Photo` as a word: it stays on the box."""
        return _block("rows", block, self._line("note", Say("The photo is on the box."), "p", is_title=True))

    def plot(self, block: pg.Plot) -> str:
        """Return a `Plot`."""
        inner = self._line("caption", block.title, "h2", is_title=True)
        return _block("plot", block, inner + plot_html(block.model, tag, token, escaped))

    def code(self, block: pg.Code) -> str:
        """Return a `Code`: dark on light, so that a camera reads it on any ground."""
        picture = square(block.square, self.plain(block.sub))
        words = self._line("name", block.title, is_title=True) + self._line("sub", block.sub)
        return _block(
            "code", block, picture + tag("span", words, class_="words") + self._line("value", block.value)
        )

    def notice(self, block: pg.Notice) -> str:
        """Return a `Notice`, which is read aloud when it comes."""
        inner = self._line("name", block.title, is_title=True) + self._line("sub", block.sub)
        body = tag("span", inner, class_="words") + self._buttons(block.acts, "tools")
        return _block(f"notice s-{block.state}", block, body, role="status")


def _block(css: str, block: Any, inner: str, **attributes: str) -> str:
    key = f"{type(block).__name__}.{block.key}"
    return tag("section", inner, class_=f"block {css}", data_k=key, **attributes)


_BLOCKS: Mapping[str, Callable[[Writer, Any], str]] = {
    "Head": Writer.head,
    "Choices": Writer.choices,
    "Banner": Writer.banner,
    "Clocks": Writer.clocks,
    "Strip": Writer.strip,
    "Split": Writer.split,
    "Rows": Writer.rows,
    "Tiles": Writer.tiles,
    "Sides": Writer.sides,
    "Dice": Writer.dice,
    "Pad": Writer.pad,
    "Picture": Writer.picture,
    "Photo": Writer.photo,
    "Plot": Writer.plot,
    "Code": Writer.code,
    "Notice": Writer.notice,
}
