"""What the gateway says to phones itself, for the app to tell it in every language."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.text import N_

__all__ = ["WORDS"]

WORDS: Mapping[str, str] = {
    "join": N_("Join"),
    "welcome": N_("See the clocks, the score and the log of this table here. Nothing is installed."),
    "hint": N_("Enter tonight's code. It is on the box under Phones."),
    "code": N_("Tonight's code"),
    "watch": N_("Watch the table"),
    "wrong": N_("That is not tonight's code."),
    "wait": N_("Too many wrong codes. Wait a minute."),
    "fast": N_("Too many presses at once. Wait a moment."),
    "asked": N_("The box has been asked. Wait for its answer."),
    "live": N_("Live"),
    "silent": N_("Not live. Last heard at"),
    "gone": N_("The box does not answer."),
    "elsewhere": N_("This page was opened elsewhere. Reload to see it here."),
    "full": N_("Too many phones are watching."),
    "missing": N_("There is no such page."),
    "yours": N_("Your name"),
    "ask": N_("Tap your side. The box asks the table."),
    "taken": N_("Has a phone"),
    "sound": N_("Sound on"),
    "sit": N_("Take my seat on this phone"),
    "own": N_("This code is for one player's phone alone. Others look away."),
    "used": N_("Scan again: a code works once, for two minutes."),
    "slow": N_("The link is slow. Use the box."),
    "untaken": N_("Not taken yet."),
    "refused": N_("This was not taken. Reload the page, or scan your seat's code again."),
    "sending": N_("The photo is being sent."),
    "large": N_("That is too much."),
    "cookies": N_(
        "This browser keeps no cookies, so it can only watch. For a side, allow cookies and scan again."
    ),
    "unsealed": N_("Scan your seat's code on the box again."),
    "soon": N_("The table appears here in a moment."),
    "table": N_("Table"),
    "clocks": N_("Clocks"),
    "score": N_("Score"),
    "log": N_("Log"),
    "seat": N_("Seat"),
}
"""The gateway's own words by their key."""
