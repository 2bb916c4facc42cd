"""The port through which pages look at the box itself: its settings, panel, cameras and dice sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from companion.pages.desk import Subscription
    from companion.pages.dice_sets import DiceSets
    from companion.pages.hall import Hall
    from companion.pages.hardware import Bench, Cameras
    from companion.pages.phones import Phones
    from companion.pages.result import Signer
    from companion.pages.scanner import Scanner
    from companion.pages.settings import Settings
    from companion.pages.system import System

__all__ = ["Box", "follow_cameras", "look_for_cameras"]


class Box(Protocol):
    """What a page may ask of the box; a page changes nothing by it."""

    @property
    def settings(self) -> Settings:
        """What this box is set to."""
        ...

    @property
    def bench(self) -> Bench:
        """The panel beside the screen."""
        ...

    @property
    def cameras(self) -> Cameras:
        """Which cameras are there."""
        ...

    @property
    def scanner(self) -> Scanner:
        """QR codes, and photos of player aids."""
        ...

    @property
    def signer(self) -> Signer:
        """What signs the result of a tournament's game."""
        ...

    @property
    def dice_sets(self) -> DiceSets:
        """Sets of own dice."""
        ...

    @property
    def phones(self) -> Phones:
        """What lets phones watch."""
        ...

    @property
    def hall(self) -> Hall:
        """What holds the link to a hall of many tables."""
        ...

    @property
    def system(self) -> System | None:
        """The box as a thing that can be updated; None on a machine that is none."""
        ...


def follow_cameras(box: Box, moved: Callable[[], None]) -> tuple[Subscription, ...]:
    """Tell a page on which dice are entered when a camera comes or goes."""
    return (box.cameras.subscribe(moved),)


def look_for_cameras(box: Box) -> None:
    """Have the box look for cameras; returns at once."""
    box.cameras.look()
