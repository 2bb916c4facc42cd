"""What the gateway answers: documents, streams, files; who may not ask is told so before anything is looked at."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from companion.gateway import documents
from companion.gateway.files import files, given
from companion.gateway.hub import MINE, PAGES, SEAT, Held, Hub, Viewer, phone_id
from companion.gateway.limits import MOST_ALL, MOST_BODY, MOST_OF_ONE, MOST_PHOTO, PHOTO_PATH

__all__ = ["BEAT_S", "HEADERS", "Guard", "make_app"]

BEAT_S = 10.0
"""A stream says at least this often that it lives."""
MINE_BEAT_S = 2.0
"""A phone that may press is told more often, so that its button is dead as soon as its link is."""
_COOKIE = "phone"
_CODE = "c"
"""Names tonight's code in an address, for whoever keeps no cookie."""
_MET = "met"
"""Set with the way in: whoever comes in without any cookie keeps none, so he can watch by tonight's code and no more."""
_ACTS_S, _ACTS = 2000, 20
"""So many presses of a phone within so many milliseconds; further ones are dropped."""
_FRESH_MS, _ASKED_S = 1000, 1.0
"""A page without script is made anew when the newest frame is older; the app has so long for it."""

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    # With no-referrer a browser names no origin where a form is posted, and every press would be refused.
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
"""Stand on every answer."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class App(Protocol):
    """The app, as it is spoken to."""

    def ask(self, channel: str) -> None:
        """Have a channel made anew."""

    def press(self, token: str, act: str, at_ms: int, answers: dict[str, str]) -> None:
        """Hand a press on: the phone, the act, the instant, answers."""

    def scan(self, token: str, ticket: str) -> None:
        """Hand on that a phone uses up a ticket."""

    def press_sealed(self, token: str, sealed: str, at_ms: int) -> None:
        """Hand on what only the app can open."""

    async def photo(self, token: str, number: int, data: bytes, *, is_last: bool) -> None:
        """Hand a part of a photo on, no faster than the app takes it."""


class Guard:
    """Stands before everything: names, origins, methods, sizes, and the headers of every answer."""

    def __init__(self, app: Any, hub: Hub | None, hosts: frozenset[str]) -> None:
        """Let requests to these hosts through, and to those of the evening; without a hub there is none, and no language."""
        self._app, self._hub, self._hosts = app, hub, hosts
        self._busy: Counter[str] = Counter()
        """Requests that are being answered, by address: whoever hangs up before his answer leaves it behind."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        sent_of, send = scope["headers"], _with_headers(send)
        most = MOST_PHOTO if scope["path"] == PHOTO_PATH else MOST_BODY
        address = scope["client"][0] if scope.get("client") else ""
        fault = self._fault(scope["method"], sent_of, most, scope.get("scheme", "http"))
        if not fault and self._is_too_busy(address, scope.get("server")):
            fault = 429, "fast"
        if fault:
            status, key = fault
            text = documents.WORDS[key] if self._hub is None else _told(self._hub, sent_of)[key]
            await Response(text, status, media_type="text/plain")(scope, receive, send)
            return
        self._busy[address] += 1
        try:
            with suppress(ClientDisconnect):  # nobody is left to be answered
                await self._app(scope, _bounded(receive, most), send)
        finally:
            self._busy[address] -= 1
            if not self._busy[address]:
                del self._busy[address]

    def _is_too_busy(self, address: str, server: tuple[str, int | None] | None) -> bool:
        """Say whether an address, or all of them together, are being answered as much as they may hold connections."""
        is_own = server is not None and address == server[0]
        return self._busy[address] >= MOST_OF_ONE or (self._busy.total() >= MOST_ALL and not is_own)

    def _fault(
        self, method: str, headers: list[tuple[bytes, bytes]], most: int, scheme: str
    ) -> tuple[int, str] | None:
        def values(name: bytes) -> list[str]:
            return [value.decode("latin-1") for key, value in headers if key == name]

        hosts, evening = values(b"host"), None if self._hub is None else self._hub.evening
        known = self._hosts | frozenset(evening.hosts if evening is not None else ())
        if len(hosts) != 1 or hosts[0].lower() not in known:
            return 400, "foreign"
        if method not in ("GET", "HEAD", "POST"):
            return 405, "missing"
        if method == "POST":
            if values(b"origin") != [f"{scheme}://{hosts[0]}"]:
                return 403, "foreign"
            length = values(b"content-length")
            if not length or not length[0].isdecimal() or int(length[0][:12]) > most:
                return 413, "large"
        return None


