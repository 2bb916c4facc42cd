"""Why the rules refuse something, in words: their own lines with their figures, made translatable.

The rules state a refusal as a code and one line in English with the figures that matter. Here that line is matched
against its template, so that template and figures are translated each for itself: ids of nations become their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from companion.core.state import GameState
from companion.core.text import Say
from companion.games.sfw.pages.battle_words import COLOURS, TERRAINS
from companion.games.sfw.pages.ledger_view import KINDS
from companion.pages.i18n import N_, _
from companion.pages.labels import humanise
from companion.pages.shared_words import SHARED
from companion.pages.speak import speak

__all__ = ["TEMPLATES", "add_reader", "add_templates", "detail_text", "sentence"]

TEMPLATES: tuple[str, ...] = (
    N_("{a}: expected one of {b}, got {c}"),
    N_("{a} {b} in {c} used their {d} of this movement step"),
    N_("battles belong to movement steps 1-5 of the side that acts"),
    N_("there is no battle {a}"),
    N_("battle {a} has begun: its composition stands"),
    N_("name the space"),
    N_("land units disengage on movement steps 4 and 5"),
    N_("side: expected attacking or defending, got {a}"),
    N_("by: expected 1-{a} or minus so many, got {b}"),
    N_("{a}: there is no group {b}"),
    N_("count: expected 1-{a}, got {b}"),
    N_("count: {a} are there, 1 to {b} can be set apart"),
    N_("no units are known in {a} yet"),
    N_("battle {a} is declared in {b} already"),
    N_("there is no {a} {b} to take out"),
    N_("{a} {b} are there, {c} to take out"),
    N_("{a} is active in battle {b}: its units fight there"),
    N_("battle {a} is being fought: finish it first"),
    N_("battle {a} is not being fought"),
    N_("battle dice have twelve faces, got {a}"),
    N_("name each line of the roll list once"),
    N_("asked for {a}; got {b} {c}"),
    N_("there are no hits to combine"),
    N_("two hits of one colour make one of the next"),
    N_("say first to what the hits combine"),
    N_("a kind is named that is not in this battle"),
    N_("units retreat between battle steps 5 and 6, and must have the icon"),
    N_("name the units that leave"),
    N_("nobody is asked to retreat now"),
    N_("this step has rolls"),
    N_("say first whether anybody retreats"),
    N_("a battle die shows 1-12, got {a}"),
    N_("line {a} waits for no dice"),
    N_("several lines roll {a} at different numbers: roll them apart"),
    N_("{a} {b} cannot retreat"),
    N_("battles still to be resolved: {a}"),
    N_("{a} is no Objective or Airfield of this scenario"),
    N_("control changes in the Tactical Phase; correct it by hand instead"),
    N_("{a} is the {b}' already; control is never given away"),
    N_("units cannot be fewer than none"),
    N_("{a} is contested, not lost: {b} control-capable left to its holder"),
    N_("{a} has no control-capable unit in {b}"),
    N_("{a} against {b} of the teammate"),
    N_("{a} each: the teammates agree who takes {b}"),
    N_("only the arbiter corrects control under tournament time"),
    N_("put back first what was bought at {a}"),
    N_("this scenario counts no victory points"),
    N_("expected a total of 0 or more for each of {a}"),
    N_("both sides together hold {a}, not {b}"),
    N_("{a} is no nation of the {b}"),
    N_("desert roll in {a}: name the {b} that halt"),
    N_("desert rolls: while units move, movement steps 1 to 5"),
    N_("a nation of this game and the desert space"),
    N_("now {a} move"),
    N_("name first who halts in {a}"),
    N_("name the land units that enter"),
    N_("asked for {a} yellow; got {b} dice"),
    N_("no desert roll waits for who halts"),
    N_("{a} of {b} halt"),
    N_("{a} is no land unit of {b}"),
    N_("{a}: expected 0-{b}, got {c}"),
    N_("the rulebook gives the flags of stage {a}"),
    N_("stage {a} has begun"),
    N_("expected some of {a}, got {b}"),
    N_("under tournament time one side acts after the other"),
    N_("this table rules that sides never act at once"),
    N_("{a}'s {b} units are placed"),
    N_("put back what is in the basket first"),
    N_("{a} has no {b} units to place"),
    N_("name the sea space, beside the Objective by an edge"),
    N_("{a} has no Hidden Fleet to join"),
    N_("{a} mines under {b} units"),
    N_("no mines wait under new ships of {a}"),
    N_("condition: expected one of {a}, got {b}"),
    N_("the board is looked at when Resupply begins"),
    N_("lane {a}"),
    N_("lanes are counted when Resupply begins"),
    N_("expected a count of 0 or more for each of {a}"),
    N_("lane {a} has {b} sea spaces, {c} given"),
    N_("lanes are applied when Resupply begins"),
    N_("lane {a}: expected {b}, got {c}"),
    N_("{a} is no Objective"),
    N_("{a} hits"),
    N_("a card's name and values for {a}"),
    N_("room cannot be less than none"),
    N_("put back first what was bought there"),
    N_("{a} is no nation of this game"),
    N_("{a} left"),
    N_("only in the commander game"),
    N_("{a} {b} is no command"),
    N_("name the ability"),
    N_("{a} was picked for the whole game; undo to change it"),
    N_("{a} {b} lost of {c} placed"),
    N_("{a}: {b} {c}, {d} in {e}'s basket; put back first"),
    N_("only in the Resupply Phase"),
    N_("now {a}"),
    N_("expected one of {a}, got {b}"),
    N_("{a} is no Objective: no resupply value"),
    N_("enter in Control which nation holds {a}"),
    N_("{a} is controlled by {b}, not by {c}"),
    N_("{a} serves {b} only"),
    N_("{a}: its {b} value"),
    N_("choose first where {a} takes its {b} resupply"),
    N_("{a}'s {b} units stand on the board already"),
    N_("{a} is no unit of {b}"),
    N_("{a} is bought with {b} resupply"),
    N_("{a} in the basket, {b} asked"),
    N_("the cost of {a} is on the player aid: enter it in Units"),
    N_("{a} {b}, {c} asked"),
    N_("{a} {b} left in the tray"),
    N_("{a} Land Units, room for {b} aboard Sea Transports there"),
    N_("{a} has no Hidden Fleet"),
    N_("say first that the fleet's space is not contested and no enemy is beside it"),
    N_("{a} aircraft, room for {b} aboard Carriers there"),
    N_("the fleet takes {a} more Sea Units"),
    N_("a nation of this game and a name for the secret"),
    N_("{a} has {b} boxes of hidden units, {c} used"),
    N_("{a} is revealed already"),
    N_("reason: expected chosen or one of {a}"),
    N_("a reveal is chosen on movement steps 1 to {a}"),
    N_("this is not what was sealed as {a}"),
    N_("{a} is not hidden"),
    N_("reason: expected one of {a}, got {b}"),
    N_("this forces no reveal on movement step 6"),
    N_("aimed at {a}, now {b}"),
    N_("a nation of this game and the sea space searched"),
    N_("search: expected one of {a}, got {b}"),
    N_("must be revealed first: {a}"),
    N_("{a}: may the Hidden Fleet stay hidden? Confirm in Sealed"),
    N_("{a} is revealed"),
    N_("{a} has a Hidden Fleet; seal that one again"),
    N_("{a} is no hidden secret of the other side"),
    N_("a nation of this game and the hub's space"),
    N_("a Land Transport is flipped on movement step 4 or 5, before battles"),
    N_("a nation of this game and a name for the group"),
    N_("one hub, the two hubs of a road, or nothing"),
    N_("{a} is not watched"),
    N_("supply lines do not matter in this scenario"),
    N_("a nation of this game, the card's name and a cost of 0 or more"),
    N_("this game has no National Support"),
    N_("cards are played in the National Support Phase"),
    N_("now the {a} announce"),
    N_("a card costs {a} tokens, {b} given"),
    N_("{a} is taken out of the deck in this scenario"),
    N_("{a} has no card in hand"),
    N_("{a} has {b} tokens, {c} asked"),
    N_("{a} is in force already"),
    N_("enter the unit of the card: its name and its base unit at least"),
    N_("the unit belongs to {a}"),
    N_("{a} has upgraded its {b} already, once per game"),
    N_("{a} is not in force"),
    N_("{a} holds for the rest of the game"),
    N_("a nation of this game, tokens and cards of 0 or more"),
    N_("only the arbiter corrects hands under tournament time"),
    N_("only upgrades and unique units bring a unit"),
    N_("no new mines or lines are placed in this scenario"),
    N_("{a} of {b} on the board, none in reserve"),
    N_("{a}: movement step {b}, before any battle is resolved"),
    N_("only the attacking side: now {a}"),
    N_("a {a} needs {b}"),
    N_("bridges are on the Italy board only"),
    N_("a nation of this game and the bridge's two spaces"),
    N_("{a} is blown already and cannot be repaired"),
    N_("{a} of {b} bridge tokens on the board"),
    N_("counter: expected one of {a}, got {b}"),
    N_("the box holds {a}, {b} asked"),
    N_("{a} mines in {b} already"),
    N_("a line stands between {a} and {b} already"),
    N_("token {a} is not on the board"),
    N_("{a} in an impassable space: only air units may be there"),
    N_("{a} is a sea unit and cannot be on {b}"),
    N_("{a} is a land unit and cannot be at sea outside a transport"),
    N_("{a} cannot be in the mountains"),
    N_("movement_step: expected 1-5 (no battles on step 6), got {a}"),
    N_("terrain: expected one of {a}, got {b}"),
    N_("airfield: expected attacking or defending, got {a}"),
    N_("line_dice: expected {a} counts, got {b}"),
    N_("bridge: {a} has none"),
    N_("push_through: units move freely through a contested space here"),
    N_("bridge: crossing into a contested space draws no fire"),
    N_("retreat: {a} has none"),
    N_("{a}: nobody is there"),
    N_("count: expected 0-{a}, got {b}"),
    N_("distance: expected 0-9, got {a}"),
    N_("{a} belongs to {b} alone"),
    N_("terrain: expected one of {a}"),
    N_("{a} has no range and cannot support from a distance"),
    N_("choice: expected surface or air, got {a}"),
    N_("bombing: {a} has no targeted bombing"),
    N_("cargo: {a} carries nothing"),
    N_("cargo: {a} cannot unload to a mountain"),
    N_("{a} stands on both sides"),
    N_("{a}: only {b} may combine fire"),
    N_("{a}: combined fire needs {b} units or more"),
    N_("{a}: only units of one firepower colour may combine"),
    N_("airfield: {a} gives airfields no roll"),
    N_("{a}: {b} has no such tokens"),
    N_("line_dice: {a} are more than {b} lines together roll"),
    N_("disengage: {a} has none"),
    N_("movement_step: land units disengage on steps 4 and 5, got {a}"),
    N_("retreat: {a} has no retreat icon (enter {b}.abilities if its tile shows one)"),
    N_("range {a}, {b} spaces away"),
    N_("choice: {a} has nothing to choose"),
    N_("dice: {a} does not split supporting fire"),
    N_("bombing: expected 0-{a} dice, got {b}"),
    N_("cargo: {a} is unknown"),
    N_("cargo: expected 1 or more {a}, got {b}"),
    N_("cargo: {a} cannot carry {b}"),
    N_("cargo: at most {a}, {b} {c} is too much"),
    N_("{a}: {b} has no {c} to combine"),
    N_("{a}: {b} must put all its rolls into combined fire"),
    N_("dice: only supporting fire may be split"),
    N_("bombing: only when attacking"),
    N_("dice: expected some of {a}, got {b}"),
    N_("{a}: roll for {b} mines in {c}"),
    N_("{a}: {b} units bought and not placed"),
    N_("lane {a} is not counted"),
    N_("{a} has chosen no resupply"),
    N_("{a}: {b} {c} unspent, it would be lost"),
    N_("lane {a}: {b} +{c}, name the Objective that suffers"),
    N_("the printed {a} value is not entered"),
    N_("nothing is hidden or revealed on movement step 6"),
    N_("search: {a}, before battles are resolved"),
)
"""Every refusal and open point of the rules that has words; a letter in braces stands for a figure, an id or a list of them."""

_ELSEWHERE: tuple[str, ...] = (
    N_("the tile value of {a} is not entered: enter it, or set both totals by hand"),
    N_("roll first"),
    N_("no casualties are owed"),
    N_("the hits take more: as much as can be paid is lost"),
    N_("{a} is not a printed value of this game"),
    N_("expected a multiple of {a}, got {b}"),
    N_("expected a whole number from {a} to {b}, got {c}"),
    N_("expected a name of small letters, digits and _, got {a}"),
    N_("expected {a}, got {b}"),
    N_("the {a} tiles at the start together must be {b}, already {c}"),
    N_("{a} together ({b}) must be {c}, already {d}"),
    N_("{a} together ({b}) must be {c}, is {d}"),
    N_("site {a} is unknown; expected one of {b}"),
    N_("unit {a} is unknown; expected one of {b}"),
    N_("figure {a} is unknown; expected one of {b}"),
    N_("the rulebook gives {a} to the {b} at the start"),
    N_("the rulebook names every Objective and Airfield of this board"),
    N_("{a} in {b}'s basket, {c} would be the value"),
    N_("{a} is no Objective and has no resupply value"),
    N_("{a} is there already"),
)
"""Lines that the rules put together away from the refusal itself."""

_WORDS: dict[str, str] = {
    "us": N_("United States"),
    "gb": N_("Great Britain"),
    "germany": N_("Germany"),
    "italy": N_("Italy"),
    "allies": N_("Allies"),
    "axis": N_("Axis"),
    "attacking": N_("The attackers"),
    "defending": N_("The defenders"),
    "attackers": N_("the attackers"),
    "units in battle": N_("units in battle"),
    "attack": N_("attack"),
    "defence": N_("defence"),
    "nothing: the lane is level or holds no enemy": N_("nothing: the lane is level or holds no enemy"),
    "resupply": N_("Resupply"),
    "victory": N_("Victory"),
    "national_support": N_("National Support"),
    "lines": N_("Lines"),
    "mines": N_("Mines"),
    "one space": N_("one space"),
    "the space it defends and another that it faces": N_("the space it defends and another that it faces"),
    "sea_walls": N_("Sea Walls"),
    **KINDS,
    **TERRAINS,
    **COLOURS,
    **SHARED.names["unit"],  # type: ignore[dict-item]
}

_PHRASES: tuple[tuple[str, str], ...] = (
    ("bombing of ", N_("bombing of {a}")),
    ("of ", N_("of {a}")),
    ("lane ", N_("lane {a}")),
    ("Desert Zone ", N_("Desert Zone {a}")),
)
"""How a value begins that names another, and its words."""

_PLACE = re.compile(r"(?:attacking|defending)\[\d+\] (\w+): (.+)", re.DOTALL)
"""A line about one group of a battle: which unit it is, and what is wrong with it."""


_GAMES: list[str] = []
"""Templates that other games added."""
_READERS: list[Callable[[str], str | None]] = []
"""What puts a game's own ids into words."""


