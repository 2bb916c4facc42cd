"""The Sealed screen: hidden fleets and units, what forces a reveal now, what was revealed with its proof.

A note is sealed and opened by the vault of the desk, outside the game's log. A PIN stands only in the question that asks for
it, and a note that is being written is dropped when the screen is left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Literal, Protocol

import msgspec
from msgspec.structs import replace

from companion.core.ids import Nation
from companion.core.ledger import SealedEnvelope, reseal_proof
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Typed, Value, nation, several, side, unit
from companion.games.sfw.pages.sealings import commitments, sealed_by, sealings, sealings_say
from companion.games.sfw.pages.spaces import meant, name_space, sea_spaces, space_field
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger import nation_side, ruling
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import spelled
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.words_ledger import FORCED_TEXTS
from companion.pages.notices import told
from companion.pages.page import (
    TABLE_VIEWER,
    Act,
    Acts,
    Answers,
    Ask,
    Button,
    Counter,
    Do,
    Draft,
    Field,
    Form,
    Head,
    Item,
    Pad,
    Page,
    Refuse,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    Tiles,
    asked,
    sure,
)
from companion.pages.parts import back_button, nation_mark
from companion.pages.rulings import ruling_items
from companion.pages.speak import speak
from companion.pages.symbols import unit_short, unit_symbol

__all__ = [
    "Note",
    "SealedDraft",
    "Vault",
    "draft_fault",
    "sealed_page",
    "secret_history",
    "secret_shown",
    "start_spaces",
]


class Vault(Protocol):
    """What seals and opens notes, outside the game's log; the screen is handed one. Texts never leave it stored."""

    def seal(
        self, text: str, label: str, *, side: str, side_pin: str, arbiter_pin: str = ""
    ) -> tuple[SealedEnvelope, str]:
        """Return the envelope and a recovery code to show once. ValueError: why not."""
        ...

    def open(
        self, envelope: SealedEnvelope, label: str, holder: str, secret: str, *, tries_of: str
    ) -> tuple[str, str]:
        """Return plain text and opening. PermissionError: a wrong PIN or code; ValueError: why it cannot be opened."""
        ...

    def note(self, of: str, envelope: SealedEnvelope) -> None:
        """Remember on this box that a game has taken a note."""
        ...

    def lacking(self, of: str, commitments: frozenset[str]) -> int:
        """Return how many notes this box sealed for something that are not among those of a log."""
        ...


class Note(msgspec.Struct, frozen=True):
    """A note that its owner is writing."""

    nation: Nation
    kind: se.SecretKind
    secret: str = ""
    """The secret that is sealed again; empty: a new one."""
    space: str = ""
    units: dict[str, int] = {}
    proof: str = ""
    """Of one that is sealed again: that its owner opened it."""

    @property
    def content(self) -> se.Content:
        """What is sealed."""
        return se.Content(self.space, {one: count for one, count in self.units.items() if count})


class SealedDraft(msgspec.Struct, frozen=True):
    """What is being entered."""

    note: Note | None = None
    is_aboard: bool = False
    """Aircraft and cargo of a fleet are entered, not its ships."""
    is_taking: bool = False
    """A tap takes a unit off again."""


def _put(**what: object) -> Draft[SealedDraft]:
    return Draft(lambda draft: replace(draft, **what), SealedDraft())


def _write(note: Note | None) -> Draft[SealedDraft]:
    return _put(note=note) if note is not None else Draft(lambda _draft: SealedDraft(), SealedDraft())


_NOTHING = Draft(lambda draft: draft, SealedDraft())
"""Closes a question without more."""


def _vault(sight: Sight) -> Vault | None:
    return getattr(sight.desk, "vault", None)


