"""What pages are made of: blocks and their parts as frozen values. Who writes a page imports them from `page`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NewType

import msgspec

from companion.core.ids import Millis
from companion.core.text import Value

if TYPE_CHECKING:
    from companion.pages.plots import Bars, Distribution, Lines

__all__ = [
    "ActId", "Banner", "Block", "Button", "Cell", "Choices", "Clock", "ClockAnchor", "Clocks", "Code",
    "Counter", "Dice", "Die", "Head", "Item", "Keys", "Mark", "Notice", "Options", "Pad", "PageValue",
    "Part", "Photo", "Pick", "Picture", "Plot", "Rows", "Side", "Sides", "Split", "Spot", "State",
    "Strip", "Threshold", "Tick", "Tiles", "Tone", "Words", "all_blocks",
]  # fmt: skip

ActId = NewType("ActId", str)
"""What a tap asks for; unique within a page, the same from change to change, and it tells nothing that is hidden."""

Words = Value
"""A text: a sentence with its values, or one typed value alone."""

Tone = str
"""A colour token of the theme: ``text``, ``muted``, ``accent``, ``ok``, ``danger``, a side's, ``piece:green`` ..."""

State = Literal["plain", "muted", "ok", "danger", "chosen", "done", "lost"]
"""How a thing stands. ``chosen``: what the next act is about; ``lost``: crossed out."""


class PageValue(msgspec.Struct, frozen=True, tag=True):
    """Base of all that a page is made of."""


# What blocks are made of


class Mark(PageValue, frozen=True):
    """How a side or nation is told apart: a colour and, without colour, a shape or letters."""

    emblem: str
    """``circle``, ``square``, ``star``, ``ring``, ``diamond``, ``triangle``, or up to four letters."""
    tone: Tone = "text"
    name: Words | None = None
    """What a reader of the screen aloud says."""


class Tick(PageValue, frozen=True):
    """A box that is ticked or not; the item's act turns it."""

    is_on: bool


class Pick(PageValue, frozen=True):
    """One of several that may be chosen; the item's act chooses it."""

    is_on: bool


class Counter(PageValue, frozen=True):
    """A number with less and more. The item's own act, where it has one, is one more too."""

    count: int
    less: ActId | None = None
    more: ActId | None = None
    least: int = 0
    most: int = 99
    left: Words | None = None
    """How many more there may be, or what they cost, in words."""


class Keys(PageValue, frozen=True):
    """A few keys at the end of a row: one of them chosen, several ticked, or acts; each has its own act."""

    keys: tuple[Item, ...]
    """Those that hold are ``chosen``."""


class Options(PageValue, frozen=True):
    """One of a few, side by side on the row itself; each option's own act chooses it, or does what it says."""

    options: tuple[Item, ...]
    chosen: str = ""
    """Key of the option that holds."""


class Item(PageValue, frozen=True):
    """A row, a tile, an option or a key: one thing that is read, tapped, ticked, chosen or counted."""

    key: str
    """Stable and opaque, unique within its block."""
    title: Words
    sub: Words | None = None
    value: Words | None = None
    mark: Mark | None = None
    symbol: str = ""
    """The picture of a kind of unit, or an icon."""
    state: State = "plain"
    act: ActId | None = None
    why_not: Words | None = None
    """Why it cannot be had now: it is drawn dead and says this instead of its second line."""
    facet: Tick | Pick | Counter | Keys | Options | None = None
    is_secret: bool = False
    """On a phone it is read only while a finger holds the key for it; the box, which is handed over, shows it as it is."""
    may_shorten: bool = False
    """Its second line may end in an ellipsis, since all of it stands elsewhere too."""
    signs: tuple[Item, ...] = ()
    """What stands on a space of a board: marks or symbols, with a number each."""
    is_way: bool = False
    """It does no more than lead on: where nothing can be pressed there is nothing to read in it."""


class Button(PageValue, frozen=True):
    """A tool of a head, or an act of the foot."""

    title: Words
    act: ActId | None = None
    symbol: str = ""
    sub: Words | None = None
    is_on: bool | None = None
    """Set where it stays pressed until it is pressed again."""
    why_not: Words | None = None
    """Why it cannot be pressed now: it is drawn dead, and its title says what is missing."""
    is_danger: bool = False


# Blocks


class Head(PageValue, frozen=True):
    """The head of a part of a page: what it is, a figure, up to three tools."""

    key: str
    title: Words
    sub: Words | None = None
    value: Words | None = None
    mark: Mark | None = None
    tools: tuple[Button, ...] = ()


class Choices(PageValue, frozen=True):
    """One of a few: side by side, or below each other where each says more than a word (`is_wide`)."""

    key: str
    options: tuple[Item, ...]
    chosen: str = ""
    """Key of the option that holds."""
    title: Words | None = None
    is_wide: bool = False


class Banner(PageValue, frozen=True):
    """One sentence in a side's colour, with one figure: who acts, who rolls, who won."""

    key: str
    title: Words
    sub: Words | None = None
    value: Words | None = None
    unit: Words | None = None
    """What the figure counts, such as ``hits``."""
    mark: Mark | None = None
    """Its tone is the ground's colour; none: a plain ground."""
    symbol: str = ""


class ClockAnchor(PageValue, frozen=True):
    """A clock as what was left at an instant; whoever shows it counts on from there by itself."""

    left_ms: Millis
    at_ms: Millis
    is_running: bool = False
    is_counting_up: bool = False
    tenths_below_ms: Millis = 0


