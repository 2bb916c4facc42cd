"""The networks, small enough for one core of a single-board computer; torch is imported here and in train only.

Nearly all widths are multiples of 16: with others the same work takes up to twice as long in training.
"""

from __future__ import annotations

__all__ = [
    "MIDDLE",
    "POSE_PX",
    "READ_PX",
    "ColourNet",
    "Finder",
    "KindNet",
    "PoseAndColour",
    "PoseNet",
    "ReadNet",
    "StackNet",
    "export",
]

from pathlib import Path
from typing import Any

import torch
from torch import nn

from vision.attitude import DIRECTIONS
from vision.crops import SCENE_VALUES
from vision.pose import POSE_PX, TONES

READ_PX = 48
_FACTS = 160
"""How many features the pose net sums a die up in."""
_EARLY = 16 * 16
LOOK = _FACTS + _EARLY
"""Numbers of a die that the colour net sees."""
MIDDLE = (48, POSE_PX // 4, POSE_PX // 4)
"""What the pose net hands to the stack net and the kind net, for each die."""
POSE_OUT = 4 + 1 + 2 + 3 + 2 + 2 + 3 + 2 + len(DIRECTIONS)
"""kind 4, cocked 1, top 2, ellipse 3, up 2, five-fold phase 2, centre and log radius 3, top face's normal 2, faces 32."""


def _conv(cin: int, cout: int, stride: int = 1, dilation: int = 1, kernel: int = 3) -> nn.Sequential:
    pad = dilation * (kernel // 2)
    return nn.Sequential(
        nn.Conv2d(cin, cout, kernel, stride, pad, dilation=dilation, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class _More(nn.Module):
    """Two convolutions beside a straight way through: starts as nothing, learns what to add."""

    def __init__(self, width: int, dilation: int = 1) -> None:
        super().__init__()
        self.first = _conv(width, width, dilation=dilation)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))
        nn.init.zeros_(self.second[1].weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the block."""
        return torch.relu(x + self.second(self.first(x)))


class Finder(nn.Module):
    """Photo (n, 3, h, w) BGR 0..1, sides multiples of 16, to a map (n, 5, h/4, w/4).

    Its planes: centre logit, dx and dy in radii, log(radius/16), on-a-die logit.
    """

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Sequential(_conv(3, 12, 2), _conv(12, 16, 2), _conv(16, 16))
        self.b = nn.Sequential(_conv(16, 48, 2), _conv(48, 48), _conv(48, 48))
        self.c = nn.Sequential(
            _conv(48, 64, 2), _conv(64, 64), _conv(64, 64, dilation=2), _conv(64, 64, dilation=3)
        )
        self.c_more = nn.Sequential(_More(64), _More(64, dilation=2))
        self.c_to_b = _conv(64, 48, kernel=1)
        self.b2 = _conv(48, 48)
        self.b_to_a = _conv(48, 16, kernel=1)
        self.a2 = _conv(16, 24)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.head = nn.Conv2d(24, 5, 1)
        nn.init.constant_(self.head.bias, 0.0)
        with torch.no_grad():
            self.head.bias[0] = -4.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the net."""
        a = self.a(x)
        b = self.b(a)
        c = self.c_more(self.c(b))
        b = self.b2(b + self.up(self.c_to_b(c)))
        a = self.a2(a + self.up(self.b_to_a(b)))
        return self.head(a)


class PoseNet(nn.Module):
    """Crop (n, 3, 64, 64) BGR 0..1 to pose (n, 51), look (n, 416) and middle (n, 48, 16, 16), for the kind net."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 16, 2), _conv(16, 32), _conv(32, 32, 2), _conv(32, 48), _conv(48, 64, 2), _conv(64, 64)
        )  # fmt: skip
        self.middle = _More(48)
        self.last = nn.Sequential(_More(64), _More(64))
        self.squeeze = _conv(64, 16, kernel=1)
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(16 * 64, _FACTS), nn.ReLU(inplace=True))
        self.pose = nn.Linear(_FACTS, POSE_OUT)
        self.early = nn.Sequential(_conv(3, 16, 4, kernel=5), nn.AvgPool2d(4))

    def half_way(self, x: torch.Tensor) -> torch.Tensor:
        """Run the first layers only, which cost the most."""
        return self.middle(self.body[:4](x))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Run the net."""
        middle = self.half_way(x)
        f = self.fc(self.squeeze(self.last(self.body[4:](middle))))
        return self.pose(f), torch.cat([f, torch.flatten(self.early(x), 1)], 1), middle


class ColourNet(nn.Module):
    """Look, tones and scene values (n, 449) to colour logits (n, 10): the mean of a few nets that learnt apart.

    One alone names up to one die in a hundred more or fewer, by the chance of its start.
    """

    def __init__(self, colours: int, voters: int = 4) -> None:
        super().__init__()
        self.voters = nn.ModuleList(
            nn.Sequential(
                nn.Linear(LOOK + TONES + SCENE_VALUES, 160), nn.ReLU(inplace=True), nn.Dropout(0.25),
                nn.Linear(160, 64), nn.ReLU(inplace=True), nn.Dropout(0.25), nn.Linear(64, colours),
            )
            for _ in range(voters)
        )  # fmt: skip

    def set_scale(self, mean: torch.Tensor, spread: torch.Tensor) -> None:
        """Make the first layers take numbers as they come, after training with them less their mean, by their spread."""
        with torch.no_grad():
            for voter in self.voters:
                first = voter[0]
                first.weight /= spread
                first.bias -= first.weight @ mean

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the nets."""
        return torch.stack([voter(x) for voter in self.voters]).mean(dim=0)


class PoseAndColour(nn.Module):
    """The pose net, with a plain layer that keeps colours in its features; the colour net learns from those later."""

    def __init__(self, colours: int) -> None:
        super().__init__()
        self.pose = PoseNet()
        self.colour = nn.Sequential(
            nn.Linear(LOOK + SCENE_VALUES, 64), nn.ReLU(inplace=True), nn.Linear(64, colours)
        )

    def forward(self, x: torch.Tensor, scene: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Run both."""
        pose, look, _middle = self.pose(x)
        return pose, self.colour(torch.cat([look, scene], 1))


class ReadNet(nn.Module):
    """Rectified, contrast-normalised face (n, 3, 48, 48) to value logits (n, 13), up (n, 2), features (n, 160)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 16), nn.MaxPool2d(2), _conv(16, 32), _conv(32, 32), nn.MaxPool2d(2),
            _conv(32, 48), _conv(48, 64), nn.MaxPool2d(2), _conv(64, 96),
        )  # fmt: skip
        self.last = _More(96)
        self.squeeze = _conv(96, 24, kernel=1)
        self.fc = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(24 * 36, 160), nn.ReLU(inplace=True))
        self.value = nn.Linear(160, 13)
        self.up = nn.Linear(160, 2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Run the net."""
        f = self.fc(self.squeeze(self.last(self.body(x))))
        return self.value(f), self.up(f), f


class StackNet(nn.Module):
    """The pose net's middle (n, 48, 16, 16) to (n, 4): a logit of lying on another die, and where the die is.

    The latter, x, y and the radius's logarithm in radii of the place looked at, is asked for in training alone: who knows
    which outline is whose knows that there are two.
    """

    answers = 4

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(_conv(48, 64, 2), _conv(64, 64))
        self.squeeze = _conv(64, 16, kernel=1)
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(16 * 64, _FACTS), nn.ReLU(inplace=True))
        self.answer = nn.Linear(_FACTS, self.answers)

    def start_from(self, pose: PoseNet) -> None:
        """Begin with what the pose net's own last layers know of dice."""
        for mine, known in zip(self.body, pose.body[4:], strict=True):
            mine.load_state_dict(known.state_dict())
        self.squeeze.load_state_dict(pose.squeeze.state_dict())
        self.fc.load_state_dict(pose.fc.state_dict())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Run the net."""
        return self.answer(self.fc(self.squeeze(self.body(x))))


class KindNet(StackNet):
    """The same middle to logits (n, 5) of d12, d10, d6, no die, and a die of another kind."""

    answers = 5

    def start_from(self, pose: PoseNet) -> None:
        """Begin with what the pose net itself says of kinds, too; it knows no other dice."""
        super().start_from(pose)
        with torch.no_grad():
            self.answer.weight[:4] = pose.pose.weight[:4]
            self.answer.bias[:4] = pose.pose.bias[:4]


def export(net: nn.Module, path: Path, kind: str) -> None:
    """Write an ONNX file that OpenCV 4's dnn reads: opset 12, static ranks, batch and photo size free."""
    net = net.eval().to(memory_format=torch.contiguous_format)
    args: tuple[Any, ...]
    if kind == "finder":
        args, names, outs = (torch.zeros(1, 3, 480, 640),), ["image"], ["map"]
        axes = {"image": {0: "n", 2: "h", 3: "w"}, "map": {0: "n", 2: "h4", 3: "w4"}}
    elif kind == "pose":
        args, names, outs = (torch.zeros(1, 3, POSE_PX, POSE_PX),), ["crop"], ["pose", "look", "middle"]
        axes = {n: {0: "n"} for n in names + outs}
    elif kind == "colour":
        args, names, outs = (torch.zeros(1, LOOK + TONES + SCENE_VALUES),), ["look"], ["colour"]
        axes = {n: {0: "n"} for n in names + outs}
    elif kind in ("stack", "kind"):
        args, names, outs = (torch.zeros(1, *MIDDLE),), ["middle"], [kind]
        axes = {n: {0: "n"} for n in names + outs}
    else:
        args, names, outs = (torch.zeros(1, 3, READ_PX, READ_PX),), ["face"], ["value", "up", "features"]
        axes = {n: {0: "n"} for n in names + outs}
    torch.onnx.export(
        net,
        args,
        str(path),
        input_names=names,
        output_names=outs,
        dynamic_axes=axes,
        opset_version=12,
        dynamo=False,
    )
    _halve(path)


_IN_BYTES_FROM = 150_000
"""Weights of one layer from which 8 bits each are enough."""


def _halve(path: Path) -> None:
    """Store the large weights of an ONNX file in 16 bits, the largest in 8 with a scale an output.

    Whoever loads it widens them again; nothing runs slower.
    """
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(str(path))
    graph = model.graph
    casts = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if tensor.data_type != onnx.TensorProto.FLOAT or values.size <= 256:
            continue
        graph.initializer.remove(tensor)
        if values.ndim == 2 and values.size > _IN_BYTES_FROM:
            scale = np.abs(values).max(axis=1, keepdims=True) / 127 + 1e-12
            rounded = np.round(values / scale).astype("int8")
            graph.initializer.append(numpy_helper.from_array(rounded, f"{tensor.name}_8"))
            graph.initializer.append(numpy_helper.from_array(scale.astype("float32"), f"{tensor.name}_scale"))
            wide = f"{tensor.name}_wide"
            casts.append(helper.make_node("Mul", [wide, f"{tensor.name}_scale"], [tensor.name]))
            casts.append(helper.make_node("Cast", [f"{tensor.name}_8"], [wide], to=onnx.TensorProto.FLOAT))
            continue
        graph.initializer.append(numpy_helper.from_array(values.astype("float16"), f"{tensor.name}_16"))
        casts.append(
            helper.make_node("Cast", [f"{tensor.name}_16"], [tensor.name], to=onnx.TensorProto.FLOAT)
        )
    for cast in reversed(casts):
        graph.node.insert(0, cast)
    onnx.save(model, str(path))
