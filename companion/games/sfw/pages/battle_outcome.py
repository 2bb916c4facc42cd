"""What the table confirms when a battle is over: who takes the Objective, and whether a line falls."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Name, Say, nation, side, site
from companion.games.sfw.pages.control import Capture, ControlDraft, took
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_settle import CaptureOffer, capture_offer, doubtful_lines, kept_site
from companion.games.sfw.rules.control import TakeControl, holder
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.tokens import RemoveToken, Token
from companion.pages.page import Acts, Block, Button, Go, Notice, Send

__all__ = ["decided_by", "kept_say", "outcome_blocks", "take_button"]


def outcome_blocks(state: GameState, acts: Acts, declared: Declared) -> tuple[Block, ...]:
    """Return a notice for everything that the end of a battle leaves to the table."""
    found: list[Block] = []
    offer = capture_offer(state, declared)
    if offer is not None:
        found.append(_capture(state, acts, offer))
    if declared.status in ("over", "broken_off"):
        found += [_line(acts, token) for token in doubtful_lines(state, declared)]
    return tuple(found)


def kept_say(state: GameState, declared: Declared) -> Say | None:
    """Return who holds the site of a battle that nobody can take; None where there is none, or somebody can."""
    found = kept_site(state, declared)
    if found is None:
        return None
    of, is_contested = found
    held = holder(state, of).side
    if not held:
        return Say("Contested: {site}", site=site(of)) if is_contested else None
    if is_contested:
        return Say("Contested: {site} stays with {side}", site=site(of), side=Name("the_side", held))
    return Say("{site}: {side}", site=site(of), side=side(held))


def take_button(state: GameState, acts: Acts, declared: Declared) -> Button | None:
    """Return the capture as the main act, with the survivors; None where there is none, or teammates have to agree first."""
    offer = capture_offer(state, declared)
    if offer is None or len(offer.takers) != 1:
        return None
    (who,) = offer.takers
    take = took(state, TakeControl(offer.site, who, offer.own))
    return Button(
        Say("{nation} takes {site}", nation=nation(who), site=site(offer.site)), acts.put("take", take)
    )


def decided_by(state: GameState, declared: Declared) -> tuple[str, ...]:
    """Return the open points of the rules that decide what the end of a battle leaves to the table."""
    return () if capture_offer(state, declared) is None else ("capture_blocked_by",)


def _capture(state: GameState, acts: Acts, offer: CaptureOffer) -> Notice:
    """Say that a site can be taken: by the main button, or by the nation on which teammates with equal numbers agree."""
    is_tie = len(offer.takers) > 1
    takes = tuple(
        Button(
            Say("{nation} takes it", nation=nation(who)),
            acts.put(f"take.{who}", took(state, TakeControl(offer.site, who, offer.own, is_agreed=True))),
        )
        for who in (offer.takers if is_tie else ())
    )
    filled = ControlDraft("sites", Capture(offer.site, own=offer.own))
    check = Button(Say("Check the units"), acts.put("check", Go("control", filled)))
    return Notice(
        "capture",
        Say("No defender that can hold {site} is left.", site=site(offer.site)),
        Say("Equal numbers: who takes it by agreement?") if is_tie else None,
        "chosen",
        (*takes, check),
    )


def _line(acts: Acts, token: Token) -> Notice:
    where, facing = space_of(token.where), space_of(token.facing)
    return Notice(
        f"line.{token.id}",
        Say("line at {where}, facing {facing}", where=where, facing=facing),
        Say("It falls, unless its side still has a unit behind it that can take control."),
        acts=(Button(Say("Remove from board"), acts.put(f"line.{token.id}", Send(RemoveToken(token.id)))),),
    )
