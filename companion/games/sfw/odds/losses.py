"""Casualties of one side for many strengths and many results of the dice at once.

What hits may take and what a policy gives up is asked of `companion.games.sfw.rules.battle_losses`; here the answers are
looked up and compared in arrays. Choices that hang on the shooter, on combined fire or on a policy of its own go
through `LossTable` one by one.
"""

from __future__ import annotations

from functools import lru_cache
from threading import Lock

import msgspec
import numpy as np

from companion.games.sfw.odds.states import Ints, SideStates, distinct, distinct_rows, groups
from companion.games.sfw.rules.battle import Counts
from companion.games.sfw.rules.battle_losses import Hit, LossTable, Payer, Payments
from companion.games.sfw.rules.battle_play import best_combination
from companion.games.sfw.rules.battle_rolls import Aim, can_hit

__all__ = ["HitClass", "Losses"]

HitClass = tuple[int, Aim, bool]
"""Hits that are paid alike: level, aim, precise."""

_MOST_OPTIONS = 400_000
"""Payments kept for one set of prices."""


class Losses:
    """What vectors of hits do to the states of one side on one battle step."""

    def __init__(self, states: SideStates, table: LossTable, step: str) -> None:
        """Prepare for the states that a side has before the step."""
        self._states = states
        self._table = table
        self._step = step
        radices = states.radices[::-1]
        # Of equally dear losses the policy takes those given first: the later kinds are the smaller digits.
        self._reverse = np.cumprod([1, *radices[:-1]], dtype=np.int64)[: len(radices)][::-1]

    def codes_after(self, members: Ints, classes: tuple[HitClass, ...], numbers: Ints) -> Ints:
        """Return the numbers of the states after the hits, an array (members, vectors).

        Args:
            members: Rows of the side's states.
            classes: Classes of hits, weakest first.
            numbers: Hits of each class, an array (vectors, classes).
        """
        states = self._states
        exposed = np.array([self._is_exposed(index, classes) for index in range(len(states.kinds))])
        parts, inverse = distinct_rows(np.where(exposed, states.counts[members], 0))
        is_joint = self._table.fight.edition.joint_hits
        if self._step == "7A" or not is_joint or any(precise for _, _, precise in classes):
            drop = self._drops_one_by_one(parts, classes, numbers)
        else:
            drop = self._drops(parts, classes, numbers)
        return states.codes[members][:, None] - drop[inverse]

    def _is_exposed(self, index: int, classes: tuple[HitClass, ...]) -> bool:
        """Say whether losses can hang on the count of a kind."""
        kind, table = self._states.kinds[index], self._table
        if kind.unit.standard == "fighter" and table.minds_cover([aim for _, aim, _ in classes]):
            return True
        if kind.holds and table.policy.name == "keep_control":
            return True
        return any(can_hit(kind, aim) for _, aim, _ in classes)

    def _drops_one_by_one(self, parts: Ints, classes: tuple[HitClass, ...], numbers: Ints) -> Ints:
        vectors = numbers.tolist()
        afters = []
        for row in parts.tolist():
            part = tuple(row)
            for vector in vectors:
                hits = tuple(
                    Hit(level, aim, count, precise)
                    for (level, aim, precise), count in zip(classes, vector, strict=True)
                    if count
                )
                if self._step == "7A":
                    hits = best_combination(hits, part, self._table)
                afters.append(self._table.after(part, hits))
        after = np.array(afters, dtype=np.int64).reshape(len(parts), len(vectors), -1)
        return (parts[:, None, :] - after) @ self._states.strides

    def _drops(self, parts: Ints, classes: tuple[HitClass, ...], numbers: Ints) -> Ints:
        """Return by how much the states' numbers fall, an array (parts, vectors)."""
        plain = tuple((level, aim) for level, aim, _ in classes)
        payers = [self._table.payer(plain, tuple(part)) for part in parts.tolist()]
        found = np.empty((len(parts), len(numbers)), dtype=np.int64)
        slots_of = {id(payer): payer for payer in payers}
        for key, payer in slots_of.items():
            rows = np.array([n for n, other in enumerate(payers) if id(other) == key], dtype=np.int64)
            found[rows] = self._paid(payer, parts[rows], numbers)
        return found

    def _paid(self, payer: Payer, parts: Ints, numbers: Ints) -> Ints:
        """Return the falls of parts with the same payments, whatever hits come to the same paid only once."""
        if not payer.slots:
            return np.zeros((len(parts), len(numbers)), dtype=np.int64)
        there = np.stack([parts[:, list(slot)].sum(axis=1) for slot in payer.slots], axis=1)
        hits = np.empty((len(parts), len(numbers), numbers.shape[1]), dtype=np.int64)
        kinds_there, pattern = distinct_rows((there > 0).astype(np.int64))
        for row, same in zip(kinds_there.tolist(), groups(pattern, len(kinds_there)), strict=True):
            plan = payer.payments.plan(tuple(row))
            hits[same] = numbers @ np.array(plan, dtype=np.int64)
        takes = np.array(payer.payments.prices, dtype=np.int64) > 0
        np.minimum(hits, (there @ takes)[:, None, :], out=hits)
        demand = np.array(payer.payments.demand, dtype=np.int64)
        room = np.minimum(hits @ demand.T, there[:, None, :])

        kinds_of_hits, hit = distinct_rows(hits.reshape(-1, hits.shape[2]))
        kinds_of_room, place = distinct_rows(room.reshape(-1, room.shape[2]))
        pairs, _, pair = distinct(hit * len(kinds_of_room) + place)
        owner = np.repeat(np.arange(len(parts)), len(numbers))
        questions, _, question = distinct(owner * len(pairs) + pair)
        owner, pair = questions // len(pairs), questions % len(pairs)
        hits_of_pair = kinds_of_hits[pairs // len(kinds_of_room)]
        if self._table.policy.name == "order":
            drop = self._asked(payer, parts[owner], hits_of_pair[pair])
        else:
            room_of_pair = kinds_of_room[pairs % len(kinds_of_room)]
            offers = _options(payer.payments).offers(room_of_pair, hits_of_pair, pair)
            drop = self._cheapest(payer, parts, owner, offers)
            drop = self._kept(payer, parts[owner], hits_of_pair[pair], drop)
        return drop[question].reshape(len(parts), len(numbers))

    def _cheapest(self, payer: Payer, parts: Ints, owner: Ints, offers: _Offers) -> Ints:
        """Return the fall of the state's number for the cheapest payment of each question."""
        cost = np.zeros(len(offers.vectors), dtype=np.int64)
        first = np.zeros(len(offers.vectors), dtype=np.int64)
        drop = np.zeros(len(offers.vectors), dtype=np.int64)
        part = np.repeat(owner, offers.lengths)
        weights = np.array(self._table.weights, dtype=np.int64)
        for n, slot in enumerate(payer.slots):
            # What each kind of the slot gives when 0, 1, 2 ... of its units are lost, as an array (parts, lost).
            order = list(self._table.order_of(slot))
            counts = parts[:, order]
            before = np.cumsum(counts, axis=1) - counts
            lost = np.arange(int(counts.sum(axis=1).max()) + 1)
            given = np.clip(lost[None, :, None] - before[:, None, :], 0, counts[:, None, :])
            taken = offers.vectors[:, n]
            cost += (given @ weights[order])[part, taken]
            first += (given @ self._reverse[order])[part, taken]
            drop += (given @ self._states.strides[order])[part, taken]
        least = np.minimum.reduceat(cost, offers.starts)
        first[cost > np.repeat(least, offers.lengths)] = -1
        chosen = np.flatnonzero(first == np.repeat(np.maximum.reduceat(first, offers.starts), offers.lengths))
        return drop[chosen]

    def _kept(self, payer: Payer, parts: Ints, hits: Ints, drop: Ints) -> Ints:
        """Return the falls where the policy keeps a control-capable unit: those that lose the last one anew."""
        if self._table.policy.name != "keep_control":
            return drop
        holding = [kind.index for kind in self._states.kinds if kind.holds]
        left = (parts @ self._states.strides - drop)[:, None] // self._states.strides % self._states.radices
        bare = np.flatnonzero((left[:, holding].sum(axis=1) == 0) & (parts[:, holding].sum(axis=1) > 0))
        drop[bare] = self._asked(payer, parts[bare], hits[bare])
        return drop

    def _asked(self, payer: Payer, parts: Ints, hits: Ints) -> Ints:
        """Return the falls as the loss table works them, one by one."""
        afters: list[Counts] = [
            self._table.owners_choices(payer, tuple(part), (tuple(vector),))[0]
            for part, vector in zip(parts.tolist(), hits.tolist(), strict=True)
        ]
        return (parts - np.array(afters, dtype=np.int64).reshape(parts.shape)) @ self._states.strides


class _Offers(msgspec.Struct):
    """Payments to choose from: for each question a run of `lengths` rows of `vectors`, beginning at `starts`."""

    vectors: Ints
    starts: Ints
    lengths: Ints


class _Options:
    """The legal payments of one set of prices, laid out in one array for quick gathering."""

    def __init__(self, payments: Payments) -> None:
        self._payments = payments
        self._lock = Lock()
        """Odds may be asked by several threads at once: a screen's, a report's."""
        self._clear()

    def _clear(self) -> None:
        self._index: dict[tuple[Counts, Counts], int] = {}
        self._vectors: Ints = np.zeros((0, len(self._payments.prices)), dtype=np.int64)
        self._starts: Ints = np.zeros(0, dtype=np.int64)
        self._lengths: Ints = np.zeros(0, dtype=np.int64)

    def offers(self, rooms: Ints, hits: Ints, asked: Ints) -> _Offers:
        """Return the payments of questions, one after the other.

        Args:
            rooms: Units of each slot, one row for each different question.
            hits: Hits of each class, likewise.
            asked: Which of those rows is asked, in order.
        """
        with self._lock:
            numbers = self._find(rooms, hits)[asked]
            lengths = self._lengths[numbers]
            starts = np.cumsum(lengths) - lengths
            rows = np.arange(int(lengths.sum())) + np.repeat(self._starts[numbers] - starts, lengths)
            return _Offers(self._vectors[rows], starts, lengths)

    def _find(self, rooms: Ints, hits: Ints) -> Ints:
        """Return the number of each question; what is asked for the first time is laid out at the end."""
        if len(self._vectors) > _MOST_OPTIONS:
            self._clear()
        found = np.empty(len(rooms), dtype=np.int64)
        new: list[Counts] = []
        lengths: list[int] = []
        for n, key in enumerate(zip(map(tuple, rooms.tolist()), map(tuple, hits.tolist()), strict=True)):
            index = self._index.get(key)
            if index is None:
                vectors, _ = self._payments.best(*key)
                index = self._index[key] = len(self._index)
                new.extend(vectors)
                lengths.append(len(vectors))
            found[n] = index
        if new:
            added = np.array(lengths, dtype=np.int64)
            self._starts = np.concatenate([self._starts, len(self._vectors) + np.cumsum(added) - added])
            self._lengths = np.concatenate([self._lengths, added])
            self._vectors = np.concatenate([self._vectors, np.array(new, dtype=np.int64)])
        return found


@lru_cache(maxsize=256)
def _options(payments: Payments) -> _Options:
    return _Options(payments)
