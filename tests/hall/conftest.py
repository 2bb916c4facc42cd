"""The hall is an extra: without rustworkx its tests say so and are skipped."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("rustworkx", reason="pairing needs the extra: pip install 'table-companion[hall]'")
