"""The command line: one JSON object a photo in the scorer's format, and errors in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.core.text import Say, Typed
from tests.vision.fuzzed import fuzzed
from vision.command import as_json, main
from vision.rows import namesakes, overlay_names, plain
from vision.set_files import load_set
from vision.training.glyphs import FontBook
from vision.training.looks import Studio, make_set
from vision.training.scene import render_scene
from vision.types import Flag, Reading, Readings

_PHOTOS = Path(__file__).parent / "photos"
_NOTE = Say("needed {asked}, found {seen}", asked=Typed("4 white"), seen=Typed("3 white and 1 gray"))


def test_json_is_in_the_scorers_format() -> None:
    dice = (
        Reading("d12", "gray", 7, 0.98123, 499.16, 206.9, 64.7),
        Reading("d10", "red", None, 0.4, 10, 20, 30, flags=(Flag.COCKED,), guess=3),
    )
    row = as_json("a.jpg", Readings(640, 480, dice, (_NOTE,)))
    assert row["image"] == "a.jpg"
    assert row["dice"][0] == {
        "kind": "d12", "color": "gray", "value": 7, "x": 499.2, "y": 206.9, "radius": 64.7, "confidence": 0.9812,
        "value_confidence": 0.9812, "color_confidence": 1.0, "ask": False,
    }  # fmt: skip
    assert row["dice"][1]["value"] is None
    assert row["dice"][1]["cocked"] is True
    assert row["dice"][1]["guess"] == 3
    assert row["mismatches"] == ["needed 4 white, found 3 white and 1 gray"]


def test_one_line_a_photo_and_overlays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    photos = [str(p) for p in sorted(_PHOTOS.glob("own_*.jpg"))[:2]]
    code = main(
        [
            *photos,
            "--kind",
            "d12",
            "--colours",
            "white,grey,black",
            "--overlay",
            str(tmp_path / "o"),
            "--json",
        ]
    )
    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    rows = [json.loads(line) for line in lines]
    assert [r["image"] for r in rows] == ["own_00.jpg", "own_01.jpg"]
    assert all(r["dice"] for r in rows)
    drawn = cv2.imread(str(tmp_path / "o" / "own_00.read.jpg"))
    assert drawn is not None
    assert drawn.shape == (768, 1024, 3)


def test_photos_of_one_name_keep_their_overlays_apart(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = [cv2.imread(str(_PHOTOS / f"own_{i}.jpg")) for i in ("00", "12", "23")]
    photos = [
        tmp_path / "a" / "x.jpg",
        tmp_path / "b" / "x.jpg",
        tmp_path / "b" / "X.png",
        tmp_path / "y.jpg",
    ]
    for path, image in zip(photos, (*own, own[0]), strict=True):
        path.parent.mkdir(exist_ok=True)
        assert cv2.imwrite(str(path), image)
    assert main([*map(str, photos), "--overlay", str(tmp_path / "o"), "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [r["image"] for r in rows] == ["x.jpg", "x.jpg", "X.png", "y.jpg"], (
        "the scorer goes by these names"
    )
    assert [r.get("path") for r in rows] == [*map(str, photos[:3]), None]
    assert [r["overlay"] for r in rows] == ["x.read.jpg", "x-2.read.jpg", "X-3.read.jpg", "y.read.jpg"]
    drawn = [cv2.imread(str(tmp_path / "o" / r["overlay"])) for r in rows]
    for image, overlay in zip((*own, own[0]), drawn, strict=True):
        assert overlay.shape == image.shape
        assert np.abs(overlay.astype(int) - image).mean() < 20, "it is drawn on its own photo"


def test_overlays_never_take_a_name_that_is_given() -> None:
    photos = [Path(p) for p in ("a/x.jpg", "x-2.jpg", "b/x.jpg", "c/X.jpg", "a/x.jpg")]
    names = overlay_names(photos)
    assert names == {
        photos[0]: "x.read.jpg", photos[1]: "x-2.read.jpg", photos[2]: "x-3.read.jpg", photos[3]: "X-4.read.jpg",
    }  # fmt: skip
    assert namesakes(photos) == {photos[0], photos[2], photos[3]}


def test_an_overlay_that_cannot_be_written_costs_no_reading(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "own_00.read.jpg").mkdir()
    assert main([str(_PHOTOS / "own_00.jpg"), "--overlay", str(tmp_path), "--json"]) == 1
    got = capsys.readouterr()
    row = json.loads(got.out)
    assert row["dice"]
    assert "overlay" not in row
    assert "own_00.read.jpg: cannot be written (Is a directory); make room or name another folder" in got.err


@pytest.mark.parametrize("program", [["vision.command"], ["companion", "read-dice"]])
def test_a_reader_that_goes_away_ends_it_quietly(program: list[str]) -> None:
    photos = [str(_PHOTOS / f"own_{i}.jpg") for i in ("00", "12", "23")]
    with subprocess.Popen(
        [sys.executable, "-m", *program, *photos], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["image"] == "own_00.jpg"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) in (0, 1, 120), "0 where all was said before the pipe was closed"


def test_a_damaged_photo_is_one_line_whatever_the_unpacker_prints(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    whole = (_PHOTOS / "own_00.jpg").read_bytes()
    short = tmp_path / "short.jpg"
    short.write_bytes(whole[: len(whole) // 2].rstrip(b"\xff") + b"\xff\xd9")
    assert main([str(short), "--json"]) == 1
    got = capfd.readouterr()
    said = f"{short}: the JPEG ends in the middle; part of the photo is missing. Copy the photo again"
    assert got.err == f"read-dice: {said}\n"
    assert json.loads(got.out) == {"image": "short.jpg", "error": said, "dice": []}


def test_a_person_reads_how_many_dice_which_were_refused_and_what_to_do() -> None:
    sure = Reading("d12", "white", 7, 0.98, 100, 80, 30)
    doubtful = Reading("d12", "gray", 3, 0.6, 499.4, 206.9, 30, flags=(Flag.CUT, Flag.BLURRED))
    leaning = Reading("d12", "black", None, 0.3, 300, 200, 30, flags=(Flag.COCKED,), guess=11)
    above = Reading("d12", "black", None, 0.3, 330, 210, 30, flags=(Flag.STACKED, Flag.CUT), guess=2)
    small = Reading("d6", None, None, 0.1, 10, 10, 5, flags=(Flag.TOO_SMALL,), guess=1)
    assert plain(as_json("a.jpg", Readings(640, 480, (sure,)))) == "a.jpg: 1 die: white d12 7"
    assert plain(as_json("a.jpg", Readings(640, 480, ()))) == "a.jpg: 0 dice: none"
    assert plain(
        as_json("a.jpg", Readings(640, 480, (sure, doubtful, leaning, above, small)))
    ).splitlines() == [
        "a.jpg: 5 dice: white d12 7, gray d12 3?, black d12 cocked, black d12 stacked, some d6 too small",
        "  black d12 at 300,200: it leans: roll it again, or say what it shows (perhaps 11)",
        "  black d12 at 330,210: it leans on another die: roll it again, or say what it shows (perhaps 2)",
        "  some d6 at 10,10: too small to be read: bring the camera closer, or say what it shows (perhaps 1)",
        "  not sure, check with your own eyes: gray d12 3 at 499,207 (cut off by the edge of the photo, blurred)",
    ]


def _read_fuzzed(count: int, seed: int, folder: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, int]:
    """Read damaged files by the command, all of them in one call: how many were refused, how many read."""
    whole = cv2.resize(cv2.imread(str(_PHOTOS / "own_14.jpg")), (320, 240), interpolation=cv2.INTER_AREA)
    files = []
    for i, (ending, data) in enumerate(fuzzed(whole, count, seed)):
        files.append(folder / f"{i:04d}{ending}")
        files[-1].write_bytes(data)
    assert main([*map(str, files), "--kind", "d12", "--json"]) == 1
    got = capfd.readouterr()
    rows = [json.loads(line) for line in got.out.splitlines()]
    assert [r["image"] for r in rows] == [f.name for f in files]
    refused = [(f, r["error"]) for f, r in zip(files, rows, strict=True) if "error" in r]
    assert got.err.splitlines() == [f"read-dice: {error}" for _, error in refused], (
        "one line each, nothing else"
    )
    for file, error in refused:
        assert error.startswith(f"{file}: ")
        assert "; " in error or ". " in error.removeprefix(str(file)), f"says what to do: {error}"
    for row in rows:
        for die in row["dice"]:
            assert die["value"] is None or 1 <= die["value"] <= 12
            assert 0 <= die["confidence"] <= 1
    return len(refused), len(rows) - len(refused)


def test_fuzzed_files_are_refused_in_one_line_or_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    refused, read = _read_fuzzed(80, 7, tmp_path, capfd)
    assert refused > 20
    assert read > 15


@pytest.mark.long
def test_two_thousand_fuzzed_files_are_refused_in_one_line_or_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    refused, read = _read_fuzzed(2000, 8, tmp_path, capfd)
    assert refused + read == 2000


def test_a_bad_photo_does_not_stop_the_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.jpg"
    bad.write_bytes(b"no photo")
    good = next(iter(sorted(_PHOTOS.glob("own_*.jpg"))))
    assert main([str(bad), str(tmp_path / "none.jpg"), str(good), "--json"]) == 1
    got = capsys.readouterr()
    rows = [json.loads(line) for line in got.out.splitlines()]
    assert "not a picture of a known type" in rows[0]["error"]
    assert "no such file" in rows[1]["error"]
    assert rows[0]["dice"] == []
    assert rows[2]["dice"]
    assert got.err.count("read-dice: ") == 2


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "the following arguments are required: PHOTO"),
        (["x.jpg", "--kind", "d20"], "invalid choice: 'd20'"),
        (["x.jpg", "--colours", "white,beige"], "'beige' is no colour; expected some of white,gray"),
        (["x.jpg", "--counts", "white"], "'white': expected colour=number"),
        (["x.jpg", "--counts", "white=many"], "'white=many': expected colour=number"),
        (["x.jpg", "--counts", "white=9999999999999999999999"], "expected colour=number, 0 to 200"),
        (["x.jpg", "--counts", "white=\u00b2"], "expected colour=number, 0 to 200"),
        (["x.jpg", "--counts", "white=4,White=2"], "white stands there twice"),
        (["x.jpg", "--counts", "mauve=2"], "'mauve' is no colour; expected some of white,gray,black,"),
        (
            ["x.jpg", "--colours", "mauve"],
            "'mauve' is no colour; expected some of white,gray,black,blue,yellow,red,",
        ),
        (
            ["x.jpg", "--overlay", __file__],
            f"read-dice: --overlay: {__file__}: expected a folder, got a file in its place; name a folder\n",
        ),
    ],
)
def test_a_wrong_call_is_told(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    assert words in capsys.readouterr().err


def test_the_help_names_the_default_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "what lies there (default: mixed)" in " ".join(capsys.readouterr().out.split())


def test_a_person_at_a_terminal_reads_an_error_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "README.md"
    text.write_text("# no photo")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main([str(text)]) == 1
    got = capsys.readouterr()
    assert got.out == ""
    assert got.err == (
        f"read-dice: {text}: not a picture of a known type; save it as JPEG, PNG, HEIC, WebP, TIFF, BMP or GIF\n"
    )


def test_an_unknown_set_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    photo = str(next(iter(sorted(_PHOTOS.glob("own_*.jpg")))))
    assert main([photo, "--set", "mine", "--sets-folder", str(tmp_path)]) == 2
    assert "no dice set named 'mine'" in capsys.readouterr().err
    assert main([photo, "--set", "", "--sets-folder", str(tmp_path)]) == 2
    got = capsys.readouterr()
    assert "set name '': use up to 40 letters, digits, spaces" in got.err
    assert got.out == ""


def test_help_names_every_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for flag in ("--kind", "--colours", "--set", "--overlay", "--json", "--learn", "--counts"):
        assert flag in text


@pytest.fixture(scope="module")
def red_set(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two photos of one set of red d12: 1 to 6, and 7 to 12, each value once."""
    folder = tmp_path_factory.mktemp("red")
    studio = Studio(3, surfaces_count=2, book=FontBook.strokes())
    look = make_set(np.random.default_rng(8), studio, "d12", "red", 0)
    paths = []
    for i, values in enumerate((range(1, 7), range(7, 13))):
        for seed in range(40):
            deal = [(look, v) for v in values]
            scene = render_scene((21, i, seed), studio, (960, 720), deal=deal, die_px=58)
            if sum(d.kind == "d12" and d.visible_top > 0.95 for d in scene.dice) == 6 and scene.tilt_deg < 8:
                break
        paths.append(folder / f"{i}.png")
        cv2.imwrite(str(paths[-1]), scene.image)
    return paths[0], paths[1]


