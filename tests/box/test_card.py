"""A card with our folder on its boot partition, from power on to the first frame: without a network, the plug pulled three times.

Long: the machine is emulated, and it installs the whole program.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.box.card import USER_DATA, Card, Start, fetch_system, run, write_card
from tests.box.kernel import TOP, MissingError
from tests.box.seat import CONSOLE_COLOURS

pytestmark = pytest.mark.long
INSTALLING_S, DRAWING_S = 3000, 2400


@pytest.fixture
def card(tmp_path: Path) -> Card:
    """A card whose owner set up a user in Imager, and copied our folder onto it."""
    if os.geteuid() != 0:
        pytest.skip("a Debian root is made by root only")
    for program in ("mmdebstrap", "sfdisk", "mkfs.vfat", "mcopy", "mke2fs", "qemu-system-x86_64", "openssl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    try:
        system = fetch_system()
    except MissingError as error:
        pytest.skip(str(error))
    key, boot = tmp_path / "maker.pem", tmp_path / "boot"
    run(TOP / "deploy/sign", "make-key", key)
    run(
        TOP / "deploy/bundle",
        "--key",
        key,
        "--with-libraries",
        "3.13",
        "--machine",
        "x86_64",
        "--out",
        tmp_path,
    )
    run(TOP / "deploy/card/debs", tmp_path / "debs", "--arch", "amd64")
    boot.mkdir()
    (boot / "user-data").write_text(USER_DATA)
    (boot / "meta-data").write_text("instance-id: rpi-imager-1\n")
    (package,) = tmp_path.glob("table-companion-*.zip")
    # The libraries for this processor are larger than a Pi's.
    larger = {**os.environ, "COMPANION_CARD_MB": "300"}
    run(TOP / "deploy/card/files", boot, "--package", package, "--debs", tmp_path / "debs", **larger)
    return write_card(system, boot, tmp_path)


def test_a_card_plays_without_a_network_however_often_the_plug_is_pulled(card: Card, tmp_path: Path) -> None:
    for number, words in enumerate(("Unpacking libllvm19", "Installing the program.", "Installed.")):
        with Start(card, tmp_path / f"start-{number}") as start:
            said = start.wait_for(words, INSTALLING_S)
            assert "Not installed" not in said
    with Start(card, tmp_path / "start-3") as start:
        assert start.picture(tmp_path / "first-frame.png", DRAWING_S) > CONSOLE_COLOURS
    assert card.said().count("Installed. The picture comes by itself") == 1
    assert card.file("/etc/hostname") == "games\n", "what was set up in Imager holds"
    assert "anna" in card.file("/etc/passwd")
    assert card.file("/etc/systemd/system/companion-first.service") == ""
