"""The hall is an extra: without rustworkx its tests are skipped, and say so."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """A PostgreSQL server of our own."""
    from hall_postgres import Server, program

    if importlib.util.find_spec("psycopg") is None or not (program("initdb") and program("pg_ctl")):
        pytest.skip(
            "NOT TESTED: psycopg or PostgreSQL is missing: table-companion[directors], apt install postgresql"
        )
    made = Server()
    yield made
    made.close()
