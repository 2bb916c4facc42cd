"""A sample game for the gallery, the tour, the benches and tests: the Italy scenario's shape and tournament minutes.

Real games are made by the scenario loader; this one has no tables and needs none.
Source: Song for War v0.96, Movement Steps and Tournament Time.
"""

from __future__ import annotations

from companion.core.clock import ClockConfig
from companion.core.control import TimeControl
from companion.core.flow import CheckItem, Step
from companion.core.ids import Nation, Side, StepId
from companion.core.setup import NationInfo, Setup, SideInfo

__all__ = ["ALLIES", "AXIS", "sample_setup"]

ALLIES, AXIS = Side("allies"), Side("axis")

_ACTIVE: dict[int, tuple[str, ...]] = {
    1: ("fighter", "submarine"),
    2: ("fighter", "destroyer", "sea_transport", "light_bomber", "heavy_bomber", "air_transport"),
    3: ("sea_transport", "submarine", "destroyer", "cruiser", "carrier", "battleship"),
    4: ("infantry", "tank", "artillery", "anti_air", "land_transport"),
    5: ("infantry", "tank", "artillery", "anti_air", "land_transport"),
    6: ("fighter", "light_bomber", "heavy_bomber", "air_transport"),
}

_CHECKS = {
    "move.units": CheckItem(
        "move.units", "Move only the units that are active in this step", "Movement Steps"
    ),
    "move.mountain": CheckItem("move.mountain", "Land units that enter a mountain stop there", "Terrain"),
    "declare.marker": CheckItem("declare.marker", "Put a marker on every battle", "Declaring Battles"),
    "resolve.order": CheckItem("resolve.order", "The attacker chooses the order of battles", "Battles"),
    "return.land": CheckItem("return.land", "Every air unit lands on a friendly airfield", "Movement Steps"),
    "return.lost": CheckItem("return.lost", "Take off air units that cannot land", "Movement Steps"),
    "victory.count": CheckItem("victory.count", "Count the victory points of both sides", "Victory"),
    "place.value": CheckItem("place.value", "Spend no more than each resupply value", "Resupply"),
    "place.lost": CheckItem("place.lost", "Points that are not spent are lost", "Resupply"),
}

_STEP_CHECKS = {
    "move": ("move.units", "move.mountain"),
    "declare": ("declare.marker",),
    "resolve": ("resolve.order",),
    "return": ("return.land", "return.lost"),
    "place": ("place.value", "place.lost"),
}


def _stage(stage: int, last: int, first: Side) -> list[Step]:
    second = AXIS if first == ALLIES else ALLIES
    steps = []
    for number in range(1, 7):
        for side in (first, second):
            for act in ("return",) if number == 6 else ("move", "declare", "resolve"):
                steps.append(
                    Step(
                        id=StepId(f"s{stage}.t{number}.{side}.{act}"),
                        stage=stage,
                        phase="tactical",
                        act=act,
                        movement_step=number,
                        owners=(side,),
                        clock=side,
                        active_units=_ACTIVE[number],
                        checks=_STEP_CHECKS[act],
                    )
                )
    steps.append(
        Step(
            id=StepId(f"s{stage}.victory"),
            stage=stage,
            phase="victory",
            act="count",
            checks=("victory.count",),
        )
    )
    if stage < last:
        for side in (first, second):
            steps.append(
                Step(
                    id=StepId(f"s{stage}.resupply.{side}"),
                    stage=stage,
                    phase="resupply",
                    act="place",
                    owners=(side,),
                    clock=side,
                    checks=_STEP_CHECKS["place"],
                )
            )
    return steps


def sample_setup(
    *,
    tournament: bool = True,
    mode: str = "limit",
    minutes: int = 22,
    stages: int = 4,
    control: TimeControl | None = None,
) -> Setup:
    """Return a sample Italy game: four stages, 22 minutes a side and stage, first side alternating."""
    steps: list[Step] = []
    for stage in range(1, stages + 1):
        steps += _stage(stage, stages, ALLIES if stage % 2 else AXIS)
    numbers = tuple(range(1, stages + 1))
    limit = mode == "limit"
    return Setup(
        game="sample",
        scenario="italy",
        title="Italy",
        sides=(
            SideInfo(ALLIES, "Allies", "circle", ("North seat",)),
            SideInfo(AXIS, "Axis", "square", ("South seat",)),
        ),
        nations=(
            NationInfo(Nation("us"), "United States", ALLIES, "green", "star"),
            NationInfo(Nation("gb"), "Great Britain", ALLIES, "blue", "ring"),
            NationInfo(Nation("de14"), "German 14th Army", AXIS, "red", "diamond"),
            NationInfo(Nation("de10"), "German 10th Army", AXIS, "yellow", "triangle"),
        ),
        steps=tuple(steps),
        clock=ClockConfig(
            mode="limit" if limit else "count_up" if mode == "count_up" else "none",
            allotted_ms={ALLIES: (minutes * 60_000,) * stages, AXIS: (minutes * 60_000,) * stages}
            if limit
            else {},
            stages=numbers,
            tournament=tournament and limit,
            control=control if limit else None,
        ),
        checks=_CHECKS,
    )
