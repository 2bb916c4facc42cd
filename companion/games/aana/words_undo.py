"""What the key says that takes an entry of North Africa back: in two or three words, since it has one line."""

from __future__ import annotations

from companion.core.text import N_

__all__ = ["UNDONE"]

UNDONE: dict[str, str] = {
    "Cease": N_("end of the attack"),
    "Conclude": N_("end of the combat"),
    "DeclareAttack": N_("the attack"),
    "GiveOrders": N_("the orders"),
    "JoinAttack": N_("the reinforcement"),
    "LeaveCombat": N_("the retreat"),
    "OpenCombat": N_("start of the combat"),
    "Press": N_("the next round"),
    "RollFire": N_("the dice"),
    "RollMines": N_("the mines"),
    "TakeLosses": N_("the losses"),
    "CorrectSupply": N_("the supply"),
    "CountSpace": N_("the count"),
    "MoveUnits": N_("the move"),
    "SetMines": N_("the mines"),
    "AdvanceConvoys": N_("the convoys"),
    "Deploy": N_("the deployment"),
    "LayLandMine": N_("the mine"),
    "LaySeaMine": N_("the mine"),
    "LoseUndeployed": N_("the losses"),
    "PayMalta": N_("the payment"),
    "SkipMalta": N_("the decision"),
    "PlaceFree": N_("the set-up"),
    "RepairBattleship": N_("the repair"),
    "Requisition": N_("the purchase"),
    "AirTransport": N_("the transport"),
    "LoseAircraft": N_("the losses"),
    "TakeVichyGround": N_("the control"),
    "BreakDraw": N_("the decision"),
    "Claim": N_("the claim"),
    "SetControl": N_("the control"),
    "MakeMove": N_("the move"),
}
"""Command to what it did, by the name of its class."""
