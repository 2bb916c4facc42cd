"""What the program itself tells the table, in the table's language: about files, sticks, damage, PINs.

Files and the shell say what is wrong in one English sentence, as their logs need it. Here that sentence is matched
against its template, so that template and values are translated each for itself. A value may be such a sentence again:
``The game could not be opened: the disk is full``. What has no template (a name, a path, a line already in the table's
language) stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from companion.pages.i18n import N_, _

__all__ = ["TEMPLATES", "file_fault", "in_words"]

TEMPLATES: tuple[str, ...] = (
    # The shell
    N_("no game is open"),
    N_("{a} was moved to the bin"),
    N_("it can be taken back from {a}"),
    N_("{a} was imported"),
    N_("it stands among the saved games"),
    N_("{a} was written and read back"),
    N_("it lies in {a}"),
    N_("{a} printed values of {b} were taken"),
    N_("they count in every game begun from now on"),
    N_("Remembered printed values that do not fit this game were left out: {a}"),
    N_("Too many wrong PINs: the next try counts in {a} s"),
    N_("{a}: {b}"),
    N_("The game could not be started"),
    N_("The game could not be opened"),
    N_("mend the file or take it out of the data folder"),
    N_("{a} could not be deleted"),
    N_("{a} could not be imported"),
    N_("{a} could not be exported"),
    N_("The printed values could not be exported"),
    N_("The setting {a} could not be saved"),
    N_("The printed value counts in this game but could not be remembered"),
    N_("The open game could not be noted"),
    # Disks
    N_("the disk is full"),
    N_("delete old games or files, then try again"),
    N_("the disk is read-only"),
    N_("take off its write protection, or check the card for faults"),
    N_("this user may not write there"),
    N_("choose another folder or change its rights"),
    N_("the disk or stick answers with errors"),
    N_("plug it in again; if it stays, replace it"),
    N_("no such file or folder"),
    N_("check the name, or plug in the stick that it lies on"),
    N_("{a} does not read back as it was written"),
    N_("use another stick: this one loses data"),
    N_("{a} could not be copied to {b}: {c}"),
    # Game files
    N_("{a} cannot be written: {b}"),
    N_("{a} is empty"),
    N_("delete it and start the game again"),
    N_("{a} is no game file of Table Companion"),
    N_("another program wrote it; open a saved game instead"),
    N_("{a}: expected a saved game (a file that ends in {b}), got a folder"),
    N_("name the file in it"),
    N_("check its rights, or copy it again"),
    N_("{a} cannot be used: {b}"),
    N_("{a} is open in another Table Companion"),
    N_("close it there first; one game has one writer"),
    N_("close it there first"),
    N_("{a} cannot be read: {b}"),
    N_("{a} cannot be opened safely: {b}"),
    N_("{a} met a fault in the program and was not carried out"),
    N_("a crash file was written; play can go on"),
    N_("the game cannot be started: {a}"),
    N_("Nothing can be saved: {a}"),
    N_("Saving works again"),
    N_("there is no game file {a}"),
    N_("it may have been moved or deleted"),
    N_("{a} holds no game"),
    N_("{a} is closed"),
    N_("{a} exists already"),
    N_("nothing in {a} can be read any more"),
    N_("the file is left as it is"),
    N_("{a} is whole, but its entries do not fold: {b}"),
    N_("report this; nothing was changed"),
    N_("this version of Table Companion does not have the game {a}"),
    N_("update Table Companion"),
    N_("entry {a} is whole, but this version cannot read it: {b}"),
    N_("it was written by version {a}; report this"),
    N_("the first entry starts no game: {a}"),
    N_("the first entry starts no game"),
    N_("the file is kept as it is"),
    N_("{a} is open"),
    N_("close the game first"),
    N_("{a} was damaged: entry {b} is the last readable one, later ones may be missing."),
    N_(
        "{a} was damaged: entry {b} is the last readable one, later ones may be missing. "
        "The file as it was is kept as {c}."
    ),
    N_("{a} was damaged: entry {b} is the last whole one, at least {c} after it could not be used."),
    N_(
        "{a} was damaged: entry {b} is the last whole one, at least {c} after it could not be used. "
        "The file as it was is kept as {d}."
    ),
    N_("{a} holds only what could be read"),
    N_("{a} was damaged ({b}); it is kept as {c}, defaults hold"),
    N_("{a} is damaged ({b}); defaults hold"),
    N_("{a} cannot be read: {b}; defaults hold"),
    N_("{a} was damaged ({b}); it is kept as {c}, its printed values do not count"),
    N_("{a} is damaged ({b}); its printed values do not count"),
    N_("{a} cannot be read: {b}; its printed values do not count"),
    # Values in files
    N_("{a}, line {b}, key {c}: expected {d}, got {e}"),
    N_("{a}, line {b}: expected {c}, got {d}"),
    N_("{a}, key {b}: expected {c}, got {d}"),
    N_("{a}: expected {b}, got {c}"),
    N_("copy the file again from where it was exported"),
    N_("only files written by Export can be imported; play recordings with companion replay"),
    N_("a game begins with StartGame"),
    N_("one of {a}"),
    N_("at most {a}"),
    N_("{a} entries"),
    N_("a readable file"),
    N_("another first line"),
    N_("other arguments"),
    N_("a value"),
    N_("no such key"),
    N_("one JSON object"),
    N_("the key of a game"),
    N_("printed values written by Table Companion"),
    N_("a command that the game takes"),
    N_("what the command leads to"),
    N_("other events"),
    N_("events of this game"),
    N_("no line"),
    # Sealed notes
    N_("this note has no key for {a}"),
    N_("ask who can open it"),
    N_("this note was sealed on another box"),
    N_("open it there, or with the recovery code"),
    N_("the device key is damaged"),
    N_("restore it, or open with the recovery code"),
    N_("a PIN has at least {a} signs"),
    N_("choose a longer one"),
    N_("wrong PIN or code"),
    N_("try again"),
    N_("this note is damaged"),
    N_("use a copy of the game file"),
)
"""Every sentence that the shell and the files say; a letter in braces stands for a value."""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the templates as patterns, those with the most words of their own first."""
    rows = []
    for template in TEMPLATES:
        parts = re.split(r"\{([a-e])\}", template)
        pattern = "".join(
            f"(?P<{part}>.+?)" if index % 2 else re.escape(part) for index, part in enumerate(parts)
        )
        rows.append((sum(map(len, parts[::2])), template, re.compile(pattern, re.DOTALL | re.IGNORECASE)))
    rows.sort(key=lambda row: -row[0])
    return tuple((template, pattern) for _own, template, pattern in rows)


