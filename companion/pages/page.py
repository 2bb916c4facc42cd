"""Pages as values: what a screen shows and asks, for the box, for phones and for tests alike.

A page function is pure: `page(sight) -> Shown`. The page goes out to whoever draws it; the acts stay here, beside it. A block
holds texts, marks and the ids of acts, never a command, never a pixel. A block or an item that compares equal to the one
before keeps its widget, so a page is built anew at every change and only what differs is drawn anew.

    def stars_page(sight: Sight) -> Shown:
        state, acts = sight.state, Acts()
        draft = sight.entered(StarsDraft())
        rows = tuple(
            Item(star, star_name(star), holder(star), act=acts.put(f"star.{star}", Ask(form, answered)))
            for star in stars
        )
        page = Page("stars", Say("Stars"), blocks=(Rows("stars", rows),), main=end_button(state, acts))
        return Shown(page, acts)

Texts are `Words`: a `Say`, or a typed value alone. An act that asks first is an `Ask` with one question (`sure`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, NewType, Protocol, TypeVar

import msgspec

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.ids import TABLE, Actor, Millis
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.core.text import Value

if TYPE_CHECKING:
    from companion.pages.box import Box
    from companion.pages.desk import Desk, Subscription
    from companion.pages.plots import Bars, Distribution, Lines

__all__ = [
    "TABLE_VIEWER", "Act", "ActId", "Acts", "Answer", "Answers", "Ask", "At", "Banner", "Block", "Button",
    "Cell", "Choices", "Clock", "ClockAnchor", "Clocks", "Code", "Counter", "Dice", "DiceAsk", "Die", "Do", "Draft",
    "EndAct", "Field", "Form", "Go", "Head", "Item", "Keys", "Listed", "Mark", "Notice", "OnBox", "Options",
    "Pad", "Page",
    "PageMaker", "Part", "Photo", "Pick", "Picture", "Plot", "Refuse", "Rows", "ScreenEntry", "Send", "Shown",
    "Side", "Sides", "Sight", "Split", "Spot", "State", "Strip", "Threshold", "Tick", "Tiles", "Tone",
    "UnwantedError",
    "Viewer", "Words", "act_ids", "all_blocks", "asked", "opened", "sure",
]  # fmt: skip

ActId = NewType("ActId", str)
"""What a tap asks for; unique within a page, the same from change to change, and it tells nothing that is hidden."""

Words = Value
"""A text: a sentence with its values, or one typed value alone."""

Tone = str
"""A colour token of the theme: ``text``, ``muted``, ``accent``, ``ok``, ``danger``, a side's, ``piece:green`` ..."""

State = Literal["plain", "muted", "ok", "danger", "chosen", "done", "lost"]
"""How a thing stands. ``chosen``: what the next act is about; ``lost``: crossed out."""

D = TypeVar("D")


class _Value(msgspec.Struct, frozen=True, tag=True):
    """Base of all that a page is made of."""


# What blocks are made of


class Mark(_Value, frozen=True):
    """How a side or nation is told apart: a colour and, without colour, a shape or letters."""

    emblem: str
    """``circle``, ``square``, ``star``, ``ring``, ``diamond``, ``triangle``, or one or two letters."""
    tone: Tone = "text"
    name: Words | None = None
    """What a reader of the screen aloud says."""


class Tick(_Value, frozen=True):
    """A box that is ticked or not; the item's act turns it."""

    is_on: bool


class Pick(_Value, frozen=True):
    """One of several that may be chosen; the item's act chooses it."""

    is_on: bool


class Counter(_Value, frozen=True):
    """A number with less and more. The item's own act, where it has one, is one more too."""

    count: int
    less: ActId | None = None
    more: ActId | None = None
    least: int = 0
    most: int = 99
    left: Words | None = None
    """How many more there may be, or what they cost, in words."""


class Keys(_Value, frozen=True):
    """A few keys at the end of a row: one of them chosen, several ticked, or acts; each has its own act."""

    keys: tuple[Item, ...]
    """Those that hold are ``chosen``."""


class Options(_Value, frozen=True):
    """One of a few, side by side on the row itself; each option's own act chooses it, or does what it says."""

    options: tuple[Item, ...]
    chosen: str = ""
    """Key of the option that holds."""


