"""What a stranger can do with an export, a copied game file or a copied data folder: nothing that tries a PIN.

The attacks are the real ones: every hash, every wrapped key, every value in the files that could be a key. Each is first
shown to work where the device key was copied too, or on what games of before hold.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.ids import ARBITER, TABLE, Nation
from companion.core.ledger import SealedEnvelope
from companion.games.sfw.rules.seal_messages import Content, RevealSecret, SealSecret
from companion.games.sfw.rules.seals import content_text, place_to_seal
from companion.pages.labels import entry_label
from companion.session.device_key import DeviceKey
from companion.session.game_session import GameSession
from companion.session.pin import hash_pin, is_pin
from companion.session.seals import TableVault, Vault
from companion.session.shelf import Shelf
from tests.test_shell import Table

SIDE_PIN, ARBITER_PIN = "4829", "7731"
NOTE = content_text(Content("J4", {"battleship": 1, "destroyer": 2}))
US = Nation("us")


class Evening:
    """A game with an arbiter's PIN and a sealed fleet on one box, exported to a stick; `code` stands on paper."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder / "data")
        desk = self.table.desk
        keys = desk.data_folder / "keys"
        desk.vault = TableVault(Vault(keys, self.table.time, kdf_n=1 << 10))
        desk.start(desk.make_setup("sfw96", "apr43", {}), arbiter_pin=ARBITER_PIN)
        self.table.hear()
        place = place_to_seal(self.state, US, "fleet")
        envelope, self.code = desk.vault.seal(
            NOTE, place, side="allies", side_pin=SIDE_PIN, arbiter_pin=ARBITER_PIN
        )
        desk.send(SealSecret(US, "fleet", "US fleet", envelope))
        assert not desk.check_arbiter("0000")
        self.table.hear()
        self.stick = folder / "stick"
        self.stick.mkdir()
        assert desk.path is not None
        desk.export(desk.path, self.stick)
        desk.wait_for_copy()
        (self.export,) = self.stick.iterdir()
        desk.close()
        self.folder = desk.data_folder

    @property
    def state(self) -> Any:
        assert self.table.desk.change is not None
        return self.table.desk.change.state


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    return Evening(tmp_path_factory.mktemp("evening"))


# The attacker


def values(found: Any) -> Iterator[Any]:
    """Yield every value inside a JSON value, objects included."""
    yield found
    if isinstance(found, dict | list):
        for one in found.values() if isinstance(found, dict) else found:
            yield from values(one)


def all_values(folder: Path) -> list[Any]:
    """Return every value of every file: JSON files, exports line by line, and the entries of game files."""
    found: list[Any] = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        if path.suffix == ".tcgame":
            from companion.adapters.catalogue import GameCatalogue

            game = Shelf(path.parent, GameCatalogue().rules_of).read(path)
            for entry in game.timeline.entries:
                found += values(json.loads(game.codec.encode_command(entry.command)))
                found += values(json.loads(game.codec.encode_events(entry.events)))
        else:
            for line in path.read_bytes().splitlines():
                try:
                    found += values(json.loads(line))
                except ValueError:
                    continue
    return found


def possible_keys(found: Iterable[Any]) -> list[bytes]:
    """Return what could be a device key: nothing, zeros, and every value of 32 bytes in whatever form."""
    keys = {b"", bytes(32)}
    for text in (one for one in found if isinstance(one, str)):
        if re.fullmatch("[0-9a-f]{64}", text):
            keys.add(bytes.fromhex(text))
        elif len(text) == 44 and text.endswith("="):
            keys.add(base64.b64decode(text))
    return list(keys)


def pins_found(folder: Path, pins: Iterable[str]) -> set[str]:
    """Return which PINs a stranger can tell to be right by these files alone."""
    found = all_values(folder)
    keys = possible_keys(found)
    envelopes = [
        msgspec.convert(one, SealedEnvelope) for one in found if isinstance(one, dict) and "cipher" in one
    ]
    hashes = {one for one in found if isinstance(one, str) and one.startswith("scrypt$")}
    assert envelopes, "the attack has something to try"
    right = set()
    for pin in pins:
        forms = {pin, *(DeviceKey(key).tag("arbiter's PIN", pin.encode()) for key in keys)}
        if any(is_pin(form, one) for one in hashes for form in forms):
            right.add(pin)
        if any(unwraps(envelope, pin, keys) for envelope in set_of(envelopes)):
            right.add(pin)
    return right