def _accepted(headers: list[tuple[bytes, bytes]]) -> str:
    return next((value.decode("latin-1") for key, value in headers if key == b"accept-language"), "")


def _told(hub: Hub, headers: list[tuple[bytes, bytes]]) -> Mapping[str, str]:
    return _words(hub, hub.language(_accepted(headers)))


def _words(hub: Hub, language: str) -> Mapping[str, str]:
    told = hub.evening.words.get(language, {}) if hub.evening is not None else {}
    return {**documents.WORDS, **told}


def _with_headers(send: Send) -> Send:
    async def wrapped(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _value in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message["headers"], *(one for one in more if one[0] not in own)]
        await send(message)

    return wrapped


def _bounded(receive: Receive, most: int) -> Receive:
    taken = 0

    async def wrapped() -> MutableMapping[str, Any]:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        return {"type": "http.disconnect"} if taken > most else message

    return wrapped


class _Server:
    """The answers."""

    def __init__(self, hub: Hub, app: App) -> None:
        self.hub, self.app = hub, app
        self._spent: dict[str, deque[int]] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}

    def words(self, language: str) -> Mapping[str, str]:
        return _words(self.hub, language)

    def _language(self, request: Request) -> str:
        wanted = request.query_params.get("lang", "")
        known = self.hub.evening.languages if self.hub.evening is not None else ()
        return wanted if wanted in known else self.hub.language(request.headers.get("accept-language", ""))

    def _token(self, request: Request) -> str:
        token = str(request.cookies.get(_COOKIE, ""))
        return token if self.hub.is_token(token) else ""

    # The way in

    async def join(self, request: Request) -> Response:
        """Show the way in; whoever is in already goes to the table. Nothing is used up by looking."""
        if self._token(request):
            return RedirectResponse("/table", 303)
        language, hub = self._language(request), self.hub
        words, code = self.words(language), str(request.path_params.get("code", ""))[:16]
        if not code:
            return _met(_html(documents.join_page(language, words, "")))
        if refused := self._refused(request, code):
            fault, status = refused
            return _met(_html(documents.join_page(language, words, "", words[fault]), status))
        return _met(_html(documents.join_page(language, words, code, way=hub.way)))

    def _refused(self, request: Request, code: str) -> tuple[str, int] | None:
        """Return why a code lets nobody in, which is counted; None where it does."""
        hub, address = self.hub, request.client.host if request.client is not None else ""
        if hub.tries.wait_ms(address, hub.now_ms()):
            return "wait", 429
        if hub.is_code(code[:32]):
            return None
        hub.tries.add(address, hub.now_ms())
        return "wrong", 403

    async def enter(self, request: Request) -> Response:
        """Let a phone with tonight's code in."""
        language = self._language(request)
        words, hub = self.words(language), self.hub
        fields = {name: values[0] for name, values in _fields(await _body(request), 4).items()}
        code = fields.get("code", "")
        if refused := self._refused(request, code):
            fault, status = refused
            return _html(documents.join_page(language, words, "", words[fault]), status)
        if "typed" in fields and hub.way.seats:
            return RedirectResponse(f"/j/{''.join(filter(str.isalnum, code))}", 303)
        hub.on_joined()
        if not request.cookies:
            page = SEAT if fields.get("seat") else "table"
            return RedirectResponse(f"/{page}?{_CODE}={''.join(filter(str.isalnum, code))[:16]}", 303)
        token, seat = hub.new_token(), fields.get("seat", "")
        asked = next((one for one in hub.way.seats if one.id == seat and one.is_free), None)
        if asked is None:
            return _let_in("/table", token)
        name = self._name(language, asked.id, fields.get("name", ""))
        self.app.press(phone_id(token), _SIT, hub.now_ms(), {"seat": seat, "name": name})
        return _let_in("/seat?asked=1", token)

    def _name(self, language: str, seat: str, name: str) -> str:
        """Return how the box names a phone that asks: as its player typed, or by the side."""
        names = next((one.names for one in self.hub.way.seats if one.id == seat), {})
        return name.strip()[:_MOST] or names.get(language, seat)

    async def scan(self, request: Request) -> Response:
        """Show one button: a side's own code is used up by its press alone, never by looking."""
        language = self._language(request)
        return _met(_html(documents.scan_page(language, self.words(language))))

    async def scanned(self, request: Request) -> Response:
        """Let the phone that used a ticket up take its side; it need not have come in before."""
        language, hub = self._language(request), self.hub
        words, ticket = self.words(language), str(request.path_params["ticket"])[:_MOST]
        address = request.client.host if request.client is not None else ""
        await _body(request)
        if hub.evening is None or hub.tries.wait_ms(address, hub.now_ms()):
            return _html(documents.scan_page(language, words, words["wait"]), 429)
        if not request.cookies:
            return _html(documents.scan_page(language, words, words["cookies"]), 403)
        token = self._token(request) or hub.new_token()
        phone = phone_id(token)
        self.app.scan(phone, ticket)
        is_taken = await hub.answer(phone, _ASKED_S)
        if is_taken:
            return _let_in("/seat", token)
        if is_taken is None:
            return _html(documents.scan_page(language, words, words["gone"]), 503)
        hub.tries.add(address, hub.now_ms())
        return _html(documents.scan_page(language, words, words["used"]), 403)

    # Pages and streams

    async def page(self, request: Request) -> Response:
        """Show a page as it is now."""
        language, page = self._language(request), request.url.path.strip("/")
        words = self.words(language)
        code = request.query_params.get(_CODE, "")[:16]
        if not self._token(request):
            if not code:
                return RedirectResponse("/", 303)
            if refused := self._refused(request, code):
                fault, status = refused
                return _html(documents.join_page(language, words, "", words[fault]), status)
            if page == SEAT:
                return _html(documents.seatless_page(language, words, code))
        elif code:
            return RedirectResponse(f"/{page}", 303)
        channel = self.hub.channel(page, language, self._token(request))
        held = await self._newest(channel)
        inner, at = ("", None) if held is None else (held.frame.html, held.box_ms(self.hub.now_ms()))
        asked = words["asked"] if "asked" in request.query_params and channel.startswith("seat.") else ""
        return _html(
            documents.live_page(
                language, words, page, inner, at, is_joined=self.hub.is_joined, told=asked, code=code
            )
        )

    async def tv(self, request: Request) -> Response:
        """Show the spectators' page to whoever has its address."""
        ticket, language = request.query_params.get("t", ""), self._language(request)
        words = self.words(language)
        if not self.hub.is_tv(ticket):
            return _html(documents.error_page(language, words, words["missing"]), 404)
        overlay = request.query_params.get("overlay") == "1"
        corner, scale = (request.query_params.get(name, "") for name in ("corner", "scale"))
        css = " ".join(
            one
            for one, is_on in (
                ("tv", True),
                ("overlay", overlay),
                (f"corner-{corner}", corner in ("tl", "tr", "bl", "br")),
                (f"x{scale}", scale in ("50", "75", "150", "200")),
                ("clocks-only", request.query_params.get("show") == "clocks"),
            )
            if is_on
        )
        held = await self._newest(f"tv.{language}")
        inner, at = ("", None) if held is None else (held.frame.html, held.box_ms(self.hub.now_ms()))
        live = f"/live/tv?t={ticket}&lang={language}"
        return _html(
            documents.tv_page(language, words, inner, at, live=live, css=css, is_joined=self.hub.is_joined)
        )

    async def _newest(self, channel: str) -> Held | None:
        """Return the newest frame of a channel, made anew where it is old: its clocks stand still without script."""
        hub = self.hub
        before = hub.frames.get(channel)
        if not hub.is_joined or (before is not None and hub.now_ms() - before.came_ms < _FRESH_MS):
            return before
        if channel not in self._asking:  # however many want it, it is asked for once
            asking = self._asking[channel] = asyncio.create_task(self._ask(channel, before))
            asking.add_done_callback(lambda _done: self._asking.pop(channel))
        await asyncio.shield(self._asking[channel])
        return hub.frames.get(channel)

    async def _ask(self, channel: str, before: Held | None) -> None:
        """Have a channel made anew, and wait for it a while."""
        self.app.ask(channel)
        end = asyncio.get_running_loop().time() + _ASKED_S
        while self.hub.frames.get(channel) is before and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.01)

    async def live(self, request: Request) -> Response:
        """Stream a page: whole frames, the newest only, and a beat."""
        page, language = request.path_params["page"], self._language(request)
        if page == "tv":
            token, may = "", self.hub.is_tv(request.query_params.get("t", ""))
        else:
            token, code = self._token(request), request.query_params.get(_CODE, "")[:16]
            by_code = bool(code) and page != SEAT and self._refused(request, code) is None
            may = page in PAGES and (bool(token) or by_code)
        if not may:
            return Response("", 403)
        viewer = self.hub.look(self.hub.channel(page, language, token), token)
        if viewer is None:
            return Response(self.words(language)["full"], 503, media_type="text/plain")
        return StreamingResponse(self._stream(viewer), media_type="text/event-stream")

    async def _stream(self, viewer: Viewer) -> AsyncIterator[bytes]:
        hub, shown, was_joined = self.hub, None, True
        try:
            yield b"retry: 500\n\n"
            while True:
                viewer.wake.clear()  # before anything is looked at: what comes meanwhile wakes again
                held = hub.frames.get(viewer.channel)
                if viewer.is_ended:
                    yield _event("elsewhere" if viewer.is_replaced else "gone", "")
                    return
                if held is not None and held is not shown and (shown is None or held.frame != shown.frame):
                    yield _event("frame", f"{held.box_ms(hub.now_ms())}\n{held.frame.html}")
                    shown, was_joined = held, True
                if not hub.is_joined:
                    yield _event("gone", "")
                elif not was_joined:
                    yield _event("beat", "" if held is None else str(held.box_ms(hub.now_ms())))
                was_joined = hub.is_joined
                try:
                    await asyncio.wait_for(
                        viewer.wake.wait(), MINE_BEAT_S if viewer.channel.startswith(MINE) else BEAT_S
                    )
                except TimeoutError:
                    if hub.is_joined:
                        yield _event("beat", "" if held is None else str(held.box_ms(hub.now_ms())))
        finally:
            hub.leave(viewer)

    # Acts

    async def act(self, request: Request) -> Response:
        """Take a press from a phone; what it may do is the app's to say. The answer is the page as it is then."""
        language, token = self._language(request), self._token(request)
        if not token:
            return RedirectResponse("/", 303)
        body = await _body(request)
        at_ms = self.hub.now_ms()
        fields = _fields(body, 20)
        act = fields.get("act", [""])[-1]  # a key that was pressed stands behind what the form does by itself
        answers = {
            name.removeprefix(_ANSWER)[:_MOST]: ",".join(values)[:_MOST]
            for name, values in fields.items()
            if name.startswith(_ANSWER)
        }
        if act == _SIT:
            answers["name"] = self._name(language, answers.get("seat", ""), answers.get("name", ""))
        phone = phone_id(token)
        if not act or len(act) > _MOST or not self._may_ask(phone, at_ms):
            words = self.words(language)
            told, status = ("fast", 429) if act and len(act) <= _MOST else ("missing", 400)
            return _html(documents.error_page(language, words, words[told]), status)
        self.app.press(phone, act, at_ms, answers)
        return RedirectResponse("/seat?asked=1" if act == _SIT else "/seat", 303)

    async def sealed(self, request: Request) -> Response:
        """Hand on what only the app can open, and say whether it was taken."""
        token, body = self._token(request), await _body(request)
        at_ms, phone = self.hub.now_ms(), phone_id(token)
        if not token or not self.hub.seats.get(phone, ""):
            return Response("", 403)
        if not body or len(body) > _MOST_SEALED or not body.isascii():
            return Response("", 400)
        if not self._may_ask(phone, at_ms):
            return Response("", 429)
        self.app.press_sealed(phone, body, at_ms)
        is_taken = await self.hub.answer(phone, _ASKED_S)
        return Response("", 503 if is_taken is None else 204 if is_taken else 403)

    async def photo(self, request: Request) -> Response:
        """Pass a photo on as it comes; it is never looked at here."""
        token = self._token(request)
        phone = phone_id(token)
        if not token or not self.hub.seats.get(phone, ""):
            return Response("", 403)
        if not self._may_ask(phone, self.hub.now_ms()):
            return Response("", 429)
        held, number = bytearray(), 0
        async for chunk in request.stream():
            held += chunk
            while len(held) > _PART:
                await self.app.photo(phone, number, bytes(held[:_PART]), is_last=False)
                del held[:_PART]
                number += 1
        await self.app.photo(phone, number, bytes(held), is_last=True)
        is_taken = await self.hub.answer(phone, _ASKED_S)
        return Response("", 503 if is_taken is None else 204 if is_taken else 403)

    async def missing(self, request: Request, _fault: Exception) -> Response:
        """Say that there is no such page, or none to be asked so."""
        language = self._language(request)
        words = self.words(language)
        return _html(documents.error_page(language, words, words["missing"]), 404)

    async def pulse(self, _request: Request) -> Response:
        """Answer at once: a phone measures by it how slow its link is."""
        return Response("", 204)

    def _may_ask(self, phone: str, at_ms: int) -> bool:
        """Count a press of a phone; False where there were too many."""
        spent = self._spent.setdefault(phone, deque(maxlen=_ACTS))
        if len(spent) == _ACTS and at_ms - spent[0] < _ACTS_S:
            return False
        spent.append(at_ms)
        if len(self._spent) > _MOST_PHONES:
            self._spent.pop(next(iter(self._spent)))
        return True


