"""The gate before everything: whoever is not the user in a browser of theirs gets a page that says why, and no more.

It is outermost, and every answer leaves through it: the headers that keep a page from loading or telling anything stand
on all of them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

from pollux.web.access import Access, Verdict
from pollux.web.pages.layout import POLICY
from pollux.web.pages.problem import entered_page, problem_page
from pollux.web.replies import problem_document

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_ADDRESS = 8192
LARGEST_BODY = 1 << 18
"""Bytes: a note may have 20,000 characters, and each takes up to twelve in a form."""

BODY_SECONDS = 20.0
"""So long a form may take to come."""

ENTER, TICKET = "/enter", "/ticket"
_SILENT, _TELLING = (b"referrer-policy", b"no-referrer"), (b"referrer-policy", b"same-origin")
"""A page that tells no referrer names no origin in its forms. Where browsers say nothing else, it must name it."""

HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    _SILENT,
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]
FORM = "pollux.form"
"""Where the fields of a form stand in the scope of a request."""

_AGAIN = "Start `pollux web` again: it opens this server, or a new one, with a new ticket."
_TUNNEL = (
    "If you reach pollux through a tunnel or a proxy, start it with --url and the address that your browser shows."
)


class Refusal(NamedTuple):
    """Why a request is not answered, and what may help."""

    status: int
    sentence: str
    hint: str


class Gate:
    """Lets the user in, and nobody else."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._headers = HEADERS if not access.is_plain else [*filter(lambda one: one != _SILENT, HEADERS), _TELLING]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, _guarded(send, self._headers))
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope)
        path = scope["path"]
        refusal = self._foreign(scope, headers)
        if refusal is None and path == ENTER:
            await self._enter(scope, headers, send)
            return
        if path != TICKET:
            refusal = refusal or self._stranger(headers) or self._forged(scope, headers)
        if refusal is None and scope["method"] == "POST":
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    body = await _body(receive)
            except TimeoutError:
                await _refuse(scope, send, Refusal(408, "The form did not come in time.", "Send it again."))
                return
            refusal = _oversized(body) or (None if path == TICKET else self._unsigned(body or b"", scope))
            receive = _again(body or b"", receive)
        if refusal is not None:
            await _refuse(scope, send, refusal)
            return
        await self._app(scope, receive, send)

    # ------------------------------------------------------------------ the rules

    def _foreign(self, scope: Scope, headers: Headers) -> Refusal | None:
        """Is the request made to another server, or too large?"""
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_ADDRESS:
            return Refusal(414, f"The address is longer than {LONGEST_ADDRESS:,} bytes.", "Make the query shorter.")
        hosts = headers.all("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._access.hosts:
            named = " and ".join(map(repr, hosts)) or "missing"
            return Refusal(403, f"The header Host is {named}, which is not the address of this server.", _TUNNEL)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return Refusal(405, f"{scope['method']} is no method that pollux answers.", "A page can be read: use GET.")
        return None

    def _stranger(self, headers: Headers) -> Refusal | None:
        """Does the request come from another site, or from somebody without the cookie?"""
        sites = headers.all("sec-fetch-site")
        if len(sites) > 1 or not {*sites} <= {"same-origin", "none"}:
            sentence = f"The header Sec-Fetch-Site is {' and '.join(map(repr, sites))}: another site led here."
            return Refusal(403, sentence, "Type the address into the browser yourself, or open it from a bookmark.")
        if not any(map(self._access.is_known, headers.all("cookie"))):
            return Refusal(403, "This browser is not known: the cookie of this run is missing.", _AGAIN)
        return None

    def _forged(self, scope: Scope, headers: Headers) -> Refusal | None:
        """Does a page of another origin ask, or does a write come from elsewhere than from a page of ours?"""
        origins = headers.all("origin")
        if scope["method"] != "POST" and not origins:  # our own pages name no origin where they read
            return None
        # A page that tells no referrer sends its forms with `null`, and the browser itself says that the page is ours.
        is_ours = origins == ["null"] and headers.all("sec-fetch-site") == ["same-origin"]
        if not is_ours and (len(origins) != 1 or origins[0].lower() not in self._access.origins):
            named = " and ".join(map(repr, origins)) or "missing"
            return Refusal(403, f"The header Origin is {named}, so this does not come from a page of ours.", _TUNNEL)
        if scope["method"] != "POST":
            return None
        if not (headers.first("content-type") or "").startswith("application/x-www-form-urlencoded"):
            return Refusal(403, "The header Content-Type is not that of a form.", "Use the forms of the pages.")
        return None

    def _unsigned(self, body: bytes, scope: Scope) -> Refusal | None:
        """Does a form lack its token?"""
        try:
            fields = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=100)
        except ValueError:
            return Refusal(400, "The form cannot be read.", "Use the forms of the pages.")
        if not self._access.has_token(fields.pop("token", [""])[0]):
            return Refusal(
                403, "The form lacks the token of this run.", "Load the page again, and repeat what you did."
            )
        scope[FORM] = fields
        return None

    # ------------------------------------------------------------------ the door

    async def _enter(self, scope: Scope, headers: Headers, send: Send) -> None:
        """Take a ticket for a cookie. A file of ours may lead here, which counts as another site."""
        if headers.first("sec-fetch-dest") not in (None, "document") or scope["method"] != "GET":
            sentence = "A ticket can only be used by opening its address."
            await _refuse(scope, send, Refusal(403, sentence, _AGAIN))
            return
        ticket = parse_qs(scope["query_string"].decode("latin-1")).get("ticket", [""])[0]
        verdict = self._access.tickets.take(ticket)
        if verdict is not Verdict.GOOD:
            if any(map(self._access.is_known, headers.all("cookie"))):
                await _send(send, 303, b"", (b"location", b"/"))
                return
            words = {
                Verdict.USED: "This address was used before. It opens pollux only once.",
                Verdict.OLD: "This address is too old. It opens pollux only within a minute.",
                Verdict.UNKNOWN: "This address is none of this run of pollux.",
            }
            await _refuse(scope, send, Refusal(403, words[verdict], _AGAIN))
            return
        cookie = (b"set-cookie", self._access.cookie_header().encode())
        if headers.first("sec-fetch-site") in (None, "none", "same-origin"):
            await _send(send, 303, b"", cookie, (b"location", b"/"))
        else:  # after a redirect from another site the browser would not send the cookie
            await _send(send, 200, entered_page().encode(), cookie)


