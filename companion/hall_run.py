"""``companion hall run``: the director's page and the hall's display, for as long as the process lives."""

from __future__ import annotations

import argparse
import asyncio
import errno
import fcntl
import ipaddress
import logging
import os
import secrets
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from companion.core.text import Say, Typed
from companion.hall.errors import HallError

if TYPE_CHECKING:
    from companion.hall.desk.web.desk import Desk
    from companion.hall.desk.web.port import Lives
    from companion.hall.desk.web.shared_lives import SharedLives
    from companion.hall.desk.web.view import Playable
    from companion.hall.shared import Where
    from companion.hall.voice import Voice

__all__ = ["asked", "run"]

_LOCK = "run.lock"
_SIGNS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"


def run(args: argparse.Namespace) -> int:
    """Serve the pages until told to end; HallError where they cannot be."""
    try:
        import uvicorn  # noqa: F401
        from starlette import applications  # noqa: F401
    except ImportError as missing:
        raise HallError(f"{missing.name} is missing; install table-companion[hall]") from None
    address = _address(args.address)
    strays = [
        f"--{name.replace('_', '-')}" for name in ("ca", "user", "password_file") if getattr(args, name)
    ]
    if strays and args.broker is None:
        raise HallError(f"{strays[0]}: expected --broker as well; nothing was changed")
    with _alone(args.folder), _listening(address, args.port) as listening:
        if args.broker is not None:
            _at_venue(args)
        elif args.tables is not None:
            _hall(args).set_address(args.tables, "--tables", is_here=True)
        if args.each_address is not None:
            _hall(args).set_each(args.each_address)
        args.pin = _pin(args.folder)
        logging.basicConfig(level="WARNING", format="hall: %(message)s")
        if args.window:
            return _in_window(args, listening)
        return asyncio.run(_serve(args, listening))


def _in_window(args: argparse.Namespace, listening: socket.socket) -> int:
    """Serve the pages beside a window of the director's own."""
    try:
        from companion.director.program import show
    except ImportError as missing:
        raise HallError(f"{missing.name} is missing; install table-companion") from None
    args.headless = True
    return show(
        args, args.folder / "desk" / "window", lambda ready, ends: _serve(args, listening, ready, ends)
    )


def _address(text: str) -> str:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        raise HallError(
            f"--address: expected an address of this machine such as 192.168.1.20, got {text!r}"
        ) from None
    if found.is_unspecified or not (found.is_private or found.is_link_local or found.is_loopback):
        raise HallError(f"--address: expected one address of the hall's own network, got {text}")
    return text


def _at_venue(args: argparse.Namespace) -> None:
    """Have tables call at the venue's broker."""
    missing = [
        name
        for name, value in (("--ca", args.ca), ("--user", args.user), ("--password-file", args.password_file))
        if not value
    ]
    if missing or args.tables is not None:
        what = (
            f"{' and '.join(missing)} as well" if missing else "no --tables, which is for a broker of its own"
        )
        raise HallError(f"--broker: expected {what}; nothing was changed")
    hall = _hall(args)
    from companion.hall.desk.venue import venue_of
    from companion.session.files import read_source

    hall.set_venue(args.broker, venue_of(args.ca, args.user, args.password_file, read_source))


