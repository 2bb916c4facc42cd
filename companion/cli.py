"""The command line: one table of commands, each loaded only when it is asked for.

Nothing here imports Kivy; `run` hands over to `companion.app`, the only place that opens a window.
Exit codes: 0 done, 1 the command ran and says what is wrong, 2 the call itself was wrong, 3 done with what could be
read of a damaged game or recording: the loss is told on standard error.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from glob import glob
from typing import NamedTuple

from companion.progress import working
from companion.terminal import legible_output

__all__ = ["COMMANDS", "main"]


class _Entry(NamedTuple):
    module: str
    function: str
    help: str
    is_slow: bool = False
    """It may take longer than a second, and asks nothing meanwhile."""


COMMANDS: dict[str, _Entry] = {
    "run": _Entry("companion.app", "main", "open the app (also without a command)"),
    "scenarios": _Entry("companion.flow_command", "main_scenarios", "list the scenarios"),
    "flow": _Entry("companion.flow_command", "main_flow", "print a scenario's whole sequence of play"),
    "replay": _Entry(
        "companion.replay_command", "main_replay", "play recorded commands and print the final state"
    ),
    "export": _Entry("companion.replay_command", "main_export", "write a saved game as one portable file"),
    "film": _Entry(
        "companion.replay_command", "main_film", "write a saved game as one page to watch and to read"
    ),
    "import": _Entry("companion.replay_command", "main_import", "take a portable file into the saved games"),
    "printed": _Entry(
        "companion.printed_command", "main_printed", "carry printed values by a file or a QR code"
    ),
    "photo": _Entry("companion.replay_command", "main_photo", "keep a photo with an entry of a saved game"),
    "what-if": _Entry(
        "companion.replay_command",
        "main_what_if",
        "copy a saved game up to an earlier act, to go on from there",
    ),
    "odds": _Entry("companion.battle_command", "main_odds", "exact odds of a battle file"),
    "battle": _Entry("companion.battle_command", "main_battle", "play a battle file through, dice given"),
    "browser": _Entry(
        "companion.browser_command", "main", "show the demo evening to a browser on this machine"
    ),
    "gateway": _Entry("companion.gateway.command", "main", "show the table to phones; the app starts it"),
    "hall-link": _Entry(
        "companion.hall.link.command", "main", "carry a table to its hall; the app starts it"
    ),
    "phones": _Entry(
        "companion.phones_command", "main", "phones of the running program: on, off, status, kick, lock"
    ),
    "phones-wifi": _Entry(
        "companion.phones_wifi_command", "main", "the table's own Wi-Fi for phones: on, off, show"
    ),
    "hall": _Entry("companion.hall_command", "main", "run a tournament: pairing, standings, paper"),
    "read-dice": _Entry("vision.command", "main", "read the dice in photographs", is_slow=True),
}


def _usage() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {entry.help}" for name, entry in COMMANDS.items()]
    return "\n".join(
        (
            "usage: companion [COMMAND] [options]",
            "",
            "Table Companion stands beside a physical Mediterranean war game and does its bookkeeping.",
            "",
            *lines,
            "",
            "companion COMMAND --help explains one command; companion --version prints the version.",
        )
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    with legible_output():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    args = list(sys.argv[1:] if argv is None else argv)
    if args[:1] == ["help"] and len(args) == 2 and args[1] in COMMANDS:
        args = [args[1], "--help"]
    if args and args[0] in ("-h", "--help", "help", "--version"):
        if len(args) > 1:
            print(f"companion: {args[0]}: expected nothing behind it, got {args[1]!r}", file=sys.stderr)
            return 2
        print(f"companion {version()}" if args[0] == "--version" else _usage())
        return 0
    if not args or args[0].startswith("-"):
        args.insert(0, "run")
    entry = COMMANDS.get(args[0])
    if entry is None:
        print(f"companion: no command {args[0]!r}; expected one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    if args[0] == "run":
        # Start-up throws nothing away that is worth looking for: the window switches the collector on again.
        gc.disable()
    function = getattr(importlib.import_module(entry.module), entry.function)
    try:
        with working(f"companion {args[0]}") if entry.is_slow else nullcontext():
            return int(function(args[1:]))
    except BrokenPipeError:
        # The reader of our output has gone (``companion flow italy | head``): nothing left to say to anyone.
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130


def version() -> str:
    """Return the installed version; of a copy that is run without being installed, what its project file says."""
    # Not importlib.metadata, which loads a reader of mail for it: the picture of a start waits for that.
    for folder in sys.path:
        for found in glob("table_companion-*.dist-info", root_dir=folder or "."):
            return found.removesuffix(".dist-info").split("-")[1]
    from pathlib import Path

    project = Path(__file__).parents[1] / "pyproject.toml"
    lines = project.read_text("utf-8").splitlines() if project.is_file() else []
    said = next((line.split('"')[1] for line in lines if line.startswith('version = "')), "")
    return f"{said} (not installed)" if said else "not installed"