def test_a_set_is_learnt_and_used_by_its_name(
    red_set: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    photos = [str(p) for p in red_set]
    folder = ["--sets-folder", str(tmp_path)]
    assert main([*photos, "--kind", "d12", "--learn", "evening", *folder]) == 0
    said = capsys.readouterr()
    assert "evening.dice.json: 12 faces in red" in said.out
    assert said.err == ""
    assert load_set("evening", tmp_path).missing("d12", "red") == ()
    assert main([photos[0], "--kind", "d12", "--set", "evening", "--json", *folder]) == 0
    row = json.loads(capsys.readouterr().out)
    assert sorted(d["value"] or d["guess"] for d in row["dice"]) == [1, 2, 3, 4, 5, 6]


def test_a_set_with_values_missing_is_told_and_not_saved(
    red_set: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = [str(red_set[0]), "--kind", "d12", "--learn", "evening", "--sets-folder", str(tmp_path)]
    assert main(call) == 2
    assert (
        "set evening: red: 7, 8, 9, 10, 11, 12 still missing. Show a die with each."
        in capsys.readouterr().err
    )
    assert list(tmp_path.iterdir()) == []
    assert main([str(red_set[0]), "--set", "evening", "--sets-folder", str(tmp_path)]) == 2
    assert "evening" in capsys.readouterr().err
