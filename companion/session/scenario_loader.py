"""Read scenario data and freeze new games; knows files and no game.

The data come from the installed ``scenarios`` package. A user's folder may lie over it, laid out the same way
(``<game>/<file>.toml``): a file there replaces the installed one of its name or adds a scenario. What a game's
files mean is told by its `Family`, which the caller hands in.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.collecting import STAND_IN, convert, join, one_of, repaired
from companion.core.plaintext import NoTextError, has_long_key, long_number, text_of
from companion.core.presets import ControlPreset, ControlsFile, preset_faults, split_control, with_control
from companion.core.scenario import OPTIONS, DataError, Family, Fault, GameData, ScenarioInfo
from companion.core.setup import Setup
from companion.core.text import Say, Typed
from companion.session.files import explain, read_at_most
from companion.session.limits import MOST_SMALL_BYTES, is_deep

__all__ = ["Loaded", "load_game", "make_setup", "offers", "require"]

_HINT = Say("Fix the file, or remove it from the data folder to use the one that came with the app.")
_OPTION_HINT = Say("Change what is named and try again; no game was started.")
_CONTROLS = "controls.toml"
"""The file of time controls, which all games share."""
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)$")
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*([\w."'-]+)\s*=""")
_INLINE_KEY = re.compile(r"""[{,]\s*([\w."'-]+)\s*=""")


class Loaded(msgspec.Struct, frozen=True):
    """A game's data with every fault that was found; scenarios without a fault can be started all the same."""

    data: GameData
    faults: tuple[Fault, ...] = ()
    controls: tuple[ControlPreset, ...] = ()
    """Presets of time controls for this game; a faulty file of them keeps no game from starting."""

    def faults_of(self, scenario: str, family: Family) -> tuple[Fault, ...]:
        """Return the faults that keep a scenario from starting: its own file's and the shared files' that it needs."""
        shared = {self.data.file(stem) for stem in family.tables if stem not in _spare(family)}
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
        if content is None:
            continue
        type_: Any = family.tables.get(stem, family.scenario)
        parsed, value, wrong = _read(content, type_, file)
        faults.extend(wrong)
        if parsed is None:
            continue
        raw[stem] = parsed
        if not wrong:
            (tables if stem in family.tables else scenarios)[stem] = value
    digests = {
        stem: "" if content is None else hashlib.sha256(content).hexdigest()
        for stem, content in texts.items()
    }
    for stem in family.tables:
        if stem not in texts:
            faults.append(Fault(f"{family.game}/{stem}.toml", "", Say("a data file")))
    data = GameData(family.game, raw, tables, scenarios, digests)
    faults.extend(family.check(data))
    faults.extend(_further(family, data, faults))
    broken = {fault.file for fault in faults}
    for stem in _spare(family):
        if data.file(stem) in broken:
            tables.pop(stem, None)
    controls = _controls(family.game, data_dir, faults)
    return Loaded(data, tuple(dict.fromkeys(faults)), controls)


def _controls(game: str, data_dir: Path | None, faults: list[Fault]) -> tuple[ControlPreset, ...]:
    """Return the presets of time controls for a game; the file of a user's folder replaces the installed one."""
    places: list[Traversable | Path] = [resources.files("scenarios") / _CONTROLS]
    if data_dir is not None:
        places.insert(0, data_dir / _CONTROLS)
    for place in places:
        try:
            content = _content(place)
        except FileNotFoundError:
            continue
        except OSError as error:
            faults.append(_unreadable(_CONTROLS, error))
            return ()
        _, value, wrong = _read(content, ControlsFile, _CONTROLS)
        wrong = (*wrong, *(preset_faults(value.controls, _CONTROLS) if value is not None else ()))
        faults.extend(wrong)
        if value is None or wrong:
            return ()
        return tuple(one for one in value.controls if not one.games or game in one.games)
    return ()


def _spare(family: Family) -> Collection[str]:
    """Return the shared files without which scenarios can be played all the same."""
    return getattr(family, "spare", ())


def _further(family: Family, data: GameData, faults: list[Fault]) -> list[Fault]:
    """Find what is wrong between tables in files whose single values are wrong already.

    Stand-ins take the place of those values. What concerns them, or follows from them, is not told twice; nor is what a
    sound file lacks beside a mended one.
    """
    raw, tables, scenarios = dict(data.raw), dict(data.tables), dict(data.scenarios)
    for stem in data.raw:
        if stem in data.tables or stem in data.scenarios:
            continue
        type_ = family.tables.get(stem, family.scenario)
        mended = repaired(data.raw[stem], type_)
        if mended is not None:
            raw[stem] = mended
            (tables if stem in family.tables else scenarios)[stem] = msgspec.convert(mended, type_)
    added = [stem for stem in (*tables, *scenarios) if stem not in data.tables and stem not in data.scenarios]
    if not added:
        return []
    shared = {data.file(stem) for stem in added if stem in family.tables}
    looked_at = shared or {data.file(stem) for stem in added}
    found = family.check(replace(data, raw=raw, tables=tables, scenarios=scenarios))
    return [
        fault
        for fault in found
        if fault.file in looked_at and fault not in faults and not _follows(fault, faults)
    ]


def _follows(fault: Fault, faults: list[Fault]) -> bool:
    """Say whether a fault concerns a value that is wrong already, or only a stand-in."""
    if STAND_IN in str(fault):
        return True
    known = [other.key for other in faults if other.file == fault.file]
    return any(_is_within(fault.key, key) or _is_within(key, fault.key) for key in known)


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
    infos = (family.info(loaded.data, name) for name in dict.fromkeys((*listed, *sound)))
    return tuple(replace(info, controls=loaded.controls) for info in infos)


