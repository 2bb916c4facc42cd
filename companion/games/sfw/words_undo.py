"""What the key says that takes an entry of Song for War back: in two or three words, since it has one line."""

from __future__ import annotations

from companion.core.text import N_

__all__ = ["UNDONE"]

UNDONE: dict[str, str] = {
    "BeginBattle": N_("start of the battle"),
    "BreakOff": N_("the break-off"),
    "ChangeUnits": N_("a unit"),
    "ChooseLosses": N_("the losses"),
    "CombineHits": N_("the hits"),
    "DeclareBattle": N_("the battle"),
    "PassStep": N_("the battle step"),
    "RecordRoll": N_("the dice"),
    "RepeatComposition": N_("the units"),
    "RetreatUnits": N_("the retreat"),
    "SetCircumstances": N_("the circumstances"),
    "SetGroup": N_("a group"),
    "SplitGroup": N_("a group"),
    "StandFast": N_("the decision"),
    "WithdrawBattle": N_("the withdrawal"),
    "TakeControl": N_("change of control"),
    "SetTotals": N_("the totals"),
    "RollDesert": N_("the dice"),
    "SettleDesert": N_("the halt"),
    "ChooseResupply": N_("the source"),
    "CutLane": N_("the lane"),
    "EnterLane": N_("the lane"),
    "PassResupply": N_("end of buying"),
    "PickAbility": N_("the ability"),
    "Place": N_("the placement"),
    "Purchase": N_("the purchase"),
    "RecordBombing": N_("the bombing"),
    "RecordCardEffect": N_("the card"),
    "ReportAtSea": N_("the report"),
    "ReportCondition": N_("the report"),
    "ResolveMines": N_("the mines"),
    "SetReserve": N_("the tray"),
    "ConfirmHidden": N_("the confirmation"),
    "OweReveal": N_("the reveal"),
    "RevealSecret": N_("the reveal"),
    "SayOnDial": N_("the dial"),
    "SealSecret": N_("the seal"),
    "SearchSpace": N_("the search"),
    "ForgetGroup": N_("a group"),
    "WatchGroup": N_("a group"),
    "RemoveHub": N_("the hub"),
    "SetUpHub": N_("the hub"),
    "DiscardCard": N_("the discard"),
    "PlayCard": N_("the card"),
    "BlowBridge": N_("the bridge"),
    "PlaceToken": N_("the token"),
    "RemoveToken": N_("the token"),
    "SetCounter": N_("the count"),
}
"""Command to what it did, by the name of its class."""