def add_templates(templates: Iterable[str], words: Mapping[str, str]) -> None:
    """Add a game's own templates, marked for the catalogue, and its words for ids."""
    _GAMES.extend(templates)
    _WORDS.update(words)
    _patterns.cache_clear()


def add_reader(read: Callable[[str], str | None]) -> None:
    """Add what puts an id of a game's rules, such as a piece or a printed value, into words; None = not its own."""
    _READERS.append(read)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the templates as patterns, those with the most words of their own first."""
    rows = []
    for template in (*TEMPLATES, *_ELSEWHERE, *_GAMES):
        parts = re.split(r"\{([a-f])\}", template)
        pattern = "".join(
            f"(?P<{part}>.+?)" if index % 2 else re.escape(part) for index, part in enumerate(parts)
        )
        own = sum(map(len, parts[::2]))
        rows.append((own, template, re.compile(pattern, re.DOTALL)))
    rows.sort(key=lambda row: -row[0])
    return tuple((template, pattern) for _own, template, pattern in rows)


_COUNTED = re.compile(r"(\d+) (\D+)")
_ID = re.compile(r"[a-z]{3,}(?:_[a-z]+)*")
"""An id without words of its own, such as a place: shown as a name."""
_AT_STEPS = re.compile(r"movement steps? ([\d to]*\d)")


def _value(text: str) -> str:
    """Return a figure, an id or a list of them in the words of the table."""
    if text in _WORDS:
        return _(_WORDS[text])
    for between, joint in ((", ", ", "), (" and ", f" {_('and')} "), (" or ", _(" or "))):
        if between in text:
            return joint.join(map(_value, text.split(between)))
    own = next((words for read in _READERS if (words := read(text)) is not None), None)
    if own is not None:
        return own
    if (counted := _COUNTED.fullmatch(text)) is not None:
        return f"{counted[1]} {_value(counted[2])}"
    if (steps := _AT_STEPS.fullmatch(text)) is not None:
        first, _to, last = steps[1].partition(" to ")
        return _("movement step {n}").format(n=f"{first}-{last}" if last else first)
    for before, words in _PHRASES:
        if text.startswith(before):
            return _(words).format(a=_value(text[len(before) :]))
    if _ID.fullmatch(text) and _(text) == text:
        return _(humanise(text))
    return _(text) if text else ""


def _line(text: str) -> str | None:
    """Return one line in the words of the table; None where no template fits it."""
    place = _PLACE.fullmatch(text)
    if place is not None:
        return f"{_value(place[1])}: {_line(place[2]) or _(place[2])}"
    for template, pattern in _patterns():
        # No value has a semicolon: what lies between two belongs to lines of their own.
        found = pattern.fullmatch(text) if template.count("; ") == text.count("; ") else None
        if found is not None:
            return _(template).format(**{key: _value(value) for key, value in found.groupdict().items()})
    before, between, rest = text.partition(": ")
    line = _line(rest) if between else None
    return f"{_value(before)}: {line}" if line is not None else None


def detail_text(detail: str) -> str:
    """Return the line of a refusal, or several joined by semicolons, in the language in use."""
    parts = detail.split("; ")
    said: list[str] = []
    while parts:
        # A line may have a semicolon of its own, so as much as fits is taken first.
        for count in range(len(parts), 0, -1):
            line = _line("; ".join(parts[:count]))
            if line is not None or count == 1:
                said.append(line if line is not None else _(parts[0]))
                del parts[:count]
                break
    return "; ".join(said)


def sentence(detail: Say | str, state: GameState | None = None) -> str:
    """Return the line of a refusal as a sentence of its own: with a capital."""
    text = speak(detail, state) if isinstance(detail, Say) else detail_text(detail)
    return text[:1].upper() + text[1:]
