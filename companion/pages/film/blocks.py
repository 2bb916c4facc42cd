"""What the tabs of the film show of an evening, as blocks: one act, its battle, who holds what, and the evening as a whole."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.text import Count, Say, Share, Typed, Value, several, unit
from companion.pages import frame, plots
from companion.pages.film.fold import Act, Chapter, Film
from companion.pages.film.luck import GROUPS, luck_say
from companion.pages.film.sections import Evening
from companion.pages.film.telling import GameFilm, LuckRow, Throw
from companion.pages.i18n import _, labelled, ngettext
from companion.pages.numbers import figure
from companion.pages.page import (
    Banner,
    Block,
    Dice,
    Head,
    Item,
    Mark,
    Notice,
    Part,
    Plot,
    Rows,
    Side,
    Sides,
    Split,
)
from companion.pages.parts import as_words
from companion.pages.speak import sentence
from companion.pages.symbols import unit_symbol
from companion.pages.times import wall

__all__ = [
    "act_blocks",
    "battle_blocks",
    "held_blocks",
    "luck_blocks",
    "mark_of",
    "points_blocks",
    "say_of",
    "story_blocks",
]

_MOST_COURSE = 6
"""Acts of a battle without dice that are shown: the newest."""
_MOST_DICE = 6
"""Dice of each side of a battle that are shown: the newest."""
_MOST_CHANGES = 2
"""So many things that changed hands with one act are named; all stand under who holds what."""


def mark_of(film: Film, side: str) -> Mark | None:
    """Return the mark of a side; None for nobody."""
    if not side:
        return None
    found = frame.mark(film.state.frozen_setup, side)
    return Mark(found.emblem, found.tone, Typed(found.name))


def say_of(film: Film, value: Value) -> Typed:
    """Return what is said in the words of the game that is watched."""
    return Typed(sentence(value, film.state))


def act_blocks(film: Film, at: int, photo: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return one act: what was done, with its photo where it has one, else how both sides stand, its dice, and what it changed."""
    act = film.acts[at]
    text = Typed(act.note) if act.note else say_of(film, act.what)
    noted = tuple(Notice(f"note.{n}", Typed(one)) for n, one in enumerate(act.notes[:1]))
    blocks: list[Block] = [
        Banner("what", text, value=Typed(wall(act.wall_ms, act.wall_ms)), mark=mark_of(film, act.by)),
    ]
    if photo:  # it has the room
        return (*blocks, *noted, *photo)
    blocks += [*_sides(film, act), *noted]
    if act.throws:
        blocks.append(_dice(film, "throw", act.throws[-1]))
    else:
        bar = _bar(film, act)
        if bar is not None:
            blocks.append(bar)
    if act.changed:
        rows = tuple(
            Item(
                one.key,
                say_of(film, one.what),
                value=_holder(film, one.holder, one.side),
                mark=mark_of(film, one.side),
            )
            for one in act.changed[:_MOST_CHANGES]
        )
        blocks.append(Rows("changed", rows, title=Say("Changed hands"), is_wide=False))
    return tuple(blocks)


def _sides(film: Film, act: Act) -> tuple[Block, ...]:
    setup = film.state.frozen_setup
    rows = []
    for id_, side in zip(film.sides, act.sides, strict=True):
        # The bar above shows the clocks as they are now.
        clock = _("then {clock}").format(clock=side.clock) if side.clock else ""
        told = " · ".join(one for one in (side.score, clock) if one)
        name = Typed(frame.mark(setup, id_).name)
        rows.append(Item(f"side.{id_}", name, value=Typed(told) if told else None, mark=mark_of(film, id_)))
    return (Rows("sides", tuple(rows), is_wide=False, is_dense=True),)