_SIT, _ANSWER = "sit", "answer."
_MOST, _MOST_PHONES, _MOST_SEALED, _PART = 100, 500, 4000, 32 << 10


async def _body(request: Request) -> str:
    """Return what was posted; the guard bounds it."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
    return body.decode("utf-8", "replace")


def _fields(body: str, most: int) -> dict[str, list[str]]:
    """Return what a form says; nothing where it says more than any form has."""
    try:
        return parse_qs(body, max_num_fields=most)
    except ValueError:
        return {}


def _let_in(where: str, token: str) -> Response:
    answer = RedirectResponse(where, 303)
    answer.set_cookie(_COOKIE, token, max_age=12 * 3600, path="/", httponly=True, samesite="strict")
    return answer


def _met(answer: Response) -> Response:
    answer.set_cookie(_MET, "1", max_age=12 * 3600, path="/", httponly=True, samesite="strict")
    return answer


def _html(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html")


def _event(name: str, data: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in data.replace("\r", " ").split("\n"))
    return f"event: {name}\n{lines}\n".encode()


def make_app(hub: Hub, hosts: frozenset[str], app: App) -> Guard:
    """Return the gateway as an ASGI application.

    Args:
        hub: What it shows.
        hosts: Under which names it may be asked, with the port.
        app: The app, as it is spoken to.
    """
    server = _Server(hub, app)
    routes = [
        Route("/", server.join),
        Route("/j/{code}", server.join),
        Route("/join", server.enter, methods=["POST"]),
        *(Route(f"/{page}", server.page) for page in PAGES),
        Route("/tv", server.tv),
        Route("/live/{page}", server.live),
        Route("/act", server.act, methods=["POST"]),
        Route("/s/{ticket}", server.scan),
        Route("/s/{ticket}", server.scanned, methods=["POST"]),
        Route("/sealed", server.sealed, methods=["POST"]),
        Route(PHOTO_PATH, server.photo, methods=["POST"]),
        Route("/pulse", server.pulse),
        *(Route(path, given(data, kind)) for path, (data, kind) in files().items()),
    ]
    return Guard(
        Starlette(routes=routes, exception_handlers={404: server.missing, 405: server.missing}), hub, hosts
    )
