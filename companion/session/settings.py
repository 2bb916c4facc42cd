"""Settings of this box: one small JSON file that is always whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from companion.core.text import Say, Typed
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


_DEFAULTS_HOLD = Say("defaults hold")


def read_json_object(path: Path, then: Say = _DEFAULTS_HOLD) -> tuple[dict[str, Any], Say | None]:
    """Return the object of a JSON file, or, of a damaged one, nothing and what happened to it.

    A missing file is an empty object. A damaged file is renamed, never overwritten. `then` ends the sentence: what
    holds in its stead.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}, None
    except OSError as fault:
        why = Typed(fault.strerror or str(fault))
        return {}, Say("{file} cannot be read: {why}; {then}", file=Typed(path.name), why=why, then=then)
    try:
        return msgspec.json.decode(data, type=dict[str, Any]), None
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        kept = aside_path(path)
        try:
            path.replace(kept)
        except OSError:
            return {}, Say(
                "{file} is damaged ({why}); {then}", file=Typed(path.name), why=Typed(str(fault)), then=then
            )
        return {}, Say(
            "{file} was damaged ({why}); it is kept as {kept}, {then}",
            file=Typed(path.name),
            why=Typed(str(fault)),
            kept=Typed(kept.name),
            then=then,
        )