def _bar(film: Film, act: Act) -> Split | None:
    known = [amount for amount in act.points if amount is not None]
    if len(known) < 2 or not sum(known):
        return None
    parts = tuple(
        Part(
            id_,
            (amount or 0.0) / sum(known),
            Typed(f"{amount or 0:g}"),
            mark=mark_of(film, id_),
        )
        for id_, amount in zip(film.sides, act.points, strict=True)
    )
    return Split("points", parts)


def battle_blocks(film: Film, at: int) -> tuple[Block, ...]:
    """Return the battle at hand: its odds before it, both sides' newest dice, and at its end what came of it."""
    chapter = film.chapter_at(at)
    if chapter is None:
        return (
            Rows(
                "battle", (), empty=Say("No battle at this action. The buttons above lead to the next one.")
            ),
        )
    fought = chapter.fought
    is_over = at >= chapter.last and fought.result is not None
    told = [fought.before] if fought.before is not None else []
    if is_over and fought.result is not None:
        told = [fought.result]
        if fought.chance is not None:
            told.append(Say("chance before the battle {share}", share=Share(fought.chance, 1)))
    sub = say_of(film, several(told, "dots")) if told else None
    banner = Banner("battle", say_of(film, fought.title), sub, mark=mark_of(film, fought.side))
    throws = [
        throw for act in film.acts[chapter.first : at + 1] if act.battle == fought.key for throw in act.throws
    ]
    if not throws:
        return banner, _course(film, chapter, at), *_lost(film, chapter, is_over=is_over)
    sides = []
    for side in sorted(film.sides, key=lambda one: one != fought.side)[:2]:
        own = [throw for throw in throws if throw.side == side]
        head = _head(film, chapter, side, is_over=is_over, is_told=False)
        fallen = _fallen(film, chapter, side) if is_over else ()
        block: Block = Rows(f"{side}.none", (), empty=Say("No dice yet"))
        if own:
            dice = tuple(die for throw in own for die in throw.dice)[-_MOST_DICE:]
            numbered = tuple(replace(die, key=str(n)) for n, die in enumerate(dice))
            hits = sum(throw.hits or 0 for throw in own)
            expected = sum(throw.expected for throw in own)
            told_of = Typed(_hits(hits, expected))
            # The head says it where units stand below it, so that all have room.
            head = replace(head, sub=told_of) if fallen else head
            block = Dice(f"dice.{side}", numbered, None if fallen else told_of)
        sides.append(Side(side, head, (*fallen, block)))
    return (banner, Sides("battle", tuple(sides)))


def _fallen(film: Film, chapter: Chapter, side: str) -> tuple[Block, ...]:
    """Return the units that a side lost in a battle, crossed out."""
    gone = next((one for one in chapter.fought.lost if one.side == side), None)
    rows = tuple(
        Item(
            kind,
            say_of(film, Count(n, unit(kind))),
            symbol=unit_symbol(film.state, kind),
            state="lost",
        )
        for kind, n in (gone.kinds if gone is not None else ())
    )
    return (Rows(f"fallen.{side}", rows, is_dense=True, columns=2),) if rows else ()


def _head(film: Film, chapter: Chapter, side: str, *, is_over: bool, is_told: bool = True) -> Head:
    """Return a side of a battle, with what it lost once that is over, where no units below tell it."""
    gone = next((one for one in chapter.fought.lost if one.side == side), None)
    words: Value | None = None
    if is_over and gone is not None and (is_told or not gone.kinds):
        words = Say("lost nothing") if gone.units is None else Say("lost: {units}", units=gone.units)
    name = Typed(frame.mark(film.state.frozen_setup, side).name)
    return Head(
        f"battle.{side}", name, None if words is None else say_of(film, words), mark=mark_of(film, side)
    )


def _course(film: Film, chapter: Chapter, at: int) -> Rows:
    """Return the acts of a battle without dice so far, the newest first."""
    acts = [
        (n, film.acts[n]) for n in range(chapter.first, at + 1) if film.acts[n].battle == chapter.fought.key
    ]
    rows = tuple(
        Item(
            f"course.{n}",
            Typed(act.note) if act.note else say_of(film, act.what),
            mark=mark_of(film, act.by),
            state="chosen" if n == at else "plain",
        )
        for n, act in acts[: -_MOST_COURSE - 1 : -1]
    )
    return Rows("course", rows, is_wide=False)


