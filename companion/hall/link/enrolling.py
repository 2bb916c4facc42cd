"""Enrolling a box with a card: hold the authority against the card's print, bring own key and password, wait to be let in."""

from __future__ import annotations

import asyncio
import base64
import random
from collections.abc import Callable
from contextlib import suppress

import msgspec

from companion.hall.desk.broker import GUEST_PASSWORD, GUESTS
from companion.hall.desk.ca import print_of
from companion.hall.desk.enrol import Asking, Card, Granted, proof_of
from companion.hall.errors import HallError
from companion.hall.link.mqtt import MqttLink, fetched_ca
from companion.hall.link.port import WHYS, Said, Where, ended
from companion.hall.messages import topic_to

__all__ = ["enrolled"]

_AGAIN_S, _TRY_S, _SURE_S = 1.0, 6.0, 4.0


async def enrolled(
    card: Card, public: bytes, password: str, *, wait_s: float, told: Callable[[str], None]
) -> tuple[str, bytes]:
    """Return the hall's authority (PEM) and the director's public key, once the director has let this box in.

    HallError where the hall is another than the card's, the card was used, or nobody lets the box in within `wait_s`.
    """
    if card.venue is not None:
        granted = await _asked(card, card.venue.ca, public, password, wait_s=wait_s, told=told)
        return card.venue.ca, base64.b64decode(granted.director)
    where = f"{card.host}:{card.port}"
    try:
        found = await fetched_ca(
            card.host, card.port, random.choice(GUESTS), GUEST_PASSWORD, topic_to(card.hall, "d", "all", "ca")
        )
    except OSError as fault:
        raise HallError(
            f"the hall is not reached: {fault}; check the network, and that the hall runs"
        ) from None
    try:
        is_hall = print_of(found) == card.ca
    except ValueError:
        is_hall = False
    if not is_hall:
        raise HallError(
            f"{where} is not the hall of this card: its certificate has another print; nothing was sent"
        )
    ca = found.decode("ascii")
    granted = await _asked(card, ca, public, password, wait_s=wait_s, told=told)
    return ca, base64.b64decode(granted.director)


async def _asked(
    card: Card, ca: str, public: bytes, password: str, *, wait_s: float, told: Callable[[str], None]
) -> Granted:
    """Ask with the card's secret, and with the own password for the case that the director has let the box in meanwhile."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    until, own = started + wait_s, base64.b64encode(public).decode()
    venue = card.venue
    asking = msgspec.json.encode(Asking(own, password, proof_of(card.secret, public) if venue else ""))
    answer: asyncio.Future[Granted] = loop.create_future()
    refused: set[str] = set()

    def heard(said: Said) -> None:
        with suppress(msgspec.MsgspecError, ValueError):
            granted = msgspec.json.decode(said.data, type=Granted)
            director = base64.b64decode(granted.director)
            is_proved = venue is None or granted.proof == proof_of(card.secret, director, public)
            if granted.key == own and is_proved and not answer.done():
                answer.set_result(granted)

    secrets = (card.secret, password) if venue is None else (venue.password,)
    user, client = (card.table, "") if venue is None else (venue.user, Where.client_of(card.hall, card.table))
    while loop.time() < until:
        for secret in secrets:
            why: list[str] = []
            where = Where(card.host, card.port, user, secret, ca, client)
            link = MqttLink(where, (topic_to(card.hall, "d", card.table, "enrolled"),), chance=random.random)
            holding = asyncio.create_task(link.run(heard, _noted(why)))
            try:
                begun = loop.time()
                while loop.time() < until and (link.is_up or (not why and loop.time() - begun < _TRY_S)):
                    if await link.publish(topic_to(card.hall, "t", card.table, "enrol"), asking):
                        told("the card is good; the director has to let this box in")
                    done, _wait = await asyncio.wait((answer,), timeout=_AGAIN_S if link.is_up else 0.05)
                    if done:
                        return answer.result()
            finally:
                await ended(holding)  # another link of this name would be thrown out by it
            if why and why[-1] == "refused":
                refused.add(secret)
            elif venue is not None and why and why[-1] in ("certificate", "nothing_there"):
                raise HallError(f"{card.host}:{card.port}: {WHYS[why[-1]]}; nothing was sent")
        if refused >= set(secrets) and loop.time() - started < _SURE_S:
            # A card that was just made is known to the broker a moment later than to whoever holds it.
            refused.clear()
            await asyncio.sleep(_AGAIN_S)
        elif refused >= set(secrets):
            raise HallError(
                f"the venue's broker refuses user {venue.user}; ask the director for a new card"
                if venue is not None
                else f"the card of table {card.table} was used, or the table was retired; ask the director for a new card"
            )
    raise HallError(
        f"nobody let table {card.table} in within {wait_s:.0f} s; ask the director, and try again"
    )


def _noted(why: list[str]) -> Callable[[bool, str], None]:
    """Return what keeps the reasons for which a link goes."""

    def moved(is_up: bool, text: str) -> None:
        if not is_up:
            why.append(text)

    return moved
