"""Hidden fleets and Italy's hidden units as sealed envelopes: sealed, moved, owed, revealed, proven.

The log carries ciphertext and a commitment only. Revealing brings the plain text with the opening of the
commitment, so that every copy of the log proves what was sealed and when. A note is bound to its place, one version of
one secret of one game, and sealing it again needs the proof of somebody who could open it and is never undone, so that
no owner has two contents to choose from. A reveal that the rules force is owed until it is made; leaving an act asks
for it.

Source: rulebook v0.96, Hidden Fleets; Revealing Hidden German Units: Italy Scenario.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.flow import Step
from companion.core.ids import ARBITER, Nation, Side, StepId
from companion.core.judgement import Need
from companion.core.ledger import is_commitment_kept, reseal_lock
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Context, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Name, Range, Say, Typed, several
from companion.core.text import nation as nation_of
from companion.core.text import side as side_of
from companion.core.text import unit as unit_of
from companion.games.sfw.rules.ledger import (
    LedgerTable,
    nation_side,
    nations_of,
    not_in_game,
    ruling,
    turn_of,
)
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.places import ground_fault, spelled
from companion.games.sfw.rules.seal_messages import (
    ConfirmHidden,
    Content,
    DialSaid,
    HiddenConfirmed,
    Opening,
    OweReveal,
    RecordOpening,
    RevealOwed,
    RevealSecret,
    SayOnDial,
    SealCode,
    SealSecret,
    SealsState,
    SearchMade,
    SearchSpace,
    Secret,
    SecretKind,
    SecretOpened,
    SecretRevealed,
    SecretSealed,
    Shown,
    Version,
)
from companion.games.sfw.rules.support import active_units_of, unit_table_of
from companion.games.sfw.rules.units import UnitTable
from companion.games.sfw.rules.upgrades import owned_counts

__all__ = [
    "SealsPart",
    "content_of",
    "dial_id",
    "dial_need",
    "content_text",
    "fleet_fault",
    "forced_questions",
    "hidden",
    "hidden_checks",
    "is_closed",
    "must_confirm",
    "place_of",
    "place_to_seal",
    "searchers",
    "why_not_new",
    "units_of_note",
    "why_not_genuine",
    "why_not_search",
]

# The content of a note, used by its owner before sealing and by everyone after revealing


def content_text(content: Content) -> str:
    """Return the text that is sealed."""
    return msgspec.json.encode(content, order="deterministic").decode()


def content_of(plain_text: str) -> Content:
    """Return what a revealed text says; a text that is no such note is shown as it stands, its beginning at least."""
    try:
        found = msgspec.json.decode(plain_text, type=Content)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        found = None
    if found is None or any(not 0 <= count <= _MOST_UNITS for count in found.units.values()):
        return Content("", {}, plain_text[:_MOST_SHOWN])
    return found


_MOST_UNITS, _MOST_SHOWN = 999, 2_000
"""Units of a kind in one note, and letters of a text that is none: what is beyond was not written here."""


def units_of_note(state: GameState, secret: Secret, content: Content) -> dict[str, int]:
    """Return the units of a note as their nation has them now; while hidden as the table's ruling has it.

    Source: rulebook v0.96, NS Cards; Hidden Fleets
    """
    if secret.shown is None and ruling(state, "upgrade_hidden", "at_once") == "when_revealed":
        return dict(content.units)
    return owned_counts(unit_table_of(state), secret.nation, content.units)


def fleet_fault(table: LedgerTable, units: UnitTable, fleet: Mapping[str, int]) -> Say | None:
    """Say which limit of a Hidden Fleet some units break; None when none. Aircraft and cargo do not count.

    Source: rulebook v0.96, Hidden Fleets
    """
    for unit in fleet:
        if unit not in units.units:
            return Say("This game has no such unit: {unit}.", unit=unit_of(unit))
    ships = {unit: count for unit, count in fleet.items() if units.units[unit].type == "sea" and count > 0}
    count = sum(ships.values())
    least, most = table.limits.fleet_least, table.limits.fleet_most
    if not least <= count <= most:
        return Say(
            "A Hidden Fleet has {least} to {most} Sea Units; this one has {have}.",
            least=least,
            most=most,
            have=count,
        )
    if all(units.units[unit].standard == "sea_transport" for unit in ships):
        return Say("A Hidden Fleet cannot be Sea Transports only.")
    return None


# Questions


def _own(state: GameState) -> SealsState:
    own: SealsState = state.game["seals"]
    return own


def hidden(state: GameState, side: str = "") -> tuple[Secret, ...]:
    """Return what is still hidden, of one side or of both."""
    setup = state.frozen_setup
    return tuple(
        secret
        for secret in _own(state).secrets.values()
        if secret.shown is None and (not side or nation_side(setup, secret.nation) == side)
    )


_PLACE = "note|"
"""How the name of a place begins; notes of before are bound to game, nation and kind alone."""


def place_of(setup: Setup, secret: str, number: int) -> str:
    """Return the name of the one place that a version of a secret is sealed for."""
    return f"{_PLACE}{setup.game}|{setup.game_id}|{secret}|{number}"


def place_to_seal(state: GameState, nation: Nation, kind: str, secret: str = "") -> str:
    """Return the place of the note that is sealed next: of a secret again, or of a nation's new one."""
    known = _own(state).secrets.get(secret)
    number = 1 if known is None else _newest(known) + 1
    return place_of(state.frozen_setup, secret or _new_id(state, nation, kind), number)


