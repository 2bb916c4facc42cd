"""Turning stored crops and scenes into training batches: turned, scaled, shifted, blurred; labels turned along."""

from __future__ import annotations

__all__ = ["ellipse_and_turn", "finder_batch", "normalise_face", "pose_batch", "prefetch", "read_batch"]

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.attitude import field_samples
from vision.numerals import normalise_face
from vision.training.dataset import CROP_PX, CROP_REACH, LABELS, Shard

F32 = NDArray[np.float32]
Rng = np.random.Generator
Batch = dict[str, NDArray[Any]]
I = {name: i for i, name in enumerate(LABELS)}  # noqa: E741
POSE_REACH = 1.3
_LARGE_PX, _TOO_LARGE_PX = 95.0, 125.0
"""Radii from which dice are not asked for in a look, and from which there is to be nothing found on them."""
READ_REACH = 1.25


def ellipse_and_turn(face: F32) -> tuple[F32, F32]:
    """Split 2x2 face maps (n, 2, 2) into the symmetric part (n, 3: xx, xy, yy) and the angle of the right axis (n,)."""
    u, s, vt = np.linalg.svd(face)
    sym = np.einsum("nij,nj,nkj->nik", u, s, u)
    rot = u @ vt
    return (
        np.stack([sym[:, 0, 0], sym[:, 0, 1], sym[:, 1, 1]], 1).astype(np.float32),
        np.arctan2(rot[:, 1, 0], rot[:, 0, 0]).astype(np.float32),
    )


