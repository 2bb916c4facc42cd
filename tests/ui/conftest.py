"""One offscreen window for all tests of the screens; every test finds it empty, in English and in the night theme."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.pages import i18n
from companion.testing import harness
from companion.ui.theme import theme

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def fresh_window() -> Iterator[None]:
    """Leave no screen, language or theme behind."""
    yield
    harness.clear()
    i18n.use_language("en")
    theme.use(name="night", text_step=0, size_px=(800, 480))
