"""A photo of the evening by the box's own camera: taken, looked at, then kept beside the game with one act, or taken anew."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from companion.core.text import Say, Typed
from companion.pages.labels import entry_label
from companion.pages.page import (
    Act,
    Acts,
    Block,
    Button,
    Do,
    Draft,
    Item,
    Notice,
    Page,
    Refuse,
    Rows,
    Shown,
    Sight,
    asked,
)
from companion.pages.parts import back_button
from companion.pages.scanner import Shot

__all__ = ["PhotoDraft", "has_camera", "photo_page"]


class PhotoDraft(msgspec.Struct, frozen=True):
    """A photo that is being taken."""

    seq: int = 0
    """Entry that it belongs to; 0: the newest act when it is kept."""
    shot: Shot | None = None
    is_kept: bool = False


def has_camera(sight: Sight) -> bool:
    """Say whether the box has a camera that could take a photo."""
    return sight.box is not None and bool(sight.box.scanner.cameras())


def photo_page(sight: Sight) -> Shown:
    """Return the photo that was just taken, with keeping it and taking another; before it, how to take one."""
    acts, draft = Acts(), sight.entered(PhotoDraft())
    take = Button(Say("Take the photo"), acts.put("take", _take(sight)), "camera")
    leave = back_button(acts)
    blocks: tuple[Block, ...]
    if draft.shot is None:
        words = Say("Turn the camera to the board, or to the faces around it.")
        blocks, main, second = (Rows("photo", (), empty=words),), take, leave
    elif draft.is_kept:
        told = Say("The photo is kept with the evening. The film and the report show it.")
        blocks = (Notice("kept", told), draft.shot.photo)
        main, second = leave, replace(take, title=Say("Take another"))
    else:
        keep = Button(Say("Keep the photo"), acts.put("keep", Do(lambda: _keep(sight, draft))), "save")
        blocks, main, second = (draft.shot.photo,), keep, replace(take, title=Say("Take another"))
    page = Page("photo", Say("Photo"), _about(sight, draft), "muted", blocks=blocks, main=main, second=second)
    return Shown(page, acts)


def _about(sight: Sight, draft: PhotoDraft) -> Typed | None:
    """Return what the act is that the photo stands with."""
    entries = sight.desk.entries() if sight.desk is not None else ()
    seq = _seq(sight, draft)
    entry = next((one for one in reversed(entries) if one.seq == seq), None)
    return None if entry is None else Typed(entry_label(entry, sight.state))


def _seq(sight: Sight, draft: PhotoDraft) -> int:
    return draft.seq or (sight.change.seq if sight.change is not None else 0)


def _take(sight: Sight) -> Act:
    """Take a photo with the camera; of several cameras it is asked which, and without one that is said."""
    if sight.box is None or not (cameras := sight.box.scanner.cameras()):
        return Refuse(Say("There is no camera. Plug one in, then try again."))
    scanner = sight.box.scanner

    def shoot(key: str) -> Act:
        def done() -> Act:
            shot = scanner.take(key)
            if isinstance(shot, Say):
                return Refuse(shot)
            return Draft(lambda draft: replace(draft, shot=shot, is_kept=False), PhotoDraft())

        return Do(done)

    if len(cameras) == 1:
        return shoot(cameras[0][0])
    return asked(
        "camera", Say("Which camera?"), tuple(Item(key, Typed(name)) for key, name in cameras), shoot
    )


def _keep(sight: Sight, draft: PhotoDraft) -> Act:
    """Keep the photo; where the disk does not take it, it stays here to be kept later."""
    assert sight.desk is not None, "it was taken on the box"
    assert draft.shot is not None, "it was taken"
    fault = sight.desk.photos.keep(_seq(sight, draft), draft.shot.jpeg)
    if fault is not None:
        return Refuse(fault)
    return Draft(lambda now: replace(now, is_kept=True), PhotoDraft())