def sealed_page(sight: Sight) -> Shown:
    """Return the secrets, or the note that is being written."""
    state, acts, draft = sight.state, Acts(), sight.entered(SealedDraft())
    is_box = sight.viewer == TABLE_VIEWER
    if draft.note is not None:
        return _note_page(sight, acts, draft, draft.note)
    own = state.game["seals"].secrets.values()
    secrets = sorted(own, key=lambda secret: secret.shown is not None)
    on_board = state.step.phase == "tactical" and se.is_closed(state) is None
    rows = [_secret(sight, acts, secret, can_reveal=on_board) for secret in secrets]
    for secret in secrets:
        lines = enumerate((*secret_shown(state, secret), *_sealings(sight, secret)))
        rows += [Item(f"{secret.id}.{n}", line, Typed(secret.label)) for n, line in lines]
        rows += _lacking(sight, secret)
    for reason in se.forced_questions(state):
        rows.append(Item(f"if.{reason}", Say("Reveal if: {why}", why=Name("forced", reason)), state="muted"))
    rows += _new(sight, acts)
    rulings = ("late_fleet", "fleet_place", *(("upgrade_hidden",) if _hides_upgrades(state) else ()))
    rows += ruling_items(state, acts, rulings)  # among the rows, so that a full page turns
    searchers, foes = _search(state) if is_box else ([], [])
    tools = _dial_tool(state, acts) if is_box else ()
    if searchers and (foes or _dials(state)):
        search = acts.put("search", _ask_search(state, searchers, foes))
        tools = (Button(Say("Search a sea space"), search), *tools)
    main = back_button(acts)
    sides = [one for one in se.must_confirm(state, state.step) if is_box or one in sight.viewer.sees]
    if sides:
        act: Act | None = None
        for one in reversed(sides):
            act = Send(se.ConfirmHidden(state.step.id, one), then=act)
        assert act is not None
        who = several(map(side, sides), "comma")
        main = Button(Say("{side}: stays hidden", side=who), acts.put("hidden", act))
    page = Page(
        "sealed",
        Say("Sealed"),
        _when(state, on_board=on_board),
        "muted",
        tools=tools,
        blocks=(Rows("sealed", tuple(rows), empty=Say("Nothing is sealed")),),
        main=main,
    )
    return Shown(page, acts)


def _hides_upgrades(state: GameState) -> bool:
    """Say whether a nation that has upgraded units has units hidden."""
    upgraded = {key.partition(".")[0] for key in unit_table_of(state).upgrades}
    return any(secret.nation in upgraded for secret in se.hidden(state))


def _when(state: GameState, *, on_board: bool) -> Say | None:
    """Say when secrets are revealed, where that is not now or only with a condition."""
    if on_board and state.step.movement_step == 6:
        return Say("In step 6 only where no enemy unit is in its space: no battle can follow")
    if on_board or state.step.phase == "setup":
        return None
    last = tables(state).hidden.last_step
    return Say("Nothing can be revealed now; only in movement steps 1 to {n}", n=last)


# What is sealed


def _is_mine(sight: Sight, who: str) -> bool:
    """Say whether a nation's secrets may be handled here: all of them on the box, on a side's own phone its own."""
    return sight.viewer == TABLE_VIEWER or nation_side(sight.state.frozen_setup, who) in sight.viewer.sees


def _secret(sight: Sight, acts: Acts, secret: se.Secret, *, can_reveal: bool) -> Item:
    """Return a secret; a tap asks who looks, who reveals it, what forced it, or for it to be sealed again."""
    state, is_owed = sight.state, secret.owed in se.FORCED
    act = None
    if secret.shown is None and _is_mine(sight, secret.nation):
        ask = _ask_what(sight, secret, can_reveal=can_reveal or bool(secret.owed))
        act = acts.put(f"secret.{secret.id}", ask)
    return Item(
        secret.id,
        Typed(secret.label),
        Name("forced", secret.owed) if is_owed else secret_history(state, secret),
        mark=nation_mark(state.frozen_setup, secret.nation),
        state="danger" if is_owed else "done" if secret.shown is not None else "plain",
        act=act,
        symbol="eye" if secret.shown is not None else "lock",
    )


