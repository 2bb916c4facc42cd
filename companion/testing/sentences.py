"""The golden list of every sentence: ``python -m companion.testing.sentences [--render]``.

The tests of rules, core, session, hardware and vision make every refusal, notice, fault and log line there is; the plugin
`companion.testing.recorder` keeps them as values while they run. This command runs those tests and writes two files of
``tests/golden``: ``sentences.jsonl``, the values, and ``sentences.txt``, one line a sentence with its renderings in every
language side by side, to be read by eye. ``--render`` runs no tests and writes the second file anew.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec

from companion.core import text as values
from companion.core.text import Count, Name, Say, Several, Value
from companion.games.registry import games_by_key
from companion.pages.game_options import LABELS
from companion.pages.i18n import LANGUAGES, Language, language_of
from companion.pages.modules import words_of
from companion.pages.shared_words import SHARED
from companion.pages.speak import Voice, humanise

__all__ = [
    "VALUES",
    "Sentence",
    "leaves",
    "listed",
    "main",
    "packed",
    "read",
    "told",
    "unpacked",
    "voice",
    "write",
]

TOP = Path(__file__).resolve().parents[2]
_FOLDER_OF_A_TEST = re.compile(rb"/[^ \"]*/pytest-of-[^/]+/pytest-\d+/(?:popen-gw\d+/)?[^/ \",;:]+")
"""Where a test kept its files: other in every run, and no part of what was said."""

VALUES = TOP / "tests" / "golden" / "sentences.jsonl"
LIST = TOP / "tests" / "golden" / "sentences.txt"
ROOMS = ("core", "games", "session", "hardware", "vision", "scenarios", "pages")
"""The folders of tests that are run."""

RUBBISH = ("tests/session/test_played_is_importable.py",)
"""Tests that throw ids and letters at random at the rules: what is said of them nobody reads."""

LOG = "log"
"""The code of a line in the log."""


INVENTED = frozenset(
    {
        ("area", "atlantis"),
        ("area", "benghazi"),
        ("area", "cairo"),
        ("area", "convoy.suez"),
        ("area", "malta"),
        ("area", "sicily"),
        ("area", "west"),
        ("unit", "elite"),
        ("forced", "bored"),
        ("nation", "france"),
        ("side", "axis"),
        ("unit", "zeppelin"),
    }
    | {("site", key) for key in ("ajaccio", "algiers", "mareth", "mobile_1", "paris")}
)
"""Kinds and ids that tests made up, or used with no game at hand; the program shows such an id readable."""


class Sentence(msgspec.Struct, frozen=True):
    """One sentence that the program said, and what is needed to say it again."""

    by: str
    """The game by its key, or the room that said it: ``core``, ``hardware`` ..."""
    game: str
    """Whose words are used; empty: those of no game."""
    code: str
    """The code of the refusal, ``log`` for a line in the log, empty for anything else."""
    say: Say
    names: Mapping[str, Say] = {}
    """``kind.id`` to the word, for what only the open game could name."""


def packed(value: Value) -> Any:
    """Return a value as JSON can keep it."""
    match value:
        case Say():
            inside = {name: packed(item) for name, item in value.values.items()}
            return {
                "Say": value.template,
                **({"many": value.many} if value.many else {}),
                **({"values": inside} if inside else {}),
            }
        case Several():
            return {"Several": [packed(item) for item in value.items], "style": value.style}
        case Fraction():
            return {"Fraction": str(value)}
        case int() | float():
            return value
        case Count():
            return {"Count": value.n, "kind": value.of.kind, "id": value.of.id}
        case _:
            fields = [getattr(value, name) for name in value.__struct_fields__]
            return {type(value).__name__: [packed(f) if isinstance(f, Fraction) else f for f in fields]}


def unpacked(kept: Any) -> Value:
    """Return the value that `packed` made this of."""
    match kept:
        case int() | float():
            return kept
        case {"Say": template}:
            inside = {name: unpacked(item) for name, item in kept.get("values", {}).items()}
            if "many" not in kept:
                return Say(template, **inside)
            n = inside.pop("n")
            assert isinstance(n, int)
            return Say.counted(template, kept["many"], n, **inside)
        case {"Several": items, "style": style}:
            return Several(tuple(map(unpacked, items)), style)
        case {"Fraction": text}:
            return Fraction(text)
        case {"Count": n, "kind": kind, "id": id_}:
            return Count(n, Name(kind, id_))
    ((kind, fields),) = kept.items()
    made: Value = getattr(values, kind)(*map(_figure, fields))
    return made


def _figure(kept: Any) -> Any:
    return unpacked(kept) if isinstance(kept, dict) else kept


def write(path: Path, sentences: Iterable[Sentence]) -> None:
    """Write sentences, one a line, in an order that depends on nothing but themselves."""
    rows = (
        {
            "by": one.by,
            "code": one.code,
            "game": one.game,
            "say": packed(one.say),
            "names": {name: packed(word) for name, word in sorted(one.names.items())},
        }
        for one in sentences
    )
    lines = sorted(
        _FOLDER_OF_A_TEST.sub(b"~", msgspec.json.encode({name: item for name, item in row.items() if item}))
        for row in rows
    )
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def read(path: Path = VALUES) -> list[Sentence]:
    """Return the sentences of a file."""
    rows = map(msgspec.json.decode, path.read_bytes().splitlines())
    return [
        Sentence(
            row["by"],
            row.get("game", ""),
            row.get("code", ""),
            _say(row["say"]),
            {name: _say(word) for name, word in row.get("names", {}).items()},
        )
        for row in rows
    ]


def _say(kept: Any) -> Say:
    made = unpacked(kept)
    assert isinstance(made, Say)
    return made


def of_tables() -> Iterator[Sentence]:
    """Yield what every code says where nothing more is told, as the tables of words have it."""
    rows = [("core", "", SHARED), *((key, key, words_of(key)) for key in games_by_key())]
    for by, game, words in rows:
        for code in words.names.get("refusal", {}):
            yield Sentence(by, game, str(code), Say("{refusal}", refusal=Name("refusal", str(code))))


def listed(path: Path = VALUES) -> list[Sentence]:
    """Return every sentence: the recorded ones, and those of the tables of words."""
    kept = read(path)
    filled = {(one.by, one.say.template) for one in kept if one.say.values}
    own = [one for one in kept if one.say.values or not _waits(one, filled)]
    return sorted((*own, *of_tables()), key=lambda one: (one.by, one.code, str(one.say), one.game))


def _waits(one: Sentence, filled: Set[tuple[str, str]]) -> bool:
    """Whether this is the beginning of another sentence of the list: it was made first, its values were put in later."""
    return "{" in one.say.template and (one.by, one.say.template) in filled


class _Recalling(Voice, frozen=True):
    """Says a sentence again with the names that the open game had then."""

    names: Mapping[str, Say] = {}

    def _word(self, name: Name) -> str | None:
        own = self.names.get(f"{name.kind}.{name.id}")
        return super()._word(name) if own is None else self.say(own)


def voice(one: Sentence, language: Language) -> Voice:
    """Return who says a sentence again; LookupError for an id that nobody has a word for."""

    def missing(name: Name) -> str:
        word = one.names.get(f"{name.kind}.{name.id}")
        if word is None and name.kind == "option" and name.id in LABELS:
            return language.text(LABELS[name.id])
        if word is None and (name.kind, name.id) in INVENTED:
            return humanise(name.id)
        if word is None:
            raise LookupError(f"{one.by} {one.code}: no word for {name.kind} {name.id!r} in {one.say!r}")
        return speaker.say(word)

    speaker = _Recalling(language, one.game, None, missing, one.names)
    return speaker


def told(one: Sentence, language: Language) -> str:
    """Return a sentence in a language, as a screen shows it; LookupError for an id that nobody has a word for."""
    text = voice(one, language).say(one.say)
    return text[:1].upper() + text[1:]


def leaves(value: Value) -> Iterator[Value]:
    """Yield every value that stands in a sentence, those inside of lists and of sentences too."""
    if isinstance(value, Say):
        for item in value.values.values():
            yield from leaves(item)
    elif isinstance(value, Several):
        for item in value.items:
            yield from leaves(item)
    else:
        yield value


def shown(one: Sentence, language: Language) -> str:
    """Return a sentence as `told` does; a missing word is shown as a fault."""
    try:
        return told(one, language)
    except LookupError as fault:
        return f"FAULT {fault}"


def lines(sentences: Iterable[Sentence]) -> str:
    """Return the list to be read by eye."""
    languages = [language_of(code) for code in LANGUAGES]
    rows = ["\t".join(("game", "code", *LANGUAGES))]
    for one in sentences:
        rows.append("\t".join((one.by, one.code or "-", *(shown(one, language) for language in languages))))
    return "\n".join(dict.fromkeys(rows)) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tests with the recorder, and write both files."""
    parser = argparse.ArgumentParser(prog="sentences", description="Write the golden list of every sentence.")
    parser.add_argument("--render", action="store_true", help="write the list anew from the kept values")
    parser.add_argument("--workers", default="2", help="how many tests run at a time (default: 2)")
    args = parser.parse_args(argv)
    if not args.render:
        from companion.testing.recorder import FOLDER, collected

        with tempfile.TemporaryDirectory() as folder:
            command = [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "companion.testing.recorder",
                "-n",
                args.workers,
            ]
            command += ["--hypothesis-seed=0", "-m", "not long and not bench and not device"]
            rooms = [f"tests/{room}" for room in ROOMS] + [f"--ignore={path}" for path in RUBBISH]
            done = subprocess.run(
                [*command, *rooms], cwd=TOP, env={**os.environ, FOLDER: folder}, check=False
            )
            if done.returncode:
                print("some tests fail; what they made all the same is in the list", file=sys.stderr)
            write(VALUES, collected(Path(folder)))
    LIST.write_text(lines(listed()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
