"""The button of the house: parts are made when shown, in their order, and icon and text stand as one group."""

from __future__ import annotations

from typing import Any

import pytest

from companion.testing import harness
from companion.ui.theme import theme
from companion.ui.widgets import Icon, Plate, Text


@pytest.fixture
def plate() -> Any:
    """Return an empty plate in a window."""
    laid = harness.lay(screen="home")
    made = Plate(size_hint=(None, None), size=(300, 60), pos=(100, 100))
    laid.root.add_widget(made)
    laid.frames(3)
    yield laid, made
    laid.root.remove_widget(made)


def parts(made: Plate) -> list[str]:
    """Name what is shown, in reading order."""
    shown = [w for w in made.walk(restrict=True) if isinstance(w, Icon | Text)]
    return [w.name if isinstance(w, Icon) else w.text for w in shown]


def test_parts_come_and_go_with_what_is_to_be_shown(plate: Any) -> None:
    laid, made = plate
    assert parts(made) == []
    made.text = "Fire"
    assert parts(made) == ["Fire"]
    made.icon, made.icon_after = "check", "down"
    assert parts(made) == ["check", "Fire", "down"]
    made.sub = "3 dice"
    assert parts(made) == ["check", "Fire", "3 dice", "down"]
    laid.frames(3)
    fire, sub = (w for w in made.walk(restrict=True) if isinstance(w, Text))
    assert fire.y >= sub.top - 1
    made.sub = ""
    assert parts(made) == ["check", "Fire", "down"]
    laid.frames(3)
    assert fire.height == made.height - made.padding[1] - made.padding[3]
    made.text = ""
    assert parts(made) == ["check", "down"]
    made.icon = made.icon_after = ""
    assert parts(made) == []
    made.text, made.sub = "Again", "and again"
    assert parts(made) == ["Again", "and again"]


def test_icon_and_text_stand_as_one_group_in_the_middle(plate: Any) -> None:
    laid, made = plate
    made.text, made.icon = "Fire", "check"
    laid.frames(3)
    icon = next(w for w in made.walk(restrict=True) if isinstance(w, Icon))
    text = next(w for w in made.walk(restrict=True) if isinstance(w, Text))
    left = icon._rect.pos[0]
    right = harness._ink_rect(text)[2]
    assert abs((left + right) / 2 - made.center_x) <= 3
    assert text.x - (left + made.icon_px) == pytest.approx(made.gap_px, abs=1.5)
    made.width = 420
    laid.frames(3)
    assert icon._rect.pos[0] != left


def test_an_outline_and_an_area_are_drawn_only_where_they_are_seen(plate: Any) -> None:
    _laid, made = plate

    def drawn() -> tuple[bool, bool]:
        return made._edge is not None, made._fill is not None

    made.kind = "bare"
    assert drawn() == (False, False)
    made.kind = "quiet"
    assert drawn() == (True, True)
    assert made._edge[1].size == (300, 60)
    assert made._fill[1].size[0] < 300
    made.kind = "main"
    assert drawn() == (False, True)
    assert tuple(made._fill[0].rgba) == pytest.approx(theme.color("accent"), abs=0.01)
    assert tuple(made._fill[1].size) == (300, 60)
    made.is_enabled = False
    assert drawn() == (True, True)
