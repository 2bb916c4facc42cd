"""Training loops. Deterministic for a seed, a thread count and the steps given; no GPU asked for."""

from __future__ import annotations

__all__ = [
    "Loop",
    "as_image",
    "finished_pose",
    "keep",
    "run_net",
    "start_torch",
    "train_colour",
    "train_finder",
    "train_kind",
    "train_pose",
    "train_read",
]

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as f
from torch import nn

from vision.pose import POSE_PX, tones
from vision.training.again import take_up
from vision.training.batches import finder_batch, pose_batch, prefetch, read_batch
from vision.training.dataset import KINDS, LABELS, Shard
from vision.training.looks import COLOURS
from vision.training.muon import Muon
from vision.training.nets import READ_PX, ColourNet, Finder, KindNet, PoseAndColour, PoseNet, ReadNet, export

Say = Callable[[str], None]


def start_torch(seed: int, threads: int) -> None:
    """Seed torch and say how it computes."""
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)


def as_image(x: np.ndarray) -> torch.Tensor:
    """Return images (n, h, w, 3) as (n, 3, h, w) in channels-last memory; uint8 becomes 0..1."""
    t = torch.from_numpy(x).permute(0, 3, 1, 2)
    t = t.float().div_(255) if t.dtype == torch.uint8 else t
    return t.contiguous(memory_format=torch.channels_last)


_KNOWS_HALVES = bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)())
"""Whether the processor computes in 16 bits; one that has to make believe takes three times as long."""


def run_net(net: nn.Module, *inputs: torch.Tensor) -> Any:
    """Run a net, its convolutions in bfloat16 on processors that know it, where that takes half as long; float32 comes out."""
    with torch.autocast("cpu", torch.bfloat16, enabled=_KNOWS_HALVES):
        out = net(*inputs)
    return tuple(o.float() for o in out) if isinstance(out, tuple) else out.float()


_WARM = 0.05
"""Share of the steps over which the rate rises; it falls evenly to nothing over the others."""


def _average(mean: Any, now: Any, count: Any) -> None:
    """Move averaged weights towards today's: over the last 500 steps, over fewer while there were few."""
    steps = int(count)
    torch.optim.swa_utils.get_ema_multi_avg_fn(min(0.998, (1 + steps) / (10 + steps)))(mean, now, count)


class Loop:
    """Optimiser, schedule, averaged weights and a line of progress now and then."""

    def __init__(
        self,
        net: nn.Module,
        outputs: Sequence[nn.Module],
        steps: int,
        rate: float,
        *,
        say: Say,
        name: str,
        minutes: float,
        share: float = 1.0,
    ) -> None:
        """``share`` is that of the full rates at the most; less for a net that is trained further."""
        self.share = share
        self.net, self.steps, self.say, self.name = net, steps, say, name
        self.optimiser = Muon(net, outputs, rate)
        self.average = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=_average, use_buffers=True)
        self.begin = time.monotonic()
        self.limit = minutes * 60
        self.mean = 0.0

    def step(self, i: int, loss: torch.Tensor, note: str = "") -> bool:
        """Apply one loss; False when the time allowed is over."""
        spent = time.monotonic() - self.begin
        done = min(1.0, max(i / self.steps, spent / self.limit))
        rise, fall = (i + 1) / self.steps / _WARM, (1 - done) / (1 - _WARM)
        self.optimiser.set_share(self.share * min(1.0, rise) * min(1.0, fall))
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 2.0)
        self.optimiser.step()
        self.average.update_parameters(self.net)
        self.mean = 0.98 * self.mean + 0.02 * float(loss.detach()) if i else float(loss.detach())
        if i % 200 == 0:
            self.say(f"{self.name} {i}/{self.steps} loss {self.mean:.4f} {note} {spent:.0f} s")
        return spent < self.limit


