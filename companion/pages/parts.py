"""Parts that many pages have: the marks of sides and nations, the main buttons that end the act or go back."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from msgspec.structs import replace

from companion.core.rules import Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, nation, side
from companion.pages import frame
from companion.pages.labels import done_say, end_command
from companion.pages.page import (
    Act,
    ActId,
    Acts,
    Button,
    Counter,
    EndAct,
    Go,
    Item,
    Mark,
    OnBox,
    Send,
    Sight,
    Words,
)

__all__ = [
    "apart",
    "as_words",
    "back_button",
    "coach_is_on",
    "counting",
    "end_button",
    "far_mark",
    "fight_or_end",
    "leave_button",
    "nation_mark",
    "refusal_words",
    "side_mark",
    "taking_tool",
    "tapping",
    "way_back",
]


def coach_is_on(sight: Sight) -> bool:
    """Say whether the box's setting allows the coach, on a side's own phone too."""
    if sight.box is not None:
        return sight.box.settings.coach
    return sight.desk is None or bool(sight.desk.settings().get("coach", True))


def side_mark(setup: Setup, id_: str) -> Mark:
    """Return how a side is marked; anything that is no side gets a neutral mark."""
    found = frame.mark(setup, id_)
    return Mark(found.emblem, found.tone, side(id_))


def far_mark(id_: str) -> Mark:
    """Return how a side of a game is marked that is not open here: a known one as ever, another by its first letter."""
    is_known = id_ in frame.SIDE_SHAPES
    return Mark(frame.SIDE_SHAPES.get(id_, id_[:1].upper()), id_ if is_known else "text")


def nation_mark(setup: Setup, id_: str) -> Mark:
    """Return how a nation is marked: its own shape in the colour of its pieces."""
    found = frame.nation_mark(setup, id_)
    return Mark(found.emblem, found.tone, nation(id_))


def apart(values: Iterable[Value]) -> Value:
    """Return values one after another, where single ones hold commas."""
    return reduce(lambda one, other: Say("{one}; {other}", one=one, other=other), values)


def end_button(state: GameState, acts: Acts) -> Button:
    """Return the main button that ends the act at hand, or lets paused clocks run on."""
    act = acts.put("end", EndAct())
    if state.clocks.is_paused and state.ending is None:
        return Button(Say("Resume"), act, "play")
    return Button(done_say(state), act)


def leave_button(state: GameState, acts: Acts) -> Button:
    """Return the main button that ends the act at hand and goes to the table, where the next one begins."""
    if state.clocks.is_paused or state.ending is not None:
        return end_button(state, acts)
    end = Send(lambda at_ms: end_command(state, at_ms), then=Go("table"))
    return Button(done_say(state), acts.put("end", end))


def fight_or_end(state: GameState, acts: Acts, waiting: Item | None) -> tuple[Button, Button | None]:
    """Return main and second button where attacks are fought: the one that waits, named by its area, then the end."""
    end = end_button(state, acts)
    if waiting is None or state.clocks.is_paused:
        return end, None
    return Button(Say("Fight: {area}", area=waiting.title), waiting.act), end


def counting(
    item: Item, count: int, less: ActId | None, more: ActId, *, takes: bool, least: int = 0, most: int = 99
) -> Item:
    """Return a tile on which a tap counts up; where taps take off, down."""
    if takes:
        return tapping(item, count, less if count > least else None, takes=True)
    return replace(item, facet=Counter(count, less, more, least=least, most=most))


def tapping(item: Item, count: int, act: ActId | None, *, takes: bool) -> Item:
    """Return a tile with its number on which a tap is one more; where taps take off, one less while some are there."""
    if takes:
        return replace(item, facet=Counter(count), act=act if count else None)
    return replace(item, facet=Counter(count, more=act))


def taking_tool(acts: Acts, turn: Act, *, is_on: bool) -> Button:
    """Return the tool that turns taps on tiles into taking off."""
    return Button(Say("Remove"), acts.put("taking", turn), "minus", is_on=is_on)


def back_button(acts: Acts) -> Button:
    """Return the main button of a screen that has nothing to send: back to the table."""
    return Button(Say("Back to the table"), acts.put("table", Go("table")))


def way_back(acts: Acts) -> Button:
    """Return the main button of a screen of the box: back to where one came from."""
    return Button(Say("Done"), acts.put("done", OnBox("return")))


def as_words(text: str | Words) -> Words:
    """Return words; what is still told as a finished text is shown as it is."""
    return Typed(text) if isinstance(text, str) else text


def refusal_words(rejected: Rejected) -> Words:
    """Return a refusal as words: what the rules said, or the sentence of its code."""
    return rejected.detail if isinstance(rejected.detail, Say) else Name("refusal", rejected.code)
