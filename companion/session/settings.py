"""Settings of this box: one small JSON file that is always whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from companion.session.files import aside_path, write_whole

__all__ = ["Settings", "read_json_object"]


class Settings:
    """Named values that survive. A damaged file is set aside and the defaults hold again."""

    def __init__(self, path: Path, defaults: Mapping[str, Any] | None = None) -> None:
        """Read the file; `warning` says what happened to a damaged one."""
        self._path = path
        self._defaults = dict(defaults or {})
        self._values, self.warning = read_json_object(path)

    def all(self) -> dict[str, Any]:
        """Return every setting, defaults included."""
        return {**self._defaults, **self._values}

    def change(self, name: str, value: Any) -> None:
        """Store one setting; None brings the default back. OSError when the place takes no file."""
        values = {key: held for key, held in self._values.items() if key != name}
        if value is not None:
            values[name] = value
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, msgspec.json.format(msgspec.json.encode(values), indent=2) + b"\n")
        self._values = values


def read_json_object(path: Path, then: str = "defaults hold") -> tuple[dict[str, Any], str]:
    """Return the object of a JSON file and an empty text, or, of a damaged one, nothing and what happened to it.

    A missing file is an empty object. A damaged file is renamed, never overwritten. `then` ends the text: what
    holds in its stead.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}, ""
    except OSError as fault:
        return {}, f"{path.name} cannot be read: {fault.strerror}; {then}"
    try:
        return msgspec.json.decode(data, type=dict[str, Any]), ""
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        kept = aside_path(path)
        try:
            path.replace(kept)
        except OSError:
            return {}, f"{path.name} is damaged ({fault}); {then}"
        return {}, f"{path.name} was damaged ({fault}); it is kept as {kept.name}, {then}"
