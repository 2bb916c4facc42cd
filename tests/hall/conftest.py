"""The hall is an extra: without rustworkx its tests are skipped, and say so."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder where the extra is not installed."""
    if importlib.util.find_spec("rustworkx") is not None:
        return
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(
                pytest.mark.skip(reason="rustworkx is missing: pip install 'table-companion[hall]'")
            )