class Headers:
    """The headers of a request."""

    def __init__(self, scope: Scope) -> None:
        self._pairs: list[tuple[bytes, bytes]] = scope["headers"]

    def all(self, name: str) -> list[str]:
        """All values of a header."""
        return [value.decode("latin-1") for key, value in self._pairs if key == name.encode()]

    def first(self, name: str) -> str | None:
        """The first value; None where there is none."""
        return next(iter(self.all(name)), None)


def _guarded(send: Send, every: list[tuple[bytes, bytes]]) -> Send:
    """Put the headers on every answer."""
    ours = {name for name, _ in every}

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [pair for pair in message.get("headers", ()) if pair[0].lower() not in ours]
            message = {**message, "headers": [*headers, *every]}
        await send(message)

    return guarded


async def _body(receive: Receive) -> bytes | None:
    """The body of a request; None where it is too large."""
    body = b""
    while True:
        message = await receive()
        piece: bytes = message.get("body", b"")
        body += piece
        if len(body) > LARGEST_BODY:
            return None
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return body


def _oversized(body: bytes | None) -> Refusal | None:
    if body is not None:
        return None
    return Refusal(413, f"The form has more than {LARGEST_BODY:,} bytes.", "Make the note shorter.")


def _again(body: bytes, rest: Receive) -> Receive:
    """A body that was read, for whoever comes next, and then what comes after it: that the browser has gone."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else await rest()

    return receive


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    if scope["path"].endswith(".json"):
        body, kind = problem_document(refusal.sentence, refusal.hint), b"application/json"
    else:
        body, kind = problem_page(refusal.status, refusal.sentence, refusal.hint).encode(), b"text/html; charset=utf-8"
    await _send(send, refusal.status, body if scope["method"] != "HEAD" else b"", (b"content-type", kind))


async def _send(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    kinds = (
        () if any(name == b"content-type" for name, _ in headers) else ((b"content-type", b"text/html; charset=utf-8"),)
    )
    pairs = [*headers, *kinds, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
