"""The installed data of a game for its scenes: what the scenario loader reads, without its checks and user folders."""

from __future__ import annotations

import tomllib
from importlib import resources

import msgspec

from companion.core.scenario import Family, GameData

__all__ = ["installed_data"]


def installed_data(family: Family) -> GameData:
    """Return a game's data from the installed files; msgspec.ValidationError where one is broken."""
    raw = {
        path.name.removesuffix(".toml"): tomllib.loads(path.read_text(encoding="utf-8"))
        for path in (resources.files("scenarios") / family.game).iterdir()
        if path.name.endswith(".toml")
    }
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