class _alone:  # noqa: N801 - it reads as a word where it is used
    """Holds a folder for one `hall run`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _LOCK
        self._file: IO[str] | None = None

    def __enter__(self) -> None:
        if not self._path.parent.is_dir():
            raise HallError(
                f"{self._path.parent} holds no tournament; companion hall new {self._path.parent} begins one"
            )
        self._file = self._path.open("a+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.seek(0)
            who = self._file.read(20).strip() or "unknown"
            self._file.close()
            raise HallError(
                f"{self._path.parent} is run already (process {who}); open its page, or end it first. Other commands may go on"
            ) from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def __exit__(self, *_fault: object) -> None:
        if self._file is not None:
            self._file.close()


def _listening(address: str, port: int) -> socket.socket:
    from companion.gateway.addresses import elsewhere
    from companion.gateway.limits import LimitedListener

    made = LimitedListener(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((address, port))
        made.listen(64)
    except (OSError, OverflowError) as fault:
        made.close()
        if isinstance(fault, OSError) and fault.errno == errno.EADDRNOTAVAIL:
            raise HallError(f"--address: {elsewhere(address)}") from None
        why = fault.strerror if isinstance(fault, OSError) else "a port is a number up to 65535"
        raise HallError(f"{address} port {port} cannot be used: {why}; choose another --port") from None
    return made


async def _serve(
    args: argparse.Namespace,
    listening: socket.socket,
    ready: Callable[[Desk], None] = lambda _desk: None,
    ends: asyncio.Event | None = None,
) -> int:
    """Serve until a signal ends it, or `ends` where that is given; `ready` is told the desk."""
    import uvicorn

    from companion.gateway.limits import limited
    from companion.hall.desk.web.app import Web, make_app
    from companion.hall.desk.web.desk import Desk
    from companion.hall.desk.web.lives import DirectorLives
    from companion.hall.desk.web.port import NoLink
    from companion.hall.shared import where_of

    lives: Lives = NoLink()
    now_ms: Callable[[], int] = _monotonic_ms
    linking: asyncio.Task[None] | None = None
    if (args.folder / "desk" / "tables.sqlite").exists():
        try:
            linking, lives, now_ms = await _linked(args, has_signals=ends is None)
        except (HallError, ImportError) as fault:
            lives = NoLink(Say("Tables are not heard: {why}", why=_why(fault)))
            print(f"{lives.why_not}; the page goes on without them", flush=True)
    own, sharing = lives, None
    if (where := where_of(args.folder)) is not None:
        lives = _shared(args.folder, where, own, now_ms)
        sharing = asyncio.create_task(lives.run())
    desk = Desk(args.folder, lives, now_ms=now_ms, wall=lambda: datetime.now().astimezone())
    if isinstance(own, DirectorLives):
        own.on_result(desk.take_by_link)
        own.on_round(desk.round_now)
    code = "".join(secrets.choice(_SIGNS) for _sign in range(8))
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    hosts = {shown} | ({f"localhost:{port}"} if ipaddress.ip_address(host).is_loopback else set())
    is_plain = ipaddress.ip_address(host).is_loopback
    page, ca = (None, b"") if is_plain else _certificates(args.folder, host)
    web = Web(desk, code, secrets.token_bytes(32), ca, _voices())
    config = limited(make_app(web, frozenset(hosts)))
    url = f"http://{shown}" if page is None else f"https://{shown}"
    if page is not None:
        from companion.hall.desk.ca import CERT, KEY, print_of

        config.ssl_certfile, config.ssl_keyfile = str(page / CERT), str(page / KEY)
        config.load()
        config.ssl.minimum_version = ssl.TLSVersion.TLSv1_3
        print(f"its authority, which a browser asks about once ({url}/ca.pem): {print_of(ca)}", flush=True)
    server: Any = uvicorn.Server(config)
    server.capture_signals = nullcontext
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT) if ends is None else ():
        loop.add_signal_handler(number, lambda: setattr(server, "should_exit", True))
    ending = None if ends is None else asyncio.create_task(_end_with(ends, server))
    ready(desk)
    print(f"{desk.now.name}: {url}/in   director's code {code[:4]} {code[4:]}", flush=True)
    print(f"hall display, for everybody: {url}/hall", flush=True)
    if not args.headless:
        import webbrowser

        with suppress(webbrowser.Error, OSError):  # the address stands above; it can be opened by hand
            await asyncio.to_thread(webbrowser.open, f"{url}/in?code={code}")
    try:
        await server.serve(sockets=[listening])
    finally:
        if ending is not None:
            ending.cancel()
        desk.close()
        from companion.hall.link.port import ended

        await ended(*(one for one in (sharing, linking) if one is not None))
    return 0


def _shared(folder: Path, where: Where, own: Lives, now_ms: Callable[[], int]) -> SharedLives:
    """Return one's own tables and those that report to others who share the record."""
    from companion.hall.desk.sharing import Sharing
    from companion.hall.desk.web.lives import DirectorLives
    from companion.hall.desk.web.shared_lives import SharedLives

    director = own.director if isinstance(own, DirectorLives) else None
    name = "" if director is None else director.hall
    sharing = Sharing(where, folder, name, None if director is None else folder / "desk")
    return SharedLives(own, sharing, now_ms, director)