def secret_history(state: GameState, secret: se.Secret) -> Value:
    """Return when a secret was sealed, how often again, who looked, when it was revealed."""

    def at(step: str) -> Value:
        if step not in state.itinerary:
            return Typed(step)
        stage = state.itinerary.steps[state.itinerary.index(step)].stage  # type: ignore[arg-type]
        return Say("{n}, {step}", n=stage, step=Name("step", step)) if stage else Name("step", step)

    first, last = secret.versions[0], secret.versions[-1]
    parts = [Say("sealed: {when}", when=at(first.step))]
    if last is not first:
        parts.append(Say("again {when}", when=at(last.step)))
    looked = sum(item.is_right for item in secret.openings)
    wrong = len(secret.openings) - looked
    if looked:
        parts.append(Say.counted("opened {n} time", "opened {n} times", looked))
    if wrong:
        parts.append(Say.counted("{n} wrong PIN", "{n} wrong PINs", wrong))
    if secret.shown is not None:
        parts.append(Say("revealed {when}", when=at(secret.shown.step)))
    return reduce(lambda one, other: Say("{one}; {other}", one=one, other=other), parts)


def _lines(state: GameState, secret: se.Secret, content: se.Content) -> tuple[Value, ...]:
    """Return what a note says, line by line, its units as their nation has them now."""
    units = se.units_of_note(state, secret, content)
    counts = [Count(count, unit(one)) for one, count in units.items() if count]
    found: list[Value] = []
    if content.space:
        found.append(Say("Space {space}", space=space_of(content.space)))
    if counts:
        found.append(several(counts, "comma"))
    return (*found, *((Typed(content.note),) if content.note else ()))


def secret_shown(state: GameState, secret: se.Secret) -> tuple[Value, ...]:
    """Return what a secret said, with its proof, once it is revealed."""
    if secret.shown is None:
        return ()
    content = se.content_of(secret.shown.plain_text)
    lines = (*_lines(state, secret, content), Say("Proof: unchanged since it was sealed"))
    fault = se.fleet_fault(tables(state), unit_table_of(state), se.units_of_note(state, secret, content))
    if secret.kind == "fleet" and content.units and fault is not None:
        return (*lines, Say("Outside the limits: {fault}", fault=fault))
    return lines


def _sealings(sight: Sight, secret: se.Secret) -> tuple[Value, ...]:
    """Return all sealings of a secret that was sealed more than once, those taken back too."""
    if sight.desk is None:
        return ()
    known = sight.state.game["seals"].secrets
    found = sealings(sight.desk.entries(), sight.desk.counts, secret, known)
    told = sealings_say(found, sight.wall_ms)
    return () if told is None else (told,)


def _lacking(sight: Sight, secret: se.Secret) -> tuple[Item, ...]:
    """Tell of notes that this box sealed for a secret and that its log does not have: it was cut, or written anew."""
    vault, game_id = _vault(sight), sight.state.frozen_setup.game_id
    if vault is None or sight.desk is None or not game_id:
        return ()
    of = sealed_by(game_id, secret.nation, secret.kind)
    n = vault.lacking(of, commitments(sight.desk.entries(), secret))
    if not n:
        return ()
    text = Say.counted(
        "This box sealed {n} more note for it that this log lacks.",
        "This box sealed {n} more notes for it that this log lacks.",
        n,
    )
    sub = Say("The log is a copy of before, or was changed outside the app.")
    return (Item(f"{secret.id}.lacking", text, sub, state="danger", symbol="warning"),)


def _holders(state: GameState, secret: se.Secret) -> dict[str, Say]:
    """Return who can open a secret: its side, the arbiter where he has a key, and whoever has the recovery code."""
    words = {"arbiter": Say("the arbiter's PIN"), "recovery": Say("the recovery code")}
    keys = [key.holder for key in secret.versions[-1].envelope.keys]
    return {
        key: words.get(key, Say("the side's PIN"))
        for key in keys or [nation_side(state.frozen_setup, secret.nation)]
    }


def _ask_what(sight: Sight, secret: se.Secret, *, can_reveal: bool) -> Ask:
    holders = _holders(sight.state, secret)
    options = [
        *(Item(f"look.{key}", Say("Look: {who}", who=who)) for key, who in holders.items()),
        *(Item(f"reveal.{key}", Say("Reveal: {who}", who=who)) for key, who in holders.items() if can_reveal),
        Item("again", Say("It moved or changed: seal it again")),
        *(Item(f"owe.{key}", Name("forced", key)) for key in FORCED_TEXTS),
    ]

    def chosen(key: str) -> Act:
        what, _dot, which = key.partition(".")
        if what == "owe":
            return Send(se.OweReveal(secret.id, which))
        if what == "again":
            return _ask_owner(sight, secret, holders)
        return _ask_key(sight, secret, which, holders[which], _revealed if what == "reveal" else _shown)

    return asked("secret", Typed(secret.label), tuple(options), chosen)