def set_of(envelopes: Iterable[SealedEnvelope]) -> list[SealedEnvelope]:
    return list({one.text: one for one in envelopes}.values())


def unwraps(envelope: SealedEnvelope, pin: str, keys: list[bytes]) -> bool:
    """Say whether a PIN opens any key of an envelope, with any of some device keys, as the vault would do it."""
    for wrapped in envelope.keys:
        salt, nonce, body = (base64.b64decode(one) for one in (wrapped.salt, wrapped.nonce, wrapped.wrapped))
        stretched = Scrypt(salt=salt, length=32, **envelope.kdf).derive(pin.encode())
        for key in keys:
            kdf = HKDF(algorithm=SHA256(), length=32, salt=salt, info=envelope.cipher.encode())
            bound = f"{envelope.cipher}|{envelope.bound}|{wrapped.holder}".encode()
            try:
                AESGCM(kdf.derive(stretched + key)).decrypt(nonce, body, bound)
            except InvalidTag:
                continue
            return True
    return False


TRIED = [SIDE_PIN, ARBITER_PIN, "0000", "1234"]
ALL_PINS = [f"{n:04}" for n in range(10_000)]


@pytest.mark.parametrize(
    "pins", [TRIED, pytest.param(ALL_PINS, marks=pytest.mark.long)], ids=["right", "all"]
)
def test_an_export_lets_no_pin_be_tried(evening: Evening, pins: list[str]) -> None:
    assert pins_found(evening.stick, pins) == set()
    text = evening.export.read_text()
    assert "scrypt$" not in text
    assert SIDE_PIN not in pins_in(text)
    assert ARBITER_PIN not in pins_in(text)


def pins_in(text: str) -> set[str]:
    return set(re.findall(r'"(\d{4})"', text))


def test_a_copied_game_file_lets_no_pin_be_tried(evening: Evening, tmp_path: Path) -> None:
    (copy,) = (shutil.copy(path, tmp_path) for path in (evening.folder / "games").glob("*.tcgame"))
    assert b"scrypt$" not in Path(copy).read_bytes()
    assert pins_found(tmp_path, TRIED) == set()


def test_a_copied_data_folder_lets_a_pin_be_tried_only_with_the_device_key(
    evening: Evening, tmp_path: Path
) -> None:
    shutil.copytree(evening.folder, tmp_path / "copy")
    assert pins_found(tmp_path, TRIED) == {SIDE_PIN, ARBITER_PIN}, "with the key the attack works"
    (tmp_path / "copy" / "keys" / "device.key").unlink()
    assert pins_found(tmp_path, TRIED) == set()


def test_an_export_of_a_game_of_before_leaves_its_hash_out(tmp_path: Path) -> None:
    """Such a game holds the hash itself; whoever has the game file can try PINs, whoever has the export cannot."""
    desk = Table(tmp_path / "data").desk
    desk.start(desk.make_setup("sfw96", "apr43", {}))
    entries, codec = list(desk.entries()), desk.session.codec
    setup = replace(entries[0].command.setup, arbiter_hash=hash_pin(ARBITER_PIN))  # type: ignore[attr-defined]
    entries[0] = replace(
        entries[0],
        command=replace(entries[0].command, setup=setup),  # type: ignore[call-arg]
        events=(replace(entries[0].events[0], setup=setup), *entries[0].events[1:]),  # type: ignore[call-arg]
    )
    desk.close()
    assert is_pin(ARBITER_PIN, setup.arbiter_hash)
    written = Shelf(tmp_path, lambda _game: None, "1").export_entries(entries, codec, tmp_path, "old")  # type: ignore[arg-type, return-value]
    text = written.read_text()
    assert "scrypt$" not in text
    assert setup.arbiter_hash.rsplit("$", 1)[-1] not in text
    other = Table(tmp_path / "other")
    other.desk.import_game(written)
    (game,) = other.desk.saved_games()
    other.desk.open(game.path)
    assert other.desk.change is not None
    assert other.desk.change.state.frozen_setup.arbiter_hash == "pin:elsewhere", "it still has an arbiter"
    assert not other.desk.knows_arbiter_pin()
    other.desk.close()


