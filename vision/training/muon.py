"""Muon: steps whose directions are made orthogonal, for the inner weights of small nets that have little time.

After https://kellerjordan.github.io/posts/muon; ``torch.optim.Muon`` takes matrices alone and no convolutions. Weights
that are no matrix, and those of the outputs, are left to AdamW.
"""

from __future__ import annotations

__all__ = ["Muon", "orthogonal"]

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

_MOMENTUM = 0.95
_RATE = 0.01
"""Of the inner weights, beside AdamW's, which is the loop's own."""
_DECAY = 0.1


def orthogonal(g: torch.Tensor) -> torch.Tensor:
    """Return nearly the matrix nearest to ``g`` (its first axis against all others) whose singular values are all one."""
    x = g.flatten(1)
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / (x.norm() + 1e-7)
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return (x.T if tall else x).reshape(g.shape)


class Muon:
    """Muon for the inner weights, AdamW for the rest, behind one face; the rate is set as a share of both."""

    def __init__(self, net: nn.Module, outputs: Iterable[nn.Module], rate: float) -> None:
        """Take a net and those of its layers that give its outputs; ``rate`` is AdamW's."""
        last = {id(p) for layer in outputs for p in layer.parameters()}
        self._inner = [p for p in net.parameters() if p.ndim >= 2 and id(p) not in last]
        rest = [p for p in net.parameters() if p.ndim < 2 or id(p) in last]
        self._adam = torch.optim.AdamW(rest, lr=rate, weight_decay=2e-3)
        self._rate = rate
        self._share = 1.0
        self._mean = [torch.zeros_like(p) for p in self._inner]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        self._adam.zero_grad(set_to_none=True)
        for p in self._inner:
            p.grad = None

    def set_share(self, share: float) -> None:
        """Set the rate of the next steps, as a share of the full one, 0 to 1."""
        self._share = share
        group: dict[str, Any]
        for group in self._adam.param_groups:
            group["lr"] = self._rate * share

    def step(self) -> None:
        """Move all weights."""
        self._adam.step()
        rate = _RATE * self._share
        with torch.no_grad():
            for p, mean in zip(self._inner, self._mean, strict=True):
                if p.grad is None:
                    continue
                mean.lerp_(p.grad, 1 - _MOMENTUM)
                step = orthogonal(p.grad.lerp(mean, _MOMENTUM).contiguous())
                p.mul_(1 - rate * _DECAY)
                p.add_(step, alpha=-rate * 0.2 * max(p.shape[0], p[0].numel()) ** 0.5)