def _new_id(state: GameState, nation: Nation, kind: str) -> str:
    return f"{nation}.{kind}.{len(_own(state).secrets) + 1}"


def _newest(secret: Secret) -> int:
    return max(len(secret.versions), *(version.number for version in secret.versions))


def why_not_genuine(state: GameState, secret: Secret) -> Say | None:
    """Say why a secret's newest note is not the one that was sealed there; None when nothing speaks against it.

    It tells notes that were exchanged, brought back or taken from another game. Notes of before name no place.
    """
    last = secret.versions[-1]
    is_newest = last.number == _newest(secret) or not last.number
    place = place_of(state.frozen_setup, secret.id, last.number)
    if is_newest and (last.envelope.bound == place or not last.envelope.bound.startswith(_PLACE)):
        return None
    return Say(
        "The note for {secret} was swapped: it was sealed for something else.", secret=Typed(secret.label)
    )


def forced_questions(state: GameState) -> tuple[str, ...]:
    """Return the reasons that can arise in the current act, in the edition's order."""
    step = state.step
    if not any(_hides(state, info.id) for info in state.frozen_setup.sides) or step.phase != "tactical":
        return ()
    number = step.movement_step or 0
    return tuple(reason for reason, steps in tables(state).hidden.forced.items() if number in steps)


def is_closed(state: GameState) -> Say | None:
    """Say why nothing can be hidden, found or revealed now; None when it can. Outside Tactical nothing keeps it."""
    step, rules = state.step, tables(state).hidden
    number = step.movement_step or 0
    if step.phase != "tactical":
        return None
    if number > rules.last_step or (number == 6 and ruling(state, "reveal_step6", "no_enemy") == "never"):
        return Say("Nothing is hidden or revealed in movement step {step}.", step=number)
    return None


def why_not_search(state: GameState) -> Say | None:
    """Say why no sea space can be searched now; None when one can."""
    step, rules = state.step, tables(state).hidden
    if (
        step.phase == "tactical"
        and step.movement_step in rules.search_steps
        and step.act in ("move", "declare")
    ):
        return None
    return Say.counted(
        "Units search in movement step {steps}, before battles are resolved.",
        "Units search in movement steps {steps}, before battles are resolved.",
        len(rules.search_steps),
        steps=Range(rules.search_steps[0], rules.search_steps[-1]),
    )


def searchers(state: GameState) -> tuple[str, ...]:
    """Return the units with search that are active in the current movement step."""
    active = active_units_of(state, state.step)
    units = unit_table_of(state).units
    return tuple(unit for unit in active if unit in units and units[unit].has("search"))


def must_confirm(state: GameState, step: Step) -> tuple[Side, ...]:
    """Return the sides that must say, before an act ends, that nothing forces a reveal of their fleets.

    The mover answers at the end of its move on the steps on which ships and carrier aircraft act; it is there
    that a fleet moves, splits, meets mines or breaks its limits. Where a return to a carrier can give it away, the
    side answers on movement step 6 too.
    """
    return tuple(side for side, is_said in hidden_checks(state, step) if not is_said)


def hidden_checks(state: GameState, step: Step) -> tuple[tuple[Side, bool], ...]:
    """Return the sides that answer in an act whether their fleets may stay hidden, and whether each has said so."""
    asks = step.act == "move" and step.movement_step in (1, 2, 3)
    if step.phase != "tactical" or not (asks or (step.act == "return" and _is_forced_on_return(state))):
        return ()
    said = _own(state).confirmed
    return tuple((side, f"{step.id}.{side}" in said) for side in step.owners if _hides(state, side))


