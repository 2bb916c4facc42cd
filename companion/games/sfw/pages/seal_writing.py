"""Writing a note and sealing it: what is hidden, where, and under whose PIN."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from companion.core.ids import Nation
from companion.core.state import GameState
from companion.core.text import Say, Typed, nation, several, side
from companion.games.sfw.pages.seal_draft import (
    NO_VAULT,
    NOTHING,
    Note,
    SealedDraft,
    is_mine,
    open_note,
    put,
    vault_of,
    write,
)
from companion.games.sfw.pages.sealings import sealed_by
from companion.games.sfw.pages.spaces import name_space, sea_spaces
from companion.games.sfw.rules import seal_messages as sm
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger import nation_side, ruling
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import ground_fault, spelled
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.notices import told
from companion.pages.page import (
    Act,
    Acts,
    Answers,
    Ask,
    Button,
    Do,
    Draft,
    Field,
    Form,
    Head,
    Item,
    Pad,
    Page,
    Refuse,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    Tiles,
    asked,
    sure,
)
from companion.pages.parts import nation_mark, taking_tool, tapping
from companion.pages.speak import speak
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["begin", "dial_tool", "draft_fault", "new_notes", "note_page", "place_pad", "start_spaces"]


def new_notes(sight: Sight, acts: Acts) -> list[Item]:
    """Return what each nation could still seal."""
    state, table, own = sight.state, tables(sight.state), sight.state.game["seals"]
    rows = []

    def add(who: Nation, kind: sm.SecretKind, title: Say) -> None:
        why_not = se.why_not_new(state, who, kind)
        ask = begin(sight, Note(who, kind))
        act = acts.put(f"new.{who}.{kind}", ask) if why_not is None else None
        mark = nation_mark(state.frozen_setup, who)
        rows.append(Item(f"new.{who}.{kind}", title, nation(who), mark=mark, act=act, why_not=why_not))

    for info in state.frozen_setup.nations:
        if not is_mine(sight, info.id):
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
    gone = sure(Say("Is it revealed, or gone?"), Send(sm.SayOnDial(who, is_there=False)), sub=nation(who))
    mark = nation_mark(state.frozen_setup, who)
    act = acts.put(f"dial.{who}", gone)
    return Item(f"dial.{who}", Say("Hidden Fleet on the dial"), nation(who), mark=mark, act=act)


def dial_tool(state: GameState, acts: Acts) -> tuple[Button, ...]:
    """Return the tool that says of a nation's fleet that its place is kept on the printed dial."""
    own = state.game["seals"]
    nations = tuple(info.id for info in state.frozen_setup.nations if not own.has_fleet(info.id))
    if not nations or not tables(state).counts_points or ruling(state, "fleet_place", "either") == "sealed":
        return ()
    options = tuple(Item(one, nation(one), mark=nation_mark(state.frozen_setup, one)) for one in nations)
    title = Say("Whose fleet is kept on the printed dial?")
    ask = asked("dial", title, options, lambda one: Send(sm.SayOnDial(Nation(one), is_there=True)))
    return (Button(Say("On the dial"), acts.put("dial", ask)),)


def _used(state: GameState, who: str) -> int:
    return sum(one.kind == "units" and one.nation == who for one in state.game["seals"].secrets.values())


def begin(sight: Sight, note: Note) -> Act:
    """Go on to the note: its place and its units are entered on one page."""
    return NO_VAULT if vault_of(sight) is None else write(note)


def _ask_space(sight: Sight, note: Note) -> Act:
    """Ask by name where the fleet or the units are."""
    known = sea_spaces(sight.state) if note.kind == "fleet" else None

    def named(space: str) -> Act:
        return write(replace(note, space=space))

    return name_space(sight.state, _SPACE, named, value=note.space, known=known)


_SPACE = Say("Space, visible to its owner only")


def start_spaces(state: GameState, nation: Nation, kind: str) -> tuple[str, ...]:
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
    ground = ground_fault(state, space, is_sea=note.kind == "fleet")
    if ground is not None or note.kind == "fleet":
        return ground or se.fleet_fault(tables(state), unit_table_of(state), note.content.units)
    return None if note.content.units else Say("Name the units first")


