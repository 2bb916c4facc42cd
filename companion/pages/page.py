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
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

import msgspec

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.ids import TABLE, Actor, Millis
from companion.core.rules import GameRules
from companion.core.state import GameState
from companion.pages.blocks import (
    ActId, Banner, Block, Button, Cell, Choices, Clock, ClockAnchor, Clocks, Code, Counter, Dice, Die, Head, Item, Keys,
    Mark, Notice, Options, Pad, PageValue, Part, Photo, Pick, Picture, Plot, Rows, Side, Sides, Split, Spot, State,
    Strip, Threshold, Tick, Tiles, Tone, Words, all_blocks,
)  # fmt: skip

if TYPE_CHECKING:
    from companion.pages.box import Box
    from companion.pages.desk import Desk, Subscription

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

D = TypeVar("D")


# Questions


class DiceAsk(PageValue, frozen=True):
    """So many dice of a kind are wanted."""

    faces: int
    count: int
    colour: str = ""


class Field(PageValue, frozen=True):
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


class Form(PageValue, frozen=True):
    """Questions that end in an act: one at a time on the box, one page on a phone."""

    key: str
    title: Words
    fields: tuple[Field, ...]
    act: ActId = ActId("answer")
    back: ActId = ActId("back")
    """Empty: there is no way back, since it is the whole page."""
    yes: Words | None = None
    """What the last button says; none: done."""
    no: Words | None = None
    """What the way back says where nothing is taken back by it; none: cancel."""
    is_danger: bool = False


class Page(PageValue, frozen=True):
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
    """Show why not; a form whose answers make this stays open."""

    why: Words


class Tell(msgspec.Struct, frozen=True):
    """Show what came of something."""

    what: Words


class Do(msgspec.Struct, frozen=True):
    """Do something slow once that is no command, such as sealing a note; what comes of it is carried out next.

    `run` is called beside the thread that draws.
    """

    run: Callable[[], Act]


class OnBox(msgspec.Struct, frozen=True):
    """What only the box itself does: ``arbiter``, ``report``, ``set`` ..., with what it needs to know."""

    what: str
    args: Mapping[str, Any] = {}


Act = Send | Draft[Any] | Ask | Answer | At | Go | EndAct | Refuse | Tell | Do | OnBox


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
    no: Words | None = None,
) -> Ask:
    """Return an act that asks for one of some options and goes on with its key."""
    field = Field("one", title, "choose", sub, options=options, is_wide=is_wide)
    return Ask(Form(key, title, (field,), no=no), lambda answers: then(answers["one"]))


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
    elif isinstance(value, PageValue):
        for name in value.__struct_fields__:
            inside = getattr(value, name)
            if name in _ACT_FIELDS:
                if inside is not None:
                    yield inside
            else:
                yield from _acts_in(inside)
