"""Change the program in small ways and see whether its tests notice: ``python -m companion.testing.mutate``.

Changes are drawn by a seed from a generator over all functions of a room, none picked by hand: a comparison turned, a whole
number off by one, `and` for `or`, a condition turned round, a plus for a minus, a statement dropped. Each is tried in a copy of
the checkout with just the tests that run the changed line. What a change did is kept line by line in a file, so that a run
that was stopped goes on where it was. A change that no test noticed has survived: it is told with its place and its text, and
the reason why it may stay is written into ``tests/mutation/survivors.toml`` under its key. Tests that do not come to an end
count as noticed only where they do without the change, in a third of the time; else nothing is known of that change.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["ROOMS", "Mutant", "draw", "main", "mutants_of", "mutated"]

TOP = Path(__file__).parents[2]
ROOMS: Mapping[str, tuple[str, ...]] = {
    "core": ("companion/core",),
    "sfw": ("companion/games/sfw/rules",),
    "aana": ("companion/games/aana/rules",),
    "tsu": ("companion/games/tsu/rules",),
    "med": ("companion/games/med/rules",),
    "odds": ("companion/odds", "companion/games/sfw/odds", "companion/games/aana/odds"),
    "edges": ("hardware/edges.py", "hardware/boxclock.py"),
}
"""Room to the folders and files whose functions are changed."""
TESTS = (
    "tests/core",
    "tests/film",
    "tests/games",
    "tests/odds",
    "tests/pages",
    "tests/property",
    "tests/scenarios",
    "tests/session",
    "tests/hardware/test_boxclock.py",
    "tests/hardware/test_edges.py",
    "tests/hardware/test_gpio.py",
    "tests/hardware/test_serial_panel.py",
)
SURVIVORS = TOP / "tests" / "mutation" / "survivors.toml"
_SLOWEST_S = 300
"""Seconds of one processor that a part of the tests may take: by the processor's clock a busy machine makes no change seem noticed."""
_WAIT_S = 1800
"""Seconds that a part may take by the wall's clock: a change that waits for ever uses no processor."""
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mult: ast.FloorDiv,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change: where it is, and which of the changes that are possible there."""

    path: str
    function: str
    line: int
    """Where its statement begins."""
    kind: str
    """``compare``, ``off by one``, ``and/or``, ``not``, ``plus/minus`` or ``dropped``."""
    index: int
    """Position among the changes that the generator makes in this file."""
    before: str
    after: str

    @property
    def key(self) -> str:
        """Names it as long as the function's text stays what it is."""
        return f"{self.path}:{self.function}:{self.kind}:{self.before} -> {self.after}"


def _changes(tree: ast.Module) -> Iterator[tuple[str, int, ast.AST, str, ast.AST]]:
    """Yield function, line of the statement, node, kind and the node to put in its place; docstrings are left alone."""
    for name, function in _functions(tree, ""):
        for line, node in _inside(function):
            yield from ((name, line, node, kind, new) for kind, new in _of(node))


def _functions(node: ast.AST, outer: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield f"{outer}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{outer}{child.name}.")


def _inside(function: ast.FunctionDef) -> Iterator[tuple[int, ast.AST]]:
    for statement in function.body:
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            yield from _below(statement, statement.lineno)


def _below(node: ast.AST, line: int) -> Iterator[tuple[int, ast.AST]]:
    line = node.lineno if isinstance(node, ast.stmt) else line
    yield line, node
    for child in ast.iter_child_nodes(node):
        yield from _below(child, line)


