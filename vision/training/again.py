"""Training nets further that are kept as ONNX files alone: their weights go back into the networks they came from.

An ONNX file holds every convolution with its batch norm folded in. What a batch norm has to undo is measured on
training data, so that the net starts as exactly what it was, and filters come back at the size that training starts from.
"""

from __future__ import annotations

__all__ = ["mix", "take_up"]

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn


def _layers_of(path: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weight and bias of each convolution and linear layer of an ONNX file, in the order of its graph."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(path)).graph
    stored = {t.name: numpy_helper.to_array(t).astype(np.float32) for t in graph.initializer}
    for node in [*graph.node, *graph.node]:  # twice: a scale is applied before what it scales is widened
        if node.op_type in ("Cast", "Identity") and node.input[0] in stored:
            stored[node.output[0]] = stored[node.input[0]].astype(np.float32)
        elif node.op_type == "Mul" and node.input[0] in stored and node.input[1] in stored:
            stored[node.output[0]] = stored[node.input[0]] * stored[node.input[1]]
    out = []
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            weight = stored[node.input[1]]
            out.append(
                (weight, stored[node.input[2]] if len(node.input) > 2 else np.zeros(len(weight), np.float32))
            )
    return out


def _in_order(net: nn.Module, run: Callable[[], Any]) -> list[nn.Module]:
    """Return a net's convolutions and linear layers in the order in which ``run`` calls them."""
    order: list[nn.Module] = []
    hooks = [
        m.register_forward_hook(lambda module, _in, _out: order.append(module))
        for m in net.modules()
        if isinstance(m, nn.Conv2d | nn.Linear)
    ]
    with torch.no_grad():
        run()
    for hook in hooks:
        hook.remove()
    return order


def take_up(net: nn.Module, path: Path, examples: torch.Tensor) -> None:
    """Give a net the weights of an ONNX file that was exported from one like it.

    Args:
        net: May have more outputs in its last layer than the file; those start at 0.
        path: The ONNX file.
        examples: What the net sees in training, a few hundred at best.

    Raises:
        ValueError: The file's layers are not the net's.
    """
    net.eval()
    layers, order = _layers_of(path), _in_order(net, lambda: net(examples[:1]))
    if len(layers) != len(order):
        raise ValueError(f"{path}: {len(order)} layers expected, got {len(layers)}: it is of another net")
    norm_of: dict[nn.Module, nn.BatchNorm2d] = {}
    for block in net.modules():
        if isinstance(block, nn.Sequential):
            for a, b in zip(block, list(block)[1:], strict=False):
                if isinstance(a, nn.Conv2d) and isinstance(b, nn.BatchNorm2d):
                    norm_of[a] = b
    with torch.no_grad():
        for number, (module, (weight, bias)) in enumerate(zip(order, layers, strict=True)):
            w, b = torch.from_numpy(weight.copy()), torch.from_numpy(bias.copy())
            mine: Any = module
            if mine.weight.shape[1:] != w.shape[1:] or len(mine.weight) < len(w):
                raise ValueError(
                    f"{path}: layer {number} is {tuple(w.shape)}, not {tuple(mine.weight.shape)}"
                )
            mine.weight.zero_()
            mine.weight[: len(w)] = w
            norm = norm_of.get(module)
            if norm is None:
                mine.bias.zero_()
                mine.bias[: len(b)] = b
                continue
            norm.running_mean.zero_()
            norm.running_var.fill_(1 - norm.eps)
            norm.weight.fill_(1)
            norm.bias.copy_(b)
        seen: dict[nn.Module, torch.Tensor] = {}
        hooks = [c.register_forward_hook(lambda m, _in, out: seen.__setitem__(m, out)) for c in norm_of]
        net(examples)
        for hook in hooks:
            hook.remove()
        for conv, norm in norm_of.items():
            if conv not in seen:
                continue
            got = seen[conv].transpose(0, 1).flatten(1)
            mean, var = got.mean(1), got.var(1)
            # scaled to the size that filters start from; the norm undoes it
            one: Any = conv
            size = one.weight.flatten(1).pow(2).mean(1).sqrt() + 1e-8
            scale = (2.0 / one.weight[0].numel()) ** 0.5 / size
            one.weight.mul_(scale[:, None, None, None])
            norm.bias.add_(mean)
            norm.weight.copy_((var + norm.eps / scale**2).sqrt())
            norm.running_mean.copy_(mean * scale)
            norm.running_var.copy_(var * scale**2)


def mix(old: Path, new: Path, share: float) -> None:
    """Move the weights of an ONNX file towards those it was trained further from.

    ``share`` of the new ones stays, 0 (all as before) to 1 (all new).

    What was learnt anew is mostly kept, and what was known before hardly forgotten.
    """
    import onnx
    from onnx import numpy_helper

    known, model = onnx.load(str(old)), onnx.load(str(new))
    before = [numpy_helper.to_array(tensor) for tensor in known.graph.initializer]
    for tensor, mine in zip(model.graph.initializer, before, strict=True):
        now = numpy_helper.to_array(tensor)
        if now.dtype.kind == "f":
            both = (1 - share) * mine.astype(np.float32) + share * now.astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(both.astype(now.dtype), tensor.name))
    onnx.save(model, str(new))