def _ask_owner(sight: Sight, secret: se.Secret, holders: dict[str, Say]) -> Act:
    """Ask whoever seals a secret again to open it first, so that nobody replaces what somebody else sealed."""

    def opened(holder: str) -> Act:
        return _ask_key(sight, secret, holder, holders[holder], _written_again)

    if len(holders) == 1:
        return opened(next(iter(holders)))
    return asked(
        "owner",
        Say("Who opens it to seal it again?"),
        tuple(Item(key, who) for key, who in holders.items()),
        opened,
    )


Then = Callable[[Sight, se.Secret, str, str, str], Act]
"""What follows an opening, of who opened it, the plain text and the commitment's opening."""


def _ask_key(sight: Sight, secret: se.Secret, holder: str, title: Say, then: Then) -> Act:
    """Ask for the PIN or the code of whoever opens it."""
    if _vault(sight) is None:
        return _NO_VAULT
    field = Field("key", title, "text" if holder == "recovery" else "pin")
    return Ask(
        Form("key", title, (field,)),
        lambda answers: Do(lambda: _opened(sight, secret, holder, answers["key"], then)),
    )


def _opened(sight: Sight, secret: se.Secret, holder: str, key: str, then: Then) -> Act:
    """Open a secret once; a wrong PIN or code is noted in the log, and nothing else is taken for one."""
    found = _open(sight, secret, holder, key)
    if isinstance(found, tuple):
        return then(sight, secret, holder, *found)
    return found


def _open(sight: Sight, secret: se.Secret, holder: str, key: str) -> tuple[str, str] | Send | Refuse:
    """Return the plain text and the opening; else what notes a wrong PIN in the log and says so, or why it cannot be opened."""
    vault, state, last = _vault(sight), sight.state, secret.versions[-1]
    assert vault is not None, "a key is asked for with a vault alone"
    foreign = se.why_not_genuine(state, secret)
    if foreign is not None:
        return Refuse(foreign)
    place = se.place_of(state.frozen_setup, secret.id, last.number)
    label = place if last.number else _bound_before(state.frozen_setup, secret.nation, secret.kind)
    tries = f"{secret.id}|{last.envelope.commitment[:32]}"
    try:
        return vault.open(last.envelope, label, holder, key, tries_of=tries)
    except PermissionError as fault:
        return Send(se.RecordOpening(secret.id, _by(holder), False), then=Refuse(told(fault)))
    except ValueError as fault:
        return Refuse(told(fault))


def _by(holder: str) -> Literal["side", "arbiter", "recovery"]:
    return "arbiter" if holder == "arbiter" else "recovery" if holder == "recovery" else "side"


def _revealed(_sight: Sight, secret: se.Secret, _holder: str, text: str, opening: str) -> Act:
    return Send(se.RevealSecret(secret.id, text, opening, secret.owed or "chosen"))


def _shown(sight: Sight, secret: se.Secret, holder: str, text: str, _opening: str) -> Act:
    lines = reduce(
        lambda one, other: Say("{one}\n{other}", one=one, other=other),
        _lines(sight.state, secret, se.content_of(text)),
    )
    field = Field("sure", Typed(secret.label), "confirm", lines, is_secret=True)
    show = Ask(Form("sure", field.title, (field,), yes=Say("Hide again")), lambda _answers: _NOTHING)
    return Send(se.RecordOpening(secret.id, _by(holder), True), then=show)


def _written_again(sight: Sight, secret: se.Secret, holder: str, text: str, opening: str) -> Act:
    """Go on to the note as it was, which its owner now changes."""
    content = se.content_of(text)
    units = dict(content.units)
    note = Note(secret.nation, secret.kind, secret.id, content.space, units, reseal_proof(opening))
    return Send(se.RecordOpening(secret.id, _by(holder), True), then=_begin(sight, note))


