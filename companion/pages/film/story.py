"""The evening as a story in a few paragraphs, by templates: who led, what turned it, luck, thought, losses, and the end.

Templates never make a side the subject of a verb, since one language counts it and another does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from html import escape
from itertools import pairwise
from typing import NamedTuple

from companion.core.text import Duration, Name, Say, Share, Typed, Value, several
from companion.pages.film.fold import Act, Chapter, Film
from companion.pages.film.telling import Fought, GameFilm, Luck, Throw
from companion.pages.i18n import _
from companion.pages.labels import stage_count, stage_name
from companion.pages.modules import game_view
from companion.pages.player_names import seated
from companion.pages.shared_words import SHARED
from companion.pages.speak import sentence
from companion.pages.times import wall

__all__ = ["Story", "story_html", "story_markdown", "story_of", "story_text"]

_SURPRISE = 1 / 3
"""A result with a smaller chance is told as a surprise."""
_FEW = 4
"""So many battles are told one by one."""
_LUCKY = 0.25
"""A roll with a smaller chance is told as lucky."""
_MOST_NOTES = 4
_MOST_NOTE = 240


class Story(NamedTuple):
    """A title and paragraphs of sentences."""

    title: Value
    paragraphs: tuple[tuple[Value, ...], ...]


def the_side(film: Film, side: str) -> Value:
    """Return a side as it stands in a sentence: with its article, or a player's name."""
    setup = film.state.frozen_setup
    if SHARED.word("the_side", side) is not None:
        return Name("the_side", side)
    return next((Say(info.name) for info in setup.sides if info.id == side), Name("side", side))


def story_of(film: Film, own: GameFilm, luck: Luck) -> Story:
    """Return the story of an evening; what nobody knows of it is left out."""
    title = own.title or Say(film.state.frozen_setup.title)
    parts = (
        _setting(film, title),
        _course(film, own),
        _battles(film, own),
        _dice(film, luck),
        _losses(film),
        _thought(film),
        _notes(film),
        _end(film, own),
    )
    return Story(title, tuple(found for part in parts if (found := tuple(part))))


# Paragraphs


def _setting(film: Film, title: Say) -> Iterator[Value]:
    setup = film.state.frozen_setup
    if len(film.sides) == 2:
        one, other = (_with_players(film, side) for side in film.sides)
        yield Say("{title}: {one} against {other}.", title=title, one=one, other=other)
    else:
        players = several(the_side(film, side) for side in film.sides)
        yield Say("{title}, played by {players}.", title=title, players=players)
    stages = {act.stage for act in film.acts if act.stage}
    if len(stages) > 1:
        yield Say("The game went on for {stages}.", stages=Typed(stage_count(setup.game, len(stages))))


def _with_players(film: Film, side: str) -> Value:
    info = next(info for info in film.state.frozen_setup.sides if info.id == side)
    seats = seated(film.state.frozen_setup, info)
    if not seats:
        return the_side(film, side)
    return Say("{side} ({players})", side=the_side(film, side), players=several(map(Typed, seats), "comma"))


def _course(film: Film, own: GameFilm) -> Iterator[Value]:
    """Yield who led, how often that changed, and the act that turned it most."""
    known = [act for act in film.acts if len(act.points) == len(film.sides) and None not in act.points]
    leads = [(act, _leader(film, act)) for act in known]
    leaders = [(act, side) for act, side in leads if side]
    if not leaders:
        return
    if own.is_score:
        yield from _lead(film, known, leaders)
    yield from _turn(film, known)


def _lead(film: Film, known: list[Act], leaders: list[tuple[Act, str]]) -> Iterator[Value]:
    changes = sum(one[1] != other[1] for one, other in pairwise(leaders))
    first, is_level = the_side(film, leaders[0][1]), not _leader(film, known[-1])
    if changes or is_level:
        yield Say("The first lead: {side}.", side=first)
    elif len({act.points for act in known}) > 1 or len(film.sides) == 2:
        yield Say("From beginning to end the score favoured {side}.", side=first)
    if changes:
        yield Say.counted("The lead changed hands once.", "The lead changed hands {n} times.", changes)
    if is_level:
        yield Say("In the end the score was level.")
    yield from _stages(film, known)


def _leader(film: Film, act: Act) -> str:
    """Return who is ahead after an act; empty where nobody is."""
    amounts = [amount or 0.0 for amount in act.points]
    most = max(amounts)
    return film.sides[amounts.index(most)] if amounts.count(most) == 1 else ""


def _score(film: Film, act: Act) -> Value:
    """Return the points after an act, side by side; of more than two sides with their names."""
    amounts = [_amount(amount) for amount in act.points]
    if len(amounts) == 2:
        return Say("{a}\u00a0:\u00a0{b}", a=amounts[0], b=amounts[1])
    return several(
        (
            Say("{side} {n}", side=the_side(film, side), n=n)
            for side, n in zip(film.sides, amounts, strict=True)
        ),
        "comma",
    )


def _amount(amount: float | None) -> Value:
    exact = Fraction(amount or 0.0).limit_denominator(100)
    return int(exact) if exact.denominator == 1 else float(exact)


