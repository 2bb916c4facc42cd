"""Everything that some eyes are told of an open game: every page, the log, undo, report, film, story, figures."""

from __future__ import annotations

from companion.core.secrecy import NOBODY, Eyes
from companion.pages import screens
from companion.pages.film.sections import evening_of, figures_csv
from companion.pages.film.story import story_markdown, story_text
from companion.pages.frame import frame
from companion.pages.html import page_html
from companion.pages.i18n import LANGUAGES, language_of, speaking
from companion.pages.labels import after_say, entry_label
from companion.pages.modules import modules
from companion.pages.page import Viewer
from companion.pages.phone_pages import WATCHED, watched_page
from companion.pages.report import report_html
from companion.pages.report_parts import ReportSource
from companion.pages.speak import Voice
from companion.pages.table import table_view
from companion.pages.take_back import stays, undo_label
from companion.pages.viewing import sight_of
from companion.testing.memory_desk import MemoryDesk

__all__ = ["told"]


def told(desk: MemoryDesk, eyes: Eyes = NOBODY, language: str = "en") -> dict[str, object]:
    """Return what somebody is told who sees the hidden things of these sides, by the place where it stands."""
    seen = desk.seen(eyes)
    assert seen is not None
    change, entries = seen.change, seen.entries
    game = change.state.frozen_setup.game
    viewer = Viewer("p" if eyes else "table", eyes)
    found: dict[str, object] = {
        "log": [(entry_label(entry, change.state), after_say(entry, change.state)) for entry in entries],
        "undo": undo_label(change, entries),
        "stays": stays(change),
        "rejected": change.rejected,
        "frame": frame(change, desk.rules, undo_label(change, entries)),
        "table": table_view(change, desk.rules, desk.now_ms()),
    }
    for entry in (*screens.SHARED, *modules()[game].screens):
        if entry.needs_game:
            shown = entry.make()(sight_of(desk, viewer))
            found[f"page {entry.key}"] = (shown.page, tuple(sorted(shown.acts)))
    watcher = sight_of(desk, Viewer("watch", eyes, may_act=False))
    with speaking(language):
        voice = Voice(language_of(language), game, change.state)
        for key in WATCHED:
            found[f"phone {key}"] = page_html(
                watched_page(key, watcher, desk.now_ms()), voice, now_ms=desk.now_ms()
            )
        found["report"] = report_html(change, entries, desk.counts, 0)
        evening = evening_of(ReportSource(change, entries, desk.counts, 0))
        found["story"] = (
            story_text(evening.story, evening.film),
            story_markdown(evening.story, evening.film),
        )
        found["figures"] = figures_csv(evening.film)
    assert set(LANGUAGES) >= {language}
    return found
