"""Your own dice: a set learnt from a few photos and used as a second opinion (``vision.set_files`` keeps it).

Every value of a colour is shown once, in any order, over one or more photos. Since each value must come up exactly
once, what the reader is unsure of is settled by who is left over (the best assignment of dice to values); what it is
sure of is never moved. A set holds dice of one kind. What is kept of each die: its colour, its value and the reading
net's features of its face.
"""

from __future__ import annotations

__all__ = [
    "ColourState",
    "DiceSet",
    "Learner",
    "Sample",
    "assign",
    "check_name",
    "is_name",
    "set_votes",
]

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from companion.core.text import Name, Say, Typed, several
from vision.errors import SetError
from vision.numerals import FaceVote
from vision.types import COLOURS, legal_values

_NAME = re.compile(r"[^\W_][\w .'-]{0,39}")
_SURE = 0.9
"""Chance from which a vote alone counts as surely read."""
_LEAST = 0.01
"""Chance under which a die that is in doubt cannot have a value that is left over."""
_OUTSIDE = 0.05
"""What is left of a colour that the set does not have."""
F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sample:
    """One die of a set as it was shown."""

    kind: str
    colour: str
    value: int
    features: tuple[float, ...]
    """Of the face, from the reading net."""


@dataclass(frozen=True, slots=True)
class DiceSet:
    """A calibrated set."""

    name: str
    samples: tuple[Sample, ...]

    @property
    def colours(self) -> tuple[str, ...]:
        """Colours in it, in the usual order."""
        return tuple(c for c in COLOURS if any(s.colour == c for s in self.samples))

    def missing(self, kind: str, colour: str) -> tuple[int, ...]:
        """Values of a colour that were not shown."""
        shown = {s.value for s in self.samples if s.kind == kind and s.colour == colour}
        return tuple(v for v in legal_values(kind) if v not in shown)


def is_name(name: str) -> bool:
    """Say whether a set may have this name, which is its file's as well."""
    return _NAME.fullmatch(name) is not None


def check_name(name: str) -> None:
    """Refuse a name that cannot be a file's.

    Raises:
        SetError: The text says what a name may hold.
    """
    if not is_name(name):
        raise SetError(
            Say(
                "set name {name}: use up to 40 letters, digits, spaces and . ' - _, beginning with a letter or digit",
                name=Typed(repr(name)),
            )
        )


def assign(cost: NDArray[np.float64]) -> list[int]:
    """Give each row its own column so that the sum is least (Hungarian method).

    Args:
        cost: Shape (rows, columns). That the costs are finite is not checked.

    Raises:
        ValueError: There are more rows than columns.
    """
    n, m = cost.shape
    if n > m:
        raise ValueError(f"{n} dice cannot show {m} values once each")
    u, v = np.zeros(n + 1), np.zeros(m + 1)
    owner = np.zeros(m + 1, int)
    way = np.zeros(m + 1, int)
    for i in range(1, n + 1):
        owner[0] = i
        j0 = 0
        least = np.full(m + 1, np.inf)
        used = np.zeros(m + 1, bool)
        while True:
            used[j0] = True
            i0, delta, j1 = owner[j0], np.inf, 0
            for j in range(1, m + 1):
                if not used[j]:
                    here = cost[i0 - 1, j - 1] - u[i0] - v[j]
                    if here < least[j]:
                        least[j], way[j] = here, j0
                    if least[j] < delta:
                        delta, j1 = least[j], j
            for j in range(m + 1):
                if used[j]:
                    u[owner[j]] += delta
                    v[j] -= delta
                else:
                    least[j] -= delta
            j0 = j1
            if owner[j0] == 0:
                break
        while j0:
            owner[j0] = owner[way[j0]]
            j0 = way[j0]
    out = [-1] * n
    for j in range(1, m + 1):
        if owner[j]:
            out[owner[j] - 1] = j - 1
    return out


@dataclass(frozen=True, slots=True)
class ColourState:
    """How far one colour of a set has come."""

    colour: str
    dice: tuple[tuple[int, int], ...]
    """Value, and the number of the die that stands for it, by value."""
    missing: tuple[int, ...]
    """Values that no die stands for yet."""
    twice: tuple[int, ...]
    """Values that were shown more than once; one die of each stands for it, the others are left out."""
    unsettled: int
    """Dice that are not surely read and fit more values than are missing: nobody is left over."""

    @property
    def is_complete(self) -> bool:
        """Whether every value was shown."""
        return not self.missing


@dataclass(frozen=True, slots=True)
class _Shown:
    """A die that was shown: its vote, the value it surely has, and whether the table said so."""

    colour: str
    vote: FaceVote
    value: int | None
    is_told: bool = False


