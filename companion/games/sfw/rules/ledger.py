"""The ledger's tables of one scenario: sites, sums, lanes, hubs, victory and limits.

The tables come frozen with the game (``setup.tables["ledger"]``, the resolved ``ledger.toml``); `ledger_values` fills in what
the rules text does not give.

Source: rulebook v0.96, Phase 2, Phase 4, Supply Lines, Scenarios and Set Up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from companion.core.flow import Step
from companion.core.ids import Nation, Side, SiteId
from companion.core.ledger import Sum
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Name, Say, several
from companion.core.text import nation as nation_of
from companion.core.text import side as side_of

__all__ = [
    "AtSea",
    "CONDITIONS",
    "HiddenRules",
    "Lane",
    "LedgerError",
    "LedgerTable",
    "Limits",
    "Site",
    "TYPES",
    "VictoryTable",
    "kind_of",
    "link_key",
    "nation_side",
    "nations_of",
    "not_in_game",
    "other_side",
    "ruling",
    "turn_of",
]


TYPES = ("air", "sea", "land")
"""The three kinds of resupply, which are also the unit types."""

CONDITIONS = ("contested", "blockade", "sea_space")
"""How a source may stand on the board: contested or enemies only, blockaded, new ships among enemy ships alone."""


class LedgerError(ValueError):
    """Broken ledger data; the text lists every fault found, one a line."""


class Site(msgspec.Struct, frozen=True, omit_defaults=True):
    """A space that is controlled: an Objective, an Airfield or, in the first edition, a Defensive Line."""

    id: SiteId
    name: str
    kind: Literal["objective", "airfield", "line"]
    side: Side | None = None
    """Who holds it at the start; None: only the board says."""
    nation: Nation | None = None
    vp: int | None = None
    """Tile value in quarters; None: only the board says."""
    resupply: dict[str, int] = {}
    """Printed resupply value by type, as far as known; an Airfield has none."""
    hub: Literal["", "minor", "major"] = ""
    icon: bool | None = None
    """Whether an Airfield shows the anti-air icon; None: nobody has said."""
    status: dict[str, tuple[str, str]] = {}
    """Figure to its status and reason, where it is not simply stated."""


class Lane(msgspec.Struct, frozen=True):
    """A shipping lane and the Objectives that it connects."""

    id: str
    sites: tuple[SiteId, ...]
    spaces: int | None = None
    """Number of its sea spaces; None: unknown, so any count is taken."""
    is_inferred: bool = False
    """Whether its group of sites is read from a damaged text: the table may set it from its board."""


class AtSea(msgspec.Struct, frozen=True, omit_defaults=True):
    """A resupply that is not an Objective: the US fleet (``fleet``) or the German sea spaces (``point``)."""

    id: str
    name: str
    nation: Nation
    kind: Literal["fleet", "point"]
    resupply: dict[str, int]
    spaces: tuple[str, ...] = ()
    """Sea spaces in which its units are placed; empty: where the fleet is, or not told."""


class VictoryTable(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a scenario is won."""

    stages: tuple[int, ...]
    """Stages whose Victory Phase is checked."""
    points: dict[Side, int] = {}
    """Side to quarters for an automatic victory."""
    control: dict[Side, tuple[SiteId, ...]] = {}
    """Side to sites that it must hold, all of them, for an automatic victory."""
    last_stage: str = ""
    """Who wins when the last stage passes without one: a side's id, or ``most``."""
    tie_site: SiteId = SiteId("")
    """With ``most``: its controller's side wins a tie."""


_FORCED: Mapping[str, tuple[int, ...]] = {
    "limits": (1, 2, 3),
    "detected": (1, 2, 3, 4, 5),
    "left_to_enemy": (1, 2, 3),
    "fought": (1, 2, 3, 4, 5),
    "joined_near_enemy": (1, 2, 3),
    "mined": (3,),
}
"""What forces a reveal in v0.96. Source: rulebook v0.96, Hidden Fleets."""


class HiddenRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When Hidden Fleets are searched for and revealed, on which movement steps."""

    last_step: int = 5
    """Last movement step on which a fleet may be revealed."""
    search_steps: tuple[int, ...] = (1, 2, 3, 4, 5)
    forced: dict[str, tuple[int, ...]] = msgspec.field(default_factory=lambda: dict(_FORCED))
    """What forces a reveal, with the movement steps on which it can happen.

    Members are ships (steps 1-3), aircraft on carriers (1, 2) and land units aboard; support may be given on any step.
    """


class Limits(msgspec.Struct, frozen=True):
    """Counts of the box and of the rules."""

    tokens_each: int = 6
    mines_in_space: int = 6
    support_tokens_each: int = 2
    support_cards_each: int = 2
    support_tokens_box: int = 16
    support_cards_box: int = 64
    bridges: int = 12
    control_markers: int = 16
    fortifications: int = 8
    battle_markers: int = 12
    fleet_least: int = 3
    fleet_most: int = 10
    card_least: int = 0
    """Least tokens that a support card costs."""
    card_most: int | None = None
    """Most tokens that a support card costs; None: not stated."""
    counters: dict[str, int] = {}
    """Pieces that the table counts itself, by name; empty: those named above."""


class LedgerTable(msgspec.Struct, frozen=True):
    """Everything that the ledger needs to know about one scenario."""

    scenario: str
    board: str
    sites: dict[str, Site]
    is_complete: bool
    """Whether the text names every site of the board."""
    boards: tuple[str, ...]
    """All boards of this edition; values of the others are kept unchecked."""
    victory: VictoryTable
    sums: tuple[Sum, ...] = ()
    lanes: tuple[Lane, ...] = ()
    stated_lanes: tuple[Lane, ...] = ()
    """The lanes as the data give them."""
    at_sea: tuple[AtSea, ...] = ()
    start: dict[str, int] = {}
    """Side to quarters at the start; empty where the scenario counts no points."""
    links: dict[str, bool] = {}
    """Pair of hubs (`link_key`) to whether they are within three spaces."""
    limits: Limits = Limits()
    hidden: HiddenRules = HiddenRules()
    conditions: tuple[str, ...] = CONDITIONS
    """What of the board may lower resupply values in this edition."""
    has_support: bool = False
    has_supply: bool = False
    has_tokens: bool = True
    """Whether new mines and lines may be placed."""
    has_bridges: bool = False
    hidden_fleets: tuple[Nation, ...] = ()
    hidden_units: dict[str, int] = {}
    """Nation to its boxes of hidden units."""
    removed_cards: dict[str, tuple[str, ...]] = {}
    bridges_each: dict[str, int] = {}
    decks: dict[str, int] = {}
    start_spaces: dict[str, tuple[str, ...]] = {}
    sea_spaces: tuple[str, ...] = ()
    """Further sea spaces that the text names; the board has more."""

    @property
    def counts_points(self) -> bool:
        """Whether victory points matter in this scenario."""
        return bool(self.victory.points) or self.victory.last_stage == "most"

    @property
    def total(self) -> int | None:
        """Quarters of all tiles together, which never changes; None where no points are counted."""
        return sum(self.start.values()) if self.start else None

    def objectives(self) -> tuple[Site, ...]:
        """Return the Objectives in board order."""
        return tuple(site for site in self.sites.values() if site.kind == "objective")


# Small questions about a setup


def link_key(a: str, b: str) -> str:
    """Return the key of a pair of hubs, the same in either order."""
    return ".".join(sorted((a, b)))


def nation_side(setup: Setup, nation: Nation) -> Side:
    """Return the side of a nation. KeyError when the game has no such nation."""
    return next(info.side for info in setup.nations if info.id == nation)


def nations_of(setup: Setup, side: Side) -> tuple[Nation, ...]:
    """Return a side's nations in the setup's order."""
    return tuple(info.id for info in setup.nations if info.side == side)


def other_side(setup: Setup, side: Side) -> Side:
    """Return the opposing side."""
    return next(info.id for info in setup.sides if info.id != side)


def not_in_game(nation: str) -> Say:
    """Say that a nation does not take part."""
    return Say("{nation} is not in this game.", nation=nation_of(nation))


def turn_of(step: Step) -> Say:
    """Say whose turn it is, to somebody else."""
    sides = several(side_of(owner) for owner in step.owners)
    return Say.counted(
        "This side acts now: {sides}.", "These sides act now: {sides}.", len(step.owners), sides=sides
    )


def kind_of(kind: str) -> Name:
    """Name a kind of resupply: Land, Sea or Air."""
    return Name("kind", kind)


def ruling(state: GameState, name: str, default: str) -> str:
    """Return how the table settled an open point; `default` where the game carries no such ruling."""
    return state.rulings.get(name, default)
