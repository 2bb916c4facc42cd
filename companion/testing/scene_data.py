"""The installed data of a game for its scenes: what the scenario loader reads, without its checks and user folders."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from companion.core.scenario import Family, GameData

__all__ = ["installed_data"]


def installed_data(family: Family) -> GameData:
    """Return a game's data from the installed files; msgspec.ValidationError where one is broken."""
    raw = _tables(family.game)
    tables = {
        name: raw[name] if kind is None else msgspec.convert(raw[name], kind)
        for name, kind in family.tables.items()
    }
    scenarios = {
        name: msgspec.convert(content, family.scenario)
        for name, content in raw.items()
        if name not in family.tables
    }
    return GameData(family.game, raw, tables, scenarios, {})


@cache
def _tables(game: str) -> dict[str, Any]:
    """Read a game's files once; nothing changes what they hold."""
    return {
        path.name.removesuffix(".toml"): tomllib.loads(path.read_text(encoding="utf-8"))
        for path in (resources.files("scenarios") / game).iterdir()
        if path.name.endswith(".toml")
    }


PHONE_SQUARE = (
    "11111110101010111100101111111",
    "10000010100000000101001000001",
    "10111010110110011010101011101",
    "10111010011110001110001011101",
    "10111010101100110101101011101",
    "10000010001110000100001000001",
    "11111110101010101010101111111",
    "00000000001101000001100000000",
    "10011111111101011110110010111",
    "10101000000011000111110010110",
    "10100010101111010000100010100",
    "10101000000011001101000110001",
    "11001010110011010000011000001",
    "11100101100011101110111011011",
    "00010111100011011111010001101",
    "01000000011100001010101100101",
    "01001110001100101010010100000",
    "11010101011001100011000111110",
    "11011010101110011001100100001",
    "11110101001010110000101011100",
    "11111010001111110001111111110",
    "00000000110010111111100011000",
    "11111110111000111011101011000",
    "10000010100110100100100010010",
    "10111010111111101011111110011",
    "10111010110000001001000101101",
    "10111010011010010100100010011",
    "10000010011000001000001110101",
    "11111110100111011100100101000",
)
"""``http://192.168.1.20:8765/j/K7QM2XPA`` as a square to scan."""