# Searching


def _search(state: GameState) -> tuple[list[Nation], list[se.Secret]]:
    """Return who may search in this act, and the fleets that a search could find."""
    setup, owners = state.frozen_setup, state.step.owners
    if se.why_not_search(state) is not None:
        return [], []
    foes = [
        secret
        for secret in se.hidden(state)
        if secret.kind == "fleet" and nation_side(setup, secret.nation) not in owners
    ]
    return [info.id for info in setup.nations if info.side in owners], foes


def _dials(state: GameState) -> tuple[str, ...]:
    """Return the nations of the other side whose fleet is on its dial."""
    owners, setup = state.step.owners, state.frozen_setup
    return tuple(one for one in sorted(state.game["seals"].on_dial) if nation_side(setup, one) not in owners)


def _ask_search(state: GameState, nations: list[Nation], foes: list[se.Secret]) -> Ask:
    """Ask for a search and what the other side's owners answer."""
    units = se.searchers(state)
    found = (
        Item("", Say("Nothing there")),
        *(Item(secret.id, Say("Found: {label}", label=Typed(secret.label))) for secret in foes),
        *(
            Item(se.dial_id(one), Say("Found: the fleet of {nation}, on its dial", nation=nation(one)))
            for one in _dials(state)
        ),
    )
    choices = {
        "who": (Say("Who searches?"), tuple(Item(one, nation(one)) for one in nations)),
        "unit": (Say("Which unit searches?"), tuple(Item(one, unit(one)) for one in units)),
    }
    fields = [
        Field(key, title, "choose", options=options)
        for key, (title, options) in choices.items()
        if len(options) > 1
    ]
    fields.append(space_field(state, "space", Say("Which sea space?"), known=sea_spaces(state)))
    fields.append(Field("found", Say("What is there?"), "choose", options=found))

    def searched(answers: Answers) -> Act:
        who = answers.get("who", nations[0])
        what = answers.get("unit", units[0] if units else "")
        ids = (answers["found"],) if answers["found"] else ()
        return Send(se.SearchSpace(Nation(who), meant(state, answers["space"]), ids, what))

    return Ask(Form("search", fields[0].title, tuple(fields)), searched)


# Writing and sealing


def _new(sight: Sight, acts: Acts) -> list[Item]:
    """Return what each nation could still seal."""
    state, table, own = sight.state, tables(sight.state), sight.state.game["seals"]
    rows = []

    def add(who: Nation, kind: se.SecretKind, title: Say) -> None:
        why_not = se.why_not_new(state, who, kind)
        ask = _begin(sight, Note(who, kind))
        act = acts.put(f"new.{who}.{kind}", ask) if why_not is None else None
        mark = nation_mark(state.frozen_setup, who)
        rows.append(Item(f"new.{who}.{kind}", title, nation(who), mark=mark, act=act, why_not=why_not))

    for info in state.frozen_setup.nations:
        if not _is_mine(sight, info.id):
            continue
        if info.id in own.on_dial:
            rows.append(_on_dial(acts, info.id, state))
        elif not own.has_fleet(info.id) and table.counts_points:
            add(info.id, "fleet", Say("Seal a Hidden Fleet"))
        used, boxes = _used(state, info.id), table.hidden_units.get(info.id, 0)
        if used < boxes:
            add(info.id, "units", Say("Seal hidden units, box {n} of {m}", n=used + 1, m=boxes))
    return rows


def _on_dial(acts: Acts, who: Nation, state: GameState) -> Item:
    """Return the row of a fleet on the printed dial; a tap says that it is there no more."""
    gone = sure(Say("Is it revealed, or gone?"), Send(se.SayOnDial(who, is_there=False)), sub=nation(who))
    mark = nation_mark(state.frozen_setup, who)
    act = acts.put(f"dial.{who}", gone)
    return Item(f"dial.{who}", Say("Hidden Fleet on the dial"), nation(who), mark=mark, act=act)