def _hides(state: GameState, side: Side) -> bool:
    """Say whether a side has a fleet hidden, sealed here or on a dial."""
    return any(_own(state).has_fleet(nation) for nation in nations_of(state.frozen_setup, side))


def _is_forced_on_return(state: GameState) -> bool:
    return is_closed(state) is None and any(6 in steps for steps in tables(state).hidden.forced.values())


class SealsPart(Part):
    """Secrets that are sealed, owed and revealed."""

    name = "seals"
    commands: tuple[type[Command], ...] = (
        SealSecret,
        SayOnDial,
        RevealSecret,
        OweReveal,
        ConfirmHidden,
        SearchSpace,
        RecordOpening,
    )
    events: tuple[type[Event], ...] = (
        SecretSealed,
        DialSaid,
        SecretRevealed,
        RevealOwed,
        HiddenConfirmed,
        SearchMade,
        SecretOpened,
    )

    def initial(self, setup: Setup) -> SealsState:  # noqa: ARG002
        """Return a slice without secrets."""
        return SealsState()

    def decide(self, state: GameState, command: Command, ctx: Context) -> Decision:
        """Decide one of this part's commands."""
        match command:
            case SealSecret():
                return _seal(state, command, ctx)
            case SayOnDial():
                return _say_on_dial(state, command)
            case RevealSecret():
                return _reveal(state, command)
            case OweReveal():
                return _owe(state, command)
            case ConfirmHidden():
                return _confirm(state, command)
            case SearchSpace():
                return _search(state, command)
            case RecordOpening():
                if command.secret not in _own(state).secrets:
                    return _unknown_secret()
                return Accepted((SecretOpened(command.secret, command.by, command.is_right),))
        return super().decide(state, command, ctx)

    def evolve(self, own: Any, event: Event, state: GameState) -> SealsState:
        """Apply an event of this part."""
        return _evolve(own, event, state.step.id)

    def leaving(self, state: GameState, step: Step) -> Rejected | None:
        """Ask for reveals that are owed, and whether hidden fleets may stay hidden."""
        owed = [Typed(secret.label) for secret in hidden(state) if secret.owed]
        if owed:
            return Rejected(Code.STILL_OPEN, Say("Must be revealed first: {secrets}.", secrets=several(owed)))
        waiting = must_confirm(state, step)
        if waiting:
            sides = several(side_of(side) for side in waiting)
            return Rejected(
                Code.STILL_OPEN,
                Say("{sides}: may the Hidden Fleet stay hidden? Tick it on the Table.", sides=sides),
            )
        return None

    def is_irreversible(self, event: Event) -> bool:
        """A reveal cannot be unseen."""
        return isinstance(event, SecretRevealed)


def why_not_new(state: GameState, nation: Nation, kind: SecretKind) -> Say | None:
    """Say why nothing new can be hidden now; None when it can, or when this table notes it later.

    A fleet is formed on the nation's own movement step 3, at the start, or where it is placed as a Hidden Fleet at sea in
    Resupply; hidden units are set up at the start. Sealing again what is hidden already is free.

    Source: rulebook v0.96, Hidden Fleets, Incorporating and Limits; German Resupply at Sea; Scenarios and Set Up
    """
    step = state.step
    is_own = nation_side(state.frozen_setup, nation) in step.owners
    if step.phase == "setup" or ruling(state, "late_fleet", "refused") == "marked":
        return None
    if kind == "units":
        return Say("Hidden units are set up before the first stage.")
    if step.movement_step == _FORMS and step.act in ("move", "declare") and is_own:
        return None
    points = [item for item in tables(state).at_sea if item.kind == "point" and item.nation == nation]
    if step.phase == "resupply" and points and (is_own or not step.owners):
        return None
    return Say(
        "A new Hidden Fleet is formed in the nation's own movement step {step}, before battles are resolved.",
        step=_FORMS,
    )


_FORMS = 3
"""Movement step on which ships move and a fleet is formed."""


def _say_on_dial(state: GameState, command: SayOnDial) -> Decision:
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    own = _own(state)
    if (command.nation in own.on_dial) == command.is_there:
        return Accepted(())
    if command.is_there and ruling(state, "fleet_place", "either") == "sealed":
        return Rejected(SealCode.NOT_NOW, Say("This table seals its Hidden Fleets here."))
    if command.is_there and own.has_fleet(command.nation):
        return _has_fleet(command.nation)
    return Accepted((DialSaid(command.nation, command.is_there),))


def dial_need(nation: Nation) -> Need:
    """Return the question whether a nation's fleet is on its printed dial."""
    question = Say("Is the Hidden Fleet of {nation} on its dial?", nation=nation_of(nation))
    return Need("dial", nation, question)


