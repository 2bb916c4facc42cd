"""Every data file of every game, broken in generated ways: each break is named, nothing else is taken away.

By default a sample drawn by the stated seed; with ``deploy/test --long`` every mutation of every file.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec import inspect as mi

from companion.adapters.catalogue import GameCatalogue
from companion.core.collecting import STAND_IN
from companion.core.decide import evolve
from companion.core.events import GameStarted
from companion.core.scenario import Family
from companion.core.state import EMPTY_STATE
from companion.games.registry import games_by_key, rules_for
from companion.session.scenario_loader import Loaded, load_game, make_setup, offers

SEED = 22
SAMPLE = 6
"""Mutations of each kind of break and game that are tried by default."""

FILES = [
    (game, entry.name.removesuffix(".toml"))
    for game in games_by_key()
    for entry in sorted((resources.files("scenarios") / game).iterdir(), key=lambda entry: entry.name)
    if entry.name.endswith(".toml")
]


class Mutation(NamedTuple):
    game: str
    stem: str
    what: str
    key: str
    """Key that must be named."""
    text: Callable[[], str]
    """Writes the broken file."""
    must_fault: bool = True
    """False where the file may be as good without what was taken: then it must play."""

    def __str__(self) -> str:
        return f"{self.game}/{self.stem}.toml {self.what} {self.key}"


def content(game: str, stem: str) -> str:
    return (resources.files("scenarios") / game / f"{stem}.toml").read_text(encoding="utf-8")


def family_of(game: str) -> Family:
    return games_by_key()[game].family


@cache
def raw_of(game: str, stem: str) -> dict[str, Any]:
    return tomllib.loads(content(game, stem))


def written(value: Any) -> str:
    """Return a value as TOML, tables inline."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return msgspec.json.encode(value).decode()
        case list():
            return f"[{', '.join(map(written, value))}]"
        case dict():
            return f"{{{', '.join(f'{name(key)} = {written(item)}' for key, item in value.items())}}}"
        case _:
            return repr(value)


def name(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else msgspec.json.encode(key).decode()


def document(data: dict[str, Any]) -> str:
    return "".join(f"{name(key)} = {written(value)}\n" for key, value in data.items())


def tables(
    value: Any, info: mi.Type, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], mi.Type]]:
    """Yield every table of a file with its type."""
    if isinstance(info, mi.UnionType):
        alike = [
            option
            for option in info.types
            if isinstance(option, mi.StructType | mi.DictType if isinstance(value, dict) else mi.VarTupleType)
        ]
        info = alike[0] if alike else info
    if isinstance(value, dict):
        yield path, info
        for key, item in value.items():
            below = (
                next(field.type for field in info.fields if field.encode_name == key)
                if isinstance(info, mi.StructType)
                else info.value_type
                if isinstance(info, mi.DictType)
                else mi.AnyType()
            )
            yield from tables(item, below, (*path, key))
    elif isinstance(value, list) and isinstance(info, mi.VarTupleType):
        for number, item in enumerate(value):
            yield from tables(item, info.item_type, (*path, number))


