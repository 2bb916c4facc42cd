"""Pages as values: they compare, they encode, their acts are found; drafts are kept by seat, screen and step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest

from companion.core import commands as cm
from companion.core.text import Say, Typed, unit
from companion.pages.draft import Drafts
from companion.pages.page import (
    TABLE_VIEWER,
    ActId,
    Acts,
    Answer,
    Ask,
    Button,
    Counter,
    Draft,
    Field,
    Form,
    Head,
    Item,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    Tick,
    Viewer,
    act_ids,
    asked,
    opened,
    sure,
)


def _page(count: int = 1) -> Page:
    rows = (
        Item("a", unit("tank"), facet=Counter(count, ActId("a.less"), ActId("a.more"))),
        Item("b", Say("{area} burns", area=Typed("Malta")), act=ActId("b"), facet=Tick(True)),
    )
    side = Side(
        "left", Head("head", Say("Left"), tools=(Button(Say("Add"), ActId("add")),)), (Rows("r", rows),)
    )
    tab = Item("t", Say("Tab"), act=ActId("tab"))
    return Page(
        "p", Say("Title"), tabs=(tab,), blocks=(Sides("s", (side,)),), main=Button(Say("Go"), ActId("go"))
    )


def test_equal_pages_compare_equal_and_only_what_differs_differs() -> None:
    assert _page() == _page()
    assert hash(_page()) == hash(_page())
    assert _page(1) != _page(2)
    one, two = _page(1).blocks[0], _page(2).blocks[0]
    assert isinstance(one, Sides)
    assert isinstance(two, Sides)
    assert isinstance(one.sides[0].blocks[0], Rows)
    assert isinstance(two.sides[0].blocks[0], Rows)
    assert one.sides[0].blocks[0].rows[1] == two.sides[0].blocks[0].rows[1]


def test_every_act_of_a_page_is_found() -> None:
    assert set(act_ids(_page())) == {"tab", "add", "a.less", "a.more", "b", "go"}
    shown = opened(Shown(_page(), {}), sure(Say("Sure?"), Refuse(Say("No."))), Refuse(Say("Back.")))
    assert {"answer", "back"} <= set(act_ids(shown.page))
    assert isinstance(shown.act("answer"), Answer)


def test_a_page_encodes_without_any_act() -> None:
    def plain(value: Any) -> Any:
        assert isinstance(value, Say)
        return {"say": value.template, **dict(value.values.items())}

    found = msgspec.json.decode(msgspec.json.encode(_page(), enc_hook=plain))
    rows = found["blocks"][0]["sides"][0]["blocks"][0]["rows"]
    assert rows[1]["title"]["area"]["text"] == "Malta"
    assert rows[0]["facet"]["type"] == "Counter"


def test_two_acts_of_one_id_are_a_mistake() -> None:
    acts = Acts()
    acts.put("go", Refuse(Say("No.")))
    with pytest.raises(ValueError, match="two acts"):
        acts.put("go", Refuse(Say("Never.")))


def test_a_command_takes_the_instant_of_its_press() -> None:
    assert Send(lambda at_ms: cm.Pause(at_ms=at_ms)).at(70) == cm.Pause(at_ms=70)
    assert Send(cm.AddNote("seen")).at(70) == cm.AddNote("seen")


def test_a_question_goes_on_with_its_answer() -> None:
    ask = asked("who", Say("Who?"), (Item("a", Say("Anna")),), lambda key: Refuse(Typed(key)))
    assert ask.answered({"one": "a"}) == Refuse(Typed("a"))
    assert ask.form == Form(
        "who", Say("Who?"), (Field("one", Say("Who?"), "choose", options=(Item("a", Say("Anna")),)),)
    )
    assert isinstance(ask, Ask)


@dataclass(frozen=True, slots=True)
class _Basket:
    n: int = 0


def test_drafts_are_kept_by_seat_screen_and_step() -> None:
    drafts, seat = Drafts(), Viewer("axis")
    more = Draft(lambda basket: replace(basket, n=basket.n + 1), _Basket())
    for _ in range(3):
        drafts.change(more, TABLE_VIEWER, "buy", "s1")
    drafts.change(more, seat, "buy", "s1")
    assert drafts.get(TABLE_VIEWER, "buy", "s1") == _Basket(3)
    assert drafts.get(seat, "buy", "s1") == _Basket(1)
    assert drafts.get(TABLE_VIEWER, "buy", "s2") is None
    sight = Sight(seat, None, None, drafts.get(seat, "buy", "s1"))
    assert sight.entered(_Basket()) == _Basket(1)
    assert sight.entered("another kind of draft") == "another kind of draft"
    drafts.put(None, seat, "buy", "s1")
    assert drafts.get(seat, "buy", "s1") is None


def test_old_drafts_go_first() -> None:
    drafts = Drafts()
    for n in range(100):
        drafts.put(_Basket(n), TABLE_VIEWER, "buy", str(n))
    assert drafts.get(TABLE_VIEWER, "buy", "0") is None
    assert drafts.get(TABLE_VIEWER, "buy", "99") == _Basket(99)
