"""Values of the Engagement screen: what is being entered, and the one frozen view that the screen shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.core.commands import Command
from companion.core.dice import DiceOrigin
from companion.games.med.pages.card import CardForm
from companion.games.med.rules.cards import Element

__all__ = ["CAMERA", "VIRTUAL", "Ask", "Draft", "MedRow", "MedView", "Result", "Tally"]

VIRTUAL = "virtual"
"""Answer to a question for a die: the program rolls."""
CAMERA = "camera"
"""Answer to a question for a die: it is read from a photo."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is being entered and not sent yet."""

    key: str = ""
    """What it was entered for; another step starts anew."""
    number: str = ""
    """The card number as far as it is typed."""
    cards: tuple[str, ...] = ()
    side: str = ""
    bonus_on: Mapping[str, str] = field(default_factory=dict)
    admiral: str = ""
    bomb_on: str = ""
    operation: str = ""
    put_away: str = ""
    is_second: bool = False
    """Advanced rules: the pad enters the Operation that is put away."""
    elements: tuple[Element, ...] = ()
    form: CardForm | None = None
    dice: tuple[int, ...] = ()
    origin: DiceOrigin = field(default_factory=DiceOrigin)
    """Where the dice come from."""
    picks: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, str] = field(default_factory=dict)
    """Prize to the player who gets it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with its answers; `answered` takes the answer."""

    title: str
    options: tuple[tuple[Any, str], ...]
    act: str
    key: str = ""
    also: str = ""
    """What an earlier answer of the same question was."""
    dice: tuple[int, ...] = ()
    count: int = 0
    """How many dice are asked for; 0 where none are."""
    origin: DiceOrigin = field(default_factory=DiceOrigin)


Result = Draft | Command | Ask | tuple[Command, ...] | None
"""The next draft, a command or several to send, a question, or nothing."""


@dataclass(frozen=True, slots=True)
class MedRow:
    """One line: a text, something to tap, a choice between a few options, or several acts side by side."""

    key: str
    text: str
    sub: str = ""
    act: str = ""
    """What a tap does; empty: nothing, or what `command` says."""
    command: Command | None = None
    options: tuple[tuple[Any, str], ...] = ()
    chosen: Any = None
    is_last: bool = False
    """Whether the act ends as soon as the command is taken."""
    side: str = ""
    """Side whose emblem stands before it."""
    value: str = ""
    """What counts, in large type at its end."""
    tone: str = "text"
    acts: tuple[MedRow, ...] = ()
    """Acts that share this line."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The Operation that is fought for and how the sides stand."""

    name: str
    facts: str
    allies: str = ""
    axis: str = ""
    """Combat values so far; with ``+ ?`` where dice are still to be rolled, empty while nothing lies there."""
    leader: str = ""
    """The side that is ahead; empty when none is."""


@dataclass(frozen=True, slots=True)
class MedView:
    """What the screen shows."""

    title: str = ""
    lead: str = ""
    rows: tuple[MedRow, ...] = ()
    pad: str = ""
    """``cards``, ``dice`` or empty."""
    typed: str = ""
    note: str = ""
    """What is still missing, or why it may not be."""
    main_text: str = ""
    main_command: Command | None = None
    """None: the main button ends the act."""
    is_main_ready: bool = True
    is_last: bool = False
    """Whether the act ends as soon as the command is taken."""
    key: str = ""
    form: CardForm | None = None
    tally: Tally | None = None
    dice_left: int = 0
    """How many dice the pad still takes."""
