"""``companion scenarios`` and ``companion flow``: what can be played, and in which steps."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from companion.core.flow import Step
from companion.core.scenario import DataError, Fault, ScenarioInfo
from companion.core.setup import Setup
from companion.games.registry import games_by_key
from companion.pages.modules import GameModule
from companion.session.scenario_loader import Loaded, load_game, make_setup, offers

__all__ = ["main_flow", "main_scenarios"]

_NOTHING = "-"


def main_scenarios(argv: Sequence[str]) -> int:
    """List every scenario that can be started; broken data files are named on the error stream."""
    parser = argparse.ArgumentParser(
        prog="companion scenarios", description="List the scenarios that can be played."
    )
    _add_common(parser)
    args = parser.parse_args(argv)
    infos: list[ScenarioInfo] = []
    faults: list[Fault] = []
    for game in games_by_key().values():
        loaded = load_game(game.family, args.data)
        infos.extend(offers(game.family, loaded))
        faults.extend(loaded.faults)
    if args.json:
        rows = [msgspec.to_builtins(info) for info in infos]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        for line in _table(
            ("scenario", "game", "title", "players", "minutes", "stages"),
            [
                (
                    info.scenario,
                    info.game,
                    info.title,
                    _span(info.players),
                    _NOTHING if info.minutes is None else _span(info.minutes),
                    str(info.stages),
                )
                for info in infos
            ],
        ):
            print(line)
    _print_faults(faults)
    return 1 if faults else 0


def main_flow(argv: Sequence[str]) -> int:
    """Print a scenario's whole sequence of play, one step a line."""
    parser = argparse.ArgumentParser(
        prog="companion flow",
        description="Print the whole sequence of play of a scenario, one step a line.",
        epilog="Options are those of New game, such as players=3, tournament=true, minutes.allies=30, "
        "commander=true, together=true, first.2=axis, rulings.step5_guns=no.",
    )
    parser.add_argument("scenario", help="a scenario as `companion scenarios` lists it, or GAME/SCENARIO")
    parser.add_argument(
        "--option", "-o", action="append", default=[], metavar="NAME=VALUE", help="an option of the new game"
    )
    _add_common(parser)
    args = parser.parse_args(argv)
    try:
        options = dict(_option(text) for text in args.option)
        game, scenario, loaded = _find(args.scenario, args.data)
        setup = make_setup(game.family, loaded, scenario, options)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2 if all(fault.file == "options" for fault in error.faults) else 1
    except ValueError as error:
        print(f"companion flow: {error}", file=sys.stderr)
        return 2
    for line in _json_lines(setup) if args.json else _text_lines(setup):
        print(line)
    return 0


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="a folder whose data files replace or add to the installed ones"
    )  # fmt: skip


def _option(text: str) -> tuple[str, Any]:
    """Read ``name=value``; the value is JSON where it can be read as such, otherwise a text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"--option: expected NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _find(text: str, data: Path | None) -> tuple[GameModule, str, Loaded]:
    """Return the game that has a scenario, with its data."""
    wanted_game, slash, scenario = text.rpartition("/")
    known: list[str] = []
    for game in games_by_key().values():
        if slash and game.key != wanted_game:
            continue
        loaded = load_game(game.family, data)
        # A file that could not be converted still belongs to its scenario: its faults say why.
        stems = [stem for stem in loaded.data.digests if stem not in game.family.tables]
        if scenario in stems:
            return game, scenario, loaded
        known.extend(sorted(stems))
    if not known:
        raise ValueError(f"game {wanted_game!r} is unknown; expected one of {', '.join(games_by_key())}")
    raise ValueError(f"scenario {scenario!r} is unknown; expected one of {', '.join(known)}")


def _json_lines(setup: Setup) -> Iterator[str]:
    """Yield a JSON array with one step a line."""
    last = len(setup.steps) - 1
    yield "["
    for i, step in enumerate(setup.steps):
        row = {
            "id": step.id,
            "stage": step.stage,
            "phase": step.phase,
            "movement_step": step.movement_step,
            "owners": list(step.owners),
            "act": step.act,
            "clock": step.clock,
            "active_units": list(step.active_units),
            "checks": list(step.checks),
        }
        yield json.dumps(row) + ("" if i == last else ",")
    yield "]"


def _text_lines(setup: Setup) -> Iterator[str]:
    """Yield one step a line, and as remarks why a stage goes without a phase, where the game says so."""
    header = ("id", "stage", "phase", "step", "owners", "act", "clock", "active units")
    yield from _table(header, [_cells(step) for step in setup.steps])
    for stage, phase, reason in setup.tables.get("skipped", ()):
        yield f"# stage {stage} has no {phase}: {reason}"


def _cells(step: Step) -> tuple[str, ...]:
    return (
        step.id,
        str(step.stage),
        step.phase,
        _NOTHING if step.movement_step is None else str(step.movement_step),
        "+".join(step.owners) or _NOTHING,
        step.act,
        step.clock or _NOTHING,
        " ".join(step.active_units) or _NOTHING,
    )


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Yield aligned lines; the first is the header, marked as a remark."""
    rows = [(f"# {header[0]}", *header[1:]), *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _span(pair: tuple[int, int]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]}-{pair[1]}"


def _print_faults(faults: Sequence[Fault]) -> None:
    for fault in faults:
        print(fault, file=sys.stderr)