def _dial_tool(state: GameState, acts: Acts) -> tuple[Button, ...]:
    """Return the tool that says of a nation's fleet that its place is kept on the printed dial."""
    own = state.game["seals"]
    nations = tuple(info.id for info in state.frozen_setup.nations if not own.has_fleet(info.id))
    if not nations or not tables(state).counts_points or ruling(state, "fleet_place", "either") == "sealed":
        return ()
    options = tuple(Item(one, nation(one), mark=nation_mark(state.frozen_setup, one)) for one in nations)
    title = Say("Whose fleet is kept on the printed dial?")
    ask = asked("dial", title, options, lambda one: Send(se.SayOnDial(Nation(one), is_there=True)))
    return (Button(Say("On the dial"), acts.put("dial", ask)),)


def _used(state: GameState, who: str) -> int:
    return sum(one.kind == "units" and one.nation == who for one in state.game["seals"].secrets.values())


_NO_VAULT = Refuse(Say("This box cannot seal anything here"))


def _begin(sight: Sight, note: Note) -> Act:
    """Go on to the note: its place and its units are entered on one page."""
    return _NO_VAULT if _vault(sight) is None else _write(note)


def _ask_space(sight: Sight, note: Note) -> Act:
    """Ask by name where the fleet or the units are."""
    known = sea_spaces(sight.state) if note.kind == "fleet" else None

    def named(space: str) -> Act:
        return _write(replace(note, space=space))

    return name_space(sight.state, _SPACE, named, value=note.space, known=known)


_SPACE = Say("Space, visible to its owner only")


def start_spaces(state: GameState, nation: str, kind: str) -> tuple[str, ...]:
    """Return the sea spaces in which a nation's Hidden Fleet may start; empty after set-up or while unknown."""
    if state.step.phase != "setup" or kind != "fleet":
        return ()
    return tables(state).start_spaces.get(nation, ())


def draft_fault(state: GameState, note: Note) -> Say | None:
    """Say what keeps a note from being sealed; None when nothing does. Only the owner sees it."""
    space = spelled(state, note.space)
    if not space:
        return Say("Name the space first")
    spaces = start_spaces(state, note.nation, note.kind)
    if spaces and space not in spaces:
        return Say("This fleet starts in {spaces}", spaces=several(map(Typed, spaces), "or"))
    if note.kind == "fleet":
        return se.fleet_fault(tables(state), unit_table_of(state), note.content.units)
    return None if note.content.units else Say("Name the units first")


def _note_page(sight: Sight, acts: Acts, draft: SealedDraft, note: Note) -> Shown:
    """Return the note that is being written: its place beside its units; a tap is one more of a unit."""
    state, fault = sight.state, draft_fault(sight.state, note)
    is_fleet = note.kind == "fleet"
    types = ("air", "land") if draft.is_aboard else ("sea",) if is_fleet else ("land", "air", "sea")
    specs = [spec for spec in unit_table_of(state).fielded(note.nation) if spec.type in types]
    by = -1 if draft.is_taking else 1

    def turned(one: str) -> Draft[SealedDraft]:
        return _put(note=replace(note, units={**note.units, one: max(0, note.units.get(one, 0) + by)}))

    def tile(one: str) -> Item:
        count, act = note.units.get(one, 0), acts.put(one, turned(one))
        item = Item(
            one,
            unit_short(state, one),
            symbol=unit_symbol(state, one),
            state="chosen" if count else "plain",
        )
        if draft.is_taking:
            return replace(item, value=count or None, act=act if count else None)
        return replace(item, facet=Counter(count, more=act))

    tiles = Tiles(
        "units", tuple(tile(spec.id) for spec in sorted(specs, key=lambda spec: types.index(spec.type)))
    )
    aboard = sum(n for one, n in note.units.items() if unit_table_of(state).units[one].type != "sea")
    tools = [Button(Say("Drop it"), acts.put("close", _write(None)))]
    if is_fleet:
        title = Say("Aboard: {n}", n=aboard) if aboard else Say("Aboard")
        turn = acts.put("aboard", _put(is_aboard=not draft.is_aboard))
        tools.append(Button(title, turn, is_on=draft.is_aboard))
    take = acts.put("taking", _put(is_taking=not draft.is_taking))
    tools.append(Button(Say("Take off"), take, is_on=draft.is_taking))
    page = Page(
        "note",
        nation(note.nation),
        fault,
        "muted",
        tools=tuple(tools),
        blocks=(Sides("note", (_place_side(sight, acts, note), Side("units", None, (tiles,)))),),
        main=Button(Say("Seal"), acts.put("seal", _ask_pin(sight, note)) if fault is None else None),
        is_private=True,
    )
    return Shown(page, acts)