def key_of(path: tuple[Any, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        data = data[part]
    return data


def changed(data: dict[str, Any], path: tuple[Any, ...], change: Any) -> str:
    copy = msgspec.json.decode(msgspec.json.encode(data))
    change(at(copy, path))
    return document(copy)


def renamed(table: dict[str, Any], key: str) -> None:
    items = [(f"{old}_x" if old == key else old, value) for old, value in table.items()]
    table.clear()
    table.update(items)


@cache
def mutations(game: str, stem: str) -> tuple[Mutation, ...]:
    """Return every mutation of a file's tables and lines."""
    data, family = raw_of(game, stem), family_of(game)
    made: list[Mutation] = []
    for path, info in tables(data, mi.type_info(family.tables.get(stem, family.scenario))):
        is_struct = isinstance(info, mi.StructType)
        required = (
            {f.encode_name for f in info.fields if f.required} if isinstance(info, mi.StructType) else set()
        )
        table = at(data, path)

        def add(what: str, key: str, change: Any, must: bool, path: tuple[Any, ...] = path) -> None:
            named = key_of((*path, f"{key}_x" if what == "rename" else key))
            made.append(Mutation(game, stem, what, named, lambda: changed(data, path, change), must))

        add("extra", "zzz", lambda t: t.update(zzz=1), is_struct)
        for key, value in table.items():
            wrong = "?" if not isinstance(value, str) else 5
            add("drop", key, lambda t, k=key: t.pop(k), key in required)
            add("type", key, lambda t, k=key, w=wrong: t.update({k: w}), True)
            if is_struct:
                add("rename", key, renamed_by(key), True)
    return (*made, *doubled(game, stem))


def renamed_by(key: str) -> Any:
    return lambda table: renamed(table, key)


def doubled(game: str, stem: str) -> Iterator[Mutation]:
    """Yield a file with each of its lines that holds a whole value twice."""
    lines = content(game, stem).splitlines()
    for number, line in enumerate(lines):
        found = re.match(r"([\w]+) = ", line)
        if found and _stands_alone(line):
            again = [*lines[: number + 1], line, *lines[number + 1 :]]
            yield Mutation(game, stem, "double", found[1], lambda lines=again: "\n".join(lines))


def _stands_alone(line: str) -> bool:
    try:
        return bool(tomllib.loads(line))
    except tomllib.TOMLDecodeError:
        return False


def sampled() -> list[Mutation]:
    chance = random.Random(SEED)
    found: list[Mutation] = []
    for game in games_by_key():
        every = [mutation for own, stem in FILES if own == game for mutation in mutations(game, stem)]
        for what in ("drop", "type", "rename", "extra", "double"):
            kind = [mutation for mutation in every if mutation.what == what]
            found += chance.sample(kind, min(SAMPLE, len(kind)))
    return found


@cache
def _installed(game: str) -> tuple[str, ...]:
    family = family_of(game)
    return tuple(info.scenario for info in offers(family, load_game(family)))


def _put(folder: Path, game: str, stem: str, data: bytes) -> None:
    (folder / game).mkdir(exist_ok=True)
    (folder / game / f"{stem}.toml").write_bytes(data)


def _starts(game: str, loaded: Loaded, scenario: str) -> None:
    setup = make_setup(family_of(game), loaded, scenario, {})
    assert evolve(rules_for(game), EMPTY_STATE, GameStarted(setup, 0)).setup == setup


def _offered(game: str, stem: str, loaded: Loaded) -> list[str]:
    """Return what is offered, and check that it is what a fault in one file leaves."""
    family = family_of(game)
    infos = [info.scenario for info in offers(family, loaded)]
    installed = _installed(game)
    if not loaded.faults or stem in getattr(family, "spare", ()):
        assert infos == list(installed)
    elif stem not in family.tables:
        assert infos == [scenario for scenario in installed if scenario != stem]
    return infos


def _plain(key: str) -> str:
    """Return a key without the ids that stand beside the numbers of rows."""
    return re.sub(r" \([^)]*\)", "", key)


def _try(mutation: Mutation, folder: Path) -> None:
    game, stem = mutation.game, mutation.stem
    _put(folder, game, stem, mutation.text().encode())
    loaded = load_game(family_of(game), folder)
    if mutation.must_fault:
        own = [fault for fault in loaded.faults if fault.file == f"{game}/{stem}.toml"]
        wanted = mutation.key
        assert any(
            _plain(fault.key) == wanted or (mutation.what == "double" and fault.key.endswith(wanted))
            for fault in own
        ), list(map(str, loaded.faults))
    for fault in loaded.faults:
        told, line = str(fault.say), str(fault)
        assert fault.file in told
        assert "expected" in told
        assert "got" in told
        assert fault.key or fault.line, line
        assert STAND_IN not in told + line
        assert "Expected" not in line, line  # the converter's own words
    for scenario in _offered(game, stem, loaded):
        _starts(game, loaded, scenario)


@pytest.mark.parametrize("game", list(games_by_key()))
def test_a_sample_of_broken_files_names_file_and_key(game: str, tmp_path: Path) -> None:
    for mutation in sampled():
        if mutation.game == game:
            try:
                _try(mutation, tmp_path)
            except Exception as error:
                raise AssertionError(str(mutation)) from error
            (tmp_path / game / f"{mutation.stem}.toml").unlink()


@pytest.mark.long
@pytest.mark.parametrize(("game", "stem"), FILES)
def test_every_broken_file_names_file_and_key(game: str, stem: str, tmp_path: Path) -> None:
    for mutation in mutations(game, stem):
        try:
            _try(mutation, tmp_path)
        except Exception as error:
            raise AssertionError(str(mutation)) from error


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("game", list(games_by_key()))
def test_files_as_other_editors_save_them_are_read(game: str, encoding: str, tmp_path: Path) -> None:
    for own, stem in FILES:
        if own == game:
            _put(tmp_path, game, stem, content(game, stem).encode(encoding))
    loaded = load_game(family_of(game), tmp_path)
    assert loaded.faults == ()
    assert loaded.data.raw == {stem: raw_of(game, stem) for own, stem in FILES if own == game}


@pytest.mark.parametrize(("game", "stem"), FILES)
@pytest.mark.parametrize("data", [b"", b'title = "K\xf6ln"\n', b"\x00\x01\x02\x03", b"x = " + b"[" * 9_000])
def test_a_file_that_holds_nothing_or_no_text_takes_away_only_what_needs_it(
    game: str, stem: str, data: bytes, tmp_path: Path
) -> None:
    _put(tmp_path, game, stem, data)
    loaded = load_game(family_of(game), tmp_path)
    assert {fault.file for fault in loaded.faults} >= {f"{game}/{stem}.toml"}
    for fault in loaded.faults:
        assert "expected" in str(fault.say)
        assert "codec" not in str(fault)
    _offered(game, stem, loaded)


@pytest.mark.parametrize("game", list(games_by_key()))
def test_the_other_games_are_listed_and_start(game: str, tmp_path: Path) -> None:
    for own, stem in FILES:
        if own == game:
            _put(tmp_path, game, stem, b"zzz = 1\n")
    catalogue = GameCatalogue(tmp_path)
    found = [(info.game, info.scenario) for info in catalogue.scenarios()]
    wanted = [
        (other, scenario) for other in games_by_key() for scenario in _installed(other) if other != game
    ]
    assert found == wanted
    assert {fault.file for fault in catalogue.faults() if fault.key == "zzz"} == {
        f"{own}/{stem}.toml" for own, stem in FILES if own == game
    }
    for other, scenario in dict(wanted).items():
        assert catalogue.make_setup(other, scenario, {}).scenario == scenario


def test_a_ledger_row_without_its_id_takes_away_its_own_game_alone(tmp_path: Path) -> None:
    text = content("sfw96", "ledger").replace('id = "us_fleet"\n', "")
    _put(tmp_path, "sfw96", "ledger", text.encode())
    catalogue = GameCatalogue(tmp_path)
    assert {info.game for info in catalogue.scenarios()} == set(games_by_key()) - {"sfw96"}
    assert [str(fault.say) for fault in catalogue.faults()] == [
        "sfw96/ledger.toml, board.theater.at_sea[0].id: expected a string that is not empty, got nothing."
    ]
