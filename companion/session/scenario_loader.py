"""Read scenario data and freeze new games; knows files and no game.

The data come from the installed ``scenarios`` package. A user's folder may lie over it, laid out the same way
(``<game>/<file>.toml``): a file there replaces the installed one of its name or adds a scenario. What a game's
files mean is told by its `Family`, which the caller hands in.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.collecting import STAND_IN, convert, repaired
from companion.core.scenario import DataError, Family, Fault, GameData, ScenarioInfo
from companion.core.setup import Setup

__all__ = ["Loaded", "load_game", "make_setup", "offers", "require"]

_HINT = "Mend the file, or take it out of the data folder to use the one that came with the app."
_OPTION_HINT = "Change what is named and try again; no game was begun."
_INDEX = re.compile(r"\[\d+\]$")
_AT = re.compile(r"^(?P<what>.*) \(at (?P<where>[^)]*)\)$", re.DOTALL)


class Loaded(msgspec.Struct, frozen=True):
    """A game's data with every fault that was found; scenarios without a fault can be started all the same."""

    data: GameData
    faults: tuple[Fault, ...] = ()

    def faults_of(self, scenario: str, family: Family) -> tuple[Fault, ...]:
        """Return the faults that keep a scenario from starting: its own file's and the shared files'."""
        shared = {self.data.file(stem) for stem in family.tables}
        return tuple(f for f in self.faults if f.file in shared or f.file == self.data.file(scenario))


def load_game(family: Family, data_dir: Path | None = None) -> Loaded:
    """Read, convert and check all files of one game. Never raises for broken files: they are faults."""
    faults: list[Fault] = []
    texts = _texts(family.game, data_dir, faults)
    raw: dict[str, dict[str, Any]] = {}
    tables: dict[str, Any] = {}
    scenarios: dict[str, Any] = {}
    for stem, content in sorted(texts.items()):
        file = f"{family.game}/{stem}.toml"
        parsed = None if content is None else _parsed(content, file, faults)
        if parsed is None:
            continue
        raw[stem] = parsed
        type_ = family.tables.get(stem, family.scenario)
        value, wrong = (parsed, ()) if type_ is None else convert(parsed, type_, file)
        faults.extend(wrong)
        if not wrong:
            (tables if stem in family.tables else scenarios)[stem] = value
    digests = {
        stem: "" if content is None else hashlib.sha256(content).hexdigest()
        for stem, content in texts.items()
    }
    for stem in family.tables:
        if stem not in texts:
            faults.append(Fault(f"{family.game}/{stem}.toml", "(whole file)", "a data file", "nothing"))
    data = GameData(family.game, raw, tables, scenarios, digests)
    faults.extend(family.check(data))
    faults.extend(_further(family, data, faults))
    return Loaded(data, tuple(faults))


def _further(family: Family, data: GameData, faults: list[Fault]) -> list[Fault]:
    """Find what is wrong between the tables of scenarios whose single values are wrong already.

    Stand-ins take the place of those values. What concerns them, or follows from them, is not told twice.
    """
    raw, scenarios = dict(data.raw), dict(data.scenarios)
    for stem in data.raw:
        if stem in family.tables or stem in data.scenarios:
            continue
        mended = repaired(data.raw[stem], family.scenario)
        if mended is not None:
            raw[stem], scenarios[stem] = mended, msgspec.convert(mended, family.scenario)
    if len(scenarios) == len(data.scenarios):
        return []
    found = family.check(replace(data, raw=raw, scenarios=scenarios))
    return [fault for fault in found if fault not in faults and not _follows(fault, faults)]


def _follows(fault: Fault, faults: list[Fault]) -> bool:
    """Say whether a fault concerns a value that is wrong already, or only a stand-in."""
    if STAND_IN in f"{fault.key}{fault.expected}{fault.got}":
        return True
    known = [other.key for other in faults if other.file == fault.file]
    return any(
        _is_within(fault.key, key) or _is_within(key, fault.key) or f"({_INDEX.sub('', key)})" in fault.key
        for key in known
    )


def _is_within(key: str, outer: str) -> bool:
    """Say whether a key is another one or lies below it."""
    return key == outer or key.startswith((f"{outer}.", f"{outer}["))


def require(loaded: Loaded) -> GameData:
    """Return the data when they hold no fault at all; DataError with every fault otherwise."""
    if loaded.faults:
        raise DataError(loaded.faults, _HINT)
    return loaded.data


def offers(family: Family, loaded: Loaded) -> tuple[ScenarioInfo, ...]:
    """Return the scenarios that can be started, in the family's order, added ones last."""
    sound = [name for name in loaded.data.scenarios if not loaded.faults_of(name, family)]
    if not sound:
        return ()
    listed = [name for name in family.order(loaded.data) if name in sound]
    return tuple(family.info(loaded.data, name) for name in dict.fromkeys((*listed, *sound)))


def make_setup(family: Family, loaded: Loaded, scenario: str, options: Mapping[str, Any]) -> Setup:
    """Freeze a new game with the hash of the files it was made from.

    Raises DataError with every fault of the data that concern the scenario, or else of the options.
    """
    data = loaded.data
    faults = loaded.faults_of(scenario, family)
    if faults:
        raise DataError(faults, _HINT)
    if scenario not in data.scenarios:
        known = ", ".join(data.scenarios)
        raise DataError([Fault(data.game, "scenario", f"one of {known}", repr(scenario))], _OPTION_HINT)
    try:
        setup = family.make_setup(data, scenario, options)
    except DataError as error:
        raise DataError(error.faults, _OPTION_HINT) from None
    return replace(setup, data_sha256=_digest(data, (*family.tables, scenario)))


def _texts(game: str, data_dir: Path | None, faults: list[Fault]) -> dict[str, bytes | None]:
    """Return file stem to content, None where it cannot be read; files of the user's folder win."""
    found: dict[str, bytes | None] = {}
    folders: list[Traversable | Path] = [resources.files("scenarios") / game]
    if data_dir is not None:
        folders.append(data_dir / game)
    for folder in folders:
        if not folder.is_dir():
            continue
        for entry in folder.iterdir():
            if not entry.name.endswith(".toml"):
                continue
            stem = entry.name.removesuffix(".toml")
            try:
                found[stem] = entry.read_bytes()
            except OSError as error:
                faults.append(Fault(f"{game}/{entry.name}", "(whole file)", "a readable file", str(error)))
                found[stem] = None
    return found


def _parsed(content: bytes, file: str, faults: list[Fault]) -> dict[str, Any] | None:
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        faults.append(Fault(file, f"line {line}", "UTF-8 text", f"byte {content[error.start]:#04x}"))
    except tomllib.TOMLDecodeError as error:
        at = _AT.match(str(error))
        where, what = (at["where"], at["what"]) if at else ("(whole file)", str(error))
        if where == "end of document":
            last = content.count(b"\n") + 1
            where = f"line {last}"
        line_text = _line(content, where)
        faults.append(Fault(file, where, f"TOML ({what})", line_text))
    return None


def _line(content: bytes, where: str) -> str:
    number = re.match(r"line (\d+)", where)
    lines = content.decode().splitlines()
    index = int(number[1]) - 1 if number else len(lines)
    return repr(lines[index].strip()) if index < len(lines) else "the end of the file"


def _digest(data: GameData, stems: tuple[str, ...]) -> str:
    listing = "".join(f"{data.digests[stem]}  {stem}.toml\n" for stem in sorted(stems))
    return hashlib.sha256(listing.encode()).hexdigest()
