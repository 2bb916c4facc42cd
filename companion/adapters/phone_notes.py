"""What players note on their own phones, kept with the open game (`companion.session.hands`)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.session.device_key import DeviceKeyError, DeviceKeyFile, DeviceKeyMissingError
from companion.session.hands import Hands

__all__ = ["GameNotes"]


class GameNotes:
    """Notes of the game that is open now."""

    def __init__(self, desk: Any, keys: Path) -> None:
        """Keep notes of this desk's games; a box without a device key gets one. On the interface thread, as all that makes one."""
        self._desk, self._hands = desk, Hands(keys)
        file = DeviceKeyFile(keys)
        with suppress(DeviceKeyError, OSError):
            try:
                file.read()
            except DeviceKeyMissingError:
                file.ensure()

    def read(self, key: str) -> str:
        """Return a note; empty where there is none."""
        path, game_id = self._game()
        return "" if path is None else self._hands.read(path, game_id).get(key, "")

    def is_unreadable(self) -> bool:
        """Say whether notes were kept that cannot be read here."""
        path, game_id = self._game()
        return path is not None and self._hands.is_unreadable(path, game_id)

    def write(self, key: str, text: str) -> None:
        """Keep a note. OSError where the place takes none."""
        path, game_id = self._game()
        if path is not None:
            self._hands.write(path, game_id, {**self._hands.read(path, game_id), key: text})

    def _game(self) -> tuple[Path | None, str]:
        change = self._desk.change
        setup = change.state.setup if change is not None else None
        return (None, "") if setup is None else (self._desk.path, setup.game_id)
