"""``companion gateway``: one process between the app and the phones; it may be killed at any time."""

from __future__ import annotations

import argparse
import asyncio
import ipaddress
import logging
import math
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from companion.gateway.wire import socket_fault

__all__ = ["main"]

_LIMITS = """
limits: 8 connections an address, 96 in all; headers 8 KiB; a post 4 KiB, a photo 6 MiB in 60 s; a whole request within 5 s; a reader may be
15 s behind; 64 live pages, one a phone; 5 wrong codes a minute an address, 20 in all; frames 256 KiB from the app, 64 KiB to it

exit codes: 0 stopped; 1 what it needs is not installed; 2 the command line was wrong; 3 the port is taken; 4 the app does not
answer at its socket; 5 the app speaks another protocol"""


def main(argv: Sequence[str]) -> int:
    """Serve phones until told to end; return the exit code."""
    parser = _parser()
    args = parser.parse_args(list(argv))
    fault = _fault(args)
    if fault:
        print(f"companion gateway: {fault}", file=sys.stderr)
        return 2
    try:
        import uvicorn  # noqa: F401
        from starlette import applications  # noqa: F401
    except ImportError as missing:
        print(
            f"companion gateway: {missing.name} is missing; install table-companion[phones]", file=sys.stderr
        )
        return 1
    logging.basicConfig(level=args.log_level.upper(), format="gateway: %(message)s")
    logging.getLogger("uvicorn.error").addFilter(_one_line)
    try:
        listening = _listening(args)
    except OSError as fault_:
        print(
            f"companion gateway: {args.bind} cannot be used: {fault_.strerror}; choose another port",
            file=sys.stderr,
        )
        return 3
    with listening:
        return asyncio.run(_serve(args, listening))


def _one_line(record: logging.LogRecord) -> bool:
    """Let a fault be told in one line, and what anybody can make us say by sending noise not at all."""
    if record.exc_info and record.exc_info[1] is not None:
        record.msg, record.args = f"{record.msg} {record.exc_info[1]!r}", ()
    record.exc_info = record.exc_text = None
    return not str(record.msg).startswith(
        ("Invalid HTTP request", "Unsupported upgrade", "No supported WebSocket")
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion gateway",
        description="Show the table to phones. The app starts it when the table turns Phones on.",
        epilog=_LIMITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--socket", type=Path, metavar="PATH", required=True, help="where the app listens")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--bind", metavar="ADDRESS:PORT", default="127.0.0.1:8765", help="where phones ask (127.0.0.1:8765)"
    )
    where.add_argument("--fd", type=int, metavar="N", help="a listening socket that was handed over")
    parser.add_argument("--bind-all", action="store_true", help="let --bind be an address of every network")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a further name of this machine"
    )
    parser.add_argument(
        "--give-up", type=float, default=60.0, metavar="S", help="end after so long without the app (60)"
    )
    parser.add_argument("--check", action="store_true", help="start, answer one request, end")
    parser.add_argument("--log-level", choices=("error", "warning", "info", "debug"), default="warning")
    return parser


def _fault(args: argparse.Namespace) -> str:
    """Return what is wrong with the call; empty: nothing."""
    fault = socket_fault(args.socket)
    if fault:
        return fault
    if not 0 <= args.give_up < math.inf:
        return f"--give-up: expected seconds such as 60, got {args.give_up}"
    if args.fd is not None and not 0 <= args.fd < 1 << 31:
        return f"--fd: expected the number of a listening socket, got {args.fd}"
    if args.fd is not None:
        return ""
    host, _colon, port = args.bind.rpartition(":")
    try:
        address = ipaddress.ip_address(host.strip("[]"))
        is_port = 0 <= int(port) < 1 << 16
    except ValueError:
        is_port = False
    if not is_port:
        return f"--bind: expected ADDRESS:PORT such as 192.168.1.20:8765, got {args.bind!r}"
    if address.is_unspecified:
        if not args.bind_all:
            return f"--bind: {host} is every network of this machine; name one address, or add --bind-all"
    elif not (address.is_private or address.is_link_local):
        return f"--bind: {host} is a public address; expected one of the table's own network"
    if os.geteuid() == 0 and not address.is_loopback:
        return f"--bind: not as root at {host}; start it as another user, or at 127.0.0.1"
    return ""


def _listening(args: argparse.Namespace) -> socket.socket:
    if args.fd is not None:
        return socket.socket(fileno=args.fd)
    host, _colon, port = args.bind.rpartition(":")
    host = host.strip("[]")
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, int(port)))
        made.listen(32)
    except OSError:
        made.close()
        raise
    return made


def _hosts(bound: tuple[Any, ...], names: Sequence[str]) -> frozenset[str]:
    """Return under which names a browser may ask: each with the port, or without where it is the usual one."""
    host, port = str(bound[0]), int(bound[1])
    address = ipaddress.ip_address(host)
    own = [f"[{host}]" if address.version == 6 else host] if not address.is_unspecified else []
    own += ["localhost"] if address.is_loopback else []
    return frozenset(
        one
        for name in (*own, *map(str.lower, names))
        for one in (f"{name}:{port}", *([name] if port == 80 else []))
    )


async def _serve(args: argparse.Namespace, listening: socket.socket) -> int:
    import uvicorn

    from companion.gateway.hub import Hub
    from companion.gateway.limits import limited
    from companion.gateway.link import End, Link
    from companion.gateway.server import make_app

    bound = listening.getsockname()
    shown = f"[{bound[0]}]:{bound[1]}" if ":" in str(bound[0]) else f"{bound[0]}:{bound[1]}"
    hub = Hub(lambda: time.monotonic_ns() // 1_000_000)
    code = End.STOPPED

    def end(why: End, text: str) -> None:
        nonlocal code
        code = why
        logging.getLogger("companion.gateway").log(
            logging.INFO if why is End.STOPPED else logging.ERROR, "%s", text
        )
        hub.close()
        ends.set()

    async def until_end() -> None:
        """Wait without looking ten times a second, as the server itself would: that costs more than eight idle phones."""
        await server.on_tick(0)
        await ends.wait()

    ends = asyncio.Event()
    link = Link(args.socket, hub, shown, give_up_s=args.give_up, on_end=end)
    config = limited(make_app(hub, _hosts(bound, args.allow_host), link))
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # signals are taken below
    if args.check:
        return await _check(server, listening, shown)
    server.main_loop = until_end
    holding = asyncio.create_task(link.run())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, End.STOPPED, "told to stop")
    try:
        await server.serve(sockets=[listening])
    finally:
        holding.cancel()
    return int(code)


async def _check(server: Any, listening: socket.socket, shown: str) -> int:
    """Answer one own request and end."""
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        host, port = listening.getsockname()[:2]
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {shown}\r\nConnection: close\r\n\r\n".encode())
        status = (await asyncio.wait_for(reader.readline(), 10)).split()
        writer.close()
    finally:
        server.should_exit = True
        await serving
    is_good = len(status) > 1 and status[1] == b"200"
    print(f"companion gateway: {shown} answers {status[1].decode() if len(status) > 1 else 'nothing'}")
    return 0 if is_good else 1
