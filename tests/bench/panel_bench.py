"""What the panels' benchmarks share."""

from __future__ import annotations

import importlib.util
import statistics
import sys
from pathlib import Path
from types import ModuleType

__all__ = ["HERE", "load", "quantiles"]

HERE = Path(__file__).resolve().parent


def load(name: str) -> ModuleType:
    """Import a file of tests/hardware by its path."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", HERE.parent / "hardware" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def quantiles(values: list[float], digits: int = 2) -> str:
    """p50, p99 and worst as one cell."""
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, round(len(ordered) * 0.99))]
    return " ".join(f"{value:8.{digits}f}" for value in (statistics.median(ordered), p99, ordered[-1]))