@dataclass(slots=True)
class Learner:
    """Gathers the photos of one set, which holds dice of one kind; not frozen because photos come one by one.

    A die that is surely read stands for its value and for nothing else. The others take what is left over, where their
    votes allow it. Order and the split over photos do not matter.
    """

    name: str
    kind: str = "d12"
    _shown: dict[int, _Shown] = field(default_factory=dict)
    _next: int = 0

    def __post_init__(self) -> None:
        """Check what a file could not be saved with."""
        check_name(self.name)
        legal_values(self.kind)

    @property
    def colours(self) -> tuple[str, ...]:
        """Colours that were shown, in the usual order."""
        return tuple(c for c in COLOURS if any(die.colour == c for die in self._shown.values()))

    def add(
        self, colour: str, votes: Sequence[FaceVote], sure: Sequence[int | None] | None = None
    ) -> tuple[int, ...]:
        """Take in the dice of one colour from one photo; return a number for each.

        Args:
            sure: Per die the value that it surely shows, None where that is in doubt. When missing, a chance of
                0.9 in the vote is sure.

        Raises:
            SetError: The colour is unknown, or a kind cannot show such a value.
        """
        if colour not in COLOURS:
            raise _no_colour(colour)
        if sure is None:
            sure = [self._sure(vote) for vote in votes]
        numbers = tuple(range(self._next, self._next + len(votes)))
        for number, vote, value in zip(numbers, votes, sure, strict=True):
            if value is not None and value not in legal_values(self.kind):
                raise SetError(Say("a {kind} cannot show {value}", kind=Typed(self.kind), value=value))
            self._shown[number] = _Shown(colour, vote, value)
        self._next += len(votes)
        return numbers

    def tell(self, number: int, value: int) -> None:
        """Let the table say what a die shows; this outweighs every reading.

        Raises:
            SetError: The kind cannot show such a value.
            KeyError: There is no such die.
        """
        if value not in legal_values(self.kind):
            raise SetError(Say("a {kind} cannot show {value}", kind=Typed(self.kind), value=value))
        self._shown[number] = replace(self._shown[number], value=value, is_told=True)

    def recolour(self, number: int, colour: str) -> None:
        """Let the table say which colour a die has; SetError for an unknown one, KeyError for a die that is not there."""
        if colour not in COLOURS:
            raise _no_colour(colour)
        self._shown[number] = replace(self._shown[number], colour=colour)

    def numbers(self, colour: str) -> tuple[int, ...]:
        """Return the dice of a colour that were shown, by number."""
        return tuple(n for n, die in self._shown.items() if die.colour == colour)

    def drop(self, number: int) -> None:
        """Leave a die out; twice is safe."""
        self._shown.pop(number, None)

    def forget(self, colour: str) -> None:
        """Start a colour again."""
        self._shown = {n: die for n, die in self._shown.items() if die.colour != colour}

    def _chances(self, vote: FaceVote) -> NDArray[np.float64]:
        logp = np.array(vote.logp)
        values = list(legal_values(self.kind))
        legal = logp[values]
        if self.kind == "d10":
            legal[values.index(10)] = np.logaddexp(logp[0], logp[10])
        p = np.exp(legal - legal.max())
        return np.asarray(p / p.sum())

    def _sure(self, vote: FaceVote) -> int | None:
        p = self._chances(vote)
        return legal_values(self.kind)[int(np.argmax(p))] if p.max() >= _SURE else None

    def state(self, colour: str) -> ColourState:
        """Say which die of a colour stands for which value, and what is wrong."""
        values = list(legal_values(self.kind))
        mine = {n: die for n, die in self._shown.items() if die.colour == colour}
        chances = {n: self._chances(die.vote) for n, die in mine.items()}
        taken: dict[int, int] = {}
        twice: set[int] = set()
        # what is surely read is never moved to another value: of two alike the surer one stands for it
        plain = [(n, die.value) for n, die in mine.items() if die.value is not None]
        for n, value in sorted(
            plain, key=lambda item: (not mine[item[0]].is_told, -chances[item[0]][values.index(item[1])])
        ):
            if value in taken:
                twice.add(value)
            else:
                taken[value] = n
        rest = [n for n, die in mine.items() if die.value is None]
        unsettled = 0
        while rest:
            free = [v for v in values if v not in taken]
            at = [values.index(v) for v in free]
            fits = {n: float(chances[n][at].max()) if at else 0.0 for n in rest}
            worst = min(rest, key=lambda n: fits[n])
            if fits[worst] >= _LEAST and len(rest) > len(free):
                unsettled = len(rest)
                break
            if fits[worst] >= _LEAST:
                cost = -np.log(np.maximum(np.array([chances[n][at] for n in rest]), 1e-6))
                chosen = dict(zip(rest, (free[j] for j in assign(cost)), strict=True))
                fits = {n: float(chances[n][values.index(v)]) for n, v in chosen.items()}
                worst = min(rest, key=lambda n: fits[n])
                if fits[worst] >= _LEAST:
                    taken.update({v: n for n, v in chosen.items()})
                    break
            # it can be none of those that are left: it shows what another die shows too
            rest.remove(worst)
            twice.add(values[int(np.argmax(chances[worst]))])
        return ColourState(
            colour,
            tuple(sorted(taken.items())),
            tuple(v for v in values if v not in taken),
            tuple(sorted(twice)),
            unsettled,
        )

    def missing(self, colour: str) -> tuple[int, ...]:
        """Say which values of a colour still have to be shown."""
        return self.state(colour).missing

    def finish(self) -> DiceSet:
        """Make the set.

        Raises:
            SetError: A colour has values missing, shown twice or not told apart; the text says which.
        """
        states = [self.state(colour) for colour in self.colours]
        if not states:
            raise SetError(Say("set {name}: no dice have been shown yet", name=Typed(self.name)))
        if not all(state.is_complete for state in states):
            raise SetError(
                Say(
                    "set {name}: {why}",
                    name=Typed(self.name),
                    why=several(map(_in_words, states), "sentences"),
                )
            )
        samples = [
            Sample(self.kind, state.colour, value, self._shown[number].vote.features)
            for state in states
            for value, number in state.dice
        ]
        return DiceSet(self.name, tuple(samples))