def _lost(film: Film, chapter: Chapter, *, is_over: bool) -> tuple[Block, ...]:
    if not is_over or not chapter.fought.lost:
        return ()
    heads = (_head(film, chapter, one.side, is_over=True) for one in chapter.fought.lost)
    return (Sides("lost", tuple(Side(head.key, head, ()) for head in heads)),)


def _dice(film: Film, key: str, throw: Throw) -> Dice:
    who = sentence(throw.who, film.state) if throw.who is not None else ""
    if throw.hits is not None:
        who = labelled(who, _hits(throw.hits, throw.expected))
    return Dice(key, throw.dice, Typed(who), mark_of(film, throw.side))


def _hits(hits: int, expected: float) -> str:
    told = ngettext("{n} hit", "{n} hits", hits).format(n=hits)
    return f"{told}, {_('{n} expected').format(n=figure(expected))}"


def _holder(film: Film, holder: Value | None, side: str) -> Typed:
    if holder is not None:
        return say_of(film, holder)
    return Typed(frame.mark(film.state.frozen_setup, side).name if side else "\N{EN DASH}")


def held_blocks(film: Film, at: int, evening: Evening) -> tuple[Block, ...]:
    """Return who holds what after an act, what changed with it set apart."""
    fresh = {one.key for one in film.acts[at].changed}
    rows = tuple(
        Item(
            one.key,
            say_of(film, one.what),
            value=_holder(film, one.holder, one.side),
            mark=mark_of(film, one.side),
            state="chosen" if one.key in fresh else "plain",
        )
        for one in film.held_at(at)
    )
    own = evening.own.held_title
    title = None if own == GameFilm.held_title else say_of(film, own)  # else its tab says it
    return (Rows("held", rows, title=title, is_wide=False, is_dense=True, columns=3),)


def points_blocks(film: Film, at: int, evening: Evening) -> tuple[Block, ...]:
    """Return the points over the evening with an act marked."""
    model = plots.act_lines(
        [
            (
                frame.mark(film.state.frozen_setup, id_),
                [act.points[n] if act.points else None for act in film.acts],
            )
            for n, id_ in enumerate(film.sides)
        ],
        at,
    )
    if model is None or evening.own.points_title is None:
        return (Rows("none", (), empty=as_words(plots.no_scores())),)
    return (Plot("points", model, say_of(film, evening.own.points_title)),)


def luck_blocks(evening: Evening) -> tuple[Block, ...]:
    """Return the luck of the whole evening."""
    film = evening.film
    rows = [row for row in evening.luck.rows if row.scope == "evening"]
    if not rows:
        return tuple(
            Rows(f"note.{n}", (), empty=say_of(film, note)) for n, note in enumerate(evening.luck.notes)
        )
    sides = tuple(
        Side(
            row.key,
            Head(row.key, _luck_of(film, row), mark=mark_of(film, row.side)),
            (Plot(row.key, row.spread),),
        )
        for row in rows
        if row.group == "hits"
    )
    told = tuple(
        Item(row.key, _luck_of(film, row), luck_say(row), mark=mark_of(film, row.side)) for row in rows
    )
    return (Sides("luck", sides[:2]), Rows("ranks", told, is_wide=False))


def _luck_of(film: Film, row: LuckRow) -> Typed:
    return Typed(f"{sentence(row.who, film.state)} · {_(GROUPS[row.group])}")


def story_blocks(evening: Evening) -> tuple[Block, ...]:
    """Return the story."""
    rows = tuple(
        Item(str(n), Typed(" ".join(sentence(one, evening.film.state) for one in part)))
        for n, part in enumerate(evening.story.paragraphs)
    )
    return (Rows("story", rows),)