class Clock(PageValue, frozen=True):
    """One clock."""

    key: str
    mark: Mark
    anchor: ClockAnchor | None = None
    """None: this game keeps no time."""
    level: Literal["calm", "low", "last", "fallen"] = "calm"
    note: Words | None = None
    act: ActId | None = None


class Clocks(PageValue, frozen=True):
    """Two to six clocks, large or as chips."""

    key: str
    clocks: tuple[Clock, ...]
    is_large: bool = True


class Cell(PageValue, frozen=True):
    """One cell of a strip."""

    key: str
    title: Words
    state: Literal["done", "now", "next"] = "next"
    symbol: str = ""
    part: float = 0.0
    """How much of it is done, 0 to 1."""
    weight: float = 1.0
    act: ActId | None = None


class Strip(PageValue, frozen=True):
    """What comes one after the other: a stage, the steps of a battle, rounds, seasons."""

    key: str
    cells: tuple[Cell, ...]


class Part(PageValue, frozen=True):
    """One part of a whole."""

    key: str
    amount: float
    title: Words
    sub: Words | None = None
    mark: Mark | None = None


class Threshold(PageValue, frozen=True):
    """A mark on the bar of a whole."""

    at: float
    title: Words
    is_open: bool = False
    """It does not count yet."""


class Split(PageValue, frozen=True):
    """Two or more parts of a whole on one bar."""

    key: str
    parts: tuple[Part, ...]
    thresholds: tuple[Threshold, ...] = ()
    note: Words | None = None
    state: State = "plain"
    is_slim: bool = False
    """One line without words at its marks, under something larger."""
    unit: Words | None = None
    """What its figures count, such as ``Victory points``: a slim one has it below."""


class Rows(PageValue, frozen=True):
    """Lines below each other; two side by side in a wide window unless they need the width (`is_wide`)."""

    key: str
    rows: tuple[Item, ...]
    title: Words | None = None
    empty: Words | None = None
    """What stands there when there are none."""
    is_wide: bool = True
    is_dense: bool = False
    """Many lines that are only read: each is as low as its words, and its second line stands beside its first."""
    columns: int = 0
    """How many stand side by side in a wide window; 0: one, or two that do not need the width."""


class Tiles(PageValue, frozen=True):
    """Things side by side, with their symbols; a tap on one is one more of it."""

    key: str
    tiles: tuple[Item, ...]
    title: Words | None = None
    mark: Mark | None = None
    """Whose they are, where several groups of tiles stand below each other."""
    empty: Words | None = None
    columns: int = 0
    """How many stand side by side in a wide window; 0: as many as their words leave room for."""
    is_board: bool = False
    """They are spaces of a board: each in the colour of its mark, who holds it; one in danger is fought for."""


class Side(PageValue, frozen=True):
    """One of two columns."""

    key: str
    head: Head | None
    blocks: tuple[Block, ...] = ()
    weight: float = 1.0
    """How wide it is beside the other one."""


class Sides(PageValue, frozen=True):
    """Both sides at once, in columns."""

    key: str
    sides: tuple[Side, ...]


class Die(PageValue, frozen=True):
    """One die."""

    key: str
    faces: int
    value: int | None = None
    colour: str = ""
    state: Literal["plain", "hit", "miss", "unsure", "empty"] = "plain"
    act: ActId | None = None


class Dice(PageValue, frozen=True):
    """Dice that lie there, or are to be rolled."""

    key: str
    dice: tuple[Die, ...]
    title: Words | None = None
    mark: Mark | None = None


class Pad(PageValue, frozen=True):
    """Keys of one tap each: numbers, letters, values; what is entered now, and what comes next."""

    key: str
    keys: tuple[Item, ...]
    title: Words | None = None
    entered: Words | None = None
    then: Words | None = None
    columns: int = 0
    """How many keys stand side by side; 0: as their number suggests."""


class Spot(PageValue, frozen=True):
    """A thing on a picture: where it lies from the top left corner, 0 to 1."""

    x: float
    y: float
    item: Item


class Picture(PageValue, frozen=True):
    """A chart or a photo with marks on it; as a list where fingers are too large or there is no picture."""

    key: str
    picture: str
    """Name of the picture: ``chart``, or another, which is shown as its list."""
    spots: tuple[Spot, ...]
    title: Words | None = None
    note: Words | None = None


class Photo(PageValue, frozen=True):
    """A photo as it is."""

    key: str
    width_px: int
    height_px: int
    rgb: bytes
    """Rows from the top, three bytes a pixel."""


class Plot(PageValue, frozen=True):
    """Lines, bars or a distribution."""

    key: str
    model: Lines | Bars | Distribution
    title: Words | None = None


class Code(PageValue, frozen=True):
    """A square to be scanned by a phone, beside what it leads to in words."""

    key: str
    square: tuple[str, ...]
    """Rows of ``1`` for dark and ``0`` for light; empty: the words have to do."""
    title: Words
    sub: Words | None = None
    value: Words | None = None
    """What is typed where nothing can be scanned."""


class Notice(PageValue, frozen=True):
    """Something that wants to be known or answered."""

    key: str
    title: Words
    sub: Words | None = None
    state: State = "plain"
    acts: tuple[Button, ...] = ()


Block = (
    Head | Choices | Banner | Clocks | Strip | Split | Rows | Tiles | Sides | Dice | Pad | Picture | Photo
    | Plot | Code | Notice
)  # fmt: skip


def all_blocks(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield blocks and those in their columns."""
    for block in blocks:
        yield block
        if isinstance(block, Sides):
            for side in block.sides:
                yield from all_blocks(side.blocks)
