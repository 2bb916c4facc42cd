"""Pages as HTML say what the box says: every text, every act, in every scene of the five games, and nothing that a name could break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from companion.core.text import Noun, Say, Typed
from companion.pages import page as pg
from companion.pages.html import page_html
from companion.pages.html_tags import escaped
from companion.pages.i18n import LANGUAGES, language_of
from companion.pages.page import Shown, act_ids, opened
from companion.pages.plots import Bar, BarRow, Bars, Bin, Distribution, Line, Lines
from companion.pages.speak import Voice
from companion.testing import (  # noqa: F401 - they add their scenes
    scenes,
    scenes_aana,
    scenes_dice,
    scenes_med,
    scenes_sfw,
    scenes_sfw1,
    scenes_tsu,
)
from companion.ui.render.screen import PageScreen

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "a & b &amp; c",
    "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd",
    "x" * 200,
    "\x00\x1b[31m\ufeff tab",
)


def parsed(html: str) -> ElementTree.Element:
    """Return the tree of a fragment, read as strictly as XML is."""
    return ElementTree.fromstring(html)


def shown_text(root: ElementTree.Element) -> str:
    """Return all that is read or heard."""
    heard = (
        value
        for element in root.iter()
        for name, value in element.attrib.items()
        if name in ("aria-label", "value")
    )
    return "\n".join((*root.itertext(), *heard))


def words_in(value: Any) -> Iterator[Any]:
    """Yield every text of a page that the box shows."""
    if isinstance(value, Say | Typed | Noun | int | float) or type(value).__module__ == "companion.core.text":
        if not isinstance(value, bool):
            yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from words_in(one)
    elif isinstance(value, pg.Item | pg.Button):
        has_reason = value.why_not is not None
        names = ["title", "why_not" if has_reason else "sub"]
        names += ["value"] if isinstance(value, pg.Item) else []
        for name in names:
            if getattr(value, name) is not None:
                yield from words_in(getattr(value, name))
        if isinstance(value, pg.Item):
            yield from words_in(value.mark)
            yield from words_in(value.facet)
    elif isinstance(value, pg.Threshold | pg.Part):
        yield from words_in((value.title, getattr(value, "sub", None)))
    elif isinstance(value, msgspec.Struct):
        skipped = {"form", "weight", "part", "at", "amount", "columns", "least", "most", "has_fraction"}
        skipped |= {"anchor", "model", "faces", "x", "y", "width_px", "height_px", "rgb", "turns"}
        if getattr(value, "rows", ()) or getattr(value, "tiles", ()):
            skipped.add("empty")
        for name in value.__struct_fields__:
            if name not in skipped:
                yield from words_in(getattr(value, name))


def faults(root: ElementTree.Element) -> list[str]:
    """Return what a browser or the patching script would stumble over."""
    found = []
    for parent in root.iter():
        keys = [child.get("data-k") for child in parent if child.get("data-k")]
        found += [f"two of {key} below {parent.tag}" for key in set(keys) if keys.count(key) > 1]
        if parent.tag in ("button", "form"):
            found += [f"{parent.tag} in itself" for inside in parent.iter(parent.tag) if inside is not parent]
        if parent.tag == "button":
            text = "".join(parent.itertext()).strip() or parent.get("aria-label") or ""
            found += [] if text else [f"a button without a name: {parent.attrib}"]
            found += [
                f"{one.tag} in a button" for one in parent.iter() if one.tag in ("p", "div", "ul", "section")
            ]
        found += [f"{name} on {parent.tag}" for name in parent.attrib if name == "style" or name[:2] == "on"]
    return found


def check(shown: Shown, voice: Voice) -> None:
    """Hold a page against its HTML: texts, acts, form."""
    html = page_html(shown.page, voice)
    root = parsed(html)
    assert faults(root) == []
    told = shown_text(root).casefold()
    missing = [
        text
        for text in (
            parsed(f"<b>{escaped(voice.say(words))}</b>").text or "" for words in words_in(shown.page)
        )
        if text.casefold() not in told
    ]
    assert missing == []
    buttons = [one for one in (*root.iter("button"), *root.iter("input")) if one.get("name") == "act"]
    offered = {one.get("value") for one in buttons} - {None}
    assert offered == {escaped(act) for act in act_ids(shown.page)}
    assert not {one.tag for one in root.iter()} & {"script", "style", "img", "iframe", "a"}


KEYS = [key for key, scene in scenes.SCENES.items() if scene.is_screen]
FIRST = {scenes.SCENES[key].screen: key for key in reversed(KEYS)}
"""The first scene of every screen; the others show the same blocks."""


@pytest.mark.parametrize(
    "key", [key if key in FIRST.values() else pytest.param(key, marks=pytest.mark.long) for key in KEYS]
)
def test_every_page_of_every_scene_says_on_a_phone_what_it_says_on_the_box(key: str) -> None:
    laid = scenes.open_scene(key, size=(800, 480))
    screen = laid.root.screen
    if not isinstance(screen, PageScreen):
        pytest.skip("a screen made by hand")
    change = laid.desk.change
    state = change.state if change is not None else None
    game = state.setup.game if state is not None and state.setup is not None else ""
    for code in LANGUAGES:
        voice = Voice(language_of(code), game, state)
        check(screen.shown, voice)
    forms = [act for act in screen.shown.acts.values() if isinstance(act, pg.Ask)]
    for ask in forms:
        root = parsed(page_html(opened(screen.shown, ask, pg.Go("table")).page, voice))
        assert faults(root) == []
        question = next(one for one in root.iter("form") if one.get("class") == "question")
        names = {
            one.get("name", "").removeprefix("answer.")
            for one in (*question.iter("input"), *question.iter("button"))
        }
        asked = {field.key for field in ask.form.fields if field.kind != "choose" or field.options}
        assert asked <= names


def every_block(name: str) -> tuple[pg.Block, ...]:
    """Return every kind of block with one text in every place."""
    words, act = Typed(name), pg.ActId(name)
    mark, letters = pg.Mark("star", "piece:green", words), pg.Mark(name, name, words)
    key = pg.Item("key", words, act=act, state="chosen")
    facets = (
        None,
        pg.Tick(True),
        pg.Pick(False),
        pg.Counter(2, act, act, left=words),
        pg.Keys((key,)),
        pg.Options((key,), "key"),
    )
    items = tuple(
        pg.Item(f"{n}{name}", words, words, words, mark, f"unit.{name}", act=act, facet=facet)
        for n, facet in enumerate(facets)
    )
    dead = pg.Item("dead", words, why_not=words, act=act, mark=letters)
    button = pg.Button(words, act, name, words, why_not=words, is_danger=True)
    head = pg.Head("head", words, words, words, letters, (button,))
    anchor = pg.ClockAnchor(61_000, 5, True, tenths_below_ms=60_000)
    lines = Lines(
        (Line(name, name, name, ((0, 1), (1, 2))),),
        (0, 1),
        (0, 2),
        ((0, name),),
        ((1, name),),
        ((1, name, name),),
    )
    return (
        head,
        pg.Choices("choices", items, items[0].key, words, is_wide=True),
        pg.Banner("banner", words, words, words, words, mark, name),
        pg.Clocks("clocks", (pg.Clock("one", letters, anchor, "low", words, act),)),
        pg.Strip("strip", (pg.Cell("cell", words, "now", name, 0.5, 2.0, act),)),
        pg.Split("split", (pg.Part("part", 1.0, words, words, mark),), (pg.Threshold(0.5, words),), words),
        pg.Rows("rows", (*items, dead), words),
        pg.Rows("none", (), empty=words),
        pg.Tiles("tiles", items, words, mark),
        pg.Sides("sides", (pg.Side("side", head, (pg.Rows("in", items),)),)),
        pg.Dice("dice", (pg.Die("die", 12, 3, name, "hit", act),), words, mark),
        pg.Pad("pad", (key,), words, words, words),
        pg.Picture("picture", name, (pg.Spot(0, 0, items[0]),), words, words),
        pg.Photo("photo", 1, 1, b"abc"),
        pg.Plot("lines", lines, words),
        pg.Plot("bars", Bars((BarRow(name, (Bar(1, name, name),)),), 1), words),
        pg.Plot("bins", Distribution((Bin(name, 1.0),), 0, name, name), words),
        pg.Code("code", ("101", "010", "111"), words, words, words),
        pg.Notice("notice", words, words, "danger", (button,)),
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_a_text_wherever_it_stands(name: str) -> None:
    words = Typed(name)
    kinds = ("choose", "count", "number", "text", "pin", "dice", "confirm")
    option = pg.Item(name, words, words, words)
    fields = tuple(
        pg.Field(f"{n}{name}", words, kind, words, (option,), name, dice=(pg.DiceAsk(6, 2),))  # type: ignore[arg-type]
        for n, kind in enumerate(kinds)
    )
    form = pg.Form(name, words, fields, pg.ActId(name), pg.ActId(name), words)
    tab = pg.Item(name, words, act=pg.ActId(name))
    main = pg.Button(words, pg.ActId(name))
    page = pg.Page(
        name,
        words,
        words,
        name,
        (tab,),
        name,
        (main,),
        every_block(name),
        main,
        main,
        (main,),
        form,
        pg.ActId(name),
    )
    html = page_html(page, Voice(language_of("en")), hidden={name: name}, symbols=("pause",))
    root = parsed(html)
    plain = parsed(
        page_html(msgspec.structs.replace(page, blocks=every_block("x")), Voice(language_of("en")))
    )
    assert {one.tag for one in root.iter()} == {one.tag for one in plain.iter()}
    assert faults(root) == []
    kept = parsed(f"<b>{escaped(name)}</b>").text or ""
    assert shown_text(root).count(kept) > 60
    assert not any(sign in html for sign in "\x00\x1b\u202e\u202c\ufeff")
    assert "<script" not in html
    assert "<img" not in html
    values = {one.get("value") for one in root.iter("button")}
    assert kept in values


def test_a_block_that_a_page_knows_is_a_block_that_a_phone_shows() -> None:
    kinds = {type(block).__name__ for block in every_block("x")}
    assert kinds == {kind.__name__ for kind in pg.Block.__args__}


def test_what_is_secret_is_covered_names_its_place_alone_and_brings_the_key_that_uncovers_it() -> None:
    items = tuple(
        pg.Item(f"c{n}", Typed(f"Card {n}"), act=pg.ActId(f"c{n}"), facet=pg.Tick(False), is_secret=True)
        for n in range(2)
    )
    voice = Voice(language_of("en"), "", None)
    told = page_html(pg.Page("hand", Say("Hand"), blocks=(pg.Rows("hand", items),)), voice)
    assert told.count('class="covered"') == 2
    assert "2 of 2" in told
    assert told.count('class="hold"') == 1
    assert 'type="button"' in told[told.index('class="hold"') - 30 :], "it sends nothing"
    plain = page_html(pg.Page("hand", Say("Hand"), blocks=(pg.Rows("hand", (items[0],)[:0]),)), voice)
    assert "hold" not in plain
    field = pg.Field("sure", Typed("Fleet"), "confirm", Typed("F7"), is_secret=True)
    asked = page_html(pg.Page("p", Say("Sealed"), form=pg.Form("sure", Typed("Fleet"), (field,))), voice)
    assert '<small class="secret">F7</small>' in asked
    assert asked.count('class="hold"') == 1
