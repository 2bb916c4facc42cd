"""sd_notify: what a service manager hears, and silence without one."""

from __future__ import annotations

import socket

import pytest

from hardware.notify import Notifier


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.settimeout(2)
        if request.param == "path":
            address = str(tmp_path / "notify")
            server.bind(address)
        else:
            address = f"@companion-test-{tmp_path.name}"
            server.bind("\0" + address[1:])
        yield server, address


def test_what_the_manager_hears(manager):
    server, address = manager
    notifier = Notifier.from_environment(
        {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "20000000", "WATCHDOG_PID": "7"}, 7
    )
    assert notifier.is_active
    assert notifier.watchdog_interval_s == 20.0
    assert notifier.ready("table is\nlaid")
    assert server.recv(200) == b"READY=1\nSTATUS=table is laid"
    assert notifier.watchdog()
    assert server.recv(200) == b"WATCHDOG=1"
    assert notifier.status("stage 2")
    assert server.recv(200) == b"STATUS=stage 2"
    assert notifier.stopping()
    assert server.recv(200) == b"STOPPING=1"


def test_without_a_manager_nothing_happens():
    notifier = Notifier.from_environment({})
    assert not notifier.is_active
    assert notifier.watchdog_interval_s is None
    assert not notifier.ready()
    assert not notifier.watchdog()


def test_a_manager_that_is_gone_is_no_error(tmp_path):
    assert not Notifier(str(tmp_path / "gone")).ready()


@pytest.mark.parametrize(
    "env", [{"WATCHDOG_USEC": "x"}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "5000", "WATCHDOG_PID": "8"}]
)
def test_a_watchdog_that_is_not_ours_is_not_fed(env):
    assert Notifier.from_environment({"NOTIFY_SOCKET": "@x", **env}, 7).watchdog_interval_s is None


def test_a_full_queue_never_holds_the_interface_up(tmp_path):
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(address)
        notifier = Notifier(address)
        results = {notifier.watchdog() for _ in range(5_000)}
    assert results == {True, False}