class Item(_Value, frozen=True):
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


class Button(_Value, frozen=True):
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


class Head(_Value, frozen=True):
    """The head of a part of a page: what it is, a figure, up to three tools."""

    key: str
    title: Words
    sub: Words | None = None
    value: Words | None = None
    mark: Mark | None = None
    tools: tuple[Button, ...] = ()


class Choices(_Value, frozen=True):
    """One of a few: side by side, or below each other where each says more than a word (`is_wide`)."""

    key: str
    options: tuple[Item, ...]
    chosen: str = ""
    """Key of the option that holds."""
    title: Words | None = None
    is_wide: bool = False


class Banner(_Value, frozen=True):
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


class ClockAnchor(_Value, frozen=True):
    """A clock as what was left at an instant; whoever shows it counts on from there by itself."""

    left_ms: Millis
    at_ms: Millis
    is_running: bool = False
    is_counting_up: bool = False
    tenths_below_ms: Millis = 0


class Clock(_Value, frozen=True):
    """One clock."""

    key: str
    mark: Mark
    anchor: ClockAnchor | None = None
    """None: this game keeps no time."""
    level: Literal["calm", "low", "last", "fallen"] = "calm"
    note: Words | None = None
    act: ActId | None = None


class Clocks(_Value, frozen=True):
    """Two to six clocks, large or as chips."""

    key: str
    clocks: tuple[Clock, ...]
    is_large: bool = True


class Cell(_Value, frozen=True):
    """One cell of a strip."""

    key: str
    title: Words
    state: Literal["done", "now", "next"] = "next"
    symbol: str = ""
    part: float = 0.0
    """How much of it is done, 0 to 1."""
    weight: float = 1.0
    act: ActId | None = None


class Strip(_Value, frozen=True):
    """What comes one after the other: a stage, the steps of a battle, rounds, seasons."""

    key: str
    cells: tuple[Cell, ...]


class Part(_Value, frozen=True):
    """One part of a whole."""

    key: str
    amount: float
    title: Words
    sub: Words | None = None
    mark: Mark | None = None


class Threshold(_Value, frozen=True):
    """A mark on the bar of a whole."""

    at: float
    title: Words
    is_open: bool = False
    """It does not count yet."""


class Split(_Value, frozen=True):
    """Two or more parts of a whole on one bar."""

    key: str
    parts: tuple[Part, ...]
    thresholds: tuple[Threshold, ...] = ()
    note: Words | None = None
    state: State = "plain"
    is_slim: bool = False
    """One line without words at its marks, under something larger."""


class Rows(_Value, frozen=True):
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


class Tiles(_Value, frozen=True):
    """Things side by side, with their symbols; a tap on one is one more of it."""

    key: str
    tiles: tuple[Item, ...]
    title: Words | None = None
    mark: Mark | None = None
    """Whose they are, where several groups of tiles stand below each other."""
    empty: Words | None = None
    columns: int = 0
    """How many stand side by side in a wide window; 0: as many as their words leave room for."""


class Side(_Value, frozen=True):
    """One of two columns."""

    key: str
    head: Head | None
    blocks: tuple[Block, ...] = ()
    weight: float = 1.0
    """How wide it is beside the other one."""


class Sides(_Value, frozen=True):
    """Both sides at once, in columns."""

    key: str
    sides: tuple[Side, ...]


class Die(_Value, frozen=True):
    """One die."""

    key: str
    faces: int
    value: int | None = None
    colour: str = ""
    state: Literal["plain", "hit", "miss", "unsure", "empty"] = "plain"
    act: ActId | None = None


class Dice(_Value, frozen=True):
    """Dice that lie there, or are to be rolled."""

    key: str
    dice: tuple[Die, ...]
    title: Words | None = None
    mark: Mark | None = None


class Pad(_Value, frozen=True):
    """Keys of one tap each: numbers, letters, values; what is entered now, and what comes next."""

    key: str
    keys: tuple[Item, ...]
    title: Words | None = None
    entered: Words | None = None
    then: Words | None = None
    columns: int = 0
    """How many keys stand side by side; 0: as their number suggests."""