def _of(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _TURNED:
            yield "compare", ast.Compare(node.left, [_TURNED[type(op)]()], node.comparators)
        case ast.Constant(value=int(n)) if not isinstance(n, bool):
            yield "off by one", ast.Constant(n + 1)
        case ast.BoolOp():
            yield "and/or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node.operand
        case ast.BinOp() if type(node.op) in _SWAPPED:
            yield "plus/minus", ast.BinOp(node.left, _SWAPPED[type(node.op)](), node.right)
        case ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield "dropped", ast.Pass()
        case ast.If(orelse=[]):
            yield "dropped", ast.Pass()


def mutants_of(path: str, source: str) -> list[Mutant]:
    """Return every change that the generator can make in a file, in the order of the file's functions.

    Example:
        >>> [m.after for m in mutants_of("x.py", "def f(a):\\n    return a < 3")]
        ['a <= 3', '4']
    """
    return [
        Mutant(path, name, line, kind, index, _short(node), _short(new))
        for index, (name, line, node, kind, new) in enumerate(_changes(ast.parse(source)))
    ]


def _short(node: ast.AST) -> str:
    return " ".join(ast.unparse(ast.fix_missing_locations(ast.parse(ast.unparse(node)))).split())[:160]


def mutated(source: str, mutant: Mutant) -> str:
    """Return the text of a file with one change made; the rest keeps its meaning, not its layout."""
    tree = ast.parse(source)
    node, new = next(
        (node, new) for i, (_name, _line, node, _kind, new) in enumerate(_changes(tree)) if i == mutant.index
    )
    return ast.unparse(ast.fix_missing_locations(_Put(node, new).visit(tree)))


class _Put(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self._new, node) if node is self._old else self.generic_visit(node)


def draw(room: str, count: int, seed: int, top: Path = TOP) -> list[Mutant]:
    """Draw changes of a room: functions by chance and one change of each, a second only once every function had one.

    A name's place in the draw hangs on the seed and its own text alone, so an edit of the program changes only the draw of
    what it touched, and what a kept file knows of the others stays good.
    """
    found: dict[str, dict[str, Mutant]] = {}
    for place in ROOMS[room]:
        files = sorted((top / place).rglob("*.py")) if (top / place).is_dir() else [top / place]
        for file in files:
            path = str(file.relative_to(top))
            for mutant in mutants_of(path, file.read_text(encoding="utf-8")):
                found.setdefault(f"{path}:{mutant.function}", {}).setdefault(mutant.key, mutant)

    def chance(text: str) -> bytes:
        return hashlib.sha256(f"{seed} {text}".encode()).digest()

    lists = [
        [found[name][key] for key in sorted(found[name], key=chance)] for name in sorted(found, key=chance)
    ]
    layers = itertools.zip_longest(*lists)
    return list(itertools.islice((one for layer in layers for one in layer if one is not None), count))


class Trial:
    """A copy of the checkout in which changes are tried, and which tests run which line of it."""

    def __init__(self, folder: Path, processor_s: int = _SLOWEST_S) -> None:
        """Work in a folder; a part of the tests may take so many seconds of one processor."""
        self.folder, self.processor_s = folder, processor_s
        self.env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        self._covered: sqlite3.Connection | None = None

    def copy(self) -> None:
        """Copy what is tracked and not yet ignored into the folder."""
        folder = self.folder
        names = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=TOP,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in names.stdout.splitlines():
            if (TOP / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(TOP / name, folder / name)

    def pytest(self, arguments: Sequence[str], wait_s: float, processor_s: int) -> bool | None:
        """Run tests in so much time; False where some failed, None where they did not come to an end."""
        limit = ["prlimit", f"--cpu={processor_s}"] if shutil.which("prlimit") else []
        call = [
            *limit,
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            "-m",
            "not long and not bench and not device",
        ]
        try:
            done = subprocess.run(
                [*call, *arguments],
                cwd=self.folder,
                env=self.env,
                capture_output=True,
                timeout=wait_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        return None if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else done.returncode == 0

    def learn(self, workers: int) -> None:
        """Run all tests once and keep which of them runs which line."""
        places = sorted({place.split("/", 1)[0] for room in ROOMS.values() for place in room})
        cover = [f"--cov={place}" for place in places]
        passed = self.pytest(
            [*cover, "--cov-branch", "--cov-context=test", "--cov-report=", "-n", str(workers), *TESTS],
            7200,
            7200,
        )
        if not passed:
            raise SystemExit("mutate: the tests do not pass as they are; nothing can be learnt from changes")
        self._covered = sqlite3.connect(self.folder / ".coverage")

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run a change's line, the quickest kind first; all of them where only the import does."""
        if self._covered is None:
            return list(TESTS)
        rows = self._covered.execute(
            "select distinct c.context from arc a join file f on f.id = a.file_id join context c on c.id = a.context_id"
            " where f.path = ? and (a.fromno = ? or a.tono = ?)",
            (str(self.folder / mutant.path), mutant.line, mutant.line),
        )
        tests = sorted({context.split("|")[0] for (context,) in rows if context})
        random.Random(mutant.key).shuffle(
            tests
        )  # tests of many kinds come early, so that most changes are noticed soon
        return tests

    def survives(self, mutant: Mutant, tests: Sequence[str]) -> bool | None:
        """Make a change, run its tests, and put the file back; True where every test passed, None where nothing is known."""
        path = self.folder / mutant.path
        whole = path.read_text(encoding="utf-8")
        path.write_text(mutated(whole, mutant), encoding="utf-8")
        try:
            for part in (tests[:40], *(tests[start : start + 400] for start in range(40, len(tests), 400))):
                passed = not part or self.pytest(part, _WAIT_S, self.processor_s)
                if passed is None:  # without end, or on a busy machine only slow?
                    path.write_text(whole, encoding="utf-8")
                    is_quick = self.pytest(part, _WAIT_S / 3, max(1, self.processor_s // 3))
                    return False if is_quick else None
                if not passed:
                    return False
            return True
        finally:
            path.write_text(whole, encoding="utf-8")


def _reasons() -> dict[str, str]:
    if not SURVIVORS.is_file():
        return {}
    return {
        row["key"]: row["reason"]
        for row in tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", ())
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 where all is known, at most 3 % survive and each survivor has a reason, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m companion.testing.mutate", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "rooms", nargs="*", choices=[*ROOMS, []], help="rooms to change; all of them without any"
    )
    parser.add_argument("--count", type=int, default=25, help="changes a room (default 25: 175 in all)")
    parser.add_argument("--seed", type=int, default=1942)
    parser.add_argument("--workers", type=int, default=2, help="processes for the first run of all tests")
    parser.add_argument(
        "--kept",
        type=Path,
        default=TOP / "build" / "mutants.jsonl",
        help="file of outcomes; a run goes on from there",
    )
    given = parser.parse_args(arguments)
    given.kept.parent.mkdir(parents=True, exist_ok=True)
    kept: dict[str, bool] = {}
    if given.kept.is_file():
        for line in given.kept.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            kept[row["key"]] = row["survived"]
    drawn = {room: draw(room, given.count, given.seed) for room in given.rooms or ROOMS}
    reasons = _reasons()
    alive: list[Mutant] = []
    unknown: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trial: Trial | None = None
        for room, mutants in drawn.items():
            for n, mutant in enumerate(mutants, 1):
                if mutant.key not in kept:
                    if trial is None:
                        print("mutate: which test runs which line ...", flush=True)
                        trial = Trial(Path(folder))
                        trial.copy()
                        trial.learn(given.workers)
                    survived = trial.survives(mutant, trial.tests_of(mutant))
                    if survived is None:
                        unknown.append(mutant)
                        print(f"{room} {n}/{len(mutants)} NOT KNOWN {mutant.key}", flush=True)
                        continue
                    kept[mutant.key] = survived
                    with given.kept.open("a", encoding="utf-8") as file:
                        file.write(
                            json.dumps({"key": mutant.key, "survived": kept[mutant.key], **asdict(mutant)})
                            + "\n"
                        )
                if kept[mutant.key]:
                    alive.append(mutant)
                print(
                    f"{room} {n}/{len(mutants)} {'SURVIVED' if kept[mutant.key] else 'noticed'} {mutant.key}",
                    flush=True,
                )
    total = sum(map(len, drawn.values()))
    print(f"{len(alive)} of {total} changes survived ({100 * len(alive) / max(1, total):.1f} %)")
    if unknown:
        print(f"{len(unknown)} were too slow to tell; run again on a quieter machine")
    nameless = [mutant for mutant in alive if mutant.key not in reasons]
    for mutant in alive:
        print(f"  {mutant.key} (line {mutant.line}): {reasons.get(mutant.key, 'NO REASON')}")
    return 1 if nameless or unknown or len(alive) > 0.03 * total else 0


if __name__ == "__main__":
    sys.exit(main())