def finished_pose(out: Path, seen: torch.Tensor) -> PoseNet:
    """Return the pose net of a folder as the reader runs it, to build on; ``seen`` is what it sees in training."""
    pose = PoseNet()
    take_up(pose, out / "pose.onnx", seen)
    return pose.to(memory_format=torch.channels_last).eval().requires_grad_(False)


def train_finder(data: Shard, out: Path, *, seed: int, steps: int, threads: int, say: Say, minutes: float = 1e9,
                 start: Path | None = None, share: float = 1.0, rate: float = 3e-3) -> Finder:  # fmt: skip
    """Train the finder on pieces of scenes, for ``minutes`` at most and at a ``share``, 0 to 1, of the full rate."""
    start_torch(seed, threads)
    net = Finder()
    if start:
        rng = np.random.default_rng((seed, 1))
        seen = finder_batch(data, rng.integers(0, len(data.pictures), 24), rng, (320, 256))
        take_up(net, start, as_image(seen["x"]))
    net = net.to(memory_format=torch.channels_last).train()
    loop = Loop(net, [net.head], steps, rate, say=say, name="finder", minutes=minutes, share=share)
    count = len(data.pictures)

    def make(i: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng((seed, 1, i))
        return finder_batch(data, rng.integers(0, count, 8), rng, (320, 256))

    for i, b in enumerate(prefetch(make, steps)):
        p = run_net(net, as_image(b["x"]))
        y = torch.from_numpy(b["y"])
        heat, weight = y[:, 0], y[:, 4]
        q = torch.sigmoid(p[:, 0])
        bce = f.binary_cross_entropy_with_logits(p[:, 0], heat, reduction="none")
        total = (bce * (heat - q).abs().pow(2) * weight).sum() / (heat > 0.9).sum().clamp(min=8)
        # the offset to the middle and the size are asked for all over a die: far more to learn from than its middle
        near = y[:, 5] * weight
        size = near.sum().clamp(min=1)
        shift = ((p[:, 1:3] - y[:, 1:3]).abs().sum(1) * near).sum() / size
        radius = ((p[:, 3] - y[:, 3]).abs() * near).sum() / size
        body = (f.binary_cross_entropy_with_logits(p[:, 4], y[:, 5], reduction="none") * weight).mean() * 4
        if not loop.step(
            i,
            total + 0.7 * shift + 0.5 * radius + body,
            f"(shift {shift.item():.3f}, radius {radius.item():.3f})",
        ):
            break
    return keep(loop, out, "finder")


def _mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1)


_SLANTED_FROM = 0.4
"""Sine of the angle between a top face's normal and the line of sight from which a d10 counts as seen at a slant."""


def _odds(shards: list[Shard], none: float) -> np.ndarray:
    """Return how often each crop of the shards is drawn, summed up: leaning dice more often, things that are none less.

    Leaning dice other than d12 are few, and drawn more often still, as are d10 that are seen at a slant.
    """
    labels = np.concatenate([s.labels for s in shards])
    leaning = np.where(labels[:, 0] == KINDS.index("d12"), 1.5, 2.3)
    leans = (labels[:, 3] > 0) & (labels[:, LABELS.index("stacked")] == 0)
    rare = np.where(np.isin(labels[:, 0], (KINDS.index("d6"), KINDS.index("other"))), 1.6, 1.0)
    slant = np.hypot(labels[:, LABELS.index("n0x")], labels[:, LABELS.index("n0y")])
    rare = np.where((labels[:, 0] == KINDS.index("d10")) & (slant > _SLANTED_FROM), 2.0, rare)
    odds = np.where(leans, leaning, np.where(labels[:, 0] == none, 0.7, rare))
    return np.asarray(np.cumsum(odds / odds.sum()))


