"""The Sealed screen: hidden fleets and units, what forces a reveal now, what was revealed with its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from companion.core.change import Change
from companion.core.ledger import SealedEnvelope
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Count, Say, several
from companion.core.text import unit as unit_of
from companion.games.sfw.pages.ledger_view import nation_name, who
from companion.games.sfw.pages.tell import name_of
from companion.games.sfw.rules.ledger import nation_side, tables
from companion.games.sfw.rules.seals import (
    FORCED,
    Content,
    Secret,
    content_of,
    fleet_fault,
    forced_questions,
    hidden,
    is_closed,
    must_confirm,
    searchers,
    why_not_search,
)
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.words_ledger import FORCED_TEXTS
from companion.pages.frame import Mark, mark
from companion.pages.i18n import _
from companion.pages.labels import step_label
from companion.pages.speak import sentence, speak

__all__ = [
    "FORCED_TEXTS",
    "NewSecret",
    "SealedView",
    "SecretRow",
    "Vault",
    "content_text_rows",
    "draft_fault",
    "fleet_units",
    "holders_of",
    "new_label",
    "note_label",
    "sealed_view",
    "start_spaces",
    "secret_rows",
    "tries_key",
]


class Vault(Protocol):
    """What seals and opens notes, outside the game's log; the screen is handed one. Texts never leave it stored."""

    def seal(
        self, text: str, label: str, *, side: str, side_pin: str, arbiter_pin: str = ""
    ) -> tuple[SealedEnvelope, str]:
        """Return the envelope and a recovery code to show once (empty with an arbiter's PIN). ValueError: why not."""
        ...

    def open(
        self, envelope: SealedEnvelope, label: str, holder: str, secret: str, *, tries_of: str
    ) -> tuple[str, str]:
        """Return plain text and opening. PermissionError: wrong or too soon; ValueError: damaged."""
        ...


@dataclass(frozen=True, slots=True)
class SecretRow:
    """One secret, hidden or shown."""

    id: str
    mark: Mark
    label: str
    detail: str
    """When it was sealed, how often again, who looked."""
    is_hidden: bool
    owed: str
    """Why it must be revealed; empty when nothing forces it."""
    shown: tuple[str, ...] = ()
    """What it said, once it is revealed."""


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret that a nation could still seal."""

    nation: Mark
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SealedView:
    """The Sealed screen."""

    secrets: tuple[SecretRow, ...] = ()
    new: tuple[NewSecret, ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    """Reasons that could force a reveal in this act."""
    confirm: tuple[Mark, ...] = ()
    """Sides that must confirm before the act can end."""
    can_reveal: bool = False
    note: str = ""
    searchers: tuple[Mark, ...] = ()
    """Nations that may search now, where the other side hides a fleet."""
    searchable: tuple[SecretRow, ...] = ()
    """What a search could find."""
    search_units: tuple[tuple[str, str], ...] = ()
    """Units with search that are active now: id and name."""


def sealed_view(change: Change) -> SealedView:
    """Return the Sealed screen of an open game."""
    state = change.state
    setup, step = state.frozen_setup, state.step
    on_board = step.phase == "tactical" and is_closed(state) is None
    last = tables(state).hidden.last_step
    if on_board and step.movement_step == 6:
        note = _("On step 6 only where no enemy unit is in its space: no battle can follow")
    elif on_board or step.phase == "setup":
        note = ""
    else:
        note = _("Nothing is revealed now; movement steps 1 to {n} only").format(n=last)
    return SealedView(
        secret_rows(state),
        _new(state),
        tuple((reason, _(FORCED_TEXTS[reason])) for reason in forced_questions(state)),
        tuple(mark(setup, side) for side in must_confirm(state, step)),
        on_board,
        note,
        *_search(state),
        tuple((unit, name_of(state, unit)) for unit in searchers(state)),
    )


def _search(state: GameState) -> tuple[tuple[Mark, ...], tuple[SecretRow, ...]]:
    """Return who may search in this act, and the fleets that a search could find."""
    setup, step = state.frozen_setup, state.step
    if why_not_search(state) is not None:
        return (), ()
    foes = [
        secret
        for secret in hidden(state)
        if secret.kind == "fleet" and nation_side(setup, secret.nation) not in step.owners
    ]
    nations = tuple(who(setup, info.id) for info in setup.nations if info.side in step.owners)
    return (nations if foes else ()), tuple(_row(state, secret) for secret in foes)


def _step_text(state: GameState, step: str) -> str:
    if step not in state.itinerary:
        return step
    found = state.itinerary.steps[state.itinerary.index(step)]  # type: ignore[arg-type]
    where = step_label(state.frozen_setup, found)
    return f"{found.stage}, {where}" if found.stage else where


def secret_rows(state: GameState) -> tuple[SecretRow, ...]:
    """Return every secret of the game, hidden ones first."""
    rows = [_row(state, secret) for secret in state.game["seals"].secrets.values()]
    return tuple(sorted(rows, key=lambda row: not row.is_hidden))


def _row(state: GameState, secret: Secret) -> SecretRow:
    first, last = secret.versions[0], secret.versions[-1]
    parts = [_("sealed: {when}").format(when=_step_text(state, first.step))]
    if last is not first:
        parts.append(_("again {when}").format(when=_step_text(state, last.step)))
    looked = sum(item.is_right for item in secret.openings)
    wrong = sum(not item.is_right for item in secret.openings)
    if looked:
        parts.append(_("opened {n} times").format(n=looked))
    if wrong:
        parts.append(_("{n} wrong PINs").format(n=wrong))
    shown: tuple[str, ...] = ()
    if secret.shown is not None:
        parts.append(_("revealed {when}").format(when=_step_text(state, secret.shown.step)))
        content = content_of(secret.shown.plain_text)
        shown = (*content_text_rows(state, content), _("Proof: unchanged since it was sealed"))
        fault = fleet_fault(tables(state), unit_table_of(state), content.units)
        if secret.kind == "fleet" and content.units and fault is not None:
            shown = (*shown, speak(Say("Outside the limits: {fault}", fault=fault), state))
    owed = _(FORCED_TEXTS[secret.owed]) if secret.owed in FORCED else ""
    return SecretRow(
        secret.id,
        who(state.frozen_setup, secret.nation),
        secret.label,
        "; ".join(parts),
        secret.shown is None,
        owed,
        shown,
    )


def content_text_rows(state: GameState, content: Content) -> tuple[str, ...]:
    """Return what a note says, line by line."""
    counts = (Count(count, unit_of(unit)) for unit, count in content.units.items() if count)
    units = speak(several(counts, "comma"), state)
    space = _("Space {space}").format(space=content.space) if content.space else ""
    return tuple(line for line in (space, units, content.note) if line)


def _new(state: GameState) -> tuple[NewSecret, ...]:
    setup, table, own = state.frozen_setup, tables(state), state.game["seals"]
    rows = []
    for info in setup.nations:
        if not own.has_fleet(info.id) and table.counts_points:
            rows.append(NewSecret(who(setup, info.id), "fleet", _("Seal a Hidden Fleet")))
        used = sum(s.kind == "units" and s.nation == info.id for s in own.secrets.values())
        boxes = table.hidden_units.get(info.id, 0)
        if used < boxes:
            text = _("Seal hidden units, box {n} of {m}").format(n=used + 1, m=boxes)
            rows.append(NewSecret(who(setup, info.id), "units", text))
    return tuple(rows)


def fleet_units(state: GameState, kind: str) -> tuple[str, ...]:
    """Return the units that a note of a kind may name, standard ones in the order of the aid."""
    types = ("sea", "air", "land") if kind == "fleet" else ("land", "air", "sea")
    units = unit_table_of(state).units.values()
    return tuple(spec.id for wanted in types for spec in units if spec.type == wanted and not spec.base)


def start_spaces(state: GameState, nation: str, kind: str) -> tuple[str, ...]:
    """Return the sea spaces in which a nation's Hidden Fleet may start; empty after set-up or while unknown."""
    if state.step.phase != "setup" or kind != "fleet":
        return ()
    return tables(state).start_spaces.get(nation, ())


