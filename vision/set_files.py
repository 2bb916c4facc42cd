"""Sets of your own dice as files: one a set, in a folder, replaced in one step, refused with the key that is wrong."""

from __future__ import annotations

__all__ = ["VERSION", "delete_set", "list_sets", "load_set", "save_set", "set_path"]

import contextlib
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from companion.core.text import Say, Typed, several
from vision.errors import OldSetError, SetError
from vision.sets import DiceSet, Sample, check_name, is_name
from vision.types import COLOURS, legal_values

VERSION = 7
"""Goes up with every new reading net: the features of one mean nothing to another."""


_KEYS = ("version", "name", "samples", "check")
_MOST_BYTES = 16 << 20
"""A set of every kind and colour takes a few megabytes."""


def _check(data: dict[str, Any]) -> int:
    """Return the check sum of a set: CRC-32 of its plain data; sets of before had none."""
    plain = {key: value for key, value in data.items() if key != "check"}
    return zlib.crc32(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode())


def set_path(name: str, folder: Path) -> Path:
    """Return the file of a set, whether it is there or not.

    Raises:
        SetError: The name is none.
    """
    check_name(name)
    return folder / f"{name}.dice.json"


def save_set(dice_set: DiceSet, folder: Path) -> Path:
    """Write a set; what was there under this name is replaced in one step. SetError where it cannot be written."""
    path = set_path(dice_set.name, folder)
    data = {
        "version": VERSION, "name": dice_set.name,
        "samples": [
            {"kind": s.kind, "colour": s.colour, "value": s.value, "features": [round(float(f), 4) for f in s.features]}
            for s in dice_set.samples
        ],
    }  # fmt: skip
    data["check"] = _check(data)
    temporary = path.with_suffix(".tmp")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise SetError(
            Say(
                "{path}: cannot be written ({why}); free some space or change the folder's permissions",
                path=Typed(str(path)),
                why=Typed(error.strerror or type(error).__name__),
            )
        ) from error
    return path


def list_sets(folder: Path) -> tuple[str, ...]:
    """Return the names of the sets in a folder, sorted; empty when there is none. Files of other names are passed over."""
    if not folder.is_dir():
        return ()
    names = (path.name.removesuffix(".dice.json") for path in folder.glob("*.dice.json") if path.is_file())
    return tuple(sorted(name for name in names if is_name(name)))


def load_set(name: str, folder: Path) -> DiceSet:
    """Read a set back.

    Raises:
        OldSetError: Of another version.
        SetError: Not there or damaged; the text names file and key.
    """
    path = set_path(name, folder)
    try:
        if not path.is_file():
            raise FileNotFoundError  # a pipe would wait for its writer, for ever
        with path.open("rb") as file:
            data = json.loads(file.read(_MOST_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        have = list_sets(folder)
        if not have:
            raise SetError(
                Say(
                    "no dice set named {name} in {folder}; there are none yet",
                    name=Typed(repr(name)),
                    folder=Typed(str(folder)),
                )
            ) from None
        raise SetError(
            Say(
                "no dice set named {name} in {folder}; available: {have}",
                name=Typed(repr(name)),
                folder=Typed(str(folder)),
                have=several(map(Typed, have), "comma"),
            )
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise SetError(
            Say(
                "{path}: damaged or unreadable ({why}); learn the set again",
                path=Typed(str(path)),
                why=Typed(type(error).__name__),
            )
        ) from error
    if not isinstance(data, dict) or data.get("version") != VERSION:
        got = data.get("version") if isinstance(data, dict) else type(data).__name__
        raise OldSetError(
            Say(
                "{path}: version: expected {expected}, got {got}; learn the set again",
                path=Typed(str(path)),
                expected=VERSION,
                got=Typed(str(got)),
            )
        )
    strange = [key for key in data if key not in _KEYS]
    if strange or ("check" in data and data["check"] != _check(data)):
        key = str(strange[0]) if strange else "check"
        raise SetError(
            Say(
                "{path}: {key}: the set was changed or damaged; learn the set again",
                path=Typed(str(path)),
                key=Typed(key),
            )
        )
    try:
        samples = []
        for i, raw in enumerate(data["samples"]):
            sample = Sample(
                str(raw["kind"]),
                str(raw["colour"]),
                int(raw["value"]),
                tuple(float(f) for f in raw["features"]),
            )
            if (
                sample.colour not in COLOURS
                or sample.value not in legal_values(sample.kind)
                or not np.isfinite(sample.features).all()
            ):
                raise SetError(
                    Say(
                        "{path}: samples[{number}]: {sample} is not possible; learn the set again",
                        path=Typed(str(path)),
                        number=i,
                        sample=Typed(f"{sample.kind} {sample.colour} {sample.value}"),
                    )
                )
            samples.append(sample)
        if not samples:
            raise SetError(
                Say("{path}: samples: expected some, got none; learn the set again", path=Typed(str(path)))
            )
        return DiceSet(str(data["name"]), tuple(samples))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, SetError):
            raise
        raise SetError(
            Say("{path}: samples: {why}; learn the set again", path=Typed(str(path)), why=Typed(str(error)))
        ) from error


def delete_set(name: str, folder: Path) -> None:
    """Remove a set; nothing happens when it is not there."""
    set_path(name, folder).unlink(missing_ok=True)