def train_pose(data: Shard, out: Path, *, seed: int, steps: int, threads: int, say: Say, minutes: float = 1e9,
               start: Path | None = None, share: float = 1.0, rate: float = 3e-3, batch: int = 96,
               later: Callable[[], Shard] | None = None) -> PoseAndColour:  # fmt: skip
    """Train the pose net: kind, faces, top face, turn, leaning, and features that tell colours; for ``minutes`` at most.

    ``later`` is called after two fifths of the steps and gives more crops to draw from; whatever it waits for, the
    batches are the same.
    """
    start_torch(seed + 1, threads)
    net = PoseAndColour(len(COLOURS))
    if start:
        rng = np.random.default_rng((seed, 2))
        seen = pose_batch(data, rng.integers(0, len(data.labels), 384), rng, POSE_PX)
        take_up(net.pose, start, as_image(seen["x"]))
    net = net.to(memory_format=torch.channels_last).train()
    loop = Loop(
        net, [net.pose.pose, net.colour[-1]], steps, rate, say=say, name="pose", minutes=minutes, share=share
    )
    none, other = float(KINDS.index("none")), float(KINDS.index("other"))
    shards = [data]
    odds = _odds(shards, none)
    count = len(data.labels)
    join = steps * 2 // 5 if later else steps

    def make(i: int) -> dict[str, np.ndarray]:
        nonlocal odds
        rng = np.random.default_rng((seed, 2, i))
        if i == join and later is not None:
            shards.append(later())
            odds = _odds(shards, none)
        rows = np.minimum(np.searchsorted(odds, rng.random(batch)), len(odds) - 1)
        out = pose_batch(shards[0], rows[rows < count], rng, POSE_PX)
        if (rows >= count).any():
            more = pose_batch(shards[1], rows[rows >= count] - count, rng, POSE_PX)
            out = {name: np.concatenate([part, more[name]]) for name, part in out.items()}
        return out

    for i, b in enumerate(prefetch(make, steps)):
        t = {k: torch.from_numpy(np.ascontiguousarray(v)).float() for k, v in b.items() if k != "x"}
        pose, colour = run_net(net, as_image(b["x"]), t["scene"] + 0.01 * torch.randn_like(t["scene"]))
        die = (t["kind"] != none).float()
        known = die * (t["kind"] != other).float()
        clear = known * (1 - t["cocked"])
        laid = known * (
            1 - 0.7 * t["cocked"]
        )  # which face of a leaning die is its top, its own look hardly tells
        round_ = clear * (t["kind"] == 0).float()
        turned = clear * torch.where(t["kind"] == 2, 0.15, 1.0)
        # other dice are the kind net's to tell
        named = f.cross_entropy(
            pose[:, :4], t["kind"].long().clamp(max=3), label_smoothing=0.01, reduction="none"
        )
        kind = _mean(named, (t["kind"] != other).float())
        cocked = _mean(f.binary_cross_entropy_with_logits(pose[:, 4], t["cocked"], reduction="none"), known)
        top = _mean(f.smooth_l1_loss(pose[:, 5:7], t["top"], beta=0.05, reduction="none").sum(1), laid)
        sym = _mean(f.smooth_l1_loss(pose[:, 7:10], t["sym"], beta=0.05, reduction="none").sum(1), laid)
        up = _mean((f.normalize(pose[:, 10:12], dim=1) - t["up"]).pow(2).sum(1), turned)
        phase = _mean((f.normalize(pose[:, 12:14], dim=1) - t["phase"]).pow(2).sum(1), round_)
        centre = _mean(f.smooth_l1_loss(pose[:, 14:17], t["centre"], beta=0.05, reduction="none").sum(1), die)
        tone = _mean(f.cross_entropy(colour, t["colour"].long(), reduction="none", label_smoothing=0.01), die)
        level = _mean(f.smooth_l1_loss(pose[:, 17:19], t["level"], beta=0.05, reduction="none").sum(1), laid)
        faces = _mean((pose[:, 19:] - t["faces"]).pow(2).mean(1), known)
        loss = (
            8 * faces
            + 2 * level
            + kind
            + 0.7 * cocked
            + 4 * top
            + 2 * sym
            + 0.5 * up
            + 0.3 * phase
            + 2 * centre
            + 0.6 * tone
        )
        parts = {
            "kind": kind,
            "cocked": cocked,
            "top": top,
            "up": up,
            "phase": phase,
            "faces": faces,
            "colour": tone,
        }
        note = " ".join(f"{name} {part.item():.3f}" for name, part in parts.items())
        if not loop.step(i, loss, note):
            break
    return keep(loop, out, "pose")


