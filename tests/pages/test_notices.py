"""What the program tells the table, in the language at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core.text import Say, Typed
from companion.pages import i18n
from companion.pages.notices import in_words, without_file
from companion.session.errors import FileValueError, JournalDamagedError
from companion.session.files import explain
from companion.session.journal import Recovery


@pytest.fixture
def german() -> Iterator[None]:
    i18n.use_language("de")
    yield
    i18n.use_language("en")


@pytest.mark.usefixtures("german")
def test_a_sentence_in_a_sentence_is_german_too() -> None:
    text, hint = explain(OSError(28, "No space left on device"))
    assert in_words(Say("{what}: {why}", what=Say("The game could not be opened"), why=text)) == (
        "Das Spiel ließ sich nicht öffnen: der Datenträger ist voll"
    )
    assert hint is not None
    assert in_words(hint) == (
        "Leere den Papierkorb (Einstellungen, Gerät) oder lösche Dateien und versuche es noch einmal"
    )
    fault = FileValueError(
        "a.jsonl", line=3, key="format", expected=Say("at most {most}", most=2), got=Typed("'x'")
    )
    assert in_words(fault.say) == "a.jsonl, Zeile 3, Schlüssel format: erwartet höchstens 2, gefunden 'x'"


@pytest.mark.usefixtures("german")
def test_what_was_saved_from_a_damaged_file_is_told_in_german() -> None:
    for lost in (0, 2):
        for kept in (None, Path("y.damaged.game")):
            for wall_ms in (0, 1_700_000_000_000):
                words = in_words(Recovery(Path("x.game"), kept, 211, lost, wall_ms).text)
                assert "beschädigt" in words
                assert "was " not in words
                assert ("mindestens 2" in words) == (lost == 2)
                assert ("y.damaged.game" in words) == (kept is not None)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "nothing in this file can be read anymore; the file is left as it is"),
        ("de", "diese Datei: nichts darin ist noch lesbar; die Datei bleibt, wie sie ist"),
    ],
)
def test_fault_of_a_saved_game_does_not_repeat_its_name(language: str, words: str) -> None:
    i18n.use_language(language)
    try:
        file = Typed("2026-11-27-italy.game")
        fault = JournalDamagedError(
            Say("nothing in {file} can be read anymore", file=file), Say("the file is left as it is")
        )
        assert in_words(without_file(fault.say)) == words
    finally:
        i18n.use_language("en")


def test_a_name_of_a_file_stays_as_it_is_at_the_beginning() -> None:
    assert in_words(Say("{file} is empty", file=Typed("a.tcgame"))) == "a.tcgame is empty"
    assert in_words(Say("the disk is full")) == "The disk is full"
    assert in_words(Typed("/media/stick")) == "/media/stick"
