"""A broker in memory that keeps the same contract as the real one: rights, wills, what is retained, one connection a name."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from companion.hall.link.port import Said, Will

__all__ = ["FakeBroker", "FakeLink"]


class FakeBroker:
    """Carries messages between `FakeLink` callers of one loop."""

    def __init__(self, hall: str) -> None:
        """Begin with nobody."""
        self._root = f"tc/1/{hall}"
        self._kept: dict[str, bytes] = {}
        self._callers: dict[str, FakeLink] = {}
        self.is_up = True
        self.slow: set[str] = set()
        """Callers who are so slow that what is said to them with no promise (QoS 0) is thrown away."""
        self.thrown_away = 0

    def may(self, user: str, topic: str, *, is_write: bool) -> bool:
        """Say whether a user may say or hear something there."""
        if user == "director":
            return topic.startswith(f"{self._root}/")
        if is_write:
            return topic.startswith(f"{self._root}/t/{user}/")
        return topic.startswith((f"{self._root}/d/{user}/", f"{self._root}/d/all/"))

    def join(self, caller: FakeLink) -> None:
        """Take a caller; one of the same name is cut off."""
        old = self._callers.get(caller.user)
        if old is not None:
            self.cut(old)
        self._callers[caller.user] = caller
        for topic, data in sorted(self._kept.items()):
            self._hand(caller, Said(topic, data, True))

    def cut(self, caller: FakeLink) -> None:
        """A connection breaks: its will is said."""
        if self._callers.get(caller.user) is caller:
            del self._callers[caller.user]
            caller.lost.set()
            if caller.will is not None and self.is_up:
                self.take(caller.user, caller.will.topic, caller.will.data, is_retained=True)

    def kill(self) -> None:
        """All that it knew is gone, and everybody is cut off."""
        self.is_up = False
        self._kept.clear()
        for caller in list(self._callers.values()):
            self.cut(caller)

    def take(self, user: str, topic: str, data: bytes, *, qos: int = 1, is_retained: bool) -> None:
        """Carry a message to whoever may hear it and listens."""
        if not self.may(user, topic, is_write=True):
            return
        if is_retained:
            self._kept[topic] = data
        for caller in list(self._callers.values()):
            if qos or caller.user not in self.slow:
                self._hand(caller, Said(topic, data, False))
            elif self.may(caller.user, topic, is_write=False):
                self.thrown_away += 1

    def _hand(self, caller: FakeLink, said: Said) -> None:
        if self.may(caller.user, said.topic, is_write=False) and caller.listens(said.topic):
            caller.queue.put_nowait(said)


class FakeLink:
    """One caller at a `FakeBroker`."""

    def __init__(
        self, broker: FakeBroker, user: str, subscribe: Sequence[str], will: Will | None = None
    ) -> None:
        """Wait to be run."""
        self.user, self.will, self._broker, self._subscribe = user, will, broker, tuple(subscribe)
        self.queue: asyncio.Queue[Said] = asyncio.Queue()
        self.lost = asyncio.Event()
        self._is_up = False

    @property
    def is_up(self) -> bool:
        """Whether it is connected now."""
        return self._is_up

    def listens(self, topic: str) -> bool:
        """Say whether this caller asked for a topic."""
        return any(
            topic == one or (one.endswith("/#") and topic.startswith(one[:-1])) for one in self._subscribe
        )

    async def run(self, heard: Callable[[Said], None], moved: Callable[[bool, str], None]) -> None:
        """Hold the link until cancelled."""
        while True:
            if self._broker.is_up:
                self.queue, self.lost = asyncio.Queue(), asyncio.Event()
                self._broker.join(self)
                self._is_up = True
                moved(True, "")
                try:
                    await self._carry(heard)
                finally:
                    self._is_up = False
                    self._broker.cut(self)
                moved(False, "gone")
            await asyncio.sleep(0.01)

    async def _carry(self, heard: Callable[[Said], None]) -> None:
        gone = asyncio.create_task(self.lost.wait())
        try:
            while not self.lost.is_set():
                coming = asyncio.create_task(self.queue.get())
                await asyncio.wait((coming, gone), return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    heard(coming.result())
                else:
                    coming.cancel()
        finally:
            gone.cancel()

    async def publish(self, topic: str, data: bytes, *, qos: int = 1, is_retained: bool = False) -> bool:
        """Say something; False where the link is down."""
        if not self._is_up or self.lost.is_set():
            return False
        self._broker.take(self.user, topic, data, qos=qos, is_retained=is_retained)
        return True
