"""Makes the helpers beside the session's tests importable and lends a table to play at."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from session_helpers import Room


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A room with a hand-moved clock; what was left open in it is closed at the end."""
    room = Room(tmp_path)
    yield room
    room.close()