class Spot(_Value, frozen=True):
    """A thing on a picture: where it lies from the top left corner, 0 to 1."""

    x: float
    y: float
    item: Item


class Picture(_Value, frozen=True):
    """A chart or a photo with marks on it; as a list where fingers are too large or there is no picture."""

    key: str
    picture: str
    """Name of the picture: ``chart``, or another, which is shown as its list."""
    spots: tuple[Spot, ...]
    title: Words | None = None
    note: Words | None = None


class Photo(_Value, frozen=True):
    """A photo as it is."""

    key: str
    width_px: int
    height_px: int
    rgb: bytes
    """Rows from the top, three bytes a pixel."""


class Plot(_Value, frozen=True):
    """Lines, bars or a distribution."""

    key: str
    model: Lines | Bars | Distribution
    title: Words | None = None


class Code(_Value, frozen=True):
    """A square to be scanned by a phone, beside what it leads to in words."""

    key: str
    square: tuple[str, ...]
    """Rows of ``1`` for dark and ``0`` for light; empty: the words have to do."""
    title: Words
    sub: Words | None = None
    value: Words | None = None
    """What is typed where nothing can be scanned."""


class Notice(_Value, frozen=True):
    """Something that wants to be known or answered."""

    key: str
    title: Words
    sub: Words | None = None
    state: State = "plain"
    acts: tuple[Button, ...] = ()


Block = (
    Head
    | Choices
    | Banner
    | Clocks
    | Strip
    | Split
    | Rows
    | Tiles
    | Sides
    | Dice
    | Pad
    | Picture
    | Photo
    | Plot
    | Code
    | Notice
)


