"""The renderer and the training data, without torch; a short whole training where torch is installed."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vision
from vision.models import load_models
from vision.pose import POSE_PX, POSE_REACH
from vision.reader import examine
from vision.training.batches import ellipse_and_turn, finder_batch, pose_batch, prefetch, read_batch
from vision.training.dataset import CROP_PX, KINDS, LABELS, load_shards, make_shard, rolls_among, save_shard
from vision.training.evenings import evening, half_of
from vision.training.glyphs import FontBook, Style, draw_number, draw_pips
from vision.training.looks import COLOURS, Studio, make_set
from vision.training.mine import mine_nothing
from vision.training.pairs import pair_up
from vision.training.scene import laid_on, render_scene
from vision.training.solids import (
    cube,
    dodecahedron,
    icosahedron,
    octahedron,
    rotation_between,
    trapezohedron,
)
from vision.training.stacks import StackCrops, cut_stacks, render_stacks, stack_batch
from vision.training.stage import laid
from vision.types import Request


@pytest.fixture(scope="module")
def studio() -> Studio:
    return Studio(3, surfaces_count=3, book=FontBook.strokes())


@pytest.mark.parametrize(
    ("solid", "faces", "corners", "sides"),
    [
        (dodecahedron(), 12, 20, 5),
        (trapezohedron(45), 10, 12, 4),
        (cube(), 6, 8, 4),
        (octahedron(), 8, 6, 3),
        (icosahedron(), 20, 12, 3),
    ],
)
def test_solids_are_what_they_should_be(solid: object, faces: int, corners: int, sides: int) -> None:
    assert len(solid.faces) == faces  # type: ignore[attr-defined]
    assert len(solid.vertices) == corners  # type: ignore[attr-defined]
    for i, face in enumerate(solid.faces):  # type: ignore[attr-defined]
        assert len(face.polygon) == sides
        assert np.allclose(face.polygon @ face.normal, 1)
        assert np.allclose(np.cross(face.up, face.normal), face.right)
        assert np.allclose(solid.faces[solid.opposite[i]].normal, -face.normal)  # type: ignore[attr-defined]


def test_a_d12_numeral_stands_on_an_edge_or_on_a_corner() -> None:
    for below, wanted in ((False, 0.0), (True, np.pi / 5)):
        for face in dodecahedron(corner_below=below).faces:
            to = face.polygon - face.centre
            angles = np.abs(np.arctan2(to @ face.right, to @ face.up))
            assert angles.min() == pytest.approx(wanted, abs=1e-6)


def test_rotations_turn_one_vector_into_the_other() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
        for target in (b, a, -a):
            r = rotation_between(a, target)
            assert np.allclose(r @ a, target)
            assert np.linalg.det(r) == pytest.approx(1)


def test_marks_tell_six_from_nine() -> None:
    book = FontBook.strokes()
    for mark in ("underline", "dot"):
        style = Style(book.train[0], 0.9, mark)
        plain, marked = (draw_number(book, style, "6", marked=m) for m in (False, True))
        extra = marked - plain
        assert extra.max() > 0.9
        rows = np.nonzero(extra.max(axis=1) > 0.5)[0]
        assert rows.mean() > 55, "the mark is at the foot"
    assert [round(float(draw_pips(v).sum() / draw_pips(1).sum()), 1) for v in range(1, 7)] == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]


def test_scenes_are_a_function_of_their_seed(studio: Studio) -> None:
    def digest(seed: int, room: Studio) -> str:
        return hashlib.sha256(render_scene((7, seed), room, (320, 240)).image.tobytes()).hexdigest()

    again = Studio(3, surfaces_count=3, book=FontBook.strokes())
    assert digest(1, studio) == digest(1, again)
    assert digest(1, studio) != digest(2, studio)


def test_truth_lies_where_the_dice_are(studio: Studio) -> None:
    seen = 0
    for i in range(6):
        scene = render_scene(
            (11, i), studio, (400, 300), wanted=[("d12", "white"), ("d10", "red")], count=6, die_px=30
        )
        for d in scene.dice:
            if d.kind == "none":
                continue
            seen += 1
            assert d.colour in ("white", "red")
            assert d.polygon.shape[1] == 2
            middle = np.array([d.x, d.y])
            assert np.linalg.norm(d.polygon.mean(axis=0) - middle) < d.radius
            assert np.linalg.det(d.face_map) > 0, "seen from outside, never mirrored"
            assert 0 <= d.value <= 12
    assert seen > 15


def test_the_top_of_a_leaning_die_is_its_most_upright_face(studio: Studio) -> None:
    rng = np.random.default_rng(4)
    for kind in ("d12", "d10", "d6"):
        look = make_set(rng, studio, kind, "white", 0)
        for lean_deg in (0.0, 12.0, 25.0, 60.0):
            die = laid(rng, look, np.zeros(2), lean_deg=lean_deg)
            rise = (look.solid.normals @ die.rotation.T)[:, 2]
            assert int(np.argmax(rise)) == die.face
            angle = float(np.degrees(np.arccos(min(1.0, rise[die.face]))))
            assert die.cocked == (angle > 5)
            lowest = (die.position + (look.solid.vertices * look.inradius_mm) @ die.rotation.T)[:, 2].min()
            assert lowest == pytest.approx(0, abs=1e-6), "it touches the table"


def test_a_die_laid_on_another_lies_flat_on_its_top_face(studio: Studio) -> None:
    rng = np.random.default_rng(6)
    for kind in ("d12", "d10", "d6"):
        look = make_set(rng, studio, kind, "white", 0)
        placed = [laid(rng, look, np.zeros(2))]
        for _ in range(40):
            die = laid_on(rng, look, placed, 0)
            assert die.cocked
            assert die.on == 0
            low, high = die.corners()[:, 2].min(), placed[0].corners()[:, 2].max()
            assert low == pytest.approx(2 * look.inradius_mm), "on the face itself"
            assert low <= high + 1e-6
            top = placed[0].look.solid.faces[placed[0].face]
            edge = np.linalg.norm(top.polygon - top.centre, axis=1).max() * look.inradius_mm
            assert np.linalg.norm(die.position[:2]) <= edge, "its middle is held"


def test_the_truth_tells_dice_on_others_from_those_that_lean(studio: Studio) -> None:
    scenes = [
        render_scene(
            (13, i), studio, (480, 360), count=8, die_px=24, odd=(0.0, 0.6), wanted=[("d12", "white")]
        )
        for i in range(4)
    ]
    dice = [d for scene in scenes for d in scene.dice if d.kind != "none"]
    assert sum(d.stacked for d in dice) >= 5
    assert all(d.cocked == d.stacked for d in dice), "none leans"
    assert all(d.visible_top > 0.9 for d in dice if d.stacked and 30 < d.x < 450 and 30 < d.y < 330)
    hidden = [d for d in dice if not d.stacked and d.visible_top < 0.5]
    assert hidden, "there are dice under them"


@pytest.mark.long
def test_what_the_stack_net_learns_from_stands_upright_or_on_another(studio: Studio, tmp_path: Path) -> None:
    made = cut_stacks(5, 0, 4, studio, load_models().finder)
    count = len(made.crops)
    assert len(made.stacked) == len(made.places) == count > 12
    assert 0.2 < made.stacked.mean() < 0.8
    off = np.hypot(made.places[:, 0], made.places[:, 1])
    assert np.median(off) < 0.25, "where the finder puts dice is near where they are"
    assert len(np.unique(made.places[:, 2])) > count // 2
    finder = Path(vision.__file__).parent / "models" / "finder.onnx"
    (tmp_path / "stack_0000.npz").write_bytes(b"rendered before the run was cut")
    paths = render_stacks(3, tmp_path, finder, 2, 1)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "stack_0000.npz", tmp_path / "stack_0001.npz"] == paths
    assert paths[0].read_bytes() == b"rendered before the run was cut"
    assert len(np.load(paths[1])["stacked"]) > 2


def test_each_find_is_the_nearest_die_once() -> None:
    dice = [(100.0, 50.0, 20.0), (130.0, 50.0, 40.0), (300.0, 50.0, 20.0)]
    assert pair_up(dice, [(112.0, 50.0), (104.0, 50.0), (341.0, 50.0)], 1.0) == {0: 1, 1: 0}
    assert pair_up(dice, [(112.0, 50.0), (104.0, 50.0), (341.0, 50.0)], 2.1) == {0: 1, 1: 0, 2: 2}
    assert pair_up(dice, [], 1.0) == pair_up([], [(1.0, 1.0)], 1.0) == {}


def test_a_stack_batch_shows_each_die_where_it_says_it_is() -> None:
    yy, xx = np.mgrid[0:112, 0:112]
    disc = np.where(np.hypot(xx - 56, yy - 56) < 112 / 4.6, 200, 0).astype(np.uint8)
    crops = np.repeat(np.repeat(disc[None, ..., None], 3, axis=3), 2, axis=0)
    made = StackCrops(crops, np.array([True, False]), np.array([[0.3, -0.1, 1.2], [0, 0, 1]], np.float32))
    rows = np.array([0, 1] * 20)
    x, where = stack_batch(made, rows, np.random.default_rng(1))
    assert x.shape == (40, POSE_PX, POSE_PX, 3)
    again, _ = stack_batch(made, rows, np.random.default_rng(1))
    assert (x == again).all()
    assert not (x[0] == x[2]).all(), "no two looks alike"
    radius = POSE_PX / 2 / POSE_REACH
    for picture, (dx, dy, size) in zip(x, where, strict=True):
        ys, xs = np.nonzero(picture[..., 0] > picture.max() / 2)
        assert (xs.mean() - 32, ys.mean() - 32) == pytest.approx((dx * radius, dy * radius), abs=0.4)
        assert np.sqrt(len(xs) / np.pi) == pytest.approx(radius * np.exp(size), rel=0.05)
    far = np.hypot(where[::2, 0], where[::2, 1])
    assert 0.3 < (far > 0.2).mean() < 0.95, "most as they are found, some as they lie"


def test_leaning_is_not_what_a_die_on_another_teaches_the_pose_net(studio: Studio) -> None:
    shard = make_shard(2, 0, 2, studio)
    shard.labels[:2, LABELS.index("cocked")] = 1
    shard.labels[1, LABELS.index("stacked")] = 1
    batch = pose_batch(shard, np.arange(2), np.random.default_rng(1), 64)
    assert batch["cocked"].tolist() == [1, 0]


def test_a_dealt_set_shows_the_values_asked_for(studio: Studio) -> None:
    look = make_set(np.random.default_rng(5), studio, "d12", "blue", 0)
    scene = render_scene((12, 1), studio, (480, 360), deal=[(look, v) for v in (1, 6, 9, 12)], die_px=28)
    got = sorted(d.value for d in scene.dice if d.kind == "d12")
    assert set(got) <= {1, 6, 9, 12}
    assert len(got) >= 3
    assert not any(d.cocked for d in scene.dice)


def test_a_shard_has_matching_parts(studio: Studio) -> None:
    shard = make_shard(1, 0, 3, studio)
    n = len(shard.crops)
    assert shard.crops.shape == (n, CROP_PX, CROP_PX, 3)
    assert shard.labels.shape == (n, len(LABELS))
    assert shard.scenes.shape == (n, 12)
    assert len(shard.pictures) == len(shard.boxes) == 3
    assert np.isfinite(shard.labels).all()
    assert shard.labels[:, 1].max() < len(COLOURS)


def test_batches_turn_their_labels_along(studio: Studio) -> None:
    shard = make_shard(2, 0, 4, studio)
    dice = np.nonzero(shard.labels[:, 0] < 3)[0]
    rng = np.random.default_rng(1)
    b = pose_batch(shard, dice, rng, 64)
    assert b["x"].shape == (len(dice), 64, 64, 3)
    still = pose_batch(shard, dice, np.random.default_rng(1), 64, jitter=0.0)
    assert np.allclose(still["centre"][:, :2], 0)
    k = 1 / 1.3
    assert np.allclose(still["top"], shard.labels[dice, 4:6] * k, atol=1e-5)
    # ellipse and turn together make the face map again
    face = shard.labels[dice, 6:10].reshape(-1, 2, 2) * k
    sym, angle = ellipse_and_turn(face)
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)
    joined = np.stack([sym[:, [0, 1]], sym[:, [1, 2]]], 1) @ rotation
    assert np.allclose(joined, face, atol=1e-4)
    r = read_batch(shard, dice, rng, 48)
    assert r["x"].shape == (len(dice), 48, 48, 3)
    assert np.abs(r["x"]).max() <= 4
    f = finder_batch(shard, np.arange(4), rng, (320, 256))
    assert f["x"].shape == (4, 256, 320, 3)
    assert f["y"].shape == (4, 6, 64, 80)
    assert f["y"][:, 0].max() <= 1


def test_false_finds_become_a_shard_of_nothing(studio: Studio, tmp_path: Path) -> None:
    save_shard(make_shard(4, 0, 4, studio), tmp_path / "train_0000.npz")
    finder = Path(vision.__file__).parent / "models" / "finder.onnx"
    count = mine_nothing([tmp_path / "train_0000.npz"], finder, tmp_path / "mined.npz", least=0.02, most=30)
    assert 0 < count <= 30
    both = load_shards([tmp_path / "train_0000.npz", tmp_path / "mined.npz"])
    assert (both.labels[-count:, 0] == 3).all()
    assert len(both.pictures) == 4


def test_a_shard_of_nothing_mined_is_written_all_the_same(studio: Studio, tmp_path: Path) -> None:
    save_shard(make_shard(4, 1, 2, studio), tmp_path / "train_0001.npz")
    finder = Path(vision.__file__).parent / "models" / "finder.onnx"
    assert mine_nothing([tmp_path / "train_0001.npz"], finder, tmp_path / "mined.npz", least=1 - 1e-9) == 0
    assert len(load_shards([tmp_path / "mined.npz"]).labels) == 0
    whole = load_shards([tmp_path / "train_0001.npz"])
    assert len(load_shards([tmp_path / "train_0001.npz"], with_crops=False).crops) == 0
    assert len(whole.crops) == len(whole.labels) > 0


def test_prefetch_keeps_the_order_and_hands_errors_on() -> None:
    assert list(prefetch(lambda i: i * i, 20)) == [i * i for i in range(20)]

    def fails(i: int) -> int:
        if i == 2:
            raise ValueError("no batch 2")
        return i

    with pytest.raises(ValueError, match="no batch 2"):
        list(prefetch(fails, 5))


_TRAIN_PYTHON = os.environ.get("COMPANION_TRAIN_PYTHON", "")
"""Of the environment that deploy/test --long makes from deploy/requirements-train.lock."""


@pytest.mark.long
@pytest.mark.skipif(
    not _TRAIN_PYTHON and importlib.util.find_spec("torch") is None,
    reason="no environment with torch; deploy/test --long makes one",
)
def test_a_short_training_makes_models_that_load(tmp_path: Path) -> None:
    python = _TRAIN_PYTHON or sys.executable
    command = [python, "-m", "vision.training", "smoke", "--work", str(tmp_path), "--seed", "3"]
    top = Path(vision.__file__).parents[1]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False, cwd=top)
    assert done.returncode == 0, done.stderr[-2000:]
    for name in ("finder", "pose", "kind", "colour", "read", "stack"):
        assert (tmp_path / "models" / f"{name}.onnx").stat().st_size > 50_000
    assert "stated" in done.stdout
    models = load_models(tmp_path / "models")
    scene = render_scene((7, 1), Studio(3, surfaces_count=1, book=FontBook.strokes()), (320, 240))
    examine(scene.image, Request(), models)  # so short a training finds what it likes; it runs without torch
    kept = {path: path.read_bytes() for path in (tmp_path / "models").glob("*.onnx")}
    (tmp_path / "models" / "kind.onnx").unlink()
    further = ["--start", str(top / "vision" / "models"), "--keep", "pose", "--scale", "0.002"]
    again = [python, "-m", "vision.training", "train", "--work", str(tmp_path), "--seed", "3", *further]
    done = subprocess.run(again, capture_output=True, text=True, timeout=600, check=False, cwd=top)
    assert done.returncode == 0, done.stderr[-2000:]
    there = {line for line in done.stdout.splitlines() if line.endswith(": there")}
    assert there == {f"{name}: there" for name in ("finder", "pose", "read", "colour", "stack")}
    now = {path: path.read_bytes() for path in kept}
    changed = {path.stem for path in kept if now[path] != kept[path]}
    assert changed == {"pose", "kind"}, "pose is the kept one now, and kind was made anew on it"


def test_fonts_for_choosing_and_for_testing_share_no_family() -> None:
    fonts = [
        f"/f/{name}-{style}.ttf"
        for name in ("Lato", "Go", "Play", "Hack", "Jura")
        for style in ("Bold", "Regular")
    ]
    choose, test = half_of(fonts, "choose"), half_of(fonts, "test")
    assert sorted(choose + test) == sorted(fonts)
    assert choose
    assert test
    assert not {Path(f).stem.split("-")[0] for f in choose} & {Path(f).stem.split("-")[0] for f in test}


def test_one_shard_in_five_shows_a_few_dice_at_a_slant(studio: Studio) -> None:
    scene = render_scene((3, 5), studio, (320, 240), count=1, die_px=40, tilt_deg=41.0)
    assert scene.tilt_deg == 41.0
    shard = make_shard(3, 2, 8, studio)
    dice = shard.labels[shard.labels[:, LABELS.index("kind")] < KINDS.index("none")]
    by_scene = np.bincount(dice[:, LABELS.index("scene")].astype(int) % 100)
    assert by_scene.max() <= 4
    kinds = np.bincount(dice[:, LABELS.index("kind")].astype(int), minlength=3)
    assert kinds.argmax() == KINDS.index("d10")
    shards = [Path(f"train_{number:04d}.npz") for number in range(7)]
    assert rolls_among(shards) == [shards[0], shards[3], shards[4], shards[5]]


def test_an_evenings_scene_is_a_function_of_its_number(studio: Studio) -> None:
    scene, again = evening(5, 4, studio), evening(5, 4, studio)
    assert (scene.image == again.image).all()
    assert scene.image.shape == (480, 480, 3)
    assert len([d for d in scene.dice if d.kind != "none"]) <= 1, "one die close up"


def test_dice_of_other_kinds_are_dice_whose_faces_teach_nothing(studio: Studio) -> None:
    scene = render_scene((3, 1), studio, (320, 240), wanted=[("other", "red")], count=4, die_px=26)
    others = [d for d in scene.dice if d.kind == "other"]
    assert others
    assert all(not d.normals.any() for d in others)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed here")
def test_kept_nets_are_taken_up_as_they_were(studio: Studio) -> None:
    import torch

    from vision.training.again import take_up
    from vision.training.nets import KindNet, PoseNet
    from vision.training.train import as_image

    shard = make_shard(2, 0, 3, studio)
    batch = pose_batch(shard, np.arange(len(shard.labels)), np.random.default_rng(1), POSE_PX)
    x = as_image(batch["x"]).contiguous()
    folder, models = Path(vision.__file__).parent / "models", load_models()
    pose, kind = PoseNet(), KindNet()
    take_up(pose, folder / "pose.onnx", x)
    said, _look, middle = models.pose(x.numpy())
    with torch.no_grad():
        mine, _look, half_way = pose(x)
    assert np.abs(mine.numpy() - said).max() < 1e-3
    take_up(kind, folder / "kind.onnx", half_way)
    with torch.no_grad():
        assert np.abs(kind(half_way).numpy() - models.kind(middle)).max() < 1e-3
    with pytest.raises(ValueError, match="of another net"):
        take_up(KindNet(), folder / "pose.onnx", half_way)


def test_without_torch_training_says_where_to_look(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if importlib.util.find_spec("torch") is not None:
        pytest.skip("torch is installed here")
    from vision.training.__main__ import main

    assert main(["train", "--work", str(tmp_path)]) == 2
    assert (
        "training needs torch, which the app never does; see vision/training/README.md"
        in capsys.readouterr().err
    )
