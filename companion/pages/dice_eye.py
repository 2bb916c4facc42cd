"""The port through which photos of dice are read, and what stands in for it where there is no reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from companion.pages.dice import Asked, Lesson, Photo
from companion.pages.dice_live import LiveView
from companion.pages.i18n import _

__all__ = ["DiceEye", "DiceHabit", "Look", "NoEye", "NothingLearnt", "no_photo"]


class Look(Protocol):
    """A reading under way."""

    def cancel(self) -> None:
        """Stop it; its answer no longer comes. Twice is safe."""
        ...

    def read_now(self) -> None:
        """Read a watched tray now instead of waiting for the dice to lie still."""
        ...


class DiceEye(Protocol):
    """Where photos come from. Answers arrive on the interface thread."""

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return key and name of every camera or folder that can be tried now."""
        ...

    def photos(self) -> tuple[tuple[str, str], ...]:
        """Return key and name of photos that lie ready, newest first."""
        ...

    def search(self, found: Callable[[], None]) -> None:
        """Look anew for sources and photos, away from the interface thread; `found` is called where some came or went."""
        ...

    def can_watch(self, key: str) -> bool:
        """Say whether a source is watched until a roll was made, rather than read at once."""
        ...

    def place(self) -> str:
        """Return the folder that photos are taken from, as a person would write it; empty where there is none."""
        ...

    def look(
        self,
        key: str,
        kind: str,
        asked: Asked,
        *,
        done: Callable[[Photo], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
    ) -> Look:
        """Open a photo and read it, away from the interface thread."""
        ...

    def watch(
        self,
        key: str,
        kind: str,
        asked: Asked,
        *,
        shown: Callable[[LiveView], None],
        done: Callable[[Photo], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
        now: bool = False,
    ) -> Look:
        """Watch a source, away from the interface thread, until a roll was made and read; `now` reads without waiting."""
        ...


class DiceHabit(Protocol):
    """What the table's answers teach of how sure readings are."""

    def learn(self, lessons: Sequence[Lesson]) -> None:
        """Take what the table's answers say of the confidences; they move a little, within bounds."""
        ...

    def learned(self) -> int:
        """Return of how many answers something was learnt; 0 for none."""
        ...

    def forget(self) -> None:
        """Forget what was learnt from answers."""
        ...


class NothingLearnt:
    """Stands where nothing is learnt."""

    def learn(self, lessons: Sequence[Lesson]) -> None:
        """Forget them."""

    def learned(self) -> int:
        """Return 0."""
        return 0

    def forget(self) -> None:
        """There is nothing to forget."""


def no_photo(folder: str) -> str:
    """Return what stands where sources and photos would be, and where a photo would have to lie."""
    if not folder:
        return _("No camera; enter the dice by hand")
    return _("No camera, and no photo in the folder {folder}").format(folder=folder)


class _NoLook:
    def cancel(self) -> None:
        """Nothing runs."""

    def read_now(self) -> None:
        """Nothing is watched."""


class NoEye:
    """A program without a reader: dice are typed."""

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return nothing."""
        return ()

    def photos(self) -> tuple[tuple[str, str], ...]:
        """Return nothing."""
        return ()

    def place(self) -> str:
        """Return nothing."""
        return ""

    def search(self, found: Callable[[], None]) -> None:
        """Find nothing."""

    def can_watch(self, key: str) -> bool:  # noqa: ARG002
        """Watch nothing."""
        return False

    def watch(
        self,
        key: str,  # noqa: ARG002
        kind: str,  # noqa: ARG002
        asked: Asked,  # noqa: ARG002
        *,
        shown: Callable[[LiveView], None],  # noqa: ARG002
        done: Callable[[Photo], None],  # noqa: ARG002
        failed: Callable[[str], None],
        progress: Callable[[float], None],  # noqa: ARG002
        now: bool = False,  # noqa: ARG002
    ) -> Look:
        """Say that there is no camera."""
        failed(_("There is no camera here; enter the dice by hand."))
        return _NoLook()

    def look(
        self,
        key: str,  # noqa: ARG002
        kind: str,  # noqa: ARG002
        asked: Asked,  # noqa: ARG002
        *,
        done: Callable[[Photo], None],  # noqa: ARG002
        failed: Callable[[str], None],
        progress: Callable[[float], None],  # noqa: ARG002
    ) -> Look:
        """Say that there is no camera."""
        failed(_("There is no camera here; enter the dice by hand."))
        return _NoLook()
