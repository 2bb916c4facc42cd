"""Lends a user's data folder in which the files of Song for War v0.96 can be broken."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest


class DataFolder:
    """A folder over the installed data; `edit` copies a file into it with a change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "sfw96").mkdir()

    def edit(self, stem: str, *changes: tuple[str, str], to: str = "") -> None:
        """Put a changed copy of a file into the folder, under its own name or `to`."""
        text = (resources.files("scenarios") / "sfw96" / f"{stem}.toml").read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new, 1)
        self.write(to or stem, text)

    def write(self, stem: str, text: str | bytes) -> None:
        """Put a file into the folder."""
        data = text.encode() if isinstance(text, str) else text
        (self.path / "sfw96" / f"{stem}.toml").write_bytes(data)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """An empty user's data folder."""
    return DataFolder(tmp_path)
