"""Places where the finder sees dice that are none: added to what the pose net must tell from dice."""

from __future__ import annotations

__all__ = ["mine_nothing"]

from pathlib import Path

import cv2
import numpy as np

from vision.crops import SCENE_VALUES, scene_statistics, square_crop
from vision.find import peaks, small_photo
from vision.training.dataset import CROP_PX, CROP_REACH, KINDS, LABELS, Shard, load_shards, save_shard


def mine_nothing(paths: list[Path], finder: Path, out: Path, *, most: int = 6000, least: float = 0.12) -> int:
    """Run the finder over the training scenes; store crops of its false finds as one more shard.

    A find counts from a probability of ``least``, above 0 and below 1.

    Returns how many; the shard is written even when there are none, since the pose net's training waits for it.
    """
    net = cv2.dnn.readNetFromONNX(str(finder))
    crops, labels, scenes = [], [], []
    for path in paths:
        shard = load_shards([path])
        for packed, boxes in zip(shard.pictures, shard.boxes, strict=True):
            image = np.asarray(cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR), np.uint8)
            blob, k = small_photo(image)
            net.setInput(blob)
            known = None
            for found in peaks(np.asarray(net.forward()[0], np.float32), least):
                x, y, r = found.x / k, found.y / k, found.radius / k
                if any(np.hypot(bx - x, by - y) < 1.15 * br for bx, by, br, _ in boxes):
                    continue
                if known is None:
                    known = scene_statistics(image, boxes[:, :3])
                row = np.zeros(len(LABELS), np.float32)
                row[0], row[LABELS.index("visible")], row[LABELS.index("radius_px")] = (
                    KINDS.index("none"),
                    1.0,
                    r,
                )
                row[LABELS.index("m00")] = row[LABELS.index("m11")] = 0.6
                crops.append(square_crop(image, x, y, r * CROP_REACH, CROP_PX))
                labels.append(row)
                scenes.append(known)
        if len(crops) >= most:
            break
    count = min(len(crops), most)
    save_shard(
        Shard(
            np.array(crops[:count], np.uint8).reshape(-1, CROP_PX, CROP_PX, 3),
            np.array(labels[:count], np.float32).reshape(-1, len(LABELS)),
            np.array(scenes[:count], np.float32).reshape(-1, SCENE_VALUES),
            [],
            [],
        ),
        out,
    )
    return count
