"""``read-dice PHOTO…``: one JSON object a photo, a line each, in the scorer's format."""

from __future__ import annotations

__all__ = ["as_json", "learn_main", "main"]

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.errors import PhotoError, SetError, VisionError
from vision.learn import OTHER_COLOUR, OTHER_KIND, show
from vision.load import load_photo
from vision.models import load_models
from vision.overlay import draw
from vision.quiet import quiet
from vision.reader import read
from vision.rows import as_json, namesakes, overlay_names, plain
from vision.set_files import list_sets, load_set, save_set
from vision.sets import DiceSet, Learner
from vision.types import COLOURS, KINDS, Request

_USED = {"grey": "gray"}
_MOST_DICE = 200
"""Dice of one colour that can be asked for: more than any photo shows."""


def default_sets_folder() -> Path:
    """Return where calibrated sets lie when nothing else is said: the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "table-companion" / "dice-sets"


def _colours(text: str) -> tuple[str, ...]:
    names = tuple(_USED.get(c.strip().lower(), c.strip().lower()) for c in text.split(",") if c.strip())
    for name in names:
        if name not in COLOURS:
            raise argparse.ArgumentTypeError(f"{name!r} is no colour; expected some of {','.join(COLOURS)}")
    return names


def _counts(text: str) -> tuple[tuple[str, int], ...]:
    out: list[tuple[str, int]] = []
    for part in text.split(","):
        colour, sep, count = part.partition("=")
        name = _USED.get(colour.strip().lower(), colour.strip().lower())
        if sep and name not in COLOURS:
            raise argparse.ArgumentTypeError(f"{name!r} is no colour; expected some of {','.join(COLOURS)}")
        if not sep or not re.fullmatch(r"[0-9]{1,3}", count.strip()) or int(count) > _MOST_DICE:
            raise argparse.ArgumentTypeError(
                f"{part[:40]!r}: expected colour=number, 0 to {_MOST_DICE}, as in white=4,gray=2"
            )
        if name in dict(out):
            raise argparse.ArgumentTypeError(f"{name} stands there twice; expected each colour once")
        out.append((name, int(count)))
    return tuple(out)


def _parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="companion read-dice", description="Read the dice in photos: kind, colour, value and how sure."
    )
    p.add_argument(
        "photos", nargs="+", metavar="PHOTO", help="photo files; JPEG, PNG, HEIC, WebP, TIFF, BMP or GIF"
    )
    p.add_argument(
        "--kind", choices=(*KINDS, "mixed"), default="mixed", help="what lies there (default: %(default)s)"
    )
    p.add_argument(
        "--colours",
        "--colors",
        type=_colours,
        default=(),
        metavar="white,gray,black",
        help=f"colours that can lie there, of {', '.join(COLOURS)}",
    )
    p.add_argument(
        "--counts",
        type=_counts,
        default=(),
        metavar="white=4,gray=2",
        help="how many were asked for; differences are told",
    )
    p.add_argument("--set", dest="set_name", metavar="NAME", help="a calibrated set of your own dice")
    p.add_argument("--sets-folder", type=Path, default=None, help="where calibrated sets lie")
    p.add_argument(
        "--overlay", type=Path, metavar="DIR", help="also write each photo with the readings drawn on it"
    )
    p.add_argument(
        "--json",
        action="store_true",
        help="one JSON object a photo (this is also the form without --json when output is no terminal)",
    )
    p.add_argument(
        "--learn",
        metavar="NAME",
        help="learn a set from these photos instead: dice of one --kind, every value once a colour, any order; "
        "with --colours only those",
    )
    return p


_LEFT_OUT = {
    OTHER_KIND: "of another kind",
    OTHER_COLOUR: "of a colour that is not learnt",
    "cocked": "cocked; lay it flat and photograph it again",
    "stacked": "it lies on another die; lay it beside and photograph it again",
    "too small": "too small in the photo; go nearer",
}
"""Why a die of a learning photo does not count."""


def learn_main(name: str, kind: str, photos: Sequence[str], folder: Path, colours: Sequence[str] = ()) -> int:
    """Learn a set from photos and save it; say what is left out and which values are missing.

    Returns 0, or 1 where the set was learnt but some photo could not be read.

    Raises:
        SetError: The name is none, or a colour is not complete; nothing is saved.
    """
    learner = Learner(name, kind)
    models = load_models()
    worst = 0
    for photo in photos:
        try:
            shown = show(learner, _load(Path(photo)), colours=colours, models=models)
        except (PhotoError, OSError) as error:
            print(f"read-dice: {error}", file=sys.stderr)
            worst = 1
            continue
        for die in shown:
            if die.number is None:
                what = f"{die.reading.colour or 'a'} {die.reading.kind}"
                at = f"{die.reading.x:.0f},{die.reading.y:.0f}"
                print(f"read-dice: {photo}: left out: {what} at {at}: {_LEFT_OUT[die.why]}", file=sys.stderr)
    dice_set = learner.finish()
    path = save_set(dice_set, folder)
    for colour in dice_set.colours:
        for value in learner.state(colour).twice:
            print(f"read-dice: {colour} {value} was shown more than once; one was kept", file=sys.stderr)
    print(f"{path}: {len(dice_set.samples)} faces in {', '.join(dice_set.colours)}")
    return worst


def _learn_fault(a: argparse.Namespace) -> str:
    """Say why a call with --learn cannot be followed; empty when it can."""
    if a.kind == "mixed":
        return (
            f"one set holds dice of one kind; add --kind {', --kind '.join(KINDS[:-1])} or --kind {KINDS[-1]}"
        )
    useless = [
        flag
        for flag, given in (
            ("--set", a.set_name is not None), ("--counts", a.counts), ("--overlay", a.overlay), ("--json", a.json),
        )
        if given
    ]  # fmt: skip
    return f"{' and '.join(useless)} cannot be used with it; leave that away" if useless else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 = all photos were read, 1 = some could not be, 2 = the command line is wrong."""
    parser = _parser()
    try:
        a = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    try:
        return _run(a)
    except BrokenPipeError:
        # The reader of our output has gone (``read-dice *.jpg | head -1``): nothing left to say, also not at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(a: argparse.Namespace) -> int:
    folder = a.sets_folder or default_sets_folder()
    kinds = () if a.kind == "mixed" else (a.kind,)
    dice_set: DiceSet | None = None
    try:
        if a.learn is not None:
            fault = _learn_fault(a)
            if fault:
                print(f"read-dice: --learn: {fault}", file=sys.stderr)
                return 2
            return learn_main(a.learn, a.kind, a.photos, folder, a.colours)
        if a.set_name is not None:
            dice_set = load_set(a.set_name, folder)
        request = Request(kinds=kinds, colours=a.colours, counts=a.counts)
        models = load_models()
        if a.overlay:
            fault = _overlay_fault(a.overlay)
            if fault:
                print(f"read-dice: --overlay: {a.overlay}: {fault}", file=sys.stderr)
                return 2
    except BrokenPipeError:
        raise
    except (VisionError, OSError) as error:
        print(f"read-dice: {error}", file=sys.stderr)
        return 2 if isinstance(error, SetError) else 1
    worst = 0
    as_lines = a.json or not sys.stdout.isatty()
    photos = [Path(p) for p in a.photos]
    alike, drawn = namesakes(photos), overlay_names(photos)
    for path in photos:
        named = {"image": path.name} | ({"path": str(path)} if path in alike else {})
        row: dict[str, Any]
        try:
            image = _load(path)
            readings = read(image, request, models=models, dice_set=dice_set)
            row = as_json(path.name, readings) | named
        except (PhotoError, OSError) as error:
            row, worst = {**named, "error": str(error), "dice": []}, 1
            print(f"read-dice: {error}", file=sys.stderr)
            if not as_lines:
                continue  # told already, and a person reads both streams in one place
        else:
            if a.overlay:
                row["overlay"] = drawn[path]
                fault = _write_overlay(a.overlay / drawn[path], draw(image, readings))
                if fault:
                    del row["overlay"]
                    worst = 1
                    print(f"read-dice: --overlay: {a.overlay / drawn[path]}: {fault}", file=sys.stderr)
        print(json.dumps(row, ensure_ascii=False) if as_lines else plain(row), flush=True)
    return worst


def _load(path: Path) -> np.ndarray[Any, Any]:
    """Read a photo; what the unpackers print about damaged ones goes nowhere, since our own line says it."""
    with quiet():
        return load_photo(path)


def _overlay_fault(folder: Path) -> str:
    """Make the folder of overlays and return why it cannot take any; empty when it can."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return "expected a folder, got a file in its place; name a folder"
    except OSError as error:
        return f"expected a folder that can be made, got: {error.strerror}; name another folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        return (
            "expected a folder that can be written, got one that this user may not write; change its rights"
        )
    return ""


def _write_overlay(path: Path, picture: np.ndarray[Any, Any]) -> str:
    """Write an overlay and return why it could not be; empty when it is there."""
    ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
    if not ok:
        return "the picture is too large to be packed; take a smaller photo"
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        return f"cannot be written ({error.strerror}); make room or name another folder"
    return ""


__all__ += ["default_sets_folder", "list_sets"]

if __name__ == "__main__":
    raise SystemExit(main())