_LETTERS, _DIGITS = "ABCDEFGHIJKL", "1234567890"


def _place_side(sight: Sight, acts: Acts, note: Note) -> Side:
    """Return where it is: the spaces that it may start in, else a letter and a number on one pad, or a name."""
    state = sight.state
    spaces = start_spaces(state, note.nation, note.kind)
    head = Head("place", Say("Space"), value=space_of(note.space) if note.space else Typed("–"))

    def at(key: str, space: str) -> Item:
        chosen = bool(spaces) and spelled(state, note.space) == space
        act = acts.put(f"at.{key}", _write(replace(note, space=space)))
        return Item(key, space_of(key), state="chosen" if chosen else "plain", act=act)

    if spaces:
        return Side("place", head, (Tiles("spaces", tuple(at(space, space) for space in spaces)),))
    typed = (
        note.space
        if (note.space[:1] in _LETTERS and note.space[1:].isdigit()) or len(note.space) == 1
        else ""
    )
    name = Item("name", Say("By name"), act=acts.put("space", _ask_space(sight, note)))
    if note.kind != "fleet":
        return Side("place", head, (Tiles("name", (name,)),))
    digits = (
        at(digit, typed[: _MOST_SIGNS - 1] + digit) if typed else Item(digit, Typed(digit))
        for digit in _DIGITS
    )
    keys = (*(at(letter, letter) for letter in _LETTERS), *digits, name)
    return Side("place", head, (Pad("place", keys, columns=6),))


_MOST_SIGNS = 3
"""Of a space: a letter and up to two digits."""


def _ask_pin(sight: Sight, note: Note) -> Ask:
    """Ask for the owner's PIN: twice for the first note, once where an earlier one tells whether it is the same."""
    setup = sight.state.frozen_setup
    before = _sealed_before(sight.state, note)
    title = Say("PIN for the {side}", side=side(nation_side(setup, note.nation)))
    if before is not None:
        sub = Say("The PIN of {secret}.", secret=Typed(before.label))
        field = Field("pin", title, "pin", sub, least=_PIN, most=_PIN)
        return Ask(
            Form("pin", title, (field,)),
            lambda answers: Do(lambda: _tried(sight, note, before, answers["pin"])),
        )
    sub = Say("Four digits of your own. They are never saved.")
    fields = (
        Field("pin", title, "pin", sub, least=_PIN, most=_PIN),
        Field("again", Say("Enter the same PIN again"), "pin", least=_PIN, most=_PIN),
    )

    def answered(answers: Answers) -> Act:
        if answers["again"] != answers["pin"]:
            return Refuse(Say("The PINs do not match"))
        return _with_pin(sight, note, answers["pin"])

    return Ask(Form("pin", title, fields), answered)


_PIN = 4
"""Digits of a PIN; the last one enters it."""


def _sealed_before(state: GameState, note: Note) -> se.Secret | None:
    """Return the newest note of the same owner: of the nation, or of its side where one player has all of it."""
    setup = state.frozen_setup
    is_alone = (setup.options.get("players") or 2) <= len(setup.sides)
    of = nation_side(setup, note.nation)
    own = [
        secret
        for secret in state.game["seals"].secrets.values()
        if secret.nation == note.nation or (is_alone and nation_side(setup, secret.nation) == of)
    ]
    return own[-1] if own else None


