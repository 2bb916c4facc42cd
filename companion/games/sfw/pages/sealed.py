"""The Sealed screen: hidden fleets and units, what forces a reveal now, what was revealed with its proof.

A note is sealed and opened by the vault of the desk, outside the game's log. A PIN stands only in the question that asks for
it, and a note that is being written is dropped when the screen is left.
"""

from __future__ import annotations

from functools import reduce

from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several, side
from companion.games.sfw.pages.seal_draft import SealedDraft, is_mine, vault_of
from companion.games.sfw.pages.seal_opening import ask_what, content_lines
from companion.games.sfw.pages.seal_search import search_page, search_tool
from companion.games.sfw.pages.seal_writing import dial_tool, new_notes, note_page
from companion.games.sfw.pages.sealings import commitments, sealed_by, sealings, sealings_say
from companion.games.sfw.rules import seal_messages as sm
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.places import ground_fault
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.page import (
    TABLE_VIEWER,
    Act,
    Acts,
    Button,
    Item,
    Page,
    Rows,
    Send,
    Shown,
    Sight,
)
from companion.pages.parts import back_button, nation_mark
from companion.pages.rulings import ruling_items

__all__ = ["sealed_page", "secret_history", "secret_shown"]


def sealed_page(sight: Sight) -> Shown:
    """Return the secrets, or the note that is being written."""
    state, acts, draft = sight.state, Acts(), sight.entered(SealedDraft())
    is_box = sight.viewer == TABLE_VIEWER
    if draft.note is not None:
        return note_page(sight, acts, draft, draft.note)
    if draft.search is not None and is_box:
        return search_page(state, acts, draft.search)
    own = state.game["seals"].secrets.values()
    secrets = sorted(own, key=lambda secret: secret.shown is not None)
    on_board = state.step.phase == "tactical" and se.is_closed(state) is None
    rows = [_secret(sight, acts, secret, can_reveal=on_board) for secret in secrets]
    for secret in secrets:
        lines = enumerate((*secret_shown(state, secret), *_sealings(sight, secret)))
        rows += [Item(f"{secret.id}.{n}", line, Typed(secret.label)) for n, line in lines]
        rows += _lacking(sight, secret)
    for reason in se.forced_questions(state):
        rows.append(Item(f"if.{reason}", Say("Reveal if: {why}", why=Name("forced", reason)), state="muted"))
    rows += new_notes(sight, acts)
    rulings = ("late_fleet", "fleet_place", *(("upgrade_hidden",) if _hides_upgrades(state) else ()))
    rows += ruling_items(state, acts, rulings)  # among the rows, so that a full page turns
    tools = (*search_tool(state, acts), *dial_tool(state, acts)) if is_box else ()
    main = back_button(acts)
    sides = [one for one in se.must_confirm(state, state.step) if is_box or one in sight.viewer.sees]
    if sides:
        act: Act | None = None
        for one in reversed(sides):
            act = Send(sm.ConfirmHidden(state.step.id, one), then=act)
        assert act is not None
        who = several(map(side, sides), "comma")
        main = Button(Say("{side}: stays hidden", side=who), acts.put("hidden", act))
    page = Page(
        "sealed",
        Say("Sealed"),
        _when(state, on_board=on_board),
        "muted",
        tools=tools,
        blocks=(Rows("sealed", tuple(rows), empty=Say("Nothing is sealed"), is_wide=False),),
        main=main,
    )
    return Shown(page, acts)


def _hides_upgrades(state: GameState) -> bool:
    """Say whether a nation that has upgraded units has units hidden."""
    upgraded = {key.partition(".")[0] for key in unit_table_of(state).upgrades}
    return any(secret.nation in upgraded for secret in se.hidden(state))


def _when(state: GameState, *, on_board: bool) -> Say | None:
    """Say when secrets are revealed, where that is not now or only with a condition."""
    if on_board and state.step.movement_step == 6:
        return Say("In step 6 only where no enemy unit is in its space: no battle can follow")
    if on_board or state.step.phase == "setup":
        return None
    last = tables(state).hidden.last_step
    return Say("Nothing can be revealed now; only in movement steps 1 to {n}", n=last)


