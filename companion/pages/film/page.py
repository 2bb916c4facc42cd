"""Watch this evening: the film of the open game or of a saved one, act by act, on the box.

A saved game may be another game than the one at the table, so every text is said here in its own words.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.text import Say, Typed
from companion.pages.film.blocks import (
    act_blocks,
    battle_blocks,
    held_blocks,
    luck_blocks,
    mark_of,
    points_blocks,
    say_of,
    story_blocks,
)
from companion.pages.film.draft import FilmDraft
from companion.pages.film.fold import Act, Film
from companion.pages.film.sections import Evening, evening_of
from companion.pages.film.telling import Costly
from companion.pages.i18n import _
from companion.pages.labels import stage_name
from companion.pages.page import (
    ActId,
    Acts,
    Block,
    Button,
    Cell,
    Do,
    Draft,
    Go,
    Item,
    OnBox,
    Page,
    Refuse,
    Rows,
    Shown,
    Sight,
    Strip,
    sure,
)
from companion.pages.parts import coach_is_on
from companion.pages.report_parts import ReportSource
from companion.pages.speak import sentence, speak

__all__ = ["FilmDraft", "film_page"]

_CELLS = 14
"""So many places of the strip can be jumped to."""
_SHORT_STAGE = 8
"""Letters of a stage's name that a place of the strip has room for; else its number stands there."""
_TABS = {"act": Say("Action"), "battle": Say("Battle"), "held": Say("Who holds what"), "points": Say("Graph"), "luck": Say("Luck"),
         "photo": Say("Photos"), "story": Say("Story")}  # fmt: skip


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
    kept = sight.desk.photos.names(draft.path) if sight.desk is not None else ()
    return ("film", draft.path, version, kept)


def _watched(sight: Sight, draft: FilmDraft) -> Evening | Say:
    source = _source(sight, draft)
    return source if isinstance(source, Say) else evening_of(source)


def _source(sight: Sight, draft: FilmDraft) -> ReportSource | Say:
    desk, change = sight.desk, sight.change
    assert desk is not None, "entries lie with the desk"
    if draft.path is None:
        if change is None or change.state.setup is None:
            return Say("No game is open")
        entries = desk.entries()
        pictures = desk.photos.of(None, entries)
        return ReportSource(change, entries, desk.counts, sight.wall_ms, pictures=pictures)
    read = desk.watch(draft.path)
    if isinstance(read, Say):
        return read
    pictures = desk.photos.of(draft.path, read.entries)
    return ReportSource(read.change, read.entries, read.counts, sight.wall_ms, read.loss, pictures)


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
    here = _photo_at(evening, draft, at)
    if draft.tab == "photo" and here is not None:
        at = evening.photos[here][0]
    back = acts.put("act.back", _to(at - 1)) if at else None
    on = acts.put("act.on", _to(at + 1)) if at < last else None
    if draft.tab == "photo" and here is not None:
        back = acts.put("photo.back", _to_photo(evening, here - 1)) if here else None
        on = acts.put("photo.on", _to_photo(evening, here + 1)) if here + 1 < len(evening.photos) else None
    is_judged = draft.tab == "decisions" and evening.own.judges_decisions
    tab = draft.tab if draft.tab in _tabs_of(evening) or is_judged else "act"
    blocks: tuple[Block, ...]
    match tab:
        case "battle":
            blocks = battle_blocks(film, at)
        case "held":
            blocks = held_blocks(film, at, evening)
        case "points":
            blocks = points_blocks(film, at, evening)
        case "photo":
            blocks = _photo(sight, draft, evening, here)
        case "luck":
            blocks = luck_blocks(evening)
        case "decisions":
            blocks = _decisions(sight, draft, evening, acts)
        case "story":
            blocks = story_blocks(evening)
        case _:
            is_here = here is not None and evening.photos[here][0] == at
            blocks = act_blocks(film, at, _photo(sight, draft, evening, here) if is_here else ())
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
        tools=_photo_tools(sight, draft, evening, here, acts)
        if tab == "photo"
        else _tools(film, at, draft, acts)
        if tab in ("act", "battle", "held")
        else _asks(tab, sight, evening, acts),
        blocks=(*blocks, _strip(film, at, acts)) if tab in ("act", "held") else blocks,
        main=_leave(sight, acts)
        if is_over or is_whole
        else Button(Say("Next photo") if tab == "photo" else Say("Next action"), on, "play"),
        second=_before(tab, back) if back is not None and not is_whole else None,
        back=acts.put("back", Go("table") if _is_open(sight) else Go("home")),
        turns=(None, None) if is_whole else (back, on),
    )
    return Shown(page, acts)


def _before(tab: str, act: ActId) -> Button:
    """Return the way to the action or photo before; the arrow at the top left is the one that leaves."""
    return Button(Say("Previous photo") if tab == "photo" else Say("Previous action"), act)


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
        "photo": bool(evening.photos),
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


