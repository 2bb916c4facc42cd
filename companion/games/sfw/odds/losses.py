"""Casualties of one side for many strengths and many results of the dice at once.

What hits may take and what a policy gives up is asked of `companion.games.sfw.rules.battle_losses`; here the answers are
looked up and compared in arrays. Choices that hang on the shooter, on combined fire or on a policy of its own go
through `LossTable` one by one.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from threading import Lock

from companion.games.sfw.odds.payments import Offers, legal_payments, runs
from companion.games.sfw.odds.states import (
    Ints,
    SideStates,
    TooLargeError,
    distinct,
    distinct_rows,
    groups,
    ranked,
)
from companion.games.sfw.rules.battle import Counts, Fight
from companion.games.sfw.rules.battle_losses import Hit, LossTable, Payer, Policy
from companion.games.sfw.rules.battle_payments import SLOT_BITS, Payments
from companion.games.sfw.rules.battle_play import best_combination
from companion.games.sfw.rules.battle_rolls import Aim
from companion.odds.arrays import np

__all__ = ["HitClass", "Losses"]

HitClass = tuple[int, Aim, bool]
"""Hits that are paid alike: level, aim, precise."""

_MOST_OPTIONS = 400_000
"""Payments kept for one set of prices."""

_MAX_PAYMENTS = 250_000
"""Most casualties of one side worked for one step: a few seconds."""

_BITS = 63
"""Bits of a number above 0 in an array."""

_HIGHEST = (1 << 63) - 1

_FEW = 48
"""So many results or fewer are asked one by one."""

_MANY = 420
"""More payments than so many are worked together."""


class _Falls:
    """Falls that were worked out for one side of a fight under a policy, for when it is asked about again."""

    def __init__(self, fight: Fight, side: str, policy: Policy) -> None:
        self.fight, self.side, self.policy = fight, side, policy
        self._known: dict[tuple[object, ...], Ints] = {}
        self._bytes = 0

    def get(self, key: tuple[object, ...]) -> Ints | None:
        return self._known.get(key)

    def put(self, key: tuple[object, ...], falls: Ints) -> None:
        size = falls.nbytes + sum(len(part) for part in key if isinstance(part, bytes))
        if self._bytes + size <= _MOST_BYTES:
            falls.setflags(write=False)
            self._known[key] = falls
            self._bytes += size


_KEPT: list[_Falls] = []
"""Those of the fights asked about last, the latest last."""
_MOST_KEPT = 4
_MOST_BYTES = 2_000_000
"""Size of the falls that are kept for one side of a fight."""
_LOCK = Lock()


def _falls_of(table: LossTable) -> _Falls:
    """Return what was worked out for a side of a fight like this."""
    with _LOCK:
        for kept in _KEPT:
            same = kept.fight is table.fight or kept.fight == table.fight
            if same and kept.side == table.side and kept.policy == table.policy:
                _KEPT.remove(kept)
                break
        else:
            kept = _Falls(table.fight, table.side, table.policy)
        _KEPT.append(kept)
        del _KEPT[:-_MOST_KEPT]
        return kept


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

    def falls(self, members: Ints, classes: tuple[HitClass, ...], numbers: Ints) -> tuple[Ints, Ints, Ints]:
        """Return by how much hits bring down the numbers of states, as far as the states differ in what can be lost.

        Args:
            members: Rows of the side's states.
            classes: Classes of hits, weakest first.
            numbers: Hits of each class, an array (vectors, classes).

        Returns:
            The part of the number that stands for what can be lost, for each part that occurs; which part each of
            the members has; and the falls, an array (parts, vectors).

        Raises:
            TooLargeError: There are too many results to be worked.
        """
        states = self._states
        parts, inverse = self.parts(members, classes)
        if len(parts) * len(numbers) > _MAX_PAYMENTS:
            raise TooLargeError(
                f"step {self._step}: casualties of {len(parts) * len(numbers)} results to be worked"
            )
        is_joint = self._table.fight.edition.joint_hits
        is_apart = self._step == "7A" or not is_joint or any(precise for _, _, precise in classes)
        kept = _falls_of(self._table)
        key = (self._step == "7A", classes, len(parts), parts.tobytes(), numbers.tobytes())
        drop = kept.get(key)
        if drop is None:
            drop = (self._drops_one_by_one if is_apart else self._drops)(parts, classes, numbers)
            kept.put(key, drop)
        return parts @ states.strides, inverse, drop

    def parts(self, members: Ints, classes: tuple[HitClass, ...]) -> tuple[Ints, Ints]:
        """Return the different counts of what hits of some classes can take, and which of them each of some states has."""
        table, aims = self._table, {aim for _, aim, _ in classes}
        minds_cover, keeps = table.minds_cover([*aims]), table.policy.name == "keep_control"
        nobody = [False] * len(self._states.kinds)
        exposed = [any(each) for each in zip(nobody, *map(self._states.exposed, aims), strict=True)]
        for kind in self._states.kinds if minds_cover or keeps else ():
            if (minds_cover and kind.unit.standard == "fighter") or (keeps and kind.holds):
                exposed[kind.index] = True
        return distinct_rows(self._states.counts[members] * exposed)

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
        if len(parts) * len(numbers) <= _FEW:
            return self._drops_of_few(parts, plain, numbers)
        payers = [self._table.payer(plain, tuple(part)) for part in parts.tolist()]
        found = np.empty((len(parts), len(numbers)), dtype=np.int64)
        slots_of = {id(payer): payer for payer in payers}
        for key, payer in slots_of.items():
            rows = np.array([n for n, other in enumerate(payers) if id(other) == key], dtype=np.int64)
            found[rows] = self._paid(payer, parts[rows], numbers)
        return found

    def _drops_of_few(self, parts: Ints, classes: tuple[tuple[int, Aim], ...], numbers: Ints) -> Ints:
        """Return by how much the states' numbers fall, asked one by one: quicker than arrays for a few."""
        table, vectors = self._table, [tuple(vector) for vector in numbers.tolist()]
        afters = [
            table.owners_choices(table.payer(classes, part), part, vectors)
            for part in map(tuple, parts.tolist())
        ]
        after = np.array(afters, dtype=np.int64).reshape(len(parts), len(vectors), parts.shape[1])
        return (parts[:, None, :] - after) @ self._states.strides

    def _paid(self, payer: Payer, parts: Ints, numbers: Ints) -> Ints:
        """Return the falls of parts with the same payments, whatever hits come to the same paid only once."""
        if not payer.slots:
            return np.zeros((len(parts), len(numbers)), dtype=np.int64)
        there = np.array([np.add.reduce(parts[:, list(slot)], axis=1) for slot in payer.slots]).T
        restated = np.empty((numbers.shape[1], len(parts), len(numbers)), dtype=np.int64)
        kinds_there, pattern = distinct_rows((there > 0).astype(np.int64))
        for row, same in zip(kinds_there.tolist(), groups(pattern, len(kinds_there)), strict=True):
            plan = payer.payments.plan(tuple(row))
            restated[:, same] = (numbers @ np.array(plan, dtype=np.int64)).T[:, None, :]
        # One array (parts, vectors) for the hits of each class, and for the units of each slot that they could take.
        takes = np.array(payer.payments.prices, dtype=np.int64) > 0
        hits = [np.minimum(own, most[:, None]) for own, most in zip(restated, (there @ takes).T, strict=True)]
        rooms = []
        for most, demand in zip(there.T, payer.payments.demand, strict=True):
            wanted = np.zeros((len(parts), len(numbers)), dtype=np.int64)
            for own, each in zip(hits, demand, strict=True):
                if each:
                    wanted += own * each
            rooms.append(np.minimum(wanted, most[:, None]))
        kinds_of_hits, hit = _distinct_digits(hits)
        kinds_of_room, place = _distinct_digits(rooms)
        pairs, pair = ranked(hit * len(kinds_of_room) + place)
        owner = np.arange(len(parts)).repeat(len(numbers))
        questions, question = ranked(owner * len(pairs) + pair)
        owner, pair = questions // len(pairs), questions % len(pairs)
        hits_of_pair, room_of_pair = np.divmod(pairs, len(kinds_of_room))
        offers = _options(payer.payments).offers(
            kinds_of_room, kinds_of_hits, room_of_pair, hits_of_pair, pair
        )
        drop = self._chosen(payer, parts, owner, offers)
        if self._table.policy.name == "keep_control":
            drop = self._kept(payer, parts[owner], kinds_of_hits[hits_of_pair[pair]], drop)
        return drop[question].reshape(len(parts), len(numbers))

    def _chosen(self, payer: Payer, parts: Ints, owner: Ints, offers: Offers) -> Ints:
        """Return the fall of the state's number for the payment of each question that the policy takes."""
        # What is to be least, one after the other; last the fall itself.
        weights = np.array([*self._dear(), self._table.weights, -self._reverse, self._states.strides])
        sums = np.zeros((len(weights), len(offers.vectors)), dtype=np.int64)
        part = owner.repeat(offers.lengths)
        for n, slot in enumerate(payer.slots):
            # What each kind of the slot gives when 0, 1, 2 ... of its units are lost, as an array (parts, lost).
            order = list(self._table.order_of(slot))
            counts = parts[:, order]
            before = counts.cumsum(axis=1) - counts
            totals = np.add.reduce(counts, axis=1)
            lost = np.arange(totals[totals.argmax()] + 1)
            given = np.maximum(np.minimum(lost[None, :, None] - before[:, None, :], counts[:, None, :]), 0)
            at = part * len(lost) + offers.vectors[:, n]
            for one, values in zip(sums, weights[:, order], strict=True):
                one += (given @ values).ravel()[at]
        is_best = np.ones(len(part), dtype=bool)
        for one in sums[:-1]:
            one[~is_best] = _HIGHEST
            is_best = one == np.minimum.reduceat(one, offers.starts).repeat(offers.lengths)
        falls: Ints = sums[-1][is_best]
        return falls

    def _dear(self) -> list[Ints]:
        """Return for each kind what makes a loss of a unit named later in the table's own order outweigh all before."""
        if self._table.policy.name != "order":
            return []
        ranks = np.array(self._table.ranks)
        most = np.bincount(ranks, self._states.radices - 1).astype(np.int64)
        return [np.cumprod([1, *(most[:-1] + 1)], dtype=np.int64)[ranks]]

    def _kept(self, payer: Payer, parts: Ints, hits: Ints, drop: Ints) -> Ints:
        """Return the falls where the policy keeps a control-capable unit: those that lose the last one anew."""
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