async def _end_with(ends: asyncio.Event, server: Any) -> None:
    await ends.wait()
    server.should_exit = True


def _why(fault: Exception) -> Say:
    return fault.say if isinstance(fault, HallError) else Say("{why}", why=Typed(str(fault)))


def _voices() -> dict[str, tuple[str, Voice]]:
    """Return the languages of the pages: by code the own name and the voice."""
    from companion.pages import speak
    from companion.pages.i18n import LANGUAGES, language_of

    return {code: (name, speak.Voice(language_of(code)).say) for code, name in LANGUAGES.items()}


def _pin(folder: Path) -> str:
    """Return the PIN of the director's key, asked for once; empty: it has none. HallError where it is another."""
    if not (folder / "desk" / "director.key").exists():
        return ""
    from companion.hall.desk.key import DirectorKey

    key = DirectorKey(folder / "desk")
    if not key.is_locked:
        return ""
    pin = asked("PIN of the director's key: ")
    key.open(pin)
    return pin


def asked(prompt: str) -> str:
    """Return what is typed unseen, or the next line where nobody types."""
    import getpass

    if sys.stdin.isatty():
        return getpass.getpass(prompt)
    return sys.stdin.readline().rstrip("\n")


def _certificates(folder: Path, host: str) -> tuple[Path, bytes]:
    """Return where the page's certificate lies, made for its address by the hall's own authority, and that authority."""
    from companion.hall.desk.ca import CA, ensure_certificates

    authority, page = folder / "desk" / "broker", folder / "desk" / "page"
    try:
        ensure_certificates(page, (host,), authority)
        return page, (authority / CA).read_bytes()
    except OSError as fault:
        raise HallError(f"{page} takes no certificate: {fault.strerror or fault}") from None


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _hall(args: argparse.Namespace) -> Any:
    """Return what a hall has of its tables; HallError where the broker's client is missing."""
    try:
        from companion.hall.desk.hall import Hall
    except ImportError as missing:
        raise HallError(f"{missing.name} is missing; install table-companion[hall]") from None
    return args.opened.enter_context(closing(Hall(args.folder)))


def _games() -> list[Playable]:
    """Return what tables can be seated for; a time control that asks for figures is set at the box."""
    from companion.adapters.catalogue import GameCatalogue
    from companion.hall.desk.web.view import Playable

    infos = GameCatalogue().scenarios()
    return [
        Playable(
            one.game,
            one.scenario,
            f"{one.game_title} · {one.title}",
            tuple((preset.id, preset.title) for preset in one.controls if not preset.ask),
        )
        for one in infos
        if not one.names_players
    ]


async def _linked(
    args: argparse.Namespace, *, has_signals: bool
) -> tuple[asyncio.Task[None], Any, Callable[[], int]]:
    """Start the hall's broker and the director's end of the link, and return them as a task, what is heard, and the clock.

    HallError where they do not start, as without mosquitto.
    """
    from companion.hall.desk.web.lives import DirectorLives

    hall = _hall(args)
    hall.unlock(args.pin)
    ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    linking = asyncio.create_task(
        hall.run(lambda text: print(text, flush=True), ready.set_result, has_signals=has_signals)
    )
    await asyncio.wait((linking, ready), return_when=asyncio.FIRST_COMPLETED)
    if not ready.done():
        linking.result()  # says why
    director = ready.result()
    print(f"tables call at {hall.address.host}:{hall.address.port}", flush=True)
    games = asyncio.get_running_loop().run_in_executor(None, _games)
    lives = DirectorLives(director, hall.logs, lambda table: hall.office().confirm(table), games)
    return linking, lives, director.now_ms
