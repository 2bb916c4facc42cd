"""The edge filter: raw contact edges in, presses with the time of the first contact out.

A state machine over timestamped edges, pure: no clock, no thread. One filter serves the GPIO panel (times
from the kernel) and the serial panel (times from the box), so both judge a press alike.

How a press is judged. A contact that closes starts a *burst*. The press is believed once the contact has
stayed closed for ``press_ms``; its time is that of the burst's first edge, so neither bounce nor the wait
costs the player anything. A burst that falls open again for ``gap_ms`` was a glitch and is only counted.
A release is believed after the contact stayed open for ``release_ms``, longer than switches bounce: between
two presses of one button there is always that long. A burst that does not settle within ``chatter_ms`` is a
loose wire: one notice, no press. A button that is down at the start, or goes down within ``quiet_ms`` of it
(pull-ups settling), reports nothing until it has been up once.

Presses come out in the order of their times, also of two buttons at once: a believed press waits while
another button's burst began earlier, at most ``max_bounce_ms``. The filter does not know whose turn it is
or whether the game is paused: a press out of turn is as true as any, and is refused further on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from companion.core.text import Say
from hardware.ports import Button, NoticeKind, PanelEvent, PanelNotice, PressEdge, part_of
from hardware.words import PART_TITLES

__all__ = [
    "Counts",
    "FilterSettings",
    "FilterState",
    "RawEdge",
    "advance",
    "down",
    "feed",
    "next_due_ns",
    "raw_levels",
    "resync",
    "run_train",
    "start_filter",
    "told_down",
]

_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class RawEdge:
    """A contact that closed or opened, as the pin saw it."""

    button: Button
    """Whose contact."""
    closed: bool
    """True where the button's contact closed (pressed)."""
    at_ns: int
    """Time of the edge in nanoseconds; any monotonic clock, the same for all edges."""


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """Times the filter works with, all in milliseconds."""

    press_ms: int = 5
    """Closed this long without an edge: a press."""
    release_ms: int = 30
    """Open this long without an edge: a release. No hand presses one button twice within it."""
    gap_ms: int = 10
    """A burst that returned to where it came from for this long is over."""
    max_bounce_ms: int = 50
    """The first edge of a burst is the press only up to here; in a longer one it is the last closing edge."""
    chatter_ms: int = 250
    """A burst of this length is chatter."""
    stuck_ms: int = 10_000
    """Down this long: stuck."""
    quiet_ms: int = 150
    """No press is reported that begins within this time of the start."""
    latching: frozenset[Button] = frozenset({Button.ARBITER})
    """Switches that may stay on for hours; they are never stuck."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What the filter saw since the start."""

    edges: int = 0
    """Raw edges fed."""
    presses: int = 0
    """Presses reported."""
    releases: int = 0
    """Releases reported."""
    bounces: int = 0
    """Edges swallowed within bursts that settled."""
    glitches: int = 0
    """Bursts that came to nothing."""
    chatters: int = 0
    """Bursts that did not settle in time."""
    silent: int = 0
    """Presses not reported because the button was down at, or just after, the start."""


@dataclass(frozen=True, slots=True)
class _Contact:
    """One button's memory."""

    level: bool
    """Last raw level."""
    stable: bool
    """Level that is believed."""
    armed: bool
    """False until a button that was down at the start has been up."""
    last_edge_ns: int
    since_ns: int
    """Since when `stable` holds."""
    burst_ns: int | None = None
    """First edge of the open burst."""
    burst_edges: int = 0
    chattering: bool = False
    stuck: bool = False


@dataclass(frozen=True, slots=True)
class FilterState:
    """Everything the filter remembers; opaque but for `counts`."""

    settings: FilterSettings
    started_ns: int
    contacts: tuple[tuple[Button, _Contact], ...]
    held: tuple[PressEdge, ...] = ()
    """Believed presses that wait for an earlier burst of another button."""
    counts: Counts = field(default_factory=Counts)


def start_filter(
    levels: Mapping[Button, bool],
    at_ns: int,
    settings: FilterSettings | None = None,
    told: Collection[Button] = (),
) -> FilterState:
    """Begin with the contacts as they are now; buttons missing from `levels` are ignored ever after.

    A button that is down now reports nothing until it has been up, except for the release of one in `told`, whose
    press an earlier filter has reported.
    """
    return FilterState(
        settings=settings or FilterSettings(),
        started_ns=at_ns,
        contacts=tuple(
            (
                button,
                _Contact(
                    level=closed,
                    stable=closed,
                    armed=not closed or button in told,
                    last_edge_ns=at_ns,
                    since_ns=at_ns,
                ),
            )
            for button, closed in levels.items()
        ),
    )


