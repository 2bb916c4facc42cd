"""Which folders the program takes for USB sticks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.app import usb_sticks


def test_a_power_safe_boxs_own_layers_are_no_sticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a report went to the system below the overlay, which cannot be written."""
    mounted = [tmp_path / name for name in ("guest/BLUE", "root-ro", "root-rw", "sda1")]
    for path in (*mounted, tmp_path / "a folder"):
        path.mkdir(parents=True)
    monkeypatch.setattr(os.path, "ismount", mounted.__contains__)
    assert usb_sticks([tmp_path]) == [tmp_path / "sda1", tmp_path / "guest/BLUE"]