def _has_fleet(nation: Nation) -> Rejected:
    return Rejected(
        SealCode.HAS_FLEET,
        Say("{nation} already has a Hidden Fleet. Seal that one again.", nation=nation_of(nation)),
    )


def _seal(state: GameState, command: SealSecret, ctx: Context) -> Decision:
    setup, table, own = state.frozen_setup, tables(state), _own(state)
    if command.nation not in {info.id for info in setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    if not command.label.strip():
        return Rejected(Code.BAD_VALUE, Say("Give the secret a name."))
    closed = is_closed(state)
    if closed is None and not command.secret and ctx.actor != ARBITER:
        closed = why_not_new(state, command.nation, command.secret_kind)
    if closed is not None:
        return Rejected(SealCode.NOT_NOW, closed)
    known = own.secrets.get(command.secret)
    if command.secret:
        if known is None or known.nation != command.nation or known.kind != command.secret_kind:
            return _unknown_secret()
        if known.shown is not None:
            return _not_hidden(known)
        lock = known.versions[-1].envelope.lock
        if lock and reseal_lock(command.proof) != lock:
            return Rejected(
                SealCode.NOT_OWNER,
                Say("Only someone who can open {secret} can seal it again.", secret=Typed(known.label)),
            )
    else:
        refused = _no_room(state, table, command)
        if refused is not None:
            return refused
    place = place_to_seal(state, command.nation, command.secret_kind, command.secret)
    bound = command.envelope.bound
    is_placed = bound.startswith(_PLACE)
    if is_placed and bound != place:
        return Rejected(
            SealCode.MISPLACED,
            Say("This note was sealed for something else. Seal {secret} again.", secret=Typed(command.label)),
        )
    return Accepted(
        (
            SecretSealed(
                command.secret or _new_id(state, command.nation, command.secret_kind),
                command.nation,
                command.secret_kind,
                command.label.strip(),
                command.envelope,
                (1 if known is None else _newest(known) + 1) if is_placed else 0,
                StepId(state.step.id if is_placed else ""),
            ),
        )
    )


def _unknown_secret() -> Rejected:
    return Rejected(SealCode.UNKNOWN_SECRET, Say("There is no such secret."))


def _not_hidden(secret: Secret) -> Rejected:
    return Rejected(SealCode.NOT_HIDDEN, Say("{secret} is already revealed.", secret=Typed(secret.label)))


def _no_room(state: GameState, table: LedgerTable, command: SealSecret) -> Rejected | None:
    own = _own(state)
    if command.secret_kind == "fleet":
        if own.has_fleet(command.nation):
            return _has_fleet(command.nation)
        return None
    boxes = table.hidden_units.get(command.nation, 0)
    used = sum(s.kind == "units" and s.nation == command.nation for s in own.secrets.values())
    if used >= boxes:
        return Rejected(
            SealCode.NO_BOX,
            Say.counted(
                "{nation} has {n} box of hidden units; used: {used}.",
                "{nation} has {n} boxes of hidden units; used: {used}.",
                boxes,
                nation=nation_of(command.nation),
                used=used,
            ),
        )
    return None


def _reveal(state: GameState, command: RevealSecret) -> Decision:
    secret = _own(state).secrets.get(command.secret)
    if secret is None:
        return _unknown_secret()
    if secret.shown is not None:
        return _not_hidden(secret)
    forced = tables(state).hidden.forced
    if command.reason != "chosen" and command.reason not in forced:
        return _no_reason(command.reason, forced)
    closed = is_closed(state)
    if closed is not None:
        return Rejected(SealCode.NOT_NOW, closed)
    if state.step.phase != "tactical" and command.reason == "chosen":
        last = tables(state).hidden.last_step
        return Rejected(
            SealCode.NOT_NOW, Say("A reveal is chosen in movement steps {steps}.", steps=Range(1, last))
        )
    foreign = why_not_genuine(state, secret)
    if foreign is not None:
        return Rejected(SealCode.MISPLACED, foreign)
    if not is_commitment_kept(secret.versions[-1].envelope, command.opening, command.plain_text):
        return Rejected(
            SealCode.COMMITMENT_BROKEN,
            Say("This is not what was sealed as {secret}.", secret=Typed(secret.label)),
        )
    return Accepted((SecretRevealed(command.secret, command.plain_text, command.opening, command.reason),))


def _no_reason(reason: str, forced: Mapping[str, object]) -> Rejected:
    known = several((Name("forced", name) for name in forced), "or")
    return Rejected(
        Code.BAD_VALUE,
        Say(
            "{reason} forces no reveal. Choose one of these: {reasons}.",
            reason=Name("forced", reason),
            reasons=known,
        ),
    )


def _owe(state: GameState, command: OweReveal) -> Decision:
    secret = _own(state).secrets.get(command.secret)
    if secret is None or secret.shown is not None:
        return Rejected(SealCode.UNKNOWN_SECRET, Say("This secret is not hidden."))
    forced = tables(state).hidden.forced
    if command.reason not in forced:
        return _no_reason(command.reason, forced)
    on_return = state.step.phase == "tactical" and state.step.movement_step == 6
    if on_return and (is_closed(state) is not None or 6 not in forced[command.reason]):
        return Rejected(SealCode.NOT_NOW, Say("This forces no reveal in movement step {step}.", step=6))
    return Accepted((RevealOwed(command.secret, command.reason),))


def _confirm(state: GameState, command: ConfirmHidden) -> Decision:
    if command.step != state.step.id:
        return Rejected(Code.STALE_STEP)
    if command.side not in {info.id for info in state.frozen_setup.sides}:
        return Rejected(Code.UNKNOWN_SIDE)
    if f"{command.step}.{command.side}" in _own(state).confirmed:
        return Accepted(())
    return Accepted((HiddenConfirmed(command.step, command.side),))


_DIAL = "dial."
"""How the id of a fleet on a printed dial begins."""


def dial_id(nation: Nation) -> str:
    """Return the id by which a search finds a nation's fleet on its dial."""
    return f"{_DIAL}{nation}"


def _search(state: GameState, command: SearchSpace) -> Decision:
    step = state.step
    refused = why_not_search(state)
    if refused is not None:
        return Rejected(SealCode.NOT_NOW, refused)
    setup = state.frozen_setup
    if command.nation not in {info.id for info in setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    ground = ground_fault(state, command.space, is_sea=True)
    if ground is not None or not command.space.strip():
        return Rejected(Code.BAD_VALUE, ground or Say("Name the sea space that is searched."))
    side = nation_side(setup, command.nation)
    if side not in step.owners:
        return Rejected(SealCode.NOT_NOW, turn_of(step))
    table = unit_table_of(state)
    able = tuple(unit for unit in searchers(state) if table.fields(command.nation, unit))
    if command.unit and command.unit not in able:
        return Rejected(
            SealCode.NO_SEARCH,
            Say(
                "{unit} cannot search now. Choose {units}.",
                unit=unit_of(command.unit),
                units=several((unit_of(one) for one in able), "or"),
            )
            if able
            else Say("{unit} cannot search now; no unit can.", unit=unit_of(command.unit)),
        )
    foes = {secret.id for secret in hidden(state) if nation_side(setup, secret.nation) != side}
    dials = {
        f"{_DIAL}{nation}": Nation(nation)
        for nation in _own(state).on_dial
        if nation_side(setup, nation) != side
    }
    for found in command.found:
        if found not in foes and found not in dials:
            return Rejected(SealCode.UNKNOWN_SECRET, Say("The other side has no such secret."))
    owed = tuple(
        DialSaid(dials[found], is_there=False) if found in dials else RevealOwed(found, "detected")
        for found in command.found
    )
    return Accepted((SearchMade(command.nation, spelled(state, command.space), command.found), *owed))


def _evolve(own: SealsState, event: Event, step: StepId) -> SealsState:
    match event:
        case SecretSealed():
            version = Version(event.envelope, StepId(event.step or step), event.number)
            known = own.secrets.get(event.secret)
            if known is None:
                secret = Secret(event.secret, event.nation, event.secret_kind, event.label, (version,))
            else:
                secret = replace(known, label=event.label, versions=(*known.versions, version))
        case SecretRevealed():
            known = own.secrets[event.secret]
            shown = Shown(event.plain_text, StepId(step), event.reason, known.versions[-1].step)
            secret = replace(known, shown=shown, owed="")
        case RevealOwed():
            secret = replace(own.secrets[event.secret], owed=event.reason)
        case SecretOpened():
            known = own.secrets[event.secret]
            secret = replace(
                known, openings=(*known.openings, Opening(event.by, StepId(step), event.is_right))
            )
        case DialSaid():
            others = own.on_dial - {event.nation}
            return replace(own, on_dial=others | {event.nation} if event.is_there else others)
        case HiddenConfirmed():
            return replace(own, confirmed=own.confirmed | {f"{event.step}.{event.side}"})
        case _:
            return own
    return replace(own, secrets={**own.secrets, secret.id: secret})
