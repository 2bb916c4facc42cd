"""What the ports of phones and hall have in common: how it stands, who listens, and the thread that serves while it is on."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from companion.core.change import Change
from companion.pages.desk import Notice, Subscription
from companion.session.listeners import Listeners

if TYPE_CHECKING:
    from companion.adapters.child_server import ChildServer

__all__ = ["ChildPort"]

State = TypeVar("State")


class ChildPort(Generic[State]):
    """A port whose work is done by a `ChildServer`; what serves is made, and runs, only while it is on."""

    name: ClassVar[str]
    """Of the thread and of the socket."""

    def __init__(
        self,
        desk: Any,
        keys: Path,
        state: State,
        *,
        post: Callable[[Callable[[], None]], None],
        on_fault: Callable[[BaseException], object],
        folder: Callable[[], Path],
        notify: Callable[[Notice], None],
    ) -> None:
        """Wait to be turned on.

        Args:
            desk: Tells changes at once, and reads.
            keys: The folder of what is nobody else's.
            state: How it stands while it is off.
            post: Runs a call on the interface thread.
            on_fault: Takes a fault of the serving thread; play goes on.
            folder: Where the socket lies.
            notify: Tells the table something; called on the interface thread.
        """
        self.desk, self.keys, self._post = desk, keys, post
        self.on_fault, self._folder, self._notify = on_fault, folder, notify
        self._listeners: Listeners[None] = Listeners(on_fault)
        self._state = state
        self._serving: ChildServer | None = None
        self._thread: threading.Thread | None = None
        self._held: Subscription | None = None

    @property
    def state(self) -> State:
        """How it stands now."""
        return self._state

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever `state` has changed."""
        return self._listeners.add(lambda _none: listener())

    def socket_path(self) -> Path:
        """Return where the process calls this program. OSError where there is no folder for it."""
        return (
            self._folder()
            / f"{self.name}-{hashlib.sha256(str(self.keys.absolute()).encode()).hexdigest()[:12]}.sock"
        )

    def tell(self, notice: Notice) -> None:
        """Tell the table something."""
        self._post(lambda: self._notify(notice))

    def _serve(self, serving: ChildServer, take: Callable[[Change], None]) -> None:
        self._serving = serving
        self._held = self.desk.subscribe_at_once(take)
        self._thread = threading.Thread(target=serving.run, name=self.name, daemon=True)
        self._thread.start()

    def _stop(self, why: str) -> None:
        serving, self._serving = self._serving, None
        if self._held is not None:
            self._held.cancel()
            self._held = None
        if serving is not None:
            serving.stop(why)
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(5)

    def _set(self, state: State) -> None:
        if state != self._state:
            self._state = state
            self._tell_listeners()

    def _tell_listeners(self) -> None:
        self._post(lambda: self._listeners.tell(None))
