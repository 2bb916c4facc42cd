"""Names that people type for places which a board prints in English.

Every screen, story and film shows what the board prints, in whatever language it is read: the board on the table is in
English, so that is the name to look for on it. Powers, and countries where no space is meant, are translated.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

__all__ = ["named_like", "plain_letters"]

_ALSO_CALLED: dict[str, tuple[str, ...]] = {
    "Albania": ("Albanien", "Albanie"),
    "Alexandria": ("Alexandrie",),
    "Algiers": ("Algier", "Alger"),
    "Athens": ("Athen", "Athènes"),
    "Belgrade": ("Belgrad", "Beograd"),
    "Benghazi": ("Bengasi",),
    "Bone": ("Bône",),
    "Britain": ("Großbritannien", "Grande-Bretagne"),
    "Bulgaria": ("Bulgarien", "Bulgarie"),
    "Cairo": ("Kairo", "Le Caire"),
    "Catania": ("Catane",),
    "Crete": ("Kreta", "Crète"),
    "Croatia": ("Kroatien", "Croatie"),
    "Eastern Mediterranean": ("East Mediterranean", "Östliches Mittelmeer", "Méditerranée orientale"),
    "Egypt": ("Ägypten", "Égypte"),
    "French Alps": ("Französische Alpen", "Alpes françaises"),
    "Greece": ("Griechenland", "Grèce"),
    "Heraklion": ("Héraklion",),
    "Ionian Sea": ("Ionisches Meer", "Mer Ionienne"),
    "Italy": ("Italien", "Italie", "Italia"),
    "Malta": ("Malte",),
    "Messina": ("Messine",),
    "Naples": ("Neapel", "Napoli"),
    "Palermo": ("Palerme",),
    "Palestine": ("Palästina",),
    "Po Valley": ("Poebene", "Po-Ebene", "Plaine du Pô"),
    "Red Sea": ("Rotes Meer", "Mer Rouge"),
    "Romania": ("Rumänien", "Roumanie"),
    "Rome": ("Rom", "Roma"),
    "Salerno": ("Salerne",),
    "Sardinia": ("Sardinien", "Sardaigne"),
    "Sicily": ("Sizilien", "Sicile"),
    "Taranto": ("Tarent", "Tarente"),
    "Thessaloniki": ("Saloniki", "Thessalonique"),
    "Tobruk": ("Tobrouk",),
    "Tripoli": ("Tripolis",),
    "Turin": ("Torino",),
    "West Mediterranean": ("Western Mediterranean", "Westliches Mittelmeer", "Méditerranée occidentale"),
    "Western Desert": ("Westliche Wüste", "Libysche Wüste", "Désert occidental"),
}


def plain_letters(name: str) -> str:
    """Return a name as it is compared: no accents, no case, hyphens and blanks alike.

    Example:
        >>> plain_letters(" Plaine-du  Pô")
        'plaine du po'
    """
    letters = unicodedata.normalize("NFKD", name.casefold().replace("-", " "))
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def named_like(typed: str, places: Mapping[str, str]) -> str | None:
    """Return the place of some that a typed name means, by its name or by what it is called elsewhere; None for another.

    `places`: the name of each to what the screen shows for it.
    """
    wanted = plain_letters(typed)
    for name, shown in places.items():
        if wanted in map(plain_letters, (name, shown, *_ALSO_CALLED.get(name, ()))):
            return name
    return None