# What is sealed


def _secret(sight: Sight, acts: Acts, secret: sm.Secret, *, can_reveal: bool) -> Item:
    """Return a secret; a tap asks who looks, who reveals it, what forced it, or for it to be sealed again."""
    state, is_owed = sight.state, secret.owed in sm.FORCED
    act = None
    if secret.shown is None and is_mine(sight, secret.nation):
        ask = ask_what(sight, secret, can_reveal=can_reveal or bool(secret.owed))
        act = acts.put(f"secret.{secret.id}", ask)
    return Item(
        secret.id,
        Typed(secret.label),
        Name("forced", secret.owed) if is_owed else secret_history(state, secret),
        mark=nation_mark(state.frozen_setup, secret.nation),
        state="danger" if is_owed else "done" if secret.shown is not None else "plain",
        act=act,
        symbol="eye" if secret.shown is not None else "lock",
    )


def secret_history(state: GameState, secret: sm.Secret) -> Value:
    """Return when a secret was sealed, how often again, who looked, when it was revealed."""

    def at(step: str) -> Value:
        if step not in state.itinerary:
            return Typed(step)
        stage = state.itinerary.steps[state.itinerary.index(step)].stage  # type: ignore[arg-type]
        return Say("{n}, {step}", n=stage, step=Name("step", step)) if stage else Name("step", step)

    first, last = secret.versions[0], secret.versions[-1]
    parts = [Say("sealed: {when}", when=at(first.step))]
    if last is not first:
        parts.append(Say("again {when}", when=at(last.step)))
    looked = sum(item.is_right for item in secret.openings)
    wrong = len(secret.openings) - looked
    if looked:
        parts.append(Say.counted("opened {n} time", "opened {n} times", looked))
    if wrong:
        parts.append(Say.counted("{n} wrong PIN", "{n} wrong PINs", wrong))
    if secret.shown is not None:
        parts.append(Say("revealed {when}", when=at(secret.shown.step)))
    return reduce(lambda one, other: Say("{one}; {other}", one=one, other=other), parts)


def secret_shown(state: GameState, secret: sm.Secret) -> tuple[Value, ...]:
    """Return what a secret said, with its proof, once it is revealed."""
    if secret.shown is None:
        return ()
    content = se.content_of(secret.shown.plain_text)
    lines = (*content_lines(state, secret, content), Say("Proof: unchanged since it was sealed"))
    ground = ground_fault(state, content.space, is_sea=True)
    limits = se.fleet_fault(tables(state), unit_table_of(state), se.units_of_note(state, secret, content))
    fault = ground or limits
    if secret.kind == "fleet" and content.units and fault is not None:
        return (*lines, Say("Outside the limits: {fault}", fault=fault))
    return lines


def _sealings(sight: Sight, secret: sm.Secret) -> tuple[Value, ...]:
    """Return all sealings of a secret that was sealed more than once, those taken back too."""
    if sight.desk is None:
        return ()
    known = sight.state.game["seals"].secrets
    found = sealings(sight.desk.entries(), sight.desk.counts, secret, known)
    told = sealings_say(found, sight.wall_ms)
    return () if told is None else (told,)


def _lacking(sight: Sight, secret: sm.Secret) -> tuple[Item, ...]:
    """Tell of notes that this box sealed for a secret and that its log does not have: it was cut, or written anew."""
    vault, game_id = vault_of(sight), sight.state.frozen_setup.game_id
    if vault is None or sight.desk is None or not game_id:
        return ()
    of = sealed_by(game_id, secret.nation, secret.kind)
    n = vault.lacking(of, commitments(sight.desk.entries(), secret))
    if not n:
        return ()
    text = Say.counted(
        "This box sealed {n} more note for it that this log lacks.",
        "This box sealed {n} more notes for it that this log lacks.",
        n,
    )
    sub = Say("The log is a copy of before, or was changed outside the app.")
    return (Item(f"{secret.id}.lacking", text, sub, state="danger", symbol="warning"),)


# Writing and sealing