def train_kind(data: Shard, out: Path, *, seed: int, steps: int, threads: int, say: Say,
               minutes: float = 1e9, start: Path | None = None, share: float = 1.0, batch: int = 96) -> KindNet:  # fmt: skip
    """Train the net that names kinds on the finished pose net's middle, for ``minutes`` at most; that net stays as it is.

    It begins with the pose net's last layers, or goes on from a kind net, ``start``.
    """
    start_torch(seed + 5, threads)
    rng = np.random.default_rng((seed, 7))
    seen = as_image(pose_batch(data, rng.integers(0, len(data.labels), 384), rng, POSE_PX)["x"])
    pose = finished_pose(out, seen)
    net = KindNet()
    net.start_from(pose)
    if start:
        with torch.no_grad():
            take_up(net, start, pose.half_way(seen))
    net = net.to(memory_format=torch.channels_last).train()
    loop = Loop(net, [net.answer], steps, 3e-3, say=say, name="kind", minutes=minutes, share=share)
    odds = _odds([data], float(KINDS.index("none")))

    def make(i: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng((seed, 8, i))
        rows = np.minimum(np.searchsorted(odds, rng.random(batch)), len(odds) - 1)
        return pose_batch(data, rows, rng, POSE_PX)

    for i, b in enumerate(prefetch(make, steps)):
        kind = torch.from_numpy(b["kind"]).long()
        with torch.no_grad():
            middle = pose.half_way(as_image(b["x"]))
        said = run_net(net, middle)
        right = (said.argmax(1) == kind).float().mean()
        if not loop.step(i, f.cross_entropy(said, kind, label_smoothing=0.01), f"(right {right.item():.3f})"):
            break
    return keep(loop, out, "kind")


def value_loss(logits: torch.Tensor, value: torch.Tensor, kind: torch.Tensor) -> torch.Tensor:
    """Cross entropy a die; a d10's 0 may be printed as 0 or as 10, so both count as right."""
    logp = f.log_softmax(logits, 1)
    right = logp.gather(1, value.long()[:, None])[:, 0]
    either = torch.logsumexp(logp[:, [0, 10]], 1)
    smooth = logp[:, 1:].mean(1)
    loss = -torch.where((kind == 1) & (value == 0), either, right)
    return 0.985 * loss - 0.015 * smooth


def train_read(data: Shard, out: Path, *, seed: int, steps: int, threads: int, say: Say, minutes: float = 1e9,
               start: Path | None = None, share: float = 1.0, rate: float = 3e-3, batch: int = 128) -> ReadNet:  # fmt: skip
    """Train the reading net on rectified top faces that a camera can see, for ``minutes`` at most."""
    start_torch(seed + 2, threads)
    net = ReadNet()
    if start:
        rng = np.random.default_rng((seed, 3))
        dice = np.nonzero(data.labels[:, 0] < KINDS.index("none"))[0]
        take_up(net, start, as_image(read_batch(data, rng.choice(dice, 384), rng, READ_PX)["x"]))
    net = net.to(memory_format=torch.channels_last).train()
    loop = Loop(net, [net.value, net.up], steps, rate, say=say, name="read", minutes=minutes, share=share)
    lab = data.labels
    use = np.nonzero(
        (lab[:, 0] < KINDS.index("none")) & (lab[:, 3] == 0) & (lab[:, 10] > 0.55) & (lab[:, 11] > 5)
    )[0]
    kinds = lab[use, 0]
    odds = np.where(kinds == 2, 0.6, np.where(np.isin(lab[use, 2], (6, 9)), 1.5, 1.0))
    odds = np.cumsum(odds / odds.sum())

    def make(i: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng((seed, 3, i))
        rows = use[np.minimum(np.searchsorted(odds, rng.random(batch)), len(use) - 1)]
        return read_batch(data, rows, rng, READ_PX)

    for i, b in enumerate(prefetch(make, steps)):
        t = {k: torch.from_numpy(np.ascontiguousarray(v)).float() for k, v in b.items() if k != "x"}
        value, up, _ = run_net(net, as_image(b["x"]))
        named = value_loss(value, t["value"], t["kind"]).mean()
        want = torch.stack([torch.cos(t["turn"]), torch.sin(t["turn"])], 1)
        numeral = (t["kind"] != 2).float()
        turn = ((f.normalize(up, dim=1) - want).pow(2).sum(1) * numeral).sum() / numeral.sum().clamp(min=1)
        if not loop.step(i, named + 0.15 * turn, f"(value {named.item():.3f} turn {turn.item():.3f})"):
            break
    return keep(loop, out, "read")


def keep(loop: Loop, out: Path, kind: str) -> Any:
    """Store the averaged weights as an ONNX file."""
    net: Any = loop.average.module.eval()
    _ship(net.pose if isinstance(net, PoseAndColour) else net, out, kind, loop.say)
    return net


def _ship(net: nn.Module, out: Path, kind: str, say: Say) -> None:
    out.mkdir(parents=True, exist_ok=True)
    export(net, out / f"{kind}.new", kind)
    (out / f"{kind}.new").replace(out / f"{kind}.onnx")
    size = (out / f"{kind}.onnx").stat().st_size
    say(f"{kind}: {sum(p.numel() for p in net.parameters())} parameters, {size} bytes")


def _looks(data: Shard, net: nn.Module, seed: int, passes: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return what the colour net sees of each die, several times shifted and turned anew, (n, 449), and its colour."""
    dice = np.nonzero(data.labels[:, 0] != KINDS.index("none"))[0]
    seen, named = [], []
    for turn in range(passes):
        for i in range(0, len(dice), 256):
            b = pose_batch(data, dice[i : i + 256], np.random.default_rng((seed, 4, turn, i)), POSE_PX)
            with torch.no_grad():
                _, look, _ = run_net(net, as_image(b["x"]))
            seen.append(np.concatenate([look.numpy(), tones(b["x"]), b["scene"]], axis=1).astype(np.float16))
            named.append(b["colour"])
    return torch.from_numpy(np.concatenate(seen)), torch.from_numpy(np.concatenate(named)).long()


def train_colour(data: Shard, out: Path, *, seed: int, steps: int, threads: int, say: Say) -> ColourNet:
    """Train the colour nets, one after another, on the features of the finished pose net, which stays as it is."""
    start_torch(seed + 3, threads)
    rng = np.random.default_rng((seed, 4))
    examples = as_image(pose_batch(data, rng.integers(0, len(data.labels), 384), rng, POSE_PX)["x"])
    seen, named = _looks(data, finished_pose(out, examples), seed, passes=2)
    mean = seen.float().mean(0)
    spread = seen.float().std(0) + 1e-3
    net = ColourNet(len(COLOURS)).train()
    for number, voter in enumerate(net.voters):
        optimiser = torch.optim.AdamW(voter.parameters(), lr=2e-3, weight_decay=5e-3)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=3e-3, total_steps=steps + 1)
        for i in range(steps):
            rows = torch.from_numpy(np.random.default_rng((seed, 5, number, i)).integers(0, len(named), 256))
            x = (seen[rows].float() - mean) / spread
            loss = f.cross_entropy(voter(x + 0.03 * torch.randn_like(x)), named[rows], label_smoothing=0.01)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            if i % 1000 == 0:
                say(f"colour {number + 1} {i}/{steps} loss {loss.item():.3f}")
    net.set_scale(mean, spread)
    _ship(net.eval(), out, "colour", say)
    return net