def all_blocks(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield blocks and those in their columns."""
    for block in blocks:
        yield block
        if isinstance(block, Sides):
            for side in block.sides:
                yield from all_blocks(side.blocks)


# Questions


class DiceAsk(_Value, frozen=True):
    """So many dice of a kind are wanted."""

    faces: int
    count: int
    colour: str = ""


class Field(_Value, frozen=True):
    """One question."""

    key: str
    title: Words
    kind: Literal["choose", "count", "number", "text", "pin", "dice", "confirm"]
    sub: Words | None = None
    options: tuple[Item, ...] = ()
    """Of ``choose``; the answer is the key of one. Of ``text``: names that complete what is typed; others may be typed.

    They carry no acts.
    """
    is_wide: bool = True
    """Options need a line each; else two stand side by side."""
    value: str = ""
    """What stands there at first."""
    least: int = 0
    most: int = 0
    """Bounds of ``count``, how many signs ``number`` and ``text`` take at most, ``pin`` at least; 0: as many as usual.

    Where both are the same for a ``pin``, its last digit enters it.
    """
    has_fraction: bool = False
    has_sign: bool = False
    may_be_empty: bool = False
    dice: tuple[DiceAsk, ...] = ()
    is_secret: bool = False
    """As an item's: what its second line says."""


Answers = Mapping[str, str]
"""Answers of a form by the key of their field; a count is written in digits, a confirmation is ``yes``."""


class Form(_Value, frozen=True):
    """Questions that end in an act: one at a time on the box, one page on a phone."""

    key: str
    title: Words
    fields: tuple[Field, ...]
    act: ActId = ActId("answer")
    back: ActId = ActId("back")
    """Empty: there is no way back, since it is the whole page."""
    yes: Words | None = None
    """What the last button says; none: done."""
    is_danger: bool = False


class Page(_Value, frozen=True):
    """One screen for one viewer."""

    key: str
    """What is shown; another key starts at its first page of rows."""
    title: Words
    lead: Words | None = None
    lead_tone: Tone = "accent"
    tabs: tuple[Item, ...] = ()
    tab: str = ""
    tools: tuple[Button, ...] = ()
    blocks: tuple[Block, ...] = ()
    main: Button | None = None
    second: Button | None = None
    aside: tuple[Button, ...] = ()
    """What stands beside the main button while no game is open and nothing can be undone."""
    form: Form | None = None
    """The question that is open."""
    back: ActId | None = None
    """What the back key does; none: it leaves the screen. A screen of the box has a key for it in its head too."""
    turns: tuple[ActId | None, ActId | None] = (None, None)
    """What the arrow keys and swipes do, back and on, on a page that has acts for them; else they turn its rows."""
    is_private: bool = False
    """It shows what this viewer alone may see; what is being entered on it is dropped when the screen is left."""
    is_glance: bool = False
    """It is looked at for a moment only: what opened it is dropped as soon as anything happens at the table, too."""
    steps: tuple[Cell, ...] = ()
    """The steps of what is under way as symbols in the head, where it has room for them; the title names the one at hand."""


# Acts


class Send(msgspec.Struct, frozen=True):
    """Send a command. One that needs the instant of the press is a function of it."""

    command: Command | Callable[[Millis], Command]
    actor: Actor = TABLE
    """``ARBITER`` asks for the PIN first, where it must."""
    then: Act | None = None
    """Done once the command is taken; never when it is refused."""

    def at(self, at_ms: Millis) -> Command:
        """Return the command of a press."""
        return self.command(at_ms) if callable(self.command) else self.command


class Draft(msgspec.Struct, Generic[D], frozen=True):
    """Change what is being entered: a pure function of this screen's draft, which starts as the page says."""

    change: Callable[[D], D]
    start: D
    """What the draft is before anything was entered."""
    then: Act | None = None


class Ask(msgspec.Struct, frozen=True):
    """Open a form; its answers make the next act, which may ask on, or refuse and leave the form open."""

    form: Form
    answered: Callable[[Answers], Act]


class Go(msgspec.Struct, frozen=True):
    """Show another screen, with what is entered there where that is given."""

    screen: str
    draft: object = None
    args: Mapping[str, Any] = {}
    """What a hand-made screen is entered with."""


class EndAct(msgspec.Struct, frozen=True):
    """End the act at hand, from the instant of the press; while the clocks are paused, let them run on."""


class Answer(msgspec.Struct, frozen=True):
    """Take the answers of the open form: `Page.form`'s own act."""

    answered: Callable[[Answers], Act]


class At(msgspec.Struct, frozen=True):
    """Do what the instant of the press makes, such as dice that the program rolls, which may ask on."""

    make: Callable[[Millis], Act]


class Refuse(msgspec.Struct, frozen=True):
    """Show why not."""

    why: Words


class Do(msgspec.Struct, frozen=True):
    """Do something slow once that is no command, such as sealing a note; what comes of it is carried out next.

    `run` is called beside the thread that draws.
    """

    run: Callable[[], Act]


class OnBox(msgspec.Struct, frozen=True):
    """What only the box itself does: ``arbiter``, ``report``, ``set`` ..., with what it needs to know."""

    what: str
    args: Mapping[str, Any] = {}


Act = Send | Draft[Any] | Ask | Answer | At | Go | EndAct | Refuse | Do | OnBox


class Acts(dict[ActId, Act]):
    """The acts of a page that is being made."""

    def put(self, id_: str, act: Act) -> ActId:
        """Keep an act under an id and return the id.

        Raises:
            ValueError: Another act has this id already.
        """
        made = ActId(id_)
        if made in self:
            raise ValueError(f"act {id_!r}: two acts of a page have this id")
        self[made] = act
        return made


class Shown(msgspec.Struct, frozen=True):
    """A page and, beside it, what its acts do."""

    page: Page
    acts: Mapping[ActId, Act]

    def act(self, id_: str) -> Act | None:
        """Return an act; None where this page has none of that id, as after a change in between."""
        return self.acts.get(ActId(id_))


def opened(shown: Shown, ask: Ask, close: Act) -> Shown:
    """Return a page with a form open on it, as a phone shows it; `close` is what its way back does."""
    page = msgspec.structs.replace(shown.page, form=ask.form)
    acts = {**shown.acts, ask.form.act: Answer(ask.answered), ask.form.back: close}
    return Shown(page, acts)


def sure(
    title: Words, act: Act, *, sub: Words | None = None, yes: Words | None = None, is_danger: bool = False
) -> Ask:
    """Return an act that is asked about once before it is done."""
    field = Field("sure", title, "confirm", sub)
    return Ask(Form("sure", title, (field,), yes=yes, is_danger=is_danger), lambda _answers: act)


def asked(
    key: str,
    title: Words,
    options: tuple[Item, ...],
    then: Callable[[str], Act],
    *,
    sub: Words | None = None,
    is_wide: bool = True,
) -> Ask:
    """Return an act that asks for one of some options and goes on with its key."""
    field = Field("one", title, "choose", sub, options=options, is_wide=is_wide)
    return Ask(Form(key, title, (field,)), lambda answers: then(answers["one"]))


# Who looks at what


class Viewer(msgspec.Struct, frozen=True):
    """Who looks: the box in the middle of the table, or a seat."""

    seat: str = "table"
    sees: frozenset[str] = frozenset()
    """Sides or players whose hidden things this viewer may see."""
    may_act: bool = True


TABLE_VIEWER = Viewer()
"""The box itself: it sees what everybody may see."""


class UnwantedError(Exception):
    """Slow work ended because something else was asked since; it begins anew when it is asked for again."""


class Listed(Protocol):
    """A screen as a menu names it."""

    @property
    def key(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def icon(self) -> str: ...
    @property
    def rail(self) -> int: ...


class Sight(msgspec.Struct, frozen=True):
    """All that a page may be made of, for one viewer at one change."""

    viewer: Viewer
    change: Change | None
    rules: GameRules | None
    draft: object = None
    """What this viewer is entering on this screen, see `entered`."""
    desk: Desk | None = None
    """To read entries, settings and saved games; a page sends nothing by it."""
    wall_ms: int = 0
    box: Box | None = None
    """The box itself, to be asked how it is; a page changes nothing by it."""
    menu: tuple[Listed, ...] = ()
    """The screens that the open game has, as a menu lists them."""

    later: Callable[[object, Callable[[], Any]], Any] | None = None
    """Has slow work done beside and knows what came of it by its key; None until then. None: nothing is done beside."""

    def work(self, key: object, make: Callable[[], D]) -> D | None:
        """Return what slow work makes; None while it is being done, and the page is made anew when it is there.

        Args:
            key: What the result depends on; compared, never hashed.
            make: Does the work, away from the drawing thread; never returns None.
        """
        return make() if self.later is None else self.later(key, make)

    @property
    def state(self) -> GameState:
        """The state of the open game."""
        assert self.change is not None, "a screen that needs a game is shown with one"
        return self.change.state

    def known_to(self, player: str) -> GameState:
        """Return the state as a side or player knows it too, for a page on which only he looks (`Page.is_private`)."""
        seen = self.desk.seen(self.viewer.sees | {player}) if self.desk is not None else None
        return seen.change.state if seen is not None else self.state

    def entered(self, start: D) -> D:
        """Return what is being entered here; `start` where nothing is yet."""
        return self.draft if isinstance(self.draft, type(start)) else start


PageMaker = Callable[[Sight], Shown]
"""Makes a page; pure."""


class ScreenEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One screen as menus list it."""

    key: str
    title: str
    """English source text of its name, marked with `N_`."""
    icon: str
    make: Callable[[], PageMaker]
    """Import and return its page function."""
    rail: int = 0
    """Rank on the rail, lowest first; 0: only under More."""
    needs_game: bool = True
    rail_word: str = ""
    """English source text of a shorter word for the rail; empty: the title is short enough."""
    has_strip: bool = False
    """Whether the strip of the stage stands above it."""
    is_bare: bool = False
    """Whether it needs no bar above it, since it says itself what it is."""
    follow: Callable[[Box, Callable[[], None]], tuple[Subscription, ...]] | None = None
    """Listen to parts of the box that the page shows, while it is up; every call has the page made anew."""
    look: Callable[[Box], None] | None = None
    """Have the box look again, every two seconds while the page is up."""


_ACT_FIELDS = ("act", "less", "more", "back")


def act_ids(page: Page) -> Iterator[ActId]:
    """Return the id of every act that a page offers."""
    yield from _acts_in(page)


def _acts_in(value: object) -> Iterator[ActId]:
    if isinstance(value, tuple):
        for one in value:
            yield from _acts_in(one)
    elif isinstance(value, _Value):
        for name in value.__struct_fields__:
            inside = getattr(value, name)
            if name in _ACT_FIELDS:
                if inside is not None:
                    yield inside
            else:
                yield from _acts_in(inside)
