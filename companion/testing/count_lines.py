"""Count code lines by room: ``python -m companion.testing.count_lines [REVISION ...]``.

A code line is a line of a Python, kv or TOML file that is neither blank, nor a comment, nor part of a docstring. Without a
revision the files as they lie here are counted. A revision is anything that git knows, so that two houses can be compared.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["count", "kv_lines", "main", "python_lines", "room", "toml_lines"]

TOP = Path(__file__).resolve().parents[2]
TREES = ("companion", "hardware", "vision", "scenarios", "deploy", "tests")
_SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def python_lines(text: str) -> int:
    """Return the code lines of a Python file; what does not parse raises SyntaxError.

    Example:
        >>> python_lines('"About."\\n\\n# a note\\ndef one() -> int:\\n    "Return one."\\n    return 1\\n')
        2
    """
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _SILENT
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - set(_docstrings(ast.parse(text))))


def _docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for one, after in zip([None, *body], body, strict=False):
            is_first = one is None and isinstance(
                node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
            )
            is_attribute = isinstance(one, ast.Assign | ast.AnnAssign)
            is_text = (
                isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
                and isinstance(after.value.value, str)
            )
            if is_text and (is_first or is_attribute):
                yield from range(after.lineno, (after.end_lineno or after.lineno) + 1)


def kv_lines(text: str) -> int:
    """Return the lines of a kv file that are neither blank nor a comment; ``#:`` lines are code.

    Example:
        >>> kv_lines("#:import x y\\n# a note\\n<Box>:\\n    size: 1, 2\\n\\n")
        3
    """
    lines = [line.strip() for line in text.splitlines()]
    return sum(bool(line) and (not line.startswith("#") or line.startswith("#:")) for line in lines)


def toml_lines(text: str) -> int:
    """Return the lines of a TOML file that are neither blank nor a comment.

    Example:
        >>> toml_lines("# a note\\n[one]\\ntext = 1  # why\\n\\n")
        2
    """
    return sum(
        bool(line) and not line.startswith("#") for line in (line.strip() for line in text.splitlines())
    )


_COUNTS = {".py": python_lines, ".kv": kv_lines, ".toml": toml_lines}


def room(path: str) -> str:
    """Return the room of a file: a folder of companion, a game, or a tree beside it.

    Example:
        >>> room("companion/games/sfw/rules/battle.py"), room("companion/app.py"), room("hardware/link.py")
        ('companion/games/sfw', 'companion', 'hardware')
    """
    parts = path.split("/")[:-1]
    if parts[0] != "companion":
        return parts[0]
    return "/".join(parts[:3] if parts[1:2] == ["games"] else parts[:2])


def count(revision: str = "") -> Counter[str]:
    """Return the code lines of every room at a revision, or of the files as they lie here."""
    found: Counter[str] = Counter()
    for path, text in _stored(revision) if revision else _lying():
        suffix, first = Path(path).suffix, text.split("\n", 1)[0]
        kind = suffix or (".py" if first.startswith("#!") and "python" in first else "")
        if kind in _COUNTS:
            found[room(path)] += _COUNTS[kind](text)
    return found


def _stored(revision: str) -> Iterator[tuple[str, str]]:
    packed = subprocess.run(
        ["git", "archive", "--format=tar", revision], cwd=TOP, check=True, capture_output=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None and _is_ours(member.name):
                yield member.name, file.read().decode("utf-8", "replace")


def _lying() -> Iterator[tuple[str, str]]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in sorted(set(listed.stdout.split("\0"))):
        if _is_ours(name) and (TOP / name).is_file():
            yield name, (TOP / name).read_text(encoding="utf-8", errors="replace")


def _is_ours(name: str) -> bool:
    return name.split("/", maxsplit=1)[0] in TREES and "/" in name and Path(name).suffix in ("", *_COUNTS)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lines of every room, one column a revision."""
    revisions = list(sys.argv[1:] if argv is None else argv) or [""]
    counted = [count(revision) for revision in revisions]
    rooms = sorted(set().union(*counted), key=lambda name: (TREES.index(name.split("/")[0]), name))
    rows = [(name, [c[name] for c in counted]) for name in rooms]
    rows.append(
        (
            "companion in all",
            [sum(n for name, n in c.items() if name.split("/")[0] == "companion") for c in counted],
        )
    )
    rows.append(("everything", [sum(c.values()) for c in counted]))
    print(f"{'room':24}" + "".join(f"{revision or 'here':>12.12}" for revision in revisions))
    for name, figures in rows:
        print(f"{name:24}" + "".join(f"{n:12,}" for n in figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