def _photo_at(evening: Evening, draft: FilmDraft, at: int) -> int | None:
    """Return the photo that is looked at: the chosen one where it stands with the act, else the next one, else the last."""
    photos = evening.photos
    if not photos:
        return None
    if draft.photo < len(photos) and photos[draft.photo][0] == at:
        return draft.photo
    return next((n for n, one in enumerate(photos) if one[0] >= at), len(photos) - 1)


def _to_photo(evening: Evening, n: int) -> Draft[FilmDraft]:
    return Draft(lambda draft: replace(draft, photo=n, at=evening.photos[n][0]), FilmDraft())


def _photo(sight: Sight, draft: FilmDraft, evening: Evening, here: int | None) -> tuple[Block, ...]:
    """Return a photo of the evening as it is shown."""
    if here is None or sight.box is None:
        return ()
    scanner = sight.box.scanner
    _at, seq, n = evening.photos[here]
    found = sight.work(
        ("photo", *_key(sight, draft), seq, n), lambda: scanner.shown(evening.pictures[seq][n])
    )
    if found is None or isinstance(found, Say):
        return (Rows("photo", (), empty=found or Say("Opening the photo")),)
    return (found,)


def _photo_tools(
    sight: Sight, draft: FilmDraft, evening: Evening, here: int | None, acts: Acts
) -> tuple[Button, ...]:
    """Return deleting a photo; one of a dice reading belongs to the dice and is kept."""
    desk = sight.desk
    if here is None or desk is None:
        return ()
    _at, seq, n = evening.photos[here]
    if n >= sum(of == seq for of, _number in desk.photos.names(draft.path)):
        return ()

    def drop() -> Refuse | Draft[FilmDraft]:
        fault = desk.photos.drop(draft.path, seq, n)
        return Refuse(fault) if fault is not None else _to_photo(evening, max(0, here - 1))

    ask = sure(Say("Delete this photo?"), Do(drop), yes=Say("Delete"), is_danger=True)
    return (Button(Say("Delete this photo"), acts.put("photo.drop", ask)),)


def _asks(tab: str, sight: Sight, evening: Evening, acts: Acts) -> tuple[Button, ...]:
    """Return the way to the decisions that cost most, which are worked out on request alone."""
    if tab != "luck" or not evening.own.judges_decisions or not coach_is_on(sight):
        return ()
    return (Button(Say("Costliest decisions"), acts.put("decisions", _tab("decisions"))),)


def _decisions(sight: Sight, draft: FilmDraft, evening: Evening, acts: Acts) -> tuple[Block, ...]:
    """Return the decisions that cost most; a tap goes to the action."""
    film = evening.film
    found = sight.work(("costly", *_key(sight, draft)), lambda: _judged(sight, draft, evening))
    if found is None:
        return (Rows("decisions", (), empty=Say("Working out every decision of the evening")),)
    if isinstance(found, Say):
        return (Rows("decisions", (), empty=say_of(film, found)),)
    places = {act.seq: n for n, act in enumerate(film.acts)}
    rows = tuple(
        Item(
            f"decision.{n}",
            Typed(f"{sentence(one.battle, film.state)} – {sentence(one.chosen, film.state)}"),
            Typed(_("Better: {what}").format(what=speak(one.better, film.state))),
            value=say_of(film, one.chances),
            mark=mark_of(film, one.side),
            act=acts.put(f"decision.{n}", _at_battle(places.get(one.seq, 0))),
        )
        for n, one in enumerate(found)
    )
    return (Rows("decisions", rows, title=evening.own.decisions_head, empty=evening.own.no_better),)


def _at_battle(at: int) -> Draft[FilmDraft]:
    return Draft(lambda draft: replace(draft, at=at, tab="battle"), FilmDraft())


def _judged(sight: Sight, draft: FilmDraft, evening: Evening) -> tuple[Costly, ...] | Say:
    source = _source(sight, draft)
    return source if isinstance(source, Say) else evening.own.costly(source)


def _stage(film: Film, stage: int) -> str:
    """Return a stage's name where it is short, else its number."""
    name = stage_name(film.state.frozen_setup, stage)
    return name if len(name) <= _SHORT_STAGE else str(stage)


def _strip(film: Film, at: int, acts: Acts) -> Strip:
    """Return the evening as a strip of equal parts; a tap on one goes to its first act."""
    count = len(film.acts)
    cells = []
    parts = min(_CELLS, count)
    for n in range(parts):
        first, after = n * count // parts, (n + 1) * count // parts
        act = film.acts[first]
        is_new = not n or act.stage != film.acts[(n - 1) * count // parts].stage
        is_stage = is_new and bool(act.stage)
        where = "now" if first <= at < after else "done" if at >= after else "next"
        has_battle = any(first <= one.first < after for one in film.chapters)
        cells.append(
            Cell(
                f"part.{n}",
                Typed(_stage(film, act.stage) if is_stage else ""),
                where,  # type: ignore[arg-type]
                symbol="battle" if has_battle and not is_stage else "",
                part=(at - first + 1) / (after - first) if where == "now" else 0.0,
                act=acts.put(f"part.{n}", _to(first)),
            )
        )
    return Strip("film", tuple(cells))