def _line(text: str) -> str | None:
    """Return one sentence in the table's language; None where no template fits it."""
    for template, pattern in _patterns():
        # No value has a semicolon: what lies between two belongs to lines of their own.
        found = pattern.fullmatch(text) if template.count("; ") == text.count("; ") else None
        if found is not None:
            values = {key: _parts(value) for key, value in found.groupdict().items()}
            return _(template).format(**values)
    return None


def _parts(text: str) -> str:
    """Return sentences joined by semicolons in the table's language, as long ones as there are first."""
    pieces = text.split("; ")
    said: list[str] = []
    while pieces:
        for count in range(len(pieces), 0, -1):
            line = _line("; ".join(pieces[:count]))
            if line is not None or count == 1:
                said.append(line if line is not None else pieces[0])
                del pieces[:count]
                break
    return "; ".join(said)


def in_words(text: str) -> str:
    """Return a notice's text or hint in the language in use."""
    words = _parts(text)
    begins_with_value = words.split(" ", 1)[0] == text.split(" ", 1)[0]
    return words if begins_with_value else words[:1].upper() + words[1:]


def file_fault(fault: str, path: str, name: str) -> str:
    """Return why a saved game cannot be opened, in the table's language, without its path: its name stands above."""
    this = _("this file")
    for written in (path, name):
        fault = fault.replace(written, this)
    words = _parts(fault)
    return words[:1].upper() + words[1:]
