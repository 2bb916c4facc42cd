"""Why North Africa's rules refuse something, in words: the lines of its rules, and pieces, spaces and keys in them."""

from __future__ import annotations

import re
from typing import Final

from companion.games.aana.pages.words import FIGURE_WORDS, UNIT_WORDS, unit_word
from companion.games.aana.rules.figures import FIGURES, SIDE_OF
from companion.games.aana.rules.ledger import split
from companion.pages.details import add_reader, add_templates
from companion.pages.i18n import N_, _
from companion.pages.labels import humanise, phase_name

__all__ = ["TEMPLATES", "key_text"]

TEMPLATES: Final = (
    N_("the combat in {a} is not over"),
    N_("attacks not fought: {a}"),
    N_("{a}: {b} cannot move in"),
    N_("{a} units must move in, {b} named"),
    N_("{a}: expected the lowest face that is rerolled (2 to 10), or 0 for none, got {b}"),
    N_("{a}: expected the territory's name, 1 to 24 letters, got {b}"),
    N_("{a}: no such piece in this combat"),
    N_("no combat is under way"),
    N_("the combat waits for {a}"),
    N_("{a} bays are lost, two a hit"),
    N_("supply is lost five at a time, fewer only when that is all"),
    N_("more reinforcements named than are there"),
    N_("Vichy French units never retreat"),
    N_("no unit here fights without supply"),
    N_("{a} tokens may be destroyed, {b} asked"),
    N_("more pieces named than retreat"),
    N_("say where the retreating units go"),
    N_("one transport escapes: two bays at most"),
    N_("supply escapes five at a time, fewer only when that is all"),
    N_("{a} is no territory"),
    N_("{a}: scout cars only"),
    N_("{a} was attacked by land units this turn"),
    N_("{a} was blitzed this turn"),
    N_("{a} is not next to {b}: its supply is out of reach"),
    N_("{a} is hostile: its supply is the enemy's"),
    N_("{a} is not adjacent, not open to land units, or hostile"),
    N_("{a}: limit {b}, {c} there"),
    N_("somebody must go on; cease instead"),
    N_("a landing is pressed with all units"),
    N_("at sea everybody goes on, or the attack ceases"),
    N_("reinforcing land attacks is an optional rule"),
    N_("only ordinary land attacks can be reinforced"),
    N_("{a} in the turn of {b}"),
    N_("{a} has no {b}"),
    N_("{a} cannot reinforce an attack"),
    N_("{a} {b} free, {c} to join"),
    N_("a landing is pressed until one side is gone"),
    N_("finish the combat in {a} first"),
    N_("attack {a} does not wait to be fought"),
    N_("tell who defends {a}"),
    N_("defenders belong to the other side"),
    N_("{a}: {b} on the defender's transports"),
    N_("{a} is no reinforcement on a transport"),
    N_("mines turned every attacker back"),
    N_("name the main attack: {a} are equally strong"),
    N_("enter {a} from your board"),
    N_("finish all combat moves before declaring"),
    N_("{a} is no space of the board; add it by its name first"),
    N_("an attack needs units"),
    N_("{a} is no space of the board"),
    N_("{a}: {b} pieces in the turn of {c}"),
    N_("{a} never attacks"),
    N_("{a} cannot attack {b}"),
    N_("{a} attacks from an adjacent territory"),
    N_("a landing force attacks nothing but its own territory"),
    N_("{a}: {b} {c} free, {d} to attack"),
    N_("the convoys have moved this turn"),
    N_("{a} does not deploy in the turn of {b}"),
    N_("{a} pieces"),
    N_("{a} is not where {b} deploys from"),
    N_("{a} to {b}: allowed {c}"),
    N_("one ANZAC infantry a turn"),
    N_("{a} {b} wait, {c} to deploy"),
    N_("{a} {b} in {c}, {d} to deploy"),
    N_("everything that waits has somewhere to go"),
    N_("{a} has no free set-up in {b}"),
    N_("the set-up is over"),
    N_("combat units of the power only, no trucks"),
    N_("{a} asked, {b} left of {c}"),
    N_("{a} volleys to roll, {b} given"),
    N_("{a} dice at {b}, {c} given"),
    N_("a ten-sided die shows 1 to 10, not {a}"),
    N_("reroll every {a} and above of this volley, then enter the final results"),
    N_("{a} hits aimed, {b} possible"),
    N_("only bombers with a targeted attack name a unit type"),
    N_("{a} hits named, {b} aimed"),
    N_("{a} is no target here"),
    N_("pieces may only be lost, a battleship by way of its first hit"),
    N_("{a} hits to assign, {b} assigned"),
    N_("hits of submarines never fall on aircraft"),
    N_("hits of aircraft never fall on submarines here"),
    N_("air defence hits aircraft only"),
    N_("{a} aimed hits must fall on {b}, {c} do"),
    N_("{a}: expected a whole number from 0 to {b}, got {c}"),
    N_("{a}: expected a whole number from {b} to {c}, got {d}"),
    N_("traits: expected a list of characteristics, got {a}"),
    N_("traits: {a} unknown; expected some of {b}"),
    N_("{a}: limit {b}, {c} there and {d} to come"),
    N_("{a} has {b} supply, {c} needed"),
    N_("{a}: expected POWER.UNIT"),
    N_("{a} has no damaged state"),
    N_("{a}: {b} pieces"),
    N_("{a} supply"),
    N_("{a} holds {b} {c}, {d} to move"),
    N_("{a}: {b} in the box, {c} in play, {d} more"),
    N_("{a} holds no supply"),
    N_("in a convoy supply belongs to a power"),
    N_("{a} mines"),
    N_("sea mines belong to a power"),
    N_("mines are detonated in enemy turns only"),
    N_("{a}: no ship or transport came in during this phase"),
    N_("{a}: its mines have been decided"),
    N_("{a}: the mines of this border have been decided"),
    N_("{a}: neither marker nor units, its mines are nobody's"),
    N_("{a}: its mines are your own"),
    N_("{a} mines there, {b} to detonate"),
    N_("{a} ten-sided dice, {b} given"),
    N_("{a} hits, {b} taken"),
    N_("mines never hit aircraft: {a}"),
    N_("no attack on this territory crosses the border"),
    N_("{a} units turn back, {b} named"),
    N_("{a} {b} cross the border, {c} turned back"),
    N_("{a} {b} came in, {c} hit"),
    N_("{a} hits to take, {b} by ships and {c} bays of transports"),
    N_("{a}: nobody of this side enters before round {b}"),
    N_("still in the Reinforcements Zone: {a}"),
    N_("convoys of this power are still at sea"),
    N_("{a} asked, {b} known; enter {c} from your board"),
    N_("{a} does not buy in the turn of {b}"),
    N_("Free France buys infantry and tanks only"),
    N_("{a} supply a turn, {b} bought, {c} asked"),
    N_("{a} comes by lend-lease only"),
    N_("Tiger tanks are an optional advantage"),
    N_("Tiger tanks come with round {a}"),
    N_("one Tiger tank a turn"),
    N_("no US aircraft in round 7"),
    N_("one Free French {a} a turn"),
    N_("an Allied power must control Oran"),
    N_("Supply: {a} in the box, {b} in play, {c} more"),
    N_("Malta is the United Kingdom's"),
    N_("Malta's points are in already"),
    N_("Malta is settled before anything is bought"),
    N_("battleships are the United Kingdom's"),
    N_("no damaged battleship in sea zone 31"),
    N_("a border needs two territories"),
    N_("{a} had its land mine this turn"),
    N_("{a}: neither controlled nor held by your land units"),
    N_("{a} land mine tokens are out, all there are"),
    N_("in attack position, no attack declared: {a}"),
    N_("{a} is no sea zone"),
    N_("{a} had its sea mine this turn"),
    N_("{a} holds enemy warships"),
    N_("{a} is the deployment zone of {b}"),
    N_("the Axis may not mine {a}"),
    N_("{a} sea mines of the side are out, all there are"),
    N_("every way to {a} leads through enemy mines: stop in the first zone that has them"),
    N_("no way for {a} from {b} to {c}"),
    N_("{a} {b} to ride, {c} have neither moved nor fought"),
    N_("{a}: {b} to move {c}; {d} there, the freshest may move {e}"),
    N_("air transport is an optional advantage"),
    N_("Axis bombers carry units in their noncombat moves"),
    N_("bombers carry no {a}"),
    N_("{a} {b} in Italy, none that may still move"),
    N_("every aircraft stands where it may"),
    N_("aircraft that must land or are lost: {a}"),
    N_("{a} is not the phase for this"),
    N_("enter {a} from your Reference Chart"),
    N_("{a} is no power"),
    N_("{a} bears no control marker that can change"),
    N_("the ledger still shows units in {a}"),
    N_("the chart is judged at the end of the last round"),
    N_("the chart has a winner"),
    N_("costs are not negative"),
    N_("count the cost of land units to break the draw"),
    N_("a move needs pieces and another space"),
    N_("spaces and supply are not negative"),
    N_("a landing force does nothing but fight for its territory"),
    N_("supply and passengers move with trucks, in phase 5"),
    N_("{a} to carry, {b} fit: {c} a truck"),
    N_("trucks carry no {a}"),
    N_("{a} rides with trucks of its own power only"),
    N_("{a} goes to sea by convoy only"),
    N_("{a} stays at sea"),
    N_("a combat move ends where there is somebody to attack"),
    N_("{a} is hostile"),
    N_("{a}: only {b} may enter"),
    N_("{a} is entered from {b} only"),
    N_("{a}: enemy ships only, count the spaces of the way round"),
    N_("{a}: no land move leads across the sea"),
    N_("{a} is hostile: attack it, or blitz it when it is empty"),
    N_("the coast road serves in phase 5 only"),
    N_("{a} was taken by a blitz: nobody follows in this phase"),
    N_("tanks blitz in phase 3"),
    N_("{a} does not blitz"),
    N_("{a} mechanized infantry ride with {b} tanks: one each"),
    N_("{a} holds enemy combat units"),
    N_("{a} is neither hostile nor neutral with enemy trucks"),
    N_("escorts go to zones of the power's own convoys"),
    N_("{a} is closed"),
    N_("{a} moves {b}: {c} there, the nearest landing {d} on"),
    N_("{a}: aircraft land where the side held control at turn start"),
)
"""Every refusal of the rules; see `companion.pages.details`."""