def _no_colour(colour: str) -> SetError:
    return SetError(
        Say(
            "colour must be one of {colours}, got {colour}",
            colours=Typed(", ".join(COLOURS)),
            colour=Typed(repr(colour)),
        )
    )


def _in_words(state: ColourState) -> Say:
    colour, lacking = Name("colour", state.colour), several(state.missing, "comma")
    if state.is_complete:
        return Say("{colour} is complete.", colour=colour)
    if state.unsettled:
        return Say.counted(
            "{colour}: {values} missing, and {n} die could not be read for certain. Show the "
            "missing values in a separate photo, with better light.",
            "{colour}: {values} missing, and {n} dice could not be read for certain. Show the "
            "missing values in a separate photo, with better light.",
            state.unsettled,
            colour=colour,
            values=lacking,
        )
    if state.twice:
        return Say(
            "{colour}: {doubles} shown twice, {values} missing. Show a die with each missing value.",
            colour=colour,
            doubles=several(state.twice, "comma"),
            values=lacking,
        )
    return Say("{colour}: {values} still missing. Show a die with each.", colour=colour, values=lacking)


def set_votes(
    dice_set: DiceSet,
    votes: Sequence[FaceVote],
    tones: NDArray[np.float64],
    kinds: Sequence[str],
    *,
    weight: float = 1.0,
) -> tuple[tuple[FaceVote, ...], NDArray[np.float64]]:
    """Add the set's opinion: faces like one that was shown gain, colours outside of the set lose.

    Dice of a kind that the set has no sample of keep votes and tones as they are.

    Args:
        tones: (n, colours) probabilities.
        kinds: Each die's kind, as named before.
        weight: Log odds for a full step of likeness.
    """
    tones = np.array(tones, np.float64)
    out = []
    for i, (vote, kind) in enumerate(zip(votes, kinds, strict=True)):
        of_kind = [s for s in dice_set.samples if s.kind == kind]
        if not of_kind:
            out.append(vote)
            continue
        have = {s.colour for s in of_kind}
        tones[i] *= np.array([1.0 if c in have else _OUTSIDE for c in COLOURS])
        tones[i] /= max(float(tones[i].sum()), 1e-9)
        colour = COLOURS[int(np.argmax(tones[i]))]
        mine = [s for s in of_kind if s.colour == colour and len(s.features) == len(vote.features)]
        if not mine or not vote.features:
            out.append(vote)
            continue
        shown = np.array([s.features for s in mine])
        seen = np.array(vote.features)
        middle = shown.mean(axis=0)
        a, b = shown - middle, seen - middle
        like = a @ b / (np.linalg.norm(a, axis=1) * np.linalg.norm(b) + 1e-6)
        gain = np.full(13, float(like.min()))
        for s, value in zip(mine, like, strict=True):
            gain[s.value] = max(gain[s.value], value)
        logp = np.array(vote.logp) + weight * 6.0 * (gain - gain.max())
        logp -= logp.max() + np.log(np.exp(logp - logp.max()).sum())
        out.append(replace(vote, logp=tuple(logp.tolist())))
    return tuple(out), tones