def test_a_game_of_before_loses_its_hash_when_its_box_opens_it(tmp_path: Path) -> None:
    """The PIN stays right and counts its tries; what a copied game file held is gone, and the game is whole."""
    table = Table(tmp_path / "data")
    setup = replace(table.desk.make_setup("sfw96", "apr43", {}), arbiter_hash=hash_pin(ARBITER_PIN))
    path = table.desk.data_folder / "games" / "old.tcgame"
    path.parent.mkdir(parents=True, exist_ok=True)
    session = GameSession.create(path, setup, table.desk._catalogue.rules_of, table.time, app_version="1")
    for number in range(70):  # more than one batch of copies
        session.ask(Envelope(cm.AddNote(f"note {number}"), TABLE, "touch")).result(10)
    session.close()
    assert any(is_pin(ARBITER_PIN, found) for found in all_values(path.parent) if isinstance(found, str))
    names = set()
    for is_cut in (False, True, False):
        table.desk.open(path)
        table.hear()
        assert table.desk.session.recovery is None
        assert table.desk.change is not None
        names.add(table.desk.change.state.frozen_setup.arbiter_hash)
        assert table.desk.check_arbiter(ARBITER_PIN)
        assert not table.desk.check_arbiter("0000")
        assert [e.command.text for e in table.desk.entries() if isinstance(e.command, cm.AddNote)][:70] == [
            f"note {number}" for number in range(70)
        ]
        table.desk.session.cut_power() if is_cut else table.desk.close()
    assert len(names) == 1
    assert not any("scrypt$" in found for found in all_values(path.parent) if isinstance(found, str))


# The spare box


@pytest.fixture
def spare(evening: Evening, tmp_path: Path) -> Iterator[Table]:
    """The exported game, opened on another box."""
    table = Table(tmp_path / "spare")
    table.desk.import_game(evening.export)
    (game,) = table.desk.saved_games()
    table.desk.open(game.path)
    table.hear()
    yield table
    table.desk.close()


def test_on_a_spare_box_no_pin_of_before_counts_and_none_is_counted_as_wrong(spare: Table) -> None:
    assert not spare.desk.knows_arbiter_pin()
    for _ in range(5):
        assert not spare.desk.check_arbiter(ARBITER_PIN)
    spare.thread.run()
    assert str(spare.notices[-1].text) == "This box cannot check the arbiter's PIN of this game"


def test_on_a_spare_box_the_arbiter_sets_a_new_pin_which_is_logged(spare: Table) -> None:
    name = spare.desk.new_arbiter_pin("8080")
    spare.desk.send(cm.SetArbiterPin(name), actor=TABLE)
    spare.hear()
    assert spare.changes[-1].rejected is not None
    spare.desk.send(cm.SetArbiterPin(name), actor=ARBITER)
    spare.hear()
    assert spare.desk.knows_arbiter_pin()
    assert spare.desk.check_arbiter("8080")
    assert not spare.desk.check_arbiter(ARBITER_PIN)
    entry = spare.desk.entries()[-1]
    assert entry_label(entry, spare.changes[-1].state) == "A new arbiter's PIN was set"
    spare.desk.send(cm.Undo(spare.desk.now_ms(), to_seq=1, confirmed=True))
    spare.hear()
    assert spare.desk.check_arbiter("8080"), "it is for good"


