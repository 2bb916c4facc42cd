"""What the program tells the table is German under German: every sentence of shell and files has words."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.pages import i18n
from companion.pages.notices import TEMPLATES, file_fault, in_words
from companion.session.errors import FileValueError
from companion.session.files import explain
from companion.session.journal import Recovery
from tests.pages.test_details import templates_in

TOP = Path(__file__).parents[2] / "companion"
SPOKEN = ("_notify", "_notify_fault", "Told")
"""Calls whose texts reach the table as they stand."""
LOG_ONLY = {
    "seals.py": {"a secret is not copied or stored", "not a note", "key parameters out of range"},
    "pin.py": {"not a PIN's hash: expected scrypt$N$r$p$salt$hash"},
    "timesource.py": {"monotonic time never goes back: {a} ms asked"},
    "salvage.py": {"column kind {a}"},
    "game_file.py": {"the heartbeat is damaged"},
}
"""Sentences for programmers: a broken call or a file that no table made."""
ABSTRACT = {"{a}", "{a}{b}{c}", "{a} {b}", "{a}, refused: {b} {c}"}


@pytest.fixture
def german() -> Iterator[None]:
    i18n.use_language("de")
    yield
    i18n.use_language("en")


def _said() -> Iterator[tuple[str, str]]:
    for path in (TOP / "adapters" / "shell.py", *sorted((TOP / "session").glob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text())):
            for text in _in_call(node):
                if _is_sentence(text) and text not in ABSTRACT and text not in LOG_ONLY.get(path.name, ()):
                    yield text, path.name


def _in_call(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name.endswith("Error") or name in SPOKEN:
            for part in (*node.args, *(k.value for k in node.keywords if k.arg not in ("key",))):
                yield from templates_in(part)
    elif isinstance(node, ast.FunctionDef) and node.name == "explain":
        for part in ast.walk(node):
            if isinstance(part, ast.Return) and part.value is not None:
                yield from templates_in(part.value)


def _is_sentence(text: str) -> bool:
    """Say whether this has words of its own: one word is a level, a key or a name of the file format."""
    return " " in text.strip() and any(c in string.ascii_letters for c in text)


def test_every_sentence_of_shell_and_files_has_words() -> None:
    known = set(TEMPLATES)
    assert sorted({(text, file) for text, file in _said() if text not in known}) == []


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("template", [t for t in TEMPLATES if t != "{a}: {b}"])
def test_every_sentence_is_german_and_keeps_its_values(template: str) -> None:
    values = dict(zip("abcde", ("A1", "B2", "C3", "D4", "E5"), strict=True))
    line = template.format(**values)
    words = in_words(line)
    assert words.casefold() != line.casefold()
    for letter, value in values.items():
        assert (value in words) == (f"{{{letter}}}" in template)


@pytest.mark.usefixtures("german")
def test_a_sentence_in_a_sentence_is_german_too() -> None:
    text, hint = explain(OSError(28, "No space left on device"))
    assert in_words(f"The game could not be opened: {text}") == (
        "Das Spiel ließ sich nicht öffnen: der Datenträger ist voll"
    )
    assert in_words(hint) == "Alte Spiele oder Dateien löschen, dann noch einmal versuchen"
    fault = FileValueError("a.jsonl", line=3, key="format", expected="at most 2", got="'x'")
    assert in_words(f"a could not be imported: {fault}") == (
        "a ließ sich nicht übernehmen: a.jsonl, Zeile 3, Schlüssel format: erwartet höchstens 2, gefunden 'x'"
    )


@pytest.mark.usefixtures("german")
def test_what_was_saved_from_a_damaged_file_is_told_in_german() -> None:
    for lost in (0, 2):
        for kept in (None, Path("y.damaged.game")):
            for wall_ms in (0, 1_700_000_000_000):
                words = in_words(Recovery(Path("x.game"), kept, 211, lost, wall_ms).text)
                assert "beschädigt" in words
                assert "was " not in words
                assert ("mindestens 2" in words) == (lost == 2)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Nothing in this file can be read any more; the file is left as it is"),
        ("de", "Diese Datei: nichts darin ist noch lesbar; die Datei bleibt, wie sie ist"),
    ],
)
def test_fault_of_a_saved_game_does_not_repeat_its_name(language: str, words: str) -> None:
    i18n.use_language(language)
    try:
        fault = "nothing in /g/2026-11-27-italy.game can be read any more; the file is left as it is"
        assert file_fault(fault, "/g/2026-11-27-italy.game", "2026-11-27-italy.game") == words
    finally:
        i18n.use_language("en")


def test_english_and_what_is_in_words_already_stay_as_they_are() -> None:
    assert in_words("The disk is full") == "The disk is full"
    assert in_words("Der Akku ist leer: laden") == "Der Akku ist leer: laden"
    assert in_words("") == ""
