"""Watch this evening: the film of the open game or of a saved one, act by act, on the box.

A saved game may be another game than the one at the table, so every text is said here in its own words.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.text import Say, Share, Typed, Value, several
from companion.pages import frame, plots
from companion.pages.film.draft import FilmDraft
from companion.pages.film.fold import Act, Film
from companion.pages.film.luck import GROUPS, luck_say
from companion.pages.film.sections import Evening, evening_of
from companion.pages.film.telling import Costly, LuckRow, Throw
from companion.pages.i18n import _, ngettext
from companion.pages.labels import stage_name
from companion.pages.numbers import figure
from companion.pages.page import (
    Acts,
    Banner,
    Block,
    Button,
    Cell,
    Dice,
    Draft,
    Go,
    Head,
    Item,
    Mark,
    Notice,
    OnBox,
    Page,
    Part,
    Plot,
    Rows,
    Shown,
    Side,
    Sides,
    Sight,
    Split,
    Strip,
    sure,
)
from companion.pages.parts import as_words
from companion.pages.report import ReportSource
from companion.pages.speak import sentence, speak
from companion.pages.times import wall

__all__ = ["FilmDraft", "film_page"]

_CELLS = 14
"""So many places of the strip can be jumped to."""
_MOST_DICE = 6
"""Dice of each side of a battle that are shown: the newest."""
_MOST_CHANGES = 2
"""So many things that changed hands with one act are named; all stand under who holds what."""
_TABS = {"act": Say("Action"), "battle": Say("Battle"), "held": Say("Who holds what"), "points": Say("Graph"), "luck": Say("Luck"),
         "story": Say("Story")}  # fmt: skip


def film_page(sight: Sight) -> Shown:
    """Return one act of the evening, with ways to the next, to the one before and to the battles."""
    acts, draft = Acts(), sight.entered(FilmDraft())
    found = sight.work(_key(sight, draft), lambda: _watched(sight, draft))
    if found is None:
        return _waiting(sight, acts, Say("Reading the evening"))
    if isinstance(found, Say):
        return _waiting(sight, acts, found)
    if not found.film.acts:
        return _waiting(sight, acts, Say("Nothing has been played yet"))
    return _shown(sight, acts, draft, found)


def _key(sight: Sight, draft: FilmDraft) -> tuple[object, ...]:
    change = sight.change
    version = change.seq if draft.path is None and change is not None else draft.saved_wall_ms
    return ("film", draft.path, version)


def _watched(sight: Sight, draft: FilmDraft) -> Evening | Say:
    source = _source(sight, draft)
    return source if isinstance(source, Say) else evening_of(source)


def _source(sight: Sight, draft: FilmDraft) -> ReportSource | Say:
    desk, change = sight.desk, sight.change
    assert desk is not None, "entries lie with the desk"
    if draft.path is None:
        if change is None or change.state.setup is None:
            return Say("No game is open")
        return ReportSource(change, desk.entries(), desk.counts, sight.wall_ms)
    read = desk.watch(draft.path)
    if isinstance(read, Say):
        return read
    return ReportSource(read.change, read.entries, read.counts, sight.wall_ms, read.loss)


def _waiting(sight: Sight, acts: Acts, why: Say) -> Shown:
    page = Page(
        "film.wait",
        Say("Watch this evening"),
        blocks=(Rows("film", (), empty=why),),
        main=_leave(sight, acts),
    )
    return Shown(page, acts)


def _leave(sight: Sight, acts: Acts) -> Button:
    is_open = sight.change is not None and sight.change.state.setup is not None
    if is_open:
        return Button(Say("Back to the table"), acts.put("leave", Go("table")))
    return Button(Say("Done"), acts.put("leave", Go("home")))


def _to(at: int) -> Draft[FilmDraft]:
    return Draft(lambda draft: replace(draft, at=at), FilmDraft())


def _shown(sight: Sight, acts: Acts, draft: FilmDraft, evening: Evening) -> Shown:
    film = evening.film
    last = len(film.acts) - 1
    at = min(max(0, draft.at), last)
    back = acts.put("act.back", _to(at - 1)) if at else None
    on = acts.put("act.on", _to(at + 1)) if at < last else None
    is_judged = draft.tab == "decisions" and evening.own.judges_decisions
    tab = draft.tab if draft.tab in _TABS or is_judged else "act"
    blocks: tuple[Block, ...]
    match tab:
        case "battle":
            blocks = _battle(film, at)
        case "held":
            blocks = _held(film, at, evening)
        case "points":
            blocks = _points(film, at, evening)
        case "luck":
            blocks = _luck(evening)
        case "decisions":
            blocks = _decisions(sight, draft, evening, acts)
        case "story":
            blocks = _story(evening)
        case _:
            blocks = _act(film, at)
    is_over = on is None
    is_whole = tab in ("luck", "story", "decisions")  # of the whole evening, not of one action
    page = Page(
        f"film.{tab}",
        Typed(_("{title}, action {n} of {last}").format(title=_title(film), n=at + 1, last=last + 1)),
        None if is_whole else Typed(f"{at + 1}/{last + 1} · {_where(film, film.acts[at])}"),
        tabs=tuple(
            Item(key, word, act=acts.put(f"tab.{key}", _tab(key)))
            for key, word in _TABS.items()
            if key in _tabs_of(evening)
        ),
        tab="luck" if tab == "decisions" else tab,
        tools=_tools(film, at, draft, acts)
        if tab in ("act", "battle", "held")
        else _asks(tab, evening, acts),
        blocks=(*blocks, _strip(film, at, acts)) if tab in ("act", "held") else blocks,
        main=_leave(sight, acts) if is_over else Button(Say("Next action"), on, "play"),
        second=Button(Say("Back"), back, "back") if back is not None else None,
        back=acts.put("back", Go("table") if _is_open(sight) else Go("home")),
        turns=(None, None) if is_whole else (back, on),
    )
    return Shown(page, acts)


def _is_open(sight: Sight) -> bool:
    return sight.change is not None and sight.change.state.setup is not None


def _tab(key: str) -> Draft[FilmDraft]:
    return Draft(lambda draft: replace(draft, tab=key), FilmDraft())


def _tabs_of(evening: Evening) -> tuple[str, ...]:
    film = evening.film
    has = {
        "act": True,
        "battle": bool(film.chapters),
        "held": bool(film.held_at(len(film.acts) - 1)),
        "points": evening.own.points_title is not None,
        "luck": bool(evening.luck.rows or evening.luck.notes),
        "story": True,
    }
    return tuple(key for key, is_there in has.items() if is_there)


def _title(film: Film) -> str:
    return _(film.state.frozen_setup.title)


def _where(film: Film, act: Act) -> str:
    stage = stage_name(film.state.frozen_setup, act.stage)
    return f"{stage} · {sentence(act.where, film.state)}"


def _tools(film: Film, at: int, draft: FilmDraft, acts: Acts) -> tuple[Button, ...]:
    """Return the jumps to the battles, and going on from here as a copy."""
    here = film.acts[at].battle
    later = next((one.first for one in film.chapters if one.first > at and one.fought.key != here), None)
    before = [one.first for one in film.chapters if one.first < at and one.fought.key != here]
    found = []
    if before:
        found.append(Button(Say("Previous battle"), acts.put("battle.back", _to(before[-1]))))
    if later is not None:
        found.append(Button(Say("Next battle"), acts.put("battle.on", _to(later)), "battle"))
    if film.acts[at].may_branch:
        ask = sure(
            Say("Continue from this action?"),
            OnBox("branch_game", {"path": draft.path, "seq": film.acts[at].seq}),
            sub=Say(
                "A copy of the game opens as it stood after this action. The game itself stays as it is."
            ),
            yes=Say("Make a copy"),
        )
        found.append(Button(Say("What if"), acts.put("what_if", ask), "jump"))
    return tuple(found)


# What is shown


def _mark(film: Film, side: str) -> Mark | None:
    if not side:
        return None
    found = frame.mark(film.state.frozen_setup, side)
    return Mark(found.emblem, found.tone, Typed(found.name))


def _say(film: Film, value: Value) -> Typed:
    return Typed(sentence(value, film.state))


def _act(film: Film, at: int) -> tuple[Block, ...]:
    act = film.acts[at]
    text = Typed(act.note) if act.note else _say(film, act.what)
    noted = tuple(Notice(f"note.{n}", Typed(one)) for n, one in enumerate(act.notes[:1]))
    blocks: list[Block] = [
        Banner("what", text, value=Typed(wall(act.wall_ms, act.wall_ms)), mark=_mark(film, act.by)),
        *_sides(film, act),
    ]
    blocks += noted
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
                _say(film, one.what),
                value=_holder(film, one.holder, one.side),
                mark=_mark(film, one.side),
            )
            for one in act.changed[:_MOST_CHANGES]
        )
        blocks.append(Rows("changed", rows, title=Say("Changed hands"), is_wide=False))
    return tuple(blocks)


def _sides(film: Film, act: Act) -> tuple[Block, ...]:
    setup = film.state.frozen_setup
    rows = []
    for id_, side in zip(film.sides, act.sides, strict=True):
        told = " · ".join(one for one in (side.score, side.clock) if one)
        name = Typed(frame.mark(setup, id_).name)
        rows.append(Item(f"side.{id_}", name, value=Typed(told) if told else None, mark=_mark(film, id_)))
    return (Rows("sides", tuple(rows), is_wide=False),)


def _bar(film: Film, act: Act) -> Split | None:
    known = [amount for amount in act.points if amount is not None]
    if len(known) < 2 or not sum(known):
        return None
    parts = tuple(
        Part(
            id_,
            (amount or 0.0) / sum(known),
            Typed(f"{amount or 0:g}"),
            mark=_mark(film, id_),
        )
        for id_, amount in zip(film.sides, act.points, strict=True)
    )
    return Split("points", parts)


def _battle(film: Film, at: int) -> tuple[Block, ...]:
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
    sub = _say(film, several(told, "dots")) if told else None
    throws = [
        throw for act in film.acts[chapter.first : at + 1] if act.battle == fought.key for throw in act.throws
    ]
    lost = {one.side: one for one in fought.lost}
    sides = []
    for side in sorted(film.sides, key=lambda one: one != fought.side)[:2]:
        own = [throw for throw in throws if throw.side == side]
        gone = lost.get(side)
        words: Value | None = None
        if is_over and gone is not None:
            words = Say("lost nothing") if gone.units is None else Say("lost: {units}", units=gone.units)
        head = Head(
            f"battle.{side}",
            Typed(frame.mark(film.state.frozen_setup, side).name),
            None if words is None else _say(film, words),
            mark=_mark(film, side),
        )
        block: Block = Rows(f"{side}.none", (), empty=Say("No dice yet"))
        if own:
            dice = tuple(die for throw in own for die in throw.dice)[-_MOST_DICE:]
            numbered = tuple(replace(die, key=str(n)) for n, die in enumerate(dice))
            hits = sum(throw.hits or 0 for throw in own)
            expected = sum(throw.expected for throw in own)
            block = Dice(f"dice.{side}", numbered, Typed(_hits(hits, expected)))
        sides.append(Side(side, head, (block,)))
    banner = Banner("battle", _say(film, fought.title), sub, mark=_mark(film, fought.side))
    return (banner, Sides("battle", tuple(sides)))


def _dice(film: Film, key: str, throw: Throw) -> Dice:
    who = sentence(throw.who, film.state) if throw.who is not None else ""
    if throw.hits is not None:
        who = f"{who}: {_hits(throw.hits, throw.expected)}"
    return Dice(key, throw.dice, Typed(who), _mark(film, throw.side))


def _hits(hits: int, expected: float) -> str:
    told = ngettext("{n} hit", "{n} hits", hits).format(n=hits)
    return f"{told}, {_('{n} expected').format(n=figure(expected))}"


def _holder(film: Film, holder: Value | None, side: str) -> Typed:
    if holder is not None:
        return _say(film, holder)
    return Typed(frame.mark(film.state.frozen_setup, side).name if side else "\N{EN DASH}")


def _held(film: Film, at: int, evening: Evening) -> tuple[Block, ...]:
    fresh = {one.key for one in film.acts[at].changed}
    rows = tuple(
        Item(
            one.key,
            _say(film, one.what),
            value=_holder(film, one.holder, one.side),
            mark=_mark(film, one.side),
            state="chosen" if one.key in fresh else "plain",
        )
        for one in film.held_at(at)
    )
    return (Rows("held", rows, title=_say(film, evening.own.held_title), is_wide=False),)


def _points(film: Film, at: int, evening: Evening) -> tuple[Block, ...]:
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
    return (Plot("points", model, _say(film, evening.own.points_title)),)


def _luck(evening: Evening) -> tuple[Block, ...]:
    film = evening.film
    rows = [row for row in evening.luck.rows if row.scope == "evening"]
    if not rows:
        return tuple(Notice(f"note.{n}", _say(film, note)) for n, note in enumerate(evening.luck.notes))
    sides = tuple(
        Side(
            row.key,
            Head(row.key, _luck_of(film, row), mark=_mark(film, row.side)),
            (Plot(row.key, row.spread),),
        )
        for row in rows
        if row.group == "hits"
    )
    told = tuple(
        Item(row.key, _luck_of(film, row), luck_say(row), mark=_mark(film, row.side)) for row in rows
    )
    return (Sides("luck", sides[:2]), Rows("ranks", told, is_wide=False))


def _luck_of(film: Film, row: LuckRow) -> Typed:
    return Typed(f"{sentence(row.who, film.state)} · {_(GROUPS[row.group])}")


def _asks(tab: str, evening: Evening, acts: Acts) -> tuple[Button, ...]:
    """Return the way to the decisions that cost most, which are worked out on request alone."""
    if tab != "luck" or not evening.own.judges_decisions:
        return ()
    return (Button(Say("Costliest decisions"), acts.put("decisions", _tab("decisions"))),)


def _decisions(sight: Sight, draft: FilmDraft, evening: Evening, acts: Acts) -> tuple[Block, ...]:
    """Return the decisions that cost most; a tap goes to the action."""
    film = evening.film
    found = sight.work(("costly", *_key(sight, draft)), lambda: _judged(sight, draft, evening))
    if found is None:
        return (Rows("decisions", (), empty=Say("Working out every decision of the evening")),)
    if isinstance(found, Say):
        return (Rows("decisions", (), empty=_say(film, found)),)
    places = {act.seq: n for n, act in enumerate(film.acts)}
    rows = tuple(
        Item(
            f"decision.{n}",
            Typed(f"{sentence(one.battle, film.state)} – {sentence(one.chosen, film.state)}"),
            Typed(_("Better: {what}").format(what=speak(one.better, film.state))),
            value=_say(film, one.chances),
            mark=_mark(film, one.side),
            act=acts.put(f"decision.{n}", _at_battle(places.get(one.seq, 0))),
        )
        for n, one in enumerate(found)
    )
    return (Rows("decisions", rows, empty=Say("No decision on losses or retreat could have been better.")),)


def _at_battle(at: int) -> Draft[FilmDraft]:
    return Draft(lambda draft: replace(draft, at=at, tab="battle"), FilmDraft())


def _judged(sight: Sight, draft: FilmDraft, evening: Evening) -> tuple[Costly, ...] | Say:
    source = _source(sight, draft)
    return source if isinstance(source, Say) else evening.own.costly(source)


def _story(evening: Evening) -> tuple[Block, ...]:
    rows = tuple(
        Item(str(n), Typed(" ".join(sentence(one, evening.film.state) for one in part)))
        for n, part in enumerate(evening.story.paragraphs)
    )
    return (Rows("story", rows),)


def _strip(film: Film, at: int, acts: Acts) -> Strip:
    """Return the evening as a strip of equal parts; a tap on one goes to its first act."""
    count = len(film.acts)
    cells = []
    parts = min(_CELLS, count)
    for n in range(parts):
        first, after = n * count // parts, (n + 1) * count // parts
        act = film.acts[first]
        is_new = not n or act.stage != film.acts[(n - 1) * count // parts].stage
        where = "now" if first <= at < after else "done" if at >= after else "next"
        has_battle = any(one.battle for one in film.acts[first:after])
        cells.append(
            Cell(
                f"part.{n}",
                Typed(str(act.stage) if is_new and act.stage else "•" if has_battle else ""),
                where,  # type: ignore[arg-type]
                part=(at - first + 1) / (after - first) if where == "now" else 0.0,
                act=acts.put(f"part.{n}", _to(first)),
            )
        )
    return Strip("film", tuple(cells))