class _Options:
    """The legal payments of one set of prices, laid out in one array for quick gathering."""

    def __init__(self, payments: Payments) -> None:
        self._payments = payments
        self._lock = Lock()
        """Odds may be asked by several threads at once: a screen's, a report's."""
        self._clear()

    def _clear(self) -> None:
        self._keys: Ints = np.zeros(0, dtype=np.int64)
        """Questions known, rising: room and hits as the digits of one number."""
        self._numbers: Ints = np.zeros(0, dtype=np.int64)
        """The number of each of them."""
        self._vectors: Ints = np.zeros((0, len(self._payments.prices)), dtype=np.int64)
        self._starts: Ints = np.zeros(0, dtype=np.int64)
        self._lengths: Ints = np.zeros(0, dtype=np.int64)

    def offers(self, rooms: Ints, hits: Ints, room_of: Ints, hits_of: Ints, asked: Ints) -> Offers:
        """Return the payments of questions, one after the other.

        Args:
            rooms: Different units of each slot, one row each.
            hits: Different hits of each class, likewise.
            room_of: The row of `rooms` of each different question, each question once.
            hits_of: The row of `hits` of each.
            asked: Which of these questions is asked, in order.
        """
        with self._lock:
            if len(self._vectors) > _MOST_OPTIONS:
                self._clear()
            questions = np.concatenate([rooms[room_of], hits[hits_of]], axis=1)
            bits = _BITS // questions.shape[1]
            # What cannot be told apart by one number is worked anew each time.
            is_small = bits and max(rooms.max(), hits.max()) < 1 << bits
            if not is_small:
                self._clear()
            places = 1 << np.arange(0, bits * questions.shape[1], bits)
            numbers = self._find(questions, questions @ places if is_small else np.arange(len(questions)))[
                asked
            ]
            lengths = self._lengths[numbers]
            rows = runs(self._starts[numbers], lengths)
            found = Offers(self._vectors[rows], np.cumsum(lengths) - lengths, lengths)
            if not is_small:
                self._clear()
            return found

    def _find(self, questions: Ints, keys: Ints) -> Ints:
        """Return the number of each question; what is asked for the first time is laid out at the end."""
        at = self._keys.searchsorted(keys)
        if len(self._keys):
            is_new = self._keys[np.minimum(at, len(self._keys) - 1)] != keys
        else:
            is_new = np.ones(len(keys), dtype=bool)
        new = np.flatnonzero(is_new)
        if len(new):
            self._add(keys[new], self._worked(questions[new]))
            at = self._keys.searchsorted(keys)
        return self._numbers[at]

    def _worked(self, questions: Ints) -> Offers:
        """Return the payments of questions; a room is what its hits could take at most."""
        rooms, hits = np.split(questions, [len(self._payments.prices)], axis=1)
        found = legal_payments(self._payments, rooms, hits) if len(rooms) > _MANY else None
        if found is not None:
            return found
        codes: list[int] = []
        lengths: list[int] = []
        for room, hit in zip(map(tuple, rooms.tolist()), map(tuple, hits.tolist()), strict=True):
            best, _ = self._payments.codes_of(room, hit)
            codes.extend(best)
            lengths.append(len(best))
        many = np.array(lengths, dtype=np.int64)
        return Offers(_vectors(self._payments, codes), np.cumsum(many) - many, many)

    def _add(self, keys: Ints, more: Offers) -> None:
        numbers = len(self._starts) + np.arange(len(keys))
        self._starts = np.concatenate([self._starts, len(self._vectors) + more.starts])
        self._lengths = np.concatenate([self._lengths, more.lengths])
        self._vectors = np.concatenate([self._vectors, more.vectors])
        every = np.concatenate([self._keys, keys])
        order = every.argsort(kind="stable")
        self._keys, self._numbers = every[order], np.concatenate([self._numbers, numbers])[order]


def _distinct_digits(digits: list[Ints]) -> tuple[Ints, Ints]:
    """Return the different rows of digits that are given place by place, and which of them each is; both flat."""
    code, value = digits[0].ravel(), 1
    for before, digit in pairwise(digits):
        flat = before.ravel()
        value *= flat.item(flat.argmax()) + 1
        code = code + digit.ravel() * value
    _numbers, first, inverse = distinct(code)
    return np.array([digit.ravel()[first] for digit in digits]).T, inverse


def _vectors(payments: Payments, codes: list[int]) -> Ints:
    """Return payments by code as rows of units by slot, shape (payments, slots)."""
    slots = len(payments.prices)
    if slots * SLOT_BITS >= _BITS:
        rows = [payments.vector(code) for code in codes]
        return np.array(rows, dtype=np.int64).reshape(len(codes), slots)
    every = np.array(codes, dtype=np.int64)[:, None]
    found: Ints = every >> np.arange(0, slots * SLOT_BITS, SLOT_BITS) & ((1 << SLOT_BITS) - 1)
    return found


@lru_cache(maxsize=256)
def _options(payments: Payments) -> _Options:
    return _Options(payments)