def make_setup(family: Family, loaded: Loaded, scenario: str, options: Mapping[str, Any]) -> Setup:
    """Freeze a new game with the hash of the files it was made from.

    Raises DataError with every fault of the data that concern the scenario, or else of the options.
    """
    data = loaded.data
    faults = loaded.faults_of(scenario, family)
    if faults:
        raise DataError(faults, _HINT)
    if scenario not in data.scenarios:
        known = one_of(data.scenarios, scenario)
        raise DataError([Fault(OPTIONS, "scenario", known, Typed(scenario))], _OPTION_HINT)
    own, control = split_control(options)
    try:
        setup = with_control(family.make_setup(data, scenario, own), loaded.controls, control)
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
        try:
            entries = list(folder.iterdir()) if folder.is_dir() else []
        except OSError as error:
            faults.append(_unreadable(game, error))
            continue
        for entry in entries:
            if not entry.name.endswith(".toml"):
                continue
            stem = entry.name.removesuffix(".toml")
            try:
                found[stem] = _content(entry)
            except OSError as error:
                faults.append(_unreadable(f"{game}/{entry.name}", error))
                found[stem] = None
    return found


def _content(entry: Traversable | Path) -> bytes:
    if not isinstance(entry, Path):
        return entry.read_bytes()
    data = read_at_most(entry, MOST_SMALL_BYTES)
    if len(data) > MOST_SMALL_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def _unreadable(file: str, error: OSError) -> Fault:
    return Fault(file, "", Say("a file that can be read"), explain(error)[0])


@lru_cache(maxsize=64)
def _read(content: bytes, type_: type, file: str) -> tuple[dict[str, Any] | None, Any, tuple[Fault, ...]]:
    """Return what a file says, as it stands and as a value of a type, and its faults.

    The same bytes are read once: reading takes long, and what was read is never changed.
    """
    faults: list[Fault] = []
    parsed = _parsed(content, file, faults)
    if parsed is None:
        return None, None, tuple(faults)
    value, wrong = convert(parsed, type_, file)
    return parsed, value, wrong


def _parsed(content: bytes, file: str, faults: list[Fault]) -> dict[str, Any] | None:
    """Return what a file says; None, with a fault, where it is no text or no TOML."""
    try:
        text = text_of(content)
    except NoTextError as error:
        faults.append(Fault(file, "", error.expected, error.got, error.line))
        return None
    try:
        if has_long_key(text):
            raise RecursionError
        found = tomllib.loads(text)
        if not is_deep(found):
            return found
        faults.append(_too_deep(file))
    except RecursionError:
        faults.append(_too_deep(file))
    except ValueError as error:
        long = None if isinstance(error, tomllib.TOMLDecodeError) else long_number(text)
        if long is not None:
            faults.append(Fault(file, "", long.expected, long.got, long.line))
            return None
        lines = text.splitlines()
        at = _AT_LINE.search(str(error))
        number = min(int(at[1]), len(lines)) if at else len(lines)
        faults.append(_twice(file, lines[:number]) or _no_toml(file, lines, number, str(error)))
    return None


def _too_deep(file: str) -> Fault:
    return Fault(file, "", Say("tables nested only a few levels deep"), Say("tables nested too deeply"))


def _no_toml(file: str, lines: list[str], number: int, why: str) -> Fault:
    """Say on which line a file stops to be TOML; the reader's own reason goes with it as it is."""
    reason = Typed(_AT_LINE.sub("", why).removesuffix("(at end of document)").strip())
    wanted = Say("a line of TOML ({reason})", reason=reason)
    shown = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return Fault(file, "", wanted, Typed(shown) if shown else Say("the end of the file"), number)


def _twice(file: str, lines: list[str]) -> Fault | None:
    """Return a fault when the last key or table of some lines stands there a second time."""
    seen: dict[str, int] = {}
    rows: dict[str, int] = {}
    table = key = ""
    first = 0
    for number, line in enumerate(lines, 1):
        if header := _HEADER.match(line):
            parent, _, name = header[2].rpartition(".")
            table = key = join(_row_of(parent, rows), name)
            if header[1] == "[[":
                rows = {path: n for path, n in rows.items() if not path.startswith(f"{header[2]}.")}
                rows[header[2]] = rows.get(header[2], -1) + 1
                table = key = f"{key}[{rows[header[2]]}]"
        elif found := _KEY.match(line):
            key = join(table, found[1])
            inline = [name for name in _INLINE_KEY.findall(line) if line.count("{") == 1]
            double = next((name for name in inline if inline.count(name) > 1), "")
            if double and number == len(lines):
                key, first = join(key, double), number
                break
        else:
            continue
        first = seen.get(key, 0)
        seen.setdefault(key, number)
    if not first:
        return None
    return Fault(
        file, key, Say("this key once"), Say("it again (first on line {line})", line=first), len(lines)
    )


def _row_of(path: str, rows: dict[str, int]) -> str:
    """Return the key of a table with the number of the row that it stands in."""
    key = plain = ""
    for name in path.split(".") if path else ():
        plain, key = join(plain, name), join(key, name)
        if plain in rows:
            key += f"[{rows[plain]}]"
    return key


def _digest(data: GameData, stems: tuple[str, ...]) -> str:
    listing = "".join(f"{data.digests.get(stem, '')}  {stem}.toml\n" for stem in sorted(stems))
    return hashlib.sha256(listing.encode()).hexdigest()
