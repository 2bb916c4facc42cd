"""What the desk answers: the director's pages behind a code, the hall's display to everybody who may reach it, and streams of both."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from companion.core.text import Say
from companion.gateway.hub import Tries
from companion.gateway.server import Guard
from companion.hall import paper
from companion.hall.desk.web import pages, rounds, screen
from companion.hall.desk.web.desk import Desk
from companion.hall.desk.web.view import Parts
from companion.hall.errors import HallError
from companion.hall.typed import whole_in
from companion.hall.voice import Voice, shown, speaking

__all__ = ["MOST_STREAMS", "Web", "make_app"]

MOST_STREAMS, FOR_DIRECTORS = 64, 8
"""Pages that may live at once, and how many of them are kept for those who have the code."""
BEAT_S, LOOK_S = 5.0, 0.5
"""A stream says at least so often that it lives; what has changed is looked for so often."""
_COOKIE, _HOURS, _LANGUAGE, _YEAR_S = "desk", 16, "lang", 31_536_000
ENGLISH: Mapping[str, tuple[str, Voice]] = {"en": ("English", str)}
_STATIC = Path(__file__).parent / "static"
_MOST_FIELD = 1_000


class Web:
    """The answers of one desk."""

    def __init__(
        self,
        desk: Desk,
        code: str,
        key: bytes,
        ca: bytes = b"",
        voices: Mapping[str, tuple[str, Voice]] = ENGLISH,
    ) -> None:
        """Let in whoever has the code; `key` signs cookies for as long as the process lives.

        `ca` is the authority of a page over TLS, which anybody may fetch; empty: the page is plain. `voices` are
        the languages of the pages, by code the own name and who speaks it; the first where a browser wants another.
        """
        self.desk, self._code, self._key, self._ca = desk, code, key, ca
        self._tries = Tries()
        self._voices = voices
        self._told: dict[str, tuple[Say, bool]] = {}
        self.streams = 0
        self._made: dict[str, tuple[int, Parts]] = {}
        self._acts: deque[int] = deque(maxlen=20)

    # Who may

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(errors="replace"), hashlib.sha256).hexdigest()[:32]

    def _may(self, request: Request) -> str:
        """Return the token of a director's browser; empty: it is none."""
        nonce, _dot, signed = str(request.cookies.get(_COOKIE, "")).partition(".")
        return (
            nonce
            if nonce and hmac.compare_digest(signed.encode(errors="replace"), self._sign(nonce).encode())
            else ""
        )

    # Languages

    def _language(self, request: Request) -> str:
        """Return what is asked for, else what this browser has chosen, else the first that it accepts."""
        accepted = request.headers.get("accept-language", "").split(",")[:20]
        for wanted in (
            request.query_params.get("lang", ""),
            str(request.cookies.get(_LANGUAGE, "")),
            *(one.partition(";")[0].strip().partition("-")[0].lower() for one in accepted),
        ):
            if wanted in self._voices:
                return str(wanted)
        return next(iter(self._voices))

    def _spoken(self, request: Request, make: Callable[[], str], status: int = 200) -> Response:
        """Answer with a page in the browser's language, which it keeps once it is chosen."""
        language = self._language(request)
        with speaking(self._voices[language][1]):
            answer = _html(make(), status)
        if language == request.query_params.get("lang"):
            answer.set_cookie(
                _LANGUAGE, language, max_age=_YEAR_S, path="/", httponly=True, samesite="strict"
            )
        return answer

    def _login(
        self, request: Request, told: Say | None = None, status: int = 200, code: str = ""
    ) -> Response:
        language, name = self._language(request), self.desk.now.name
        return self._spoken(request, lambda: pages.login(name, told, code, language, self._names), status)

    @property
    def _names(self) -> list[tuple[str, str]]:
        return [(code, name) for code, (name, _voice) in self._voices.items()]

    async def enter(self, request: Request) -> Response:
        """Show the way in, or let somebody in who has the code."""
        if request.method != "POST":
            code = request.query_params.get("code", "")[:16]
            return RedirectResponse("/", 303) if self._may(request) else self._login(request, code=code)
        address = request.client.host if request.client is not None else ""
        if self._tries.wait_ms(address, self.desk.now_ms()):
            return self._login(request, Say("Too many wrong codes. Wait a minute."), 429)
        given = "".join(one for one in (await _fields(request)).get("code", "").upper() if one.isalnum())
        if not hmac.compare_digest(given.encode(errors="replace"), self._code.encode()):
            self._tries.add(address, self.desk.now_ms())
            return self._login(request, Say("That is not the director's code."), 403)
        nonce = hashlib.sha256(self._key + str(self.desk.now_ms()).encode()).hexdigest()[:24]
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            _COOKIE,
            f"{nonce}.{self._sign(nonce)}",
            max_age=_HOURS * 3600,
            path="/",
            secure=bool(self._ca),
            httponly=True,
            samesite="strict",
        )
        return answer

    # Pages

    async def page(self, request: Request) -> Response:
        """Show one of the director's pages."""
        token = self._may(request)
        if not token:
            return RedirectResponse("/in", 303)
        self.desk.reread()
        told, is_fault = self._told.pop(token, (None, False))
        line = told or self.desk.fault or ""
        found: tuple[str, int] = ("", 404)
        language = self._language(request)
        with speaking(self._voices[language][1]):
            if request.url.path == "/standings":
                found = (await asyncio.to_thread(pages.score, self.desk.view()), 200)
            else:
                found = self._body(request, token)
        body, status = found
        return self._spoken(
            request,
            lambda: pages.document(
                self.desk.view(),
                request.url.path,
                body,
                told=line,
                is_fault=is_fault or told is None,
                language=language,
            ),
            status,
        )

    def _body(self, request: Request, token: str) -> tuple[str, int]:
        """Return the body of a page and its status."""
        view, lives, stamp = self.desk.view(), self.desk.lives, self._sign(f"act {token}")
        match request.url.path:
            case "/":
                return pages.wall_page(view), 200
            case "/round":
                sent = lives.sent(view.now.rules.sides)
                return rounds.round_page(view, stamp, sent, lives.asking(), lives.games), 200
            case "/players":
                return pages.players(view, stamp, self._language(request), self._names), 200
        table = whole_in(request.path_params["table"])
        tables = {one.table for one in view.now.rounds[-1].tables} if view.now.rounds else set()
        if table is None or table not in tables:
            return f"<h1>{shown(Say('There is no such table in this round.'))}</h1>", 404
        sent = lives.sent(view.now.rules.sides)
        return pages.table_page(view, table, stamp, lives.log(str(table)), sent), 200

    async def paper(self, request: Request) -> Response:
        """Show what is printed: pairings, slips, standings and place cards; its one style is allowed by its hash."""
        if not self._may(request):
            return RedirectResponse("/in", 303)
        self.desk.reread()
        language = self._language(request)
        with speaking(self._voices[language][1]):
            text = await asyncio.to_thread(paper.page, self.desk.now, language=language)
        digest = base64.b64encode(hashlib.sha256(paper.STYLE.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; frame-ancestors 'none'"
        return Response(text, media_type="text/html", headers={"content-security-policy": policy})

    async def hall(self, request: Request) -> Response:
        """Show what the hall sees."""
        self.desk.reread()
        language = self._language(request)
        return self._spoken(request, lambda: screen.display_page(self.desk.view(), language))

    async def authority(self, _request: Request) -> Response:
        """Give the certificate by which a browser knows this page, to be installed."""
        return Response(self._ca, 200 if self._ca else 404, media_type="application/x-x509-ca-cert")

    async def act(self, request: Request) -> Response:
        """Do what a form asks; the answer is the page that shows it."""
        token = self._may(request)
        if not token:
            return RedirectResponse("/in", 303)
        fields = await _fields(request)
        if not hmac.compare_digest(
            fields.get("token", "").encode(errors="replace"), self._sign(f"act {token}").encode()
        ):
            return self._login(request, Say("This form is too old. Open the page again."), 403)
        origin = request.headers.get("referer", "").partition("://")[2].partition("/")[2].partition("?")[0]
        page = f"/{origin}" if origin in ("round", "players") or origin.startswith("t/") else "/round"
        try:
            told, page = await self.desk.do(fields)
            self._told[token] = (told, False)
        except HallError as fault:
            self._told[token] = (fault.say, True)
        while len(self._told) > MOST_STREAMS:
            del self._told[next(iter(self._told))]
        return RedirectResponse(page, 303)

    # Streams

    async def live(self, request: Request) -> Response:
        """Stream the changes of a live page."""
        page = request.path_params["page"]
        table = request.query_params.get("n", "0")
        makers: dict[str, Callable[[], Parts]] = {
            "wall": lambda: pages.wall(self.desk.view()),
            "table": lambda: pages.table_parts(self.desk.view(), int(table)),
            "hall": lambda: screen.display(self.desk.view()),
        }
        if (
            page not in makers
            or not table.isdecimal()
            or len(table) > 6
            or (page != "hall" and not self._may(request))
        ):
            return Response("", 403)
        if self.streams >= MOST_STREAMS - (0 if self._may(request) else FOR_DIRECTORS):
            return Response("Too many pages are open.", 503, media_type="text/plain")
        self.streams += 1  # before anything waits, or many that come at once would all be let in
        return _Stream(self._stream(f"{page} {table}", makers[page], self._language(request)), self._ended)

    def _ended(self) -> None:
        self.streams -= 1

    def _newest(self, name: str, make: Callable[[], Parts], voice: Voice) -> Parts:
        """Return a page as it is now; those who look at the same one at the same time share it."""
        now = self.desk.now_ms()
        at, parts = self._made.get(name, (-1_000, None))
        if parts is None or now - at >= LOOK_S * 900:
            with speaking(voice):
                parts = make()
            self._made[name] = (now, parts)
            while len(self._made) > MOST_STREAMS:
                del self._made[next(iter(self._made))]
        return parts

    async def _stream(self, name: str, make: Callable[[], Parts], language: str) -> AsyncIterator[bytes]:
        yield b"retry: 1000\n\n"
        shown: dict[str, str] = {}
        order: tuple[str, ...] = ()
        heard: dict[str, int] = {}
        beat = 0.0
        loop = asyncio.get_running_loop()
        while True:
            self.desk.reread()
            parts = self._newest(f"{name} {language}", make, self._voices[language][1])
            fresh = {key: parts.html[key] for key in parts.order if shown.get(key) != parts.html[key]}
            later = {key: at for key, at in parts.heard.items() if heard.get(key) != at}
            if fresh or later or parts.order != order or loop.time() - beat >= BEAT_S:
                told: dict[str, Any] = {"now": self.desk.now_ms()}
                if fresh or parts.order != order:
                    told |= {"order": parts.order, "parts": fresh}
                if later:
                    told["heard"] = later
                yield f"event: told\ndata: {json.dumps(told)}\n\n".encode()
                beat = loop.time()
                shown, order, heard = (
                    {key: parts.html[key] for key in parts.order},
                    parts.order,
                    parts.heard,
                )
            await asyncio.sleep(LOOK_S)


class _Stream(StreamingResponse):
    """A stream that tells its end, however it ends."""

    def __init__(self, parts: AsyncIterator[bytes], ended: Callable[[], None]) -> None:
        super().__init__(parts, media_type="text/event-stream")
        self._ended = ended

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._ended()


async def _fields(request: Request) -> dict[str, str]:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
    try:
        found = parse_qs(body.decode("utf-8", "replace"), max_num_fields=30)
    except ValueError:
        return {}
    return {name: values[0][:_MOST_FIELD] for name, values in found.items()}


def _html(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html")


def _file(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    data = (_STATIC / name).read_bytes()

    async def give(_request: Request) -> Response:
        return Response(data, media_type=kind)

    return give


def make_app(web: Web, hosts: frozenset[str]) -> Guard:
    """Return the desk as an ASGI application, to be asked under these names alone."""
    routes = [
        Route("/in", web.enter, methods=["GET", "POST"]),
        *(Route(path, web.page) for path in ("/", "/round", "/standings", "/players", "/t/{table}")),
        Route("/hall", web.hall),
        Route("/ca.pem", web.authority),
        Route("/paper", web.paper),
        Route("/act", web.act, methods=["POST"]),
        Route("/live/{page}", web.live),
        Route("/desk.css", _file("desk.css", "text/css")),
        Route("/desk.js", _file("desk.js", "text/javascript")),
        Route("/favicon.ico", _file("desk.svg", "image/svg+xml")),
    ]
    return Guard(Starlette(routes=routes), None, hosts)