def note_page(sight: Sight, acts: Acts, draft: SealedDraft, note: Note) -> Shown:
    """Return the note that is being written: its place beside its units; a tap is one more of a unit."""
    state, fault = sight.state, draft_fault(sight.state, note)
    is_fleet = note.kind == "fleet"
    types = ("air", "land") if draft.is_aboard else ("sea",) if is_fleet else ("land", "air", "sea")
    specs = [spec for spec in unit_table_of(state).fielded(note.nation) if spec.type in types]
    by = -1 if draft.is_taking else 1

    def turned(one: str) -> Draft[SealedDraft]:
        return put(note=replace(note, units={**note.units, one: max(0, note.units.get(one, 0) + by)}))

    def tile(one: str) -> Item:
        count, act = note.units.get(one, 0), acts.put(one, turned(one))
        item = Item(
            one,
            unit_short(state, one),
            symbol=unit_symbol(state, one),
            state="chosen" if count else "plain",
        )
        return tapping(item, count, act, takes=draft.is_taking)

    tiles = Tiles(
        "units", tuple(tile(spec.id) for spec in sorted(specs, key=lambda spec: types.index(spec.type)))
    )
    aboard = sum(n for one, n in note.units.items() if unit_table_of(state).units[one].type != "sea")
    tools = [Button(Say("Cancel"), acts.put("close", write(None)), "close")]
    if is_fleet:
        title = Say("Aboard: {n}", n=aboard) if aboard else Say("Aboard")
        turn = acts.put("aboard", put(is_aboard=not draft.is_aboard))
        tools.append(Button(title, turn, is_on=draft.is_aboard))
    tools.append(taking_tool(acts, put(is_taking=not draft.is_taking), is_on=draft.is_taking))
    known = state.game["seals"].secrets.get(note.secret)
    page = Page(
        "note",
        _label(state, note) if known is None else Typed(known.label),
        fault,
        "muted",
        tools=tuple(tools),
        blocks=(Sides("note", (_place_side(sight, acts, note), Side("units", None, (tiles,)))),),
        main=Button(
            Say("Seal"), acts.put("seal", _ask_pin(sight, note)) if fault is None else None, why_not=fault
        ),
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
        act = acts.put(f"at.{key}", write(replace(note, space=space)))
        return Item(key, space_of(key), state="chosen" if chosen else "plain", act=act)

    if spaces:
        return Side("place", head, (Tiles("spaces", tuple(at(space, space) for space in spaces)),))
    by_name = _ask_space(sight, note)
    if note.kind != "fleet":
        name = Item("name", Say("By name"), act=acts.put("space", by_name))
        return Side("place", head, (Tiles("name", (name,)),))
    return place_pad(acts, note.space, lambda space: write(replace(note, space=space)), by_name)


def place_pad(acts: Acts, space: str, named: Callable[[str], Act], by_name: Act) -> Side:
    """Return a sea space on one pad: a letter, then a number of up to two digits; or by name.

    Args:
        named: What a tap does with the space as it stands then.
    """
    is_typed = (space[:1] in _LETTERS and space[1:].isdigit()) or len(space) == 1
    typed = space if is_typed else ""

    def at(sign: str, to: str) -> Item:
        return Item(sign, Typed(sign), act=acts.put(f"at.{sign}", named(to)))

    digits = (
        at(digit, typed[: _MOST_SIGNS - 1] + digit) if typed else Item(digit, Typed(digit))
        for digit in _DIGITS
    )
    name = Item("name", Say("By name"), act=acts.put("space", by_name))
    keys = (*(at(letter, letter) for letter in _LETTERS), *digits, name)
    head = Head("place", Say("Space"), value=space_of(space) if space else Typed("–"))
    return Side("place", head, (Pad("place", keys, columns=6),))


_MOST_SIGNS = 3
"""Of a space: a letter and up to two digits."""


def _ask_pin(sight: Sight, note: Note, slip: Say | None = None) -> Ask:
    """Ask for the owner's PIN: twice for the first note, once where an earlier one tells whether it is the same.

    Two that differ are both asked again: nobody knows in which of them the slip was.

    Args:
        slip: What went wrong before.
    """
    setup = sight.state.frozen_setup
    before = _sealed_before(sight.state, note)
    title = Say("PIN for the {side}", side=side(nation_side(setup, note.nation)))
    if before is not None:
        sub = slip or Say("The PIN of {secret}.", secret=Typed(before.label))
        field = Field("pin", title, "pin", sub, least=_PIN, most=_PIN)
        return Ask(
            Form("pin", title, (field,)),
            lambda answers: Do(lambda: _tried(sight, note, before, answers["pin"])),
        )
    sub = slip or Say("Four digits of your own. They are never saved.")
    fields = (
        Field("pin", title, "pin", sub, least=_PIN, most=_PIN),
        Field("again", Say("Enter the same PIN again"), "pin", least=_PIN, most=_PIN),
    )

    def answered(answers: Answers) -> Act:
        if answers["again"] != answers["pin"]:
            return _ask_pin(sight, note, _SLIP)
        return _with_pin(sight, note, answers["pin"])

    return Ask(Form("pin", title, fields), answered)


_SLIP = Say("The PINs did not match. Enter both again.")
_PIN = 4
"""Digits of a PIN; the last one enters it."""


def _sealed_before(state: GameState, note: Note) -> sm.Secret | None:
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


def _tried(sight: Sight, note: Note, before: sm.Secret, pin: str) -> Act:
    """Go on where the PIN opens the owner's note of before; a new one is entered twice."""
    state = sight.state
    found = open_note(sight, before, nation_side(state.frozen_setup, note.nation), pin)
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
        return _with_pin(sight, note, pin) if same else _ask_pin(sight, note, _SLIP)

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


def _sealed(sight: Sight, note: Note, pin: str, arbiter: str = "") -> Act:
    """Seal a note once, and show the recovery code once where there is one."""
    state, vault = sight.state, vault_of(sight)
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
    show = sure(Say("Recovery code"), NOTHING, sub=code, yes=Say("Written down"))
    ways = (Item("code", Say("Show the recovery code")),)
    sub = Say("The recovery code opens the note if the PIN is forgotten. It can be shown only now.")
    after = asked("sealed", Say("Sealed"), ways, lambda _key: show, sub=sub, no=Say("Done"))

    def taken() -> Act:
        vault.note(sealed_by(setup.game_id, note.nation, note.kind), envelope)
        return after

    command = sm.SealSecret(note.nation, note.kind, name, envelope, note.secret, note.proof)
    seal = Send(command, then=Do(taken))
    return Draft(lambda _draft: SealedDraft(), SealedDraft(), seal)


def _label(state: GameState, note: Note) -> Say:
    """Return the name that a new secret gets."""
    if note.kind == "fleet":
        return Say("Hidden Fleet, {nation}", nation=nation(note.nation))
    n = _used(state, note.nation) + 1
    return Say("Hidden units, {nation}, box {n}", nation=nation(note.nation), n=n)
