"""The link over an MQTT broker with TLS 1.3. The only module that sees the client library.

The client keeps no queue of its own: a break is an exception, and then the loop begins again with a growing wait. What was
not acknowledged by the director comes again from the journal.
"""

from __future__ import annotations

import asyncio
import logging
import random
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import aiomqtt

from companion.hall.link.port import WHYS, Said, Where, Will, ended

__all__ = ["ANSWER_S", "MOST_WAIT_S", "MqttLink", "fetched_ca", "is_heard"]

MOST_WAIT_S = 5.0
_REFUSED = (0x86, 0x87, 4, 5)
"""Codes of the protocol, version 5 and 3: bad user name or password, not authorized."""
ANSWER_S, MOST_ANSWERS = 5.0, 4
"""How long an answer of the broker is waited for, and so many times as long at most after calls that were given up for want of one:
where hundreds call at once, or a machine is starved, calls that all give up and begin anew would keep each other from ever being taken."""
_FIRST_WAIT_S, _KEEPALIVE_S = 0.2, 10


_quiet = logging.getLogger("companion.hall.client")
_quiet.setLevel(logging.CRITICAL)  # what breaks is told by `moved`, once and in our words


class MqttLink:
    """One caller at a broker."""

    def __init__(
        self,
        where: Where,
        subscribe: Sequence[str],
        will: Will | None = None,
        *,
        chance: Callable[[], float],
        most_wait_s: float = MOST_WAIT_S,
        answer_s: float = ANSWER_S,
    ) -> None:
        """Take where to call and what to listen to.

        Args:
            chance: Gives numbers from 0 to 1, which spread many callers out.
            most_wait_s: The longest wait between two tries; the only caller of its kind may be quicker.
            answer_s: The wait for an answer of the broker, where the call before was not given up for want of one.
        """
        self._most_wait_s, self._answer_s = most_wait_s, answer_s
        self._where, self._subscribe, self._will, self._chance = where, tuple(subscribe), will, chance
        self._client: aiomqtt.Client | None = None
        self._context: ssl.SSLContext | None = None

    @property
    def is_up(self) -> bool:
        """Whether it is connected now."""
        return self._client is not None

    async def run(self, heard: Callable[[Said], None], moved: Callable[[bool, str], None]) -> None:
        """Hold the link until cancelled."""
        tries, patience = 0, 1
        while True:
            why, began_s = "gone", time.monotonic()
            try:
                async with self._made(patience * self._answer_s) as client:
                    for topic in self._subscribe:
                        await client.subscribe(topic, qos=1)
                    self._client, tries, patience = client, 0, 1
                    client.timeout = self._answer_s
                    moved(True, "")
                    async for one in client.messages:
                        data = one.payload if isinstance(one.payload, bytes) else str(one.payload).encode()
                        heard(Said(str(one.topic), data, bool(one.retain)))
            except (aiomqtt.MqttError, OSError, ssl.SSLError, TimeoutError) as fault:
                why = _why(fault)
            finally:
                was_up, self._client = self._client is not None, None
            if was_up or not tries:
                moved(False, why)
            if not was_up and time.monotonic() - began_s >= patience * self._answer_s:
                patience = min(2 * patience, MOST_ANSWERS)
            wait = min(self._most_wait_s, _FIRST_WAIT_S * 2**tries)
            tries = min(tries + 1, 10)
            await asyncio.sleep(wait * (0.5 + 0.5 * self._chance()))

    async def publish(self, topic: str, data: bytes, *, qos: int = 1, is_retained: bool = False) -> bool:
        """Say something; False where the link is down or breaks."""
        client = self._client
        if client is None:
            return False
        try:
            await client.publish(topic, data, qos=qos, retain=is_retained, timeout=self._answer_s)
        except (aiomqtt.MqttError, OSError, ValueError):
            return False
        return True

    def _made(self, answer_s: float) -> aiomqtt.Client:
        where, will = self._where, self._will
        self._context = self._context or _context(where.ca, is_named=bool(where.client))
        made = aiomqtt.Client(
            where.host,
            where.port,
            username=where.user,
            password=where.password,
            identifier=where.client or where.user,
            protocol=aiomqtt.ProtocolVersion.V5,
            will=None if will is None else aiomqtt.Will(will.topic, will.data, qos=1, retain=True),
            clean_start=True,
            keepalive=_KEEPALIVE_S,
            timeout=answer_s,
            max_inflight_messages=100,
            logger=_quiet,
            tls_context=self._context,
        )
        made._client.connect_timeout = answer_s  # its own name for it is missing: address, then handshake
        return made


def _context(ca: str, *, is_named: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # The hall's own authority signs nobody else, and its address may change; a venue's signs others too.
    context.check_hostname = is_named
    if ca:
        context.load_verify_locations(cadata=ca)
    else:
        context.verify_mode = ssl.CERT_NONE
    return context


def _why(fault: BaseException) -> str:
    """Return why there is no link, a key of `WHYS`."""
    cause: BaseException | None = fault
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "certificate"
        if isinstance(cause, ConnectionRefusedError):
            return "nothing_there"
        if (
            isinstance(cause, aiomqtt.MqttCodeError)
            and int(getattr(cause.rc, "value", cause.rc) or 0) in _REFUSED
        ):
            return "refused"
        cause = cause.__cause__ or cause.__context__
    return "no_answer" if isinstance(fault, OSError | TimeoutError) else "gone"


async def fetched_ca(host: str, port: int, user: str, password: str, topic: str) -> bytes:
    """Return the certificate of a hall's authority, as anybody may fetch it; whose it is must be checked against a card.

    OSError where nothing comes within a few seconds.
    """
    where = Where(host, port, user, password, "")
    link = MqttLink(where, (topic,), chance=random.random)
    found: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    told = ["no_answer"]

    def heard(said: Said) -> None:
        if not found.done():
            found.set_result(said.data)

    holding = asyncio.create_task(link.run(heard, lambda _up, why: told.append(why) if why else None))
    try:
        return await asyncio.wait_for(found, 2 * ANSWER_S)
    except TimeoutError:
        raise OSError(f"{host}:{port}: {WHYS[told[-1]]}") from None
    finally:
        await ended(holding)


async def is_heard(where: Where, topic: str) -> bool | None:
    """Say whether what is said at a topic comes back from there: a broker that forbids either mostly says nothing. None: no link."""
    link = MqttLink(where, (topic,), chance=random.random)
    back = asyncio.Event()
    holding = asyncio.create_task(link.run(lambda _said: back.set(), lambda _up, _why: None))
    try:
        for _n in range(round(2 * ANSWER_S)):
            was_said = await link.publish(topic, b"1")
            with suppress(TimeoutError):
                await asyncio.wait_for(back.wait(), 0.5)
                return True
        return False if was_said or link.is_up else None
    finally:
        await ended(holding)