def pose_batch(data: Shard, rows: NDArray[np.int64], rng: Rng, size: int, *, jitter: float = 1.0) -> Batch:
    """Cut a batch for the pose net; all lengths come out in half crops, origin in the middle of the crop.

    ``jitter`` is a factor on how far crops are moved, scaled and changed: 0 for not at all, 1 as in training.
    """
    n = len(rows)
    lab = data.labels[rows]
    turn = rng.uniform(0, 2 * np.pi, n) * (jitter > 0)
    reach = POSE_REACH * np.exp(rng.normal(0, 0.07, n) * jitter)
    shift = rng.normal(0, 0.08, (n, 2)) * jitter
    x = np.empty((n, size, size, 3), np.uint8)
    k = CROP_PX / 2 / CROP_REACH  # stored pixels a radius
    cos, sin = np.cos(turn), np.sin(turn)
    for j in range(n):
        # output pixel -> stored pixel
        a = np.array([[cos[j], sin[j]], [-sin[j], cos[j]]]) * (reach[j] * k * 2 / size)
        o = np.array([CROP_PX / 2, CROP_PX / 2]) + shift[j] * k - a @ np.array([size / 2, size / 2])
        m = np.column_stack([a, o])
        cv2.warpAffine(
            data.crops[rows[j]],
            m,
            (size, size),
            x[j],
            cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            cv2.BORDER_REPLICATE,
        )
        if jitter and rng.random() < 0.12:
            x[j] = cv2.GaussianBlur(x[j], (0, 0), float(rng.uniform(0.4, 1.1)))
    rot = np.stack([np.stack([cos, -sin], 1), np.stack([sin, cos], 1)], 1)  # stored vector -> crop vector

    def to(v: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(np.einsum("nij,nj->ni", rot, v) / reach[:, None])

    face = np.einsum("nij,njk->nik", rot, lab[:, 6:10].reshape(n, 2, 2)) / reach[:, None, None]
    sym, angle = ellipse_and_turn(face)
    normals = lab[:, I["n0x"] :].reshape(n, 6, 3)
    normals = np.concatenate([np.einsum("nij,nkj->nki", rot, normals[..., :2]), normals[..., 2:]], axis=2)
    phase = 5 * (angle - np.pi / 2) + np.pi * lab[:, I["corner_below"]]
    return {
        "x": x, "kind": lab[:, 0], "colour": lab[:, 1], "cocked": lab[:, 3] * (1 - lab[:, I["stacked"]]),
        "top": to(lab[:, 4:6] - shift).astype(np.float32), "sym": sym,
        "up": np.stack([np.cos(angle), np.sin(angle)], 1).astype(np.float32),
        "phase": np.stack([np.cos(phase), np.sin(phase)], 1).astype(np.float32),
        "centre": np.column_stack([to(-shift), np.log(1 / reach * POSE_REACH)]).astype(np.float32),
        "scene": data.scenes[rows], "visible": lab[:, I["visible"]], "faces": field_samples(normals).astype(np.float32),
        "level": normals[:, 0, :2].astype(np.float32),
    }  # fmt: skip


def read_batch(data: Shard, rows: NDArray[np.int64], rng: Rng, size: int, *, jitter: float = 1.0) -> Batch:
    """Cut a batch of rectified faces, near upright for one half, at any turn for the other.

    ``jitter`` is a factor on how far faces are turned, bent and changed: 0 for not at all, 1 as in training.
    """
    n = len(rows)
    lab = data.labels[rows]
    k = CROP_PX / 2 / CROP_REACH
    x = np.empty((n, size, size, 3), np.float32)
    free = rng.random(n) < 0.5
    turn = np.where(free, rng.uniform(-np.pi, np.pi, n), rng.normal(0, 0.16, n)) * (jitter > 0)
    for j in range(n):
        face = lab[j, 6:10].reshape(2, 2) * k
        if jitter:
            c, s = np.cos(turn[j]), np.sin(turn[j])
            warp = np.eye(2) + rng.normal(0, 0.05, (2, 2))
            face = face @ np.array([[c, s], [-s, c]]) @ warp * np.exp(rng.normal(0, 0.07))
        scale = float(np.sqrt(abs(np.linalg.det(face))))
        middle = (
            np.array([CROP_PX / 2, CROP_PX / 2]) + lab[j, 4:6] * k + rng.normal(0, 0.07, 2) * scale * jitter
        )
        a = face * (2 * READ_REACH / size)
        m = np.column_stack([a, middle - a @ np.array([size / 2, size / 2])])
        p = cv2.warpAffine(
            data.crops[rows[j]],
            m,
            (size, size),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
        if jitter:
            odd = rng.random()
            if odd < 0.12:
                p = cv2.GaussianBlur(p, (0, 0), float(rng.uniform(0.4, 1.3)))
            elif odd < 0.2:
                p = np.clip(p + rng.normal(0, rng.uniform(3, 14), p.shape), 0, 255)
        x[j] = normalise_face(p)
    return {
        "x": x, "value": lab[:, 2], "kind": lab[:, 0], "turn": turn.astype(np.float32),
        "visible": lab[:, I["visible"]], "contrast": lab[:, I["contrast"]], "cocked": lab[:, 3],
    }  # fmt: skip


def finder_batch(data: Shard, rows: NDArray[np.int64], rng: Rng, size: tuple[int, int]) -> Batch:
    """Cut a batch of scene pieces with the maps that the finder should give."""
    w, h = size
    x = np.empty((len(rows), h, w, 3), np.uint8)
    y = np.zeros((len(rows), 6, h // 4, w // 4), np.float32)  # heat, dx, dy, log radius, weight, on a die
    gy, gx = np.mgrid[0 : h // 4, 0 : w // 4].astype(np.float32) * 4 + 1.5
    for j, row in enumerate(rows):
        image = np.asarray(cv2.imdecode(np.frombuffer(data.pictures[row], np.uint8), cv2.IMREAD_COLOR))
        boxes = data.boxes[row]
        ih, iw = image.shape[:2]
        big = float(np.median(boxes[:, 2])) if len(boxes) else 25.0
        low, high = max(0.45, 9 / big), min(1.8, 92 / big)
        k = float(np.exp(rng.uniform(np.log(min(low, high)), np.log(max(low, high)))))
        k = max(k, 0.35)
        if big * 1.8 > _TOO_LARGE_PX and rng.random() < 0.25:  # as in the first look at a close-up
            k = float(rng.uniform(_TOO_LARGE_PX / big, 1.8))
        turn = rng.integers(4) * np.pi / 2
        c, s = np.cos(turn) * k, np.sin(turn) * k
        if len(boxes) and rng.random() < 0.7:
            aim = boxes[rng.integers(len(boxes)), :2] + rng.normal(0, 60, 2) / k
        else:
            aim = rng.uniform(0, 1, 2) * [iw, ih]
        m = np.array([[c, -s, w / 2 - c * aim[0] + s * aim[1]], [s, c, h / 2 - s * aim[0] - c * aim[1]]])
        flags = cv2.INTER_AREA if k < 1 else cv2.INTER_LINEAR
        border = cv2.BORDER_CONSTANT if rng.random() < 0.5 else cv2.BORDER_REPLICATE
        cv2.warpAffine(image, m, (w, h), x[j], flags, border, (114, 114, 114))
        weight = np.ones((h // 4, w // 4), np.float32)
        for bx, by, br, _ in boxes:
            px, py = m @ np.array([bx, by, 1.0])
            r = br * k
            # half of the die must be in the original picture and in the piece to be asked for
            d2 = (gx - px) ** 2 + (gy - py) ** 2
            inside = (
                0 <= px < w
                and 0 <= py < h
                and -0.2 * br < bx < iw + 0.2 * br
                and -0.2 * br < by < ih + 0.2 * br
            )
            if r > _TOO_LARGE_PX:  # another look finds it; what is printed on it is no die
                continue
            if not inside or not 5 <= r <= _LARGE_PX:
                weight[d2 < (1.2 * r) ** 2] = 0
                continue
            heat = np.exp(-d2 / (2 * (0.22 * r + 1) ** 2))
            near = (d2 < (0.85 * r + 2) ** 2) & (heat >= y[j, 0])
            y[j, 1][near] = ((px - gx) / r)[near]
            y[j, 2][near] = ((py - gy) / r)[near]
            y[j, 5][near] = 1
            y[j, 3][near] = np.log(r / 16)
            y[j, 0] = np.maximum(y[j, 0], heat)
        y[j, 4] = weight
        gain = rng.uniform(0.75, 1.2) if rng.random() < 0.5 else 1.0
        if gain != 1.0:
            x[j] = cv2.convertScaleAbs(x[j], alpha=gain)
        if rng.random() < 0.15:
            x[j] = cv2.GaussianBlur(x[j], (0, 0), float(rng.uniform(0.4, 1.2)))
    return {"x": x, "y": y}


def prefetch(make: Callable[[int], Any], count: int, depth: int = 4) -> Iterator[Any]:
    """Make batches 0..count-1 in one background thread, in order, so that the result does not depend on timing.

    What `make` raises there is raised here, in place of its batch.
    """
    line: queue.Queue[Any] = queue.Queue(depth)
    stop = threading.Event()

    def run() -> None:
        try:
            for i in range(count):
                if stop.is_set():
                    return
                line.put(make(i))
        except Exception as error:  # handed to the training loop, which raises it
            line.put(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        for _ in range(count):
            item = line.get()
            if isinstance(item, Exception):
                raise item
            yield item
    finally:
        stop.set()
        while not line.empty():
            line.get_nowait()
        thread.join(timeout=10)