def test_on_a_spare_box_a_note_is_opened_by_its_code_alone(spare: Table, evening: Evening) -> None:
    assert spare.desk.change is not None
    secret = spare.desk.change.state.game["seals"].secrets["us.fleet.1"]
    envelope = secret.versions[-1].envelope
    for holder, pin in (("allies", SIDE_PIN), ("arbiter", ARBITER_PIN)):
        with pytest.raises(ValueError, match="sealed on another box") as told:
            spare.desk.vault.open(envelope, envelope.bound, holder, pin, tries_of="x")
        assert not isinstance(told.value, PermissionError), "a wrong PIN would be noted in the log"
    text, opening = spare.desk.vault.open(envelope, envelope.bound, "recovery", evening.code, tries_of="x")
    assert text == NOTE
    while spare.press().state.step.phase != "tactical":
        pass
    spare.desk.send(RevealSecret("us.fleet.1", text, opening))
    spare.hear()
    assert spare.changes[-1].rejected is None


@pytest.mark.parametrize("what", ["damaged", "lost", "another"])
def test_without_its_device_key_a_box_asks_for_a_new_pin_and_counts_nothing(
    evening: Evening, tmp_path: Path, what: str
) -> None:
    shutil.copytree(evening.folder, tmp_path / "copy")
    key = tmp_path / "copy" / "keys" / "device.key"
    data = bytearray(key.read_bytes())
    data[40] ^= 1
    key.unlink()
    if what != "lost":
        key.write_bytes(bytes(data) if what == "damaged" else bytes(range(32)))
    table = Table(tmp_path / "copy")
    (game,) = table.desk.saved_games()
    table.desk.open(game.path)
    assert not table.desk.knows_arbiter_pin()
    for _ in range(5):
        assert not table.desk.check_arbiter(ARBITER_PIN)
    name = table.desk.new_arbiter_pin("8080")
    table.desk.send(cm.SetArbiterPin(name), actor=ARBITER)
    table.hear()
    assert table.desk.check_arbiter("8080")
    table.desk.close()


@pytest.mark.parametrize("what", ["torn", "of another shape", "a bit"])
def test_a_damaged_file_of_pins_is_told_and_counts_nothing(
    evening: Evening, tmp_path: Path, what: str
) -> None:
    shutil.copytree(evening.folder, tmp_path / "copy")
    pins = tmp_path / "copy" / "keys" / "arbiter-pins.json"
    data = pins.read_bytes()
    at = data.index(b"scrypt$") + 60
    spoiled = {
        "torn": data[:30], "of another shape": b'{"pin:1": 3}',
        "a bit": data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :],
    }[what]  # fmt: skip
    pins.write_bytes(spoiled)
    table = Table(tmp_path / "copy")
    (game,) = table.desk.saved_games()
    table.desk.open(game.path)
    for _ in range(5):
        assert not table.desk.check_arbiter(ARBITER_PIN)
    table.hear()
    told = [str(notice.text) for notice in table.notices]
    if what != "a bit":
        assert any("set new ones" in text for text in told)
        assert (pins.parent / "arbiter-pins.damaged.json").read_bytes() == spoiled
    assert "This box cannot check the arbiter's PIN of this game" in told
    table.desk.send(cm.SetArbiterPin(table.desk.new_arbiter_pin("8080")), actor=ARBITER)
    table.hear()
    assert table.desk.check_arbiter("8080")
    table.desk.close()


def test_copies_of_a_game_give_no_more_tries_of_its_pin(tmp_path: Path) -> None:
    """Three tries are free for the PIN, not for every file that names it."""
    table = Table(tmp_path / "data")
    table.start(pin=ARBITER_PIN)
    assert table.desk.path is not None
    table.desk.export(table.desk.path, tmp_path)
    table.desk.wait_for_copy()
    (written,) = tmp_path.glob("*.jsonl")
    looked_at = 0
    for _ in range(4):
        table.desk.import_game(written)
    for game in table.desk.saved_games():
        table.desk.open(game.path)
        for _ in range(3):
            assert not table.desk.check_arbiter("0000")
        looked_at += table.desk.check_arbiter(ARBITER_PIN)
    assert looked_at == 0
    table.time.advance(5_000)
    assert table.desk.check_arbiter(ARBITER_PIN), "one wait, whatever was opened meanwhile"
    table.desk.close()