def feed(state: FilterState, edge: RawEdge) -> tuple[FilterState, tuple[PanelEvent, ...]]:
    """Take one raw edge; say what became certain up to its time.

    Edges of one button must come in order; one that is stamped before its predecessor counts as simultaneous
    with it. An edge to the level already known (its counterpart was lost) changes nothing.
    """
    state, events = advance(state, edge.at_ns)
    contacts = []
    for button, contact in state.contacts:
        if button is edge.button and contact.level != edge.closed:
            at_ns = max(edge.at_ns, contact.last_edge_ns)
            contact = replace(
                contact,
                level=edge.closed,
                last_edge_ns=at_ns,
                burst_ns=at_ns if contact.burst_ns is None else contact.burst_ns,
                burst_edges=contact.burst_edges + 1,
            )
        contacts.append((button, contact))
    counts = replace(state.counts, edges=state.counts.edges + 1)
    return replace(state, contacts=tuple(contacts), counts=counts), events


def advance(state: FilterState, now_ns: int) -> tuple[FilterState, tuple[PanelEvent, ...]]:
    """Let time pass without an edge up to `now_ns`; say what became certain.

    The caller vouches that no edge before `now_ns` is still on its way. Time that runs backwards is ignored.
    """
    contacts: list[tuple[Button, _Contact]] = []
    presses: list[PressEdge] = list(state.held)
    others: list[PanelEvent] = []
    counts = state.counts
    for button, contact in state.contacts:
        contact, counts, edge = _settle(state, button, contact, counts, now_ns)
        if edge is not None and edge.pressed:
            presses.append(edge)
        elif edge is not None:
            others.append(edge)
        contact, counts, notices = _watch(state.settings, button, contact, counts, now_ns)
        others.extend(notices)
        contacts.append((button, contact))
    presses.sort(key=lambda edge: edge.at_ns)
    free, held = _release_held(state.settings, contacts, presses, now_ns)
    counts = replace(
        counts,
        presses=counts.presses + len(free),
        releases=counts.releases + sum(isinstance(event, PressEdge) for event in others),
    )
    # A release never overtakes its own press: the press is held for at most max_bounce_ms by another button.
    waiting = {edge.button for edge in held}
    late = [event for event in others if isinstance(event, PressEdge) and event.button in waiting]
    if late:
        free, held = free + list(held), ()
        counts = replace(counts, presses=counts.presses + len(waiting))
    return replace(state, contacts=tuple(contacts), held=held, counts=counts), (*free, *others)


def _settle(
    state: FilterState, button: Button, contact: _Contact, counts: Counts, now_ns: int
) -> tuple[_Contact, Counts, PressEdge | None]:
    """Decide an open burst where enough quiet time has passed."""
    settings = state.settings
    if contact.burst_ns is None:
        return contact, counts, None
    quiet_ns = now_ns - contact.last_edge_ns
    if contact.level == contact.stable:
        if quiet_ns < settings.gap_ms * _MS:
            return contact, counts, None
        counts = replace(
            counts,
            glitches=counts.glitches + (not contact.stable),
            bounces=counts.bounces + (contact.burst_edges if contact.stable else 0),
        )
        return replace(contact, burst_ns=None, burst_edges=0, chattering=False), counts, None
    wait_ms = settings.press_ms if contact.level else settings.release_ms
    if quiet_ns < wait_ms * _MS:
        return contact, counts, None
    bounced = contact.last_edge_ns - contact.burst_ns
    at_ns = contact.burst_ns if bounced <= settings.max_bounce_ms * _MS else contact.last_edge_ns
    early = contact.level and at_ns < state.started_ns + settings.quiet_ms * _MS
    silent = early or not contact.armed
    counts = replace(
        counts,
        bounces=counts.bounces + contact.burst_edges - 1,
        silent=counts.silent + (silent and contact.level),
    )
    settled = replace(
        contact,
        stable=contact.level,
        armed=not (contact.level and silent),
        since_ns=at_ns,
        burst_ns=None,
        burst_edges=0,
        chattering=False,
    )
    edge = None if silent else PressEdge(button, contact.level, at_ns)
    return settled, counts, edge


def _watch(
    settings: FilterSettings, button: Button, contact: _Contact, counts: Counts, now_ns: int
) -> tuple[_Contact, Counts, list[PanelNotice]]:
    """Notice chatter and stuck buttons, once each."""
    notices = []
    unsettled_ns = 0 if contact.burst_ns is None else now_ns - contact.burst_ns
    if unsettled_ns >= settings.chatter_ms * _MS and not contact.chattering:
        contact = replace(contact, chattering=True)
        counts = replace(counts, chatters=counts.chatters + 1)
        detail = Say("{part} keeps flickering; check its plug and wire.", part=PART_TITLES[part_of(button)])
        notices.append(PanelNotice(NoticeKind.CHATTER, detail, now_ns, part_of(button)))
    if contact.stable and not contact.stuck and button not in settings.latching:
        if now_ns >= contact.since_ns + settings.stuck_ms * _MS:
            contact = replace(contact, stuck=True)
            detail = Say(
                "{part} has been held down for {seconds} s; is it stuck?",
                part=PART_TITLES[part_of(button)],
                seconds=settings.stuck_ms // 1000,
            )
            notices.append(PanelNotice(NoticeKind.STUCK, detail, now_ns, part_of(button)))
    elif contact.stuck and not contact.stable:
        contact = replace(contact, stuck=False)
        detail = Say("{part} was released.", part=PART_TITLES[part_of(button)])
        notices.append(PanelNotice(NoticeKind.UNSTUCK, detail, now_ns, part_of(button)))
    return contact, counts, notices


