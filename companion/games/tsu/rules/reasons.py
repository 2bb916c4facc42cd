"""Why an attack is not allowed: codes with their figures, and the one text of each code.

The texts are marked for the catalogue with `N_`; the presenters translate them, the core never does.
"""

from __future__ import annotations

import msgspec

__all__ = ["TEXTS", "Reason", "reason_text"]


def N_(text: str) -> str:  # noqa: N802 - the catalogue looks for this name
    """Mark a text for the catalogue of translations."""
    return text


class Reason(msgspec.Struct, frozen=True):
    """One rule that an attack breaks."""

    code: str
    who: str = ""
    """Name or kind of the unit, or the attackers' group of the chart."""
    where: str = ""
    """Name of an area, or the defenders' group of the chart."""
    need: int = 0
    have: int = 0

    @property
    def text(self) -> str:
        """Return the English text."""
        return reason_text(self)


TEXTS: dict[str, str] = {
    "no_attacker": N_("nobody attacks"),
    "no_defender": N_("nobody defends: move in instead"),
    "unknown_kind": N_("{who} is no kind of unit"),
    "own_unit": N_("{who} is on the attackers' own side"),
    "cannot_attack": N_("{who} cannot attack"),
    "craft_idle": N_("a Landing Craft attacks only when its land unit lands"),
    "ship_on_rail": N_("{who}: ships never attack across a black line"),
    "ship_inland": N_("{who}: ships never fight in a land area"),
    "no_landing_unit": N_("{who}: a land unit crosses a sea lane only in a landing"),
    "aboard": N_("{who} is aboard ship"),
    "no_ship": N_("{who} is aboard ship, but too few ships that carry are there"),
    "land_at_sea": N_("{who}: no land unit fights in a sea area"),
    "sea_to_sea": N_("{who}: a Tactical does not fight from sea area to sea area"),
    "inside": N_("{who}: only Malta's lone Fort, or a parachute on top, is attacked from inside"),
    "three_armies": N_("{where}: at most two armies attack from one area"),
    "mud": N_("{where}: spring mud keeps two armies from stacking in the winter zone"),
    "one_kind": N_("{where}: only one {who} fits in an area"),
    "twice": N_("{who} attacks once in a turn only"),
    "needs_craft": N_("{where}: each landing army needs its Landing Craft"),
    "craft_empty": N_("{where}: a Landing Craft counts only with the land unit that it lands"),
    "chart_no": N_("{who} against {where}: not a permissible attack"),
    "chart_overrun": N_(
        "{who} against {where}: not a permissible attack; a land unit may overrun or displace in movement"
    ),
    "coastal_only": N_("{who} against {where}: in a coastal area only"),
    "no_landing": N_("{who} against {where}: no landing"),
    "landing_own_carrier": N_("{who} against {where}: no landing without a Carrier of your own"),
    "landing_no_enemy_carrier": N_("{who} against {where}: no landing where the defender has a Carrier"),
    "landing_match_carrier": N_(
        "{who} against {where}: no landing against a Carrier without one of your own"
    ),
    "no_paradrop": N_("{who} against {where}: no paradrop"),
    "paradrop_own_carrier": N_("{who} against {where}: no paradrop without a Carrier of your own"),
    "paradrop_no_enemy_carrier": N_("{who} against {where}: no paradrop where the defender has a Carrier"),
    "paradrop_match_carrier": N_(
        "{who} against {where}: no paradrop against a Carrier without one of your own"
    ),
    "nobody_fights": N_("{who} against {where}: nobody here may fight the other"),
    "landing_place": N_("landings go to coastal areas and islands only"),
    "landing_winter": N_("no landings in the winter zone in Winter"),
    "landing_cover": N_("no sea landing against a Tactical or Carrier without one of your own"),
    "drop_tactical": N_("a parachute does not enter an area with an enemy Tactical"),
    "flotilla_alone": N_(
        "{who}: a Flotilla attacks a Tactical or Carrier only when stacked with one of your own"
    ),
    "fort_unknown": N_("the Fort {who} has a printed value that has not been entered"),
    "supply": N_("supply: {need} needed, {have} given"),
    "dedicated": N_("a landing needs supply of its own: {need} that supports nothing else, {have} given"),
    "shared_late": N_("supply names its attacks before the first of them is fought"),
}
"""Code to its text."""


def reason_text(reason: Reason) -> str:
    """Return a reason in English."""
    return TEXTS[reason.code].format(who=reason.who, where=reason.where, need=reason.need, have=reason.have)