POWER_WORDS: Final = {
    "germany": N_("Germany"),
    "italy": N_("Italy"),
    "uk": N_("United Kingdom"),
    "us": N_("United States"),
    "vichy": N_("Vichy France"),
    "free_french": N_("Free France"),
    "france": N_("France"),
}
WORDS: Final = {
    "orders": N_("Orders"),
    "strike_attack": N_("Surprise strike, attacker"),
    "strike_defence": N_("Surprise strike, defender"),
    "air_defence": N_("Air defence"),
    "losses": N_("Losses"),
    "leave": N_("Retreat and escape"),
    "press": N_("Press or cease"),
    "over": N_("Combat over"),
    "nowhere": N_("nowhere"),
    "tanks": N_("tanks"),
    "air": N_("aircraft"),
}
_STEP: Final = re.compile(r"r\d+\.(\w+)\.(\w+?)(?:\.\w+)?")
_SEA_ZONE: Final = re.compile(r"Sea zone (\d+)")
_KEY_TEXTS: Final = {
    "rp": N_("{a}: reinforcement points"),
    "limit": N_("{a}: stacking limit"),
    "base": N_("{a}: National Basic points"),
    "bonus": N_("{a}: lowest face that defenders reroll"),
}


def _space(space: str) -> str:
    return _(space.replace("_", " ").title())