def _release_held(
    settings: FilterSettings,
    contacts: Iterable[tuple[Button, _Contact]],
    presses: list[PressEdge],
    now_ns: int,
) -> tuple[list[PressEdge], tuple[PressEdge, ...]]:
    """Split believed presses into those that may go and those that wait for an earlier burst."""
    open_since = [
        (button, contact.burst_ns)
        for button, contact in contacts
        if contact.burst_ns is not None
        and not contact.stable
        and now_ns - contact.burst_ns < settings.max_bounce_ms * _MS
    ]
    for index, edge in enumerate(presses):
        if any(button is not edge.button and since < edge.at_ns for button, since in open_since):
            return presses[:index], tuple(presses[index:])
    return presses, ()


def resync(
    state: FilterState, button: Button, closed: bool, at_ns: int
) -> tuple[FilterState, tuple[PanelEvent, ...]]:
    """Set a contact anew after it was out of sight: no press is reported until it has been up.

    Where it was down and is up now, that release is reported, so that nothing waits for it for ever.
    """
    events: tuple[PanelEvent, ...] = ()
    counts = state.counts
    contacts = []
    for known, contact in state.contacts:
        if known is button:
            if contact.stable and contact.armed and not closed:
                events = (PressEdge(button, False, at_ns),)
                counts = replace(counts, releases=counts.releases + 1)
            still = contact.stable and closed
            contact = _Contact(
                level=closed,
                stable=closed,
                armed=contact.armed if still else not closed,
                last_edge_ns=at_ns,
                since_ns=contact.since_ns if still else at_ns,
                stuck=contact.stuck and still,
            )
        contacts.append((known, contact))
    held = tuple(edge for edge in state.held if edge.button is not button)
    events = (*(edge for edge in state.held if edge.button is button), *events)
    return replace(state, contacts=tuple(contacts), held=held, counts=counts), events


def next_due_ns(state: FilterState) -> int | None:
    """Time at which ``advance`` may have something to say if no edge comes; None where nothing is open."""
    settings = state.settings
    due: list[int] = []
    for button, contact in state.contacts:
        if contact.burst_ns is not None:
            if contact.level == contact.stable:
                wait_ms = settings.gap_ms
            else:
                wait_ms = settings.press_ms if contact.level else settings.release_ms
            due.append(contact.last_edge_ns + wait_ms * _MS)
            if state.held:
                due.append(contact.burst_ns + settings.max_bounce_ms * _MS)
        if contact.stable and not contact.stuck and button not in settings.latching:
            due.append(contact.since_ns + settings.stuck_ms * _MS)
    return min(due) if due else None


def down(state: FilterState) -> frozenset[Button]:
    """The buttons that are believed to be down, those that were down at the start included."""
    return frozenset(button for button, contact in state.contacts if contact.stable)


def told_down(state: FilterState) -> frozenset[Button]:
    """The buttons that are down and whose press was reported, so that a release is owed."""
    return frozenset(button for button, contact in state.contacts if contact.stable and contact.armed)


def raw_levels(state: FilterState) -> dict[Button, bool]:
    """The last raw level of every contact, as fed."""
    return {button: contact.level for button, contact in state.contacts}


def run_train(
    edges: Iterable[RawEdge],
    levels: Mapping[Button, bool],
    until_ns: int,
    settings: FilterSettings | None = None,
    start_ns: int = 0,
) -> tuple[FilterState, tuple[PanelEvent, ...]]:
    """Run a whole train of edges, letting time pass between them as a panel would; for tests and reports."""
    state = start_filter(levels, start_ns, settings)
    out: list[PanelEvent] = []
    for edge in edges:
        state, events = _pass_time(state, edge.at_ns)
        out.extend(events)
        state, _nothing_more = feed(state, edge)
    state, events = _pass_time(state, until_ns)
    out.extend(events)
    return state, tuple(out)


def _pass_time(state: FilterState, until_ns: int) -> tuple[FilterState, tuple[PanelEvent, ...]]:
    out: list[PanelEvent] = []
    while (due := next_due_ns(state)) is not None and due <= until_ns:
        before = state
        state, events = advance(state, due)
        out.extend(events)
        if state == before:
            break
    state, events = advance(state, until_ns)
    return state, (*out, *events)