def _stages(film: Film, known: list[Act]) -> Iterator[Value]:
    """Yield the score at the end of each stage in which it changed."""
    last: dict[int, Act] = {}
    for act in known:
        last[act.stage] = act
    game, told = film.state.frozen_setup, []
    for (_before, one), (stage, act) in pairwise([(0, known[0]), *last.items()]):
        if stage and act.points != one.points:
            told.append(Say("{stage} {score}", stage=Typed(stage_name(game, stage)), score=_score(film, act)))
    if len(told) > 1 and len(film.sides) == 2:
        yield Say("The score, {sides}: {list}.",
                  sides=Say("{a} : {b}", a=the_side(film, film.sides[0]), b=the_side(film, film.sides[1])),
                  list=several(told, "comma"))  # fmt: skip


def _turn(film: Film, known: list[Act]) -> Iterator[Value]:
    """Yield the act after which the score had moved most, where something changed hands with it."""
    best, swing = None, 0.0
    for before, act in pairwise(known):
        moved = _swing(film, before, act)
        if act.changed and moved > swing:
            best, swing = (before, act), moved
    if best is None:
        return
    before, act = best
    one = next((held for held in act.changed if held.side), None)
    if one is None:
        return
    if len(film.sides) > 2:
        yield Say(
            "The turning point ({stage}): {what} for {side}.",
            stage=Typed(stage_name(film.state.frozen_setup, act.stage)),
            what=one.what,
            side=the_side(film, one.side),
        )
        return
    yield Say(
        "The turning point ({stage}): {what} for {side}, and {before} became {after}.",
        stage=Typed(stage_name(film.state.frozen_setup, act.stage)),
        what=one.what,
        side=the_side(film, one.side),
        before=_score(film, before),
        after=_score(film, act),
    )


def _swing(film: Film, before: Act, act: Act) -> float:
    moved = [(b or 0.0) - (a or 0.0) for a, b in zip(before.points, act.points, strict=True)]
    return max(moved) - min(moved) if len(film.sides) > 1 else 0.0


def _battles(film: Film, own: GameFilm) -> Iterator[Value]:
    over = [chapter for chapter in film.chapters if chapter.fought.result is not None]
    if not over:
        return
    yield own.battles_say(len(over))
    won = sum(chapter.fought.won is True for chapter in over)
    if len(over) <= _FEW:
        for chapter in over:
            assert chapter.fought.result is not None
            yield _battle(chapter.fought, chapter.fought.result)
    else:
        if any(chapter.fought.won is not None for chapter in over):
            yield own.won_say(won)
        yield from _surprise(over)


def _battle(fought: Fought, result: Value) -> Say:
    if fought.chance is None:
        return Say("{battle} – {result}.", battle=fought.title, result=result)
    return Say(
        "{battle} – {result} (the attackers' chance was {share}).",
        battle=fought.title,
        result=result,
        share=_share(fought.chance),
    )


def _surprise(over: list[Chapter]) -> Iterator[Value]:
    """Yield the result with the smallest chance."""
    found = []
    for chapter in over:
        chance, won = chapter.fought.chance, chapter.fought.won
        if chance is not None and won is not None:
            found.append((chance if won else 1 - chance, chapter))
    if not found:
        return
    chance, chapter = min(found, key=lambda one: one[0])
    if chance < _SURPRISE and chapter.fought.result is not None:
        yield Say(
            "The biggest surprise: {battle}, {result}, with a chance of {share}.",
            battle=chapter.fought.title,
            result=chapter.fought.result,
            share=_share(chance),
        )


def _share(chance: float) -> Value:
    if chance < 0.001:
        return Say("<{share}", share=Share(0.001, 1))
    return Share(chance, 1 if chance < 0.1 else 0)


def _dice(film: Film, luck: Luck) -> Iterator[Value]:
    """Yield the luckiest roll, and the luck of the whole evening."""
    found: list[tuple[float, Throw, Chapter]] = []
    for chapter in film.chapters:
        found += [(one.at_least, one, chapter) for one in chapter.throws if one.hits]
    if found:
        chance, throw, chapter = min(found, key=lambda one: one[0])
        if chance < _LUCKY and throw.hits is not None:
            yield Say(
                "The luckiest roll: {who}, {battle}. {dice}, {hits}: a chance of {share}.",
                who=throw.who if throw.who is not None else the_side(film, throw.side),
                battle=chapter.fought.title,
                dice=Say.counted("{n} die", "{n} dice", len(throw.dice)),
                hits=Say.counted("{n} hit", "{n} hits", throw.hits),
                share=_share(chance),
            )
    rows = [row for row in luck.rows if row.scope == "evening" and row.group == "hits"]
    if rows:
        told = several(
            (
                Say(
                    "{side} luckier than in {share}",
                    side=the_side(film, row.side),
                    share=Share(row.luckier_than),
                )
                for row in rows
            ),
            "comma",
        )
        yield Say("Luck with the dice, compared with all evenings of the same rolls: {list}.", list=told)


