"""The attacks of North Africa that wait to be fought, and the rulings that decide in them from their beginning on."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Say
from companion.games.aana.pages.declare import attack_rows
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.figures import enemy_of
from companion.games.aana.rules.ledger import acting_side, board, figures, ledger_of, occupants, split
from companion.pages.page import Acts, Page, Rows, Shown
from companion.pages.parts import fight_or_end
from companion.pages.rulings import ruling_tools

__all__ = ["list_page"]


def list_page(state: GameState) -> Shown:
    """Return the attacks that are fought now."""
    acts = Acts()
    rows = tuple(attack_rows(state, acts, tap=True))
    waiting = [row for row in rows if row.act is not None]
    waits = Say.counted("{n} attack waiting", "{n} attacks waiting", len(waiting))
    main, second = fight_or_end(state, acts, waiting[0] if waiting else None)
    page = Page(
        "list",
        Say("Conduct combat"),
        waits if waiting else Say("No attacks waiting"),
        blocks=(Rows("attacks", rows, empty=Say("No attack was declared")),),
        tools=ruling_tools(state, acts, _ruled(state)),
        main=main,
        second=second,
    )
    return Shown(page, acts)


def _ruled(state: GameState) -> tuple[str, ...]:
    """Return the rulings that decide in a combat which waits, from its beginning on."""
    waiting = [attack for attack in bm.battles_of(state).attacks if not attack.result]
    own = board(state)
    bonus = any(
        (row := own.territory(attack.space)) is not None
        and (own.bonus(attack.space) is not None or row.bonus_from in {one.origin for one in attack.groups})
        for attack in waiting
    )
    convoy = any(own.type_of(attack.space) == "convoy" for attack in waiting)
    return (
        *(("aana.aaa_last",) if _has_guns(state) else ()),
        *(("aana.bonus_reroll",) if bonus else ()),
        *(("aana.transport_hits",) if convoy else ()),
    )


def _has_guns(state: GameState) -> bool:
    """Say whether anti-aircraft artillery is known to stand beside others where an attack waits."""
    foe, ledger, book = enemy_of(acting_side(state)), ledger_of(state), figures(state)
    for attack in bm.battles_of(state).attacks:
        there = {} if attack.result else occupants(ledger, book, attack.space, foe)
        if len(there) > 1 and any(split(piece)[1] == "aaa" for piece in there):
            return True
    return False
