"""What a phone sees that only watches: every page of every game's desks, with nothing to press."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from companion.core import commands as cm
from companion.core.text import Say, several
from companion.pages.html import page_html
from companion.pages.i18n import LANGUAGES, speaking
from companion.pages.page import Clocks, Sight, Viewer, act_ids, all_blocks
from companion.pages.phone_pages import WATCHED, watched_page
from companion.pages.phone_words import WORDS
from companion.pages.speak import Voice
from companion.testing import (  # noqa: F401 - they add their scenes
    icons_svg,
    scenes,
    scenes_aana,
    scenes_med,
    scenes_sfw,
    scenes_sfw1,
    scenes_tsu,
)
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.ui.theme import PALETTES

DESKS = {scene.desk: key for key, scene in reversed(scenes.SCENES.items()) if not key.startswith("home")}


def sight_of(desk: MemoryDesk) -> Sight:
    return Sight(
        Viewer("watch", may_act=False), desk.change, desk.rules, desk=desk, wall_ms=1_795_000_000_000
    )


@pytest.mark.parametrize("make", DESKS, ids=DESKS.values())
def test_every_watched_page_of_every_desk_can_be_read_and_offers_nothing(make: object) -> None:
    desk = make()  # type: ignore[operator]
    change = desk.change
    state = change.state if change is not None else None
    game = state.setup.game if state is not None and state.setup is not None else ""
    code = list(LANGUAGES)[list(DESKS).index(make) % len(LANGUAGES)]  # type: ignore[call-overload]
    with speaking(code) as spoken:
        for key in WATCHED:
            page = watched_page(key, sight_of(desk), desk.now_ms())
            assert not tuple(act_ids(page)), key
            root = ElementTree.fromstring(page_html(page, Voice(spoken, game, state), now_ms=desk.now_ms()))
            assert not list(root.iter("button")), key
            assert "".join(root.itertext()).strip()
            for parent in root.iter():
                keys = [one.get("data-k") for one in parent if one.get("data-k")]
                assert len(keys) == len(set(keys)), key


@pytest.mark.parametrize(
    ("key", "words"), [("tsu-attacks", "Declare an attack"), ("tsu-stars", "Add a star")]
)
def test_what_only_leads_on_is_not_shown_to_those_who_may_not_press(key: str, words: str) -> None:
    desk = scenes.SCENES[key].desk()
    page = watched_page("tv", sight_of(desk), desk.now_ms())
    assert "hand." in repr(page), "the game's own page is on it"
    assert words not in repr(page)


def test_two_viewers_read_the_same_table_in_their_own_languages() -> None:
    desk = scenes.busy_desk()
    told = {}
    for code in ("en", "de", "fr"):
        with speaking(code) as spoken:
            page = watched_page("table", sight_of(desk), desk.now_ms())
            told[code] = page_html(page, Voice(spoken, "sfw96", desk.change.state))  # type: ignore[union-attr]
    assert "Stage 1 of" in told["en"]
    assert len(set(told.values())) == 3


def test_a_running_clock_is_an_anchor_that_time_alone_does_not_change() -> None:
    desk = scenes.busy_desk()

    def clocks() -> Clocks:
        page = watched_page("clocks", sight_of(desk), desk.now_ms())
        return next(block for block in all_blocks(page.blocks) if isinstance(block, Clocks))

    before = clocks()
    assert any(one.anchor is not None and one.anchor.is_running for one in before.clocks)
    desk.advance(7_000)
    assert clocks() == before
    desk.send(cm.Pause(at_ms=desk.now_ms()))
    assert clocks() != before
    desk.change_setting("hide_clock", True)
    page = watched_page("clocks", sight_of(desk), desk.now_ms())
    assert not any(isinstance(block, Clocks) for block in all_blocks(page.blocks))


def test_spectators_are_told_how_late_they_see_the_table() -> None:
    desk = MemoryDesk(sample_setup())
    leads = []
    for delay_s in (0, 300):
        desk.change_setting("phones_delay_s", delay_s)
        leads.append(watched_page("tv", sight_of(desk), desk.now_ms()).lead)
    assert "Shown {n} min late" not in str(leads[0])
    assert leads[1] == several((leads[0], Say("Shown {n} min late", n=5)), "dots")


def test_the_style_sheet_has_the_colours_of_the_box_and_the_sprite_its_icons() -> None:
    css = (icons_svg.PATH.parent / "phone.css").read_text(encoding="utf-8")
    night, day = css.split("@media (prefers-color-scheme: light)")[:2]
    day = day[: day.index("* {")]
    for part, name in ((night, "night"), (day, "day")):
        found = dict(re.findall(r"--([a-z-]+): (#[0-9A-F]{6})", part))
        palette = PALETTES[name]
        wanted = {
            key.replace("_", "-"): value
            for key in palette.__struct_fields__
            if isinstance(value := getattr(palette, key), str)
        }
        assert found == {**wanted, **palette.pieces}
    assert icons_svg.PATH.read_text(encoding="utf-8") == icons_svg.icons_svg()


def test_the_gateway_s_own_words_are_the_same_that_the_app_translates() -> None:
    from companion.gateway.documents import WORDS as OWN

    assert {key: OWN[key] for key in WORDS} == dict(WORDS)