def _power(power: str) -> str:
    return _(POWER_WORDS[power]) if power in POWER_WORDS else humanise(power)


def key_text(key: str) -> str:
    """Return the key of a printed value in words; the key itself where it names none."""
    head, _dot, rest = key.partition(".")
    if head in _KEY_TEXTS and rest:
        name = _power(rest) if head == "base" else _space(rest)
        return _(_KEY_TEXTS[head]).format(a=name)
    parts = rest.split(".")
    if head == "unit" and len(parts) == 3 and parts[2] in FIGURES:
        return f"{_power(parts[0])}: {unit_word(parts[1])}, {_(FIGURE_WORDS[parts[2]])}"
    return key


def _read(text: str) -> str | None:
    """Return a power, piece, space, step or key of the rules in words; None where it is none of them."""
    if text in POWER_WORDS:
        return _power(text)
    if text in UNIT_WORDS:
        return unit_word(text)
    zone, step = _SEA_ZONE.fullmatch(text), _STEP.fullmatch(text)
    if zone is not None:
        return _("Sea zone {n}").format(n=zone[1])
    if step is not None and step[1] in POWER_WORDS:
        return f"{_power(step[1])}, {phase_name(step[2], 'aana')}"
    return _piece(text) or (key_text(text) if key_text(text) != text else None)


def _piece(text: str) -> str | None:
    body, _at, origin = text.rstrip("+").partition("@")
    if body.count(".") not in (1, 2) or body.partition(".")[0] not in SIDE_OF:
        return None
    power, unit, damaged = split(body)
    word = unit_word(unit)
    if damaged:
        word = _("{unit}, damaged").format(unit=word)
    word = f"{word} ({_power(power)})"
    return f"{word}, {_space(origin)}" if origin else word


add_templates(TEMPLATES, WORDS)
add_reader(_read)
