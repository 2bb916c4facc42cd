"""Extractors of texts for Babel: what is marked in Python and kv files, and what a screen shows of the scenario data.

``deploy/babel.toml`` says which files and keywords they are for. Babel's own extractor of Python reads tokens, and before
Python 3.12 an f-string is one token: a mark inside of it would be found by one Python and not by the other. So Python is
read here by its syntax tree.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, BinaryIO

__all__ = ["code", "data", "kv"]

Found = tuple[int, str | None, Any, list[str]]
"""Line, function (None: one text), text or texts, comments: as Babel takes it."""

_KV_MARK = re.compile(r"""(?<![\w.])_\((['"])((?:\\.|(?!\1).)+)\1\)""")


def code(
    file: BinaryIO, keywords: Mapping[str, Any], _comments: Collection[str], options: Mapping[str, Any]
) -> Iterator[Found]:
    """Yield every call of a keyword with plain texts as its arguments, in the order of the file."""
    names = {*keywords, *options.get("keywords", {})}
    calls = []
    for node in ast.walk(ast.parse(file.read())):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        texts = tuple(map(_plain, node.args))
        if name in names and any(texts):
            calls.append(((node.lineno, node.col_offset), name, texts))
    for (line, _column), name, texts in sorted(calls, key=lambda call: call[0]):
        yield line, name, texts if len(texts) > 1 else texts[0], []


def _plain(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def kv(
    file: BinaryIO,
    _keywords: Mapping[str, Any],
    _comments: Collection[str],
    options: Mapping[str, Any],  # noqa: ARG001 - Babel passes it by name
) -> Iterator[Found]:
    """Yield the marked texts of a kv file.

    Example:
        >>> import io
        >>> list(kv(io.BytesIO(b"Box:\\n    text: _('Skip') if self.is_open else _('On')\\n"), {}, (), {}))
        [(2, None, 'Skip', []), (2, None, 'On', [])]
    """
    for number, line in enumerate(file.read().decode("utf-8").splitlines(), 1):
        for found in _KV_MARK.finditer(line):
            yield number, None, ast.literal_eval(f"{found[1]}{found[2]}{found[1]}"), []


def data(
    file: BinaryIO, _keywords: Mapping[str, Any], _comments: Collection[str], options: Mapping[str, Any]
) -> Iterator[Found]:
    """Yield the texts of a TOML file that stand under the named `keys`, or inside the named `tables`.

    Example:
        >>> import io
        >>> file = io.BytesIO(b'[[card]]\\nid = "a"\\nname = "Ace"\\n')
        >>> list(data(file, {}, (), {"keys": ["name"]}))
        [(1, None, 'Ace', [])]
    """
    keys, tables, without = (frozenset(options.get(name, ())) for name in ("keys", "tables", "without"))

    def walk(value: Any, key: str, inside: str) -> Iterator[str]:
        if isinstance(value, dict):
            for name, item in value.items():
                if name not in without:
                    yield from walk(item, name, key)
        elif isinstance(value, list):
            for item in value:
                yield from walk(item, key, inside)
        elif isinstance(value, str) and value and (key in keys or inside in tables):
            yield value

    for text in walk(tomllib.loads(file.read().decode("utf-8-sig")), "", ""):
        yield 1, None, text, []
