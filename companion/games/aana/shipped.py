"""The tables of North Africa that travel with the program, for whatever has no game at hand."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from companion.games.aana.rules.board import Board
from companion.games.aana.rules.tables import BoardFile

__all__ = ["shipped_board", "shipped_table", "unofficial_names"]


@cache
def shipped_table(stem: str) -> Mapping[str, Any]:
    """Return a table as its file has it, unchecked; read once, and changed by nobody."""
    text = resources.files("scenarios").joinpath("aana", f"{stem}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def shipped_board() -> Board:
    """Return the board without anything that a table enters."""
    return Board(msgspec.convert(shipped_table("board"), BoardFile), {})


@cache
def unofficial_names() -> dict[str, str]:
    """Return the names of the territories that only the unofficial set knows, by id."""
    names: dict[str, str] = shipped_table("unofficial")["spaces"]
    return names
