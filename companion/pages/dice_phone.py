"""Dice read from a photo that a side's own phone took: every reading stands there, doubtful ones are tapped, then it is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.dice import DiceOrigin
from companion.core.text import N_, Say, Typed, side
from companion.pages.dice import (
    SURE,
    Asked,
    DiceDraft,
    Photo,
    colour_name,
    dice_text,
    draft_of,
    left_text,
    problem,
)
from companion.pages.dice_groups import dice_blocks
from companion.pages.page import (
    Act,
    ActId,
    Acts,
    Ask,
    Block,
    Button,
    Dice,
    Die,
    Draft,
    Go,
    Item,
    Notice,
    Page,
    ScreenEntry,
    Send,
    Shown,
    Sight,
    Words,
    asked,
)
from companion.pages.page import Photo as PhotoBlock

__all__ = [
    "DICE_ENTRY",
    "TAKE_PHOTO",
    "DiceRoll",
    "RollSeen",
    "dice_page",
    "read_photo",
    "roll_of",
    "seen_blocks",
]

TAKE_PHOTO = ActId("photo.dice")
"""The act of the button that opens the phone's camera; what it does comes back with the photo."""
_GONE = "gone"


class DiceRoll(msgspec.Struct, frozen=True):
    """The roll that is read, and what becomes of it: as a screen of the box would be entered with it."""

    kind: str = "d12"
    asked: Asked = ()
    what: str = ""
    back: tuple[str, Mapping[str, Any]] = ("table", {})
    record: Callable[[tuple[int, ...], DiceOrigin], dict[str, Any]] | None = None
    command: Callable[[DiceDraft], Command] | None = None
    read: DiceDraft | None = None
    is_reading: bool = False
    fault: str = ""


class RollSeen(msgspec.Struct, frozen=True):
    """What a side's phone photographed last and what was read in it, for the box to show."""

    seat: str
    photo: Photo


def seen_blocks(seen: RollSeen) -> tuple[Block, ...]:
    """Return a phone's photo and its reading for everybody at the box, so that the other side can object."""
    photo = seen.photo
    dice = tuple(
        Die(
            str(n),
            int(die.kind[1:]) if die.kind[1:].isdigit() else 6,
            die.value,
            die.colour,
            "plain" if die.confidence >= SURE and die.value is not None else "unsure",
        )
        for n, die in enumerate(photo.dice)
    )
    return Dice("read", dice, side(seen.seat)), PhotoBlock(
        "photo", photo.width_px, photo.height_px, photo.rgb
    )


def roll_of(args: Mapping[str, Any]) -> DiceRoll:
    """Return the roll that a page asks to have read."""
    known = {name: args[name] for name in ("kind", "what", "back", "record", "command") if name in args}
    return DiceRoll(asked=tuple(args.get("asked", ())), **known)


def read_photo(roll: DiceRoll, photo: Photo) -> DiceRoll:
    """Return a roll with what was read in a photo."""
    return replace(roll, read=draft_of(photo, roll.asked, roll.kind), is_reading=False, fault="")


def dice_page(sight: Sight) -> Shown:
    """Return the way to the camera, or what was read."""
    roll, acts = sight.entered(DiceRoll()), Acts()
    names = {colour: colour_name(colour) for colour, _count in roll.asked if colour}
    wanted = ", ".join(dice_text(count, names.get(colour, "")) for colour, count in roll.asked)
    lead: Words | None = Say("Needed: {dice}", dice=Typed(wanted)) if wanted else None
    back = acts.put("back", _back(roll))
    blocks: list[Block] = []
    if roll.fault:
        blocks.append(Notice("fault", Typed(roll.fault), state="danger"))
    camera = Button(Say("Take a photo"), TAKE_PHOTO, "camera")
    main = camera
    tools: tuple[Button, ...] = ()
    if roll.is_reading:
        blocks.append(Notice("reading", Say("The box reads the photo …")))
        main = Button(Say("Take a photo"), why_not=Say("One moment …"))
    elif roll.read is not None:
        taps = [acts.put(f"die.{n}", _ask_value(roll, n)) for n in range(len(roll.read.dice))]
        blocks += dice_blocks(roll.read, int(roll.kind[1:]), taps)
        fault = problem(roll.read, names)
        told = fault or left_text(roll.read, names)
        if told:
            blocks.append(Notice("told", Typed(told)))
        why = Typed(fault) if fault else None
        main = Button(Say("Take these dice"), acts.put("take", _take(roll, roll.read)), why_not=why)
        tools = (camera, Button(Say("Add a die"), acts.put("add", _ask_value(roll, None)), "plus"))
    else:
        hint = Say("Photograph the dice from above, in good light. Nothing is kept but what was read.")
        blocks.append(Notice("hint", hint))
    return Shown(
        Page(
            "dice",
            Say("Read dice"),
            lead,
            "muted",
            tools=tools,
            blocks=tuple(blocks),
            main=main,
            back=back,
            is_private=True,
        ),
        acts,
    )


def _put(**values: Any) -> Draft[DiceRoll]:
    return Draft(lambda roll: replace(roll, **values), DiceRoll())


def _back(roll: DiceRoll) -> Go:
    return Go(roll.back[0], draft=roll.back[1].get("draft"))


def _ask_value(roll: DiceRoll, n: int | None) -> Ask:
    """Ask what a die shows, or that it is none of this roll; None: one that was not seen."""
    draft = roll.read
    assert draft is not None, "dice are corrected once they were read"
    values = tuple(Item(str(value), value) for value in range(1, int(roll.kind[1:]) + 1))
    gone = (Item(_GONE, Say("It does not count")),) if n is not None else ()

    def answered(answer: str) -> Act:
        if n is None:
            return _put(read=draft.with_die(int(answer), draft.colour_to_add))
        return _put(read=draft.without(n) if answer == _GONE else draft.with_value(n, int(answer)))

    return asked("die", Say("What does this die show?"), (*values, *gone), answered, is_wide=False)


def _take(roll: DiceRoll, draft: DiceDraft) -> Act:
    """Return what becomes of the roll: sent, or put into what is being entered where it was asked for."""
    if roll.command is not None:
        return Send(roll.command(draft), then=_back(roll))
    if roll.record is None:
        return _back(roll)
    entered = {**roll.back[1], **roll.record(draft.values(), draft.origin())}
    return Draft(
        lambda _roll: DiceRoll(),
        DiceRoll(),
        Go(roll.back[0], draft=entered.get("draft"), args={"act": entered.get("act")}),
    )


DICE_ENTRY = ScreenEntry(key="dice", title=N_("Read dice"), icon="camera", make=lambda: dice_page)