def _tried(sight: Sight, note: Note, before: se.Secret, pin: str) -> Act:
    """Go on where the PIN opens the owner's note of before; a new one is entered twice."""
    state = sight.state
    found = _open(sight, before, nation_side(state.frozen_setup, note.nation), pin)
    if isinstance(found, tuple):
        return _with_pin(sight, note, pin)
    if isinstance(found, Refuse):
        return found
    again = Say(
        "This is not the PIN of {secret}. To use it all the same, enter it again.", secret=Typed(before.label)
    )
    field = Field("again", Say("Enter the same PIN again"), "pin", again, least=_PIN, most=_PIN)

    def answered(answers: Answers) -> Act:
        same = answers["again"] == pin
        return _with_pin(sight, note, pin) if same else Refuse(Say("The PINs do not match"))

    return replace(found, then=Ask(Form("again", field.title, (field,)), answered))


def _with_pin(sight: Sight, note: Note, pin: str) -> Act:
    """Seal, after the question who else can open it where the arbiter could."""
    setup = sight.state.frozen_setup
    if not setup.arbiter_hash or (sight.desk is not None and not sight.desk.knows_arbiter_pin()):
        return Do(lambda: _sealed(sight, note, pin))
    options = (
        Item("arbiter", Say("the arbiter's PIN")),
        Item("recovery", Say("the recovery code only")),
    )
    return asked(
        "holder",
        Say("Who else can open it?"),
        options,
        lambda holder: (
            _ask_arbiter(sight, note, pin) if holder == "arbiter" else Do(lambda: _sealed(sight, note, pin))
        ),
    )


def _ask_arbiter(sight: Sight, note: Note, pin: str, why: Say | None = None) -> Ask:
    """Ask for the arbiter's PIN, saying why once more."""
    title = Say("Arbiter's PIN")
    return Ask(
        Form("arbiter", title, (Field("arbiter", title, "pin", why),)),
        lambda answers: Do(lambda: _sealed_for_arbiter(sight, note, pin, answers["arbiter"])),
    )


def _sealed_for_arbiter(sight: Sight, note: Note, pin: str, arbiter: str) -> Act:
    if sight.desk is None or not sight.desk.check_arbiter(arbiter):
        return _ask_arbiter(sight, note, pin, Say("Wrong PIN"))
    return _sealed(sight, note, pin, arbiter)


def _bound_before(setup: Setup, who: str, kind: str) -> str:
    """Return what a note was bound to before notes named the one place that they were sealed for."""
    return f"{setup.game}|{who}|{kind}"


def _sealed(sight: Sight, note: Note, pin: str, arbiter: str = "") -> Act:
    """Seal a note once, and show the recovery code once where there is one."""
    state, vault = sight.state, _vault(sight)
    setup = state.frozen_setup
    assert vault is not None, "a note is begun with a vault alone"
    try:
        envelope, recovery = vault.seal(
            se.content_text(note.content),
            se.place_to_seal(state, note.nation, note.kind, note.secret),
            side=nation_side(setup, note.nation),
            side_pin=pin,
            arbiter_pin=arbiter,
        )
    except ValueError as fault:
        return Refuse(told(fault))
    known = state.game["seals"].secrets.get(note.secret)
    name = known.label if known is not None else speak(_label(state, note), state)
    code = Say("Write it down and keep it hidden. It is shown only once:\n{code}", code=Typed(recovery))
    show = sure(Say("Recovery code"), _NOTHING, sub=code, yes=Say("Written down"))
    ways = (Item("done", Say("Done")), Item("code", Say("Show the recovery code")))
    sub = Say("The recovery code opens the note if the PIN is forgotten. It can be shown only now.")
    after = asked("sealed", Say("Sealed"), ways, lambda key: show if key == "code" else _NOTHING, sub=sub)

    def taken() -> Act:
        vault.note(sealed_by(setup.game_id, note.nation, note.kind), envelope)
        return after

    command = se.SealSecret(note.nation, note.kind, name, envelope, note.secret, note.proof)
    seal = Send(command, then=Do(taken))
    return Draft(lambda _draft: SealedDraft(), SealedDraft(), seal)


def _label(state: GameState, note: Note) -> Say:
    """Return the name that a new secret gets."""
    if note.kind == "fleet":
        return Say("Hidden Fleet, {nation}", nation=nation(note.nation))
    n = _used(state, note.nation) + 1
    return Say("Hidden units, {nation}, box {n}", nation=nation(note.nation), n=n)
