"""The first-run tour: seven short stops that fit into two minutes, and can be skipped at any of them."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.text import Say
from companion.pages.i18n import N_
from companion.pages.page import (
    Banner,
    Block,
    Button,
    Cell,
    Clock,
    ClockAnchor,
    Clocks,
    Mark,
    Part,
    Split,
    Strip,
    Words,
)

__all__ = ["STOPS", "Stop"]


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop: a headline and two sentences, as English source texts, over what they are about in small."""

    title: str
    text: str
    drawn: tuple[Block, ...] = ()
    """What it is about, as the screens draw it; nothing in it can be pressed."""
    foot: tuple[Button, ...] = ()
    """Keys beside each other: undo and the main key, of which one without an icon is the main one."""


_ALLIES, _AXIS = Mark("circle", "allies"), Mark("square", "axis")
_PLACES: tuple[Words, ...] = (1, 2, 3, 4, 5, Say("Victory"), Say("Resupply"))
_STRIP = Strip(
    "strip",
    tuple(
        Cell(str(n), words, "done" if n < 2 else "now" if n == 2 else "next", part=0.5)
        for n, words in enumerate(_PLACES)
    ),
)
_SCORE = Split(
    "score", (Part("allies", 38, 38, None, _ALLIES), Part("axis", 40, 40, None, _AXIS)), is_slim=True
)


def _clocks(*, is_large: bool) -> Clocks:
    """Return two clocks of which one runs."""
    left = ((_ALLIES, 952_000, True), (_AXIS, 1_044_000, False))
    return Clocks(
        "clocks",
        tuple(Clock(one.tone, one, ClockAnchor(ms, 0, is_running=runs)) for one, ms, runs in left),
        is_large,
    )


_UNDO = Button(Say("Undo: {what}", what=Say("Moves done")), symbol="undo")
_MAIN = Button(Say("Moves done"))


STOPS: tuple[Stop, ...] = (
    Stop(
        N_("Welcome"),
        N_(
            "This box keeps the sequence of play, the clocks and the score of your game. The board "
            "stays on your table."
        ),
        (_clocks(is_large=False), _SCORE),
    ),
    Stop(
        N_("One big button"),
        N_(
            "The button at the bottom right ends the current step. It is always in the same place "
            "and always says what it does."
        ),
        foot=(_MAIN,),
    ),
    Stop(
        N_("Nothing gets lost"),
        N_(
            "Undo at the bottom left takes back the last action and names it. Everything is saved "
            "as you go, even if the plug is pulled."
        ),
        foot=(_UNDO, _MAIN),
    ),
    Stop(
        N_("Table"),
        N_(
            "Where you are, what is active, what to do and what comes next. The bar at the top shows every step "
            "of the stage: one round of the game."
        ),
        (_STRIP, Banner("act", Say("Move units"), mark=_ALLIES)),
    ),
    Stop(
        N_("Clocks"),
        N_(
            "Two halves for two sides. Press your own half when you are done; full colour shows "
            "whose clock is running."
        ),
        (_clocks(is_large=True),),
    ),
    Stop(
        N_("The arbiter"),
        N_(
            "Pauses, corrects a clock to the second, and moves the position. With a PIN set, only "
            "the arbiter can."
        ),
        foot=(
            Button(Say("Pause"), symbol="pause"),
            Button(Say("Correct a clock"), symbol="edit"),
            Button(Say("Jump to a step"), symbol="jump"),
        ),
    ),
    Stop(
        N_("Help"),
        N_(
            "Help, here or under More, explains the screen you come from. You can restart this tour "
            "from there."
        ),
        foot=(Button(Say("Help"), symbol="help"), Button(Say("More"), symbol="more")),
    ),
)