def draft_fault(state: GameState, kind: str, content: Content, nation: str = "") -> str:
    """Say what keeps a note from being sealed; empty when nothing does. Only the owner sees it."""
    space = content.space.strip()
    if not space:
        return _("Name the space first")
    spaces = start_spaces(state, nation, kind)
    if spaces and space.upper() not in spaces:
        return _("This fleet starts in {spaces}").format(spaces=" / ".join(spaces))
    if kind == "fleet":
        fault = fleet_fault(tables(state), unit_table_of(state), content.units)
        return "" if fault is None else sentence(fault, state)
    return "" if any(content.units.values()) else _("Name the units first")


def note_label(setup: Setup, nation: str, kind: str) -> str:
    """Return what a note is bound to when it is sealed."""
    return f"{setup.game}|{nation}|{kind}"


def new_label(state: GameState, nation: str, kind: str) -> str:
    """Return the name that a new secret gets."""
    name = nation_name(state.frozen_setup, nation)
    if kind == "fleet":
        return _("Hidden Fleet, {nation}").format(nation=name)
    used = sum(s.kind == "units" and s.nation == nation for s in state.game["seals"].secrets.values())
    return _("Hidden units, {nation}, box {n}").format(nation=name, n=used + 1)


def holders_of(state: GameState, secret: str) -> tuple[tuple[str, str], ...]:
    """Return who can open a secret: its side, and the arbiter or the recovery code."""
    found: Secret = state.game["seals"].secrets[secret]
    side = nation_side(state.frozen_setup, found.nation)
    words = {"arbiter": _("The arbiter's PIN"), "recovery": _("The recovery code")}
    keys = found.versions[-1].envelope.keys
    return tuple((key.holder, words.get(key.holder, _("The side's PIN"))) for key in keys) or (
        (side, _("The side's PIN")),
    )


def tries_key(state: GameState, secret: str) -> str:
    """Return what wrong tries of a secret are counted under: one game's secret, wherever its file lies."""
    found: Secret = state.game["seals"].secrets[secret]
    return f"{secret}|{found.versions[0].envelope.commitment[:32]}"