def _losses(film: Film) -> Iterator[Value]:
    counts = dict.fromkeys(film.sides, 0)
    for chapter in film.chapters:
        for lost in chapter.fought.lost:
            if lost.side in counts:
                counts[lost.side] += lost.count
    if any(counts.values()):
        told = (Say("{side} {n}", side=the_side(film, side), n=n) for side, n in counts.items())
        yield Say("Units lost in battle: {list}.", list=several(told, "comma"))


def _thought(film: Film) -> Iterator[Value]:
    """Yield the time that each side used, the longest thought over one step, and flags that fell."""
    if not film.acts or not any(side.spent_ms for side in film.acts[-1].sides):
        return
    used = (
        Say("{side} {time}", side=the_side(film, id_), time=Duration(side.spent_ms))
        for id_, side in zip(film.sides, film.acts[-1].sides, strict=True)
    )
    yield Say("Time used: {list}.", list=several(used, "comma"))
    longest, of, over = 0, "", film.acts[0]
    starts = [side.spent_ms for side in film.acts[0].sides]
    for before, act in pairwise(film.acts):
        if act.step.id != before.step.id:
            starts = [side.spent_ms for side in before.sides]
        for id_, side, start in zip(film.sides, act.sides, starts, strict=True):
            if side.spent_ms - start > longest:
                longest, of, over = side.spent_ms - start, id_, act
    if longest >= 60_000:
        yield Say(
            "The longest think: {time}, {side} ({stage}, {step}).",
            time=Duration(longest),
            side=the_side(film, of),
            stage=Typed(stage_name(film.state.frozen_setup, over.stage)),
            step=over.where,
        )
    for fall in film.state.clocks.falls:
        yield Say(
            "A flag fell: {side} ({stage}).",
            side=the_side(film, fall.side),
            stage=Typed(stage_name(film.state.frozen_setup, fall.stage)),
        )


def _notes(film: Film) -> Iterator[Value]:
    typed = (one for act in film.acts for one in (act.note, *act.notes))
    notes = [one.strip() for one in typed if one.strip()]
    if notes:
        quoted = (
            Say("“{text}”", text=Typed(one if len(one) <= _MOST_NOTE else f"{one[: _MOST_NOTE - 1]}…"))
            for one in notes[:_MOST_NOTES]
        )
        yield Say("Noted at the table: {notes}", notes=several(quoted, "comma"))


def _end(film: Film, own: GameFilm) -> Iterator[Value]:
    state = film.state
    told_by_game = game_view(state.frozen_setup.game).ending(state)
    last = film.acts[-1] if film.acts else None
    if state.ending is None:
        where = Typed(stage_name(state.frozen_setup, state.step.stage))
        yield Say("The game is not over yet: it stands at {stage}.", stage=where)
    elif told_by_game:
        yield Typed(told_by_game if told_by_game.endswith((".", "!")) else f"{told_by_game}.")
    elif state.ending.winner is not None:
        yield Say("Victory: {side}.", side=the_side(film, state.ending.winner))
    else:
        yield Say("The game ended without a winner.")
    if last is not None and own.points_title is not None and len(last.points) == len(film.sides):
        told = [
            Say("{side} {n}", side=the_side(film, side), n=_amount(amount))
            for side, amount in zip(film.sides, last.points, strict=True)
            if amount is not None
        ]
        if told:
            yield Say("{points}: {list}.", points=own.points_title, list=several(told, "comma"))


# As text


def _paragraphs(story: Story, film: Film) -> list[str]:
    return [" ".join(sentence(one, film.state) for one in part) for part in story.paragraphs]


def _date(film: Film) -> str:
    day = wall(film.acts[0].wall_ms, 0) if film.acts else ""
    return day.partition(" ")[0] if " " in day else ""


def story_text(story: Story, film: Film) -> str:
    """Return the story as plain text, one paragraph a block."""
    head = " · ".join(filter(None, (sentence(story.title, film.state), _date(film))))
    return "\n\n".join((head, *_paragraphs(story, film))) + "\n"


def story_markdown(story: Story, film: Film) -> str:
    """Return the story as Markdown; what players typed cannot mark anything up."""
    head = " · ".join(filter(None, (sentence(story.title, film.state), _date(film))))
    parts = [_plain(part) for part in _paragraphs(story, film)]
    if parts:
        parts[-1] = f"**{parts[-1]}**"
    return "\n\n".join((f"## {_plain(head)}", *parts)) + "\n"


def _plain(text: str) -> str:
    """Return a text in which nothing is markup."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>#|!" else sign for sign in text)


def story_html(story: Story, film: Film) -> str:
    """Return the story as paragraphs, and below it copies as plain text and Markdown."""
    told = "".join(f"<p>{escape(part)}</p>" for part in _paragraphs(story, film))
    copies = "".join(
        f'<details class="more"><summary>{escape(word)}</summary><pre>{escape(text)}</pre></details>'
        for word, text in (
            (_("As plain text"), story_text(story, film)),
            (_("As Markdown"), story_markdown(story, film)),
        )
    )
    return f'<div class="story">{told}</div>{copies}'
