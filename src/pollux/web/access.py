"""Who may ask: the secrets of this run, and the addresses that it answers to."""

from __future__ import annotations

import hmac
import secrets
import time
from enum import Enum
from urllib.parse import urlsplit

from pollux.errors import RequestError

TICKET_SECONDS = 60.0
"""So long a ticket is valid."""

_BYTES = 32
_REMEMBERED = 1000
"""So many tickets are remembered after their use or their end, to say what became of them."""


class Verdict(Enum):
    """What became of a ticket."""

    GOOD = "good"
    USED = "used"
    OLD = "old"
    UNKNOWN = "unknown"


class Tickets:
    """Tickets that each open the door once, for a minute."""

    def __init__(self, seconds: float = TICKET_SECONDS) -> None:
        self._seconds = seconds
        self._ends: dict[str, float] = {}
        self._used: dict[str, None] = {}

    def make(self) -> str:
        """A new ticket."""
        ticket = secrets.token_urlsafe(_BYTES)
        self._ends[ticket] = time.monotonic() + self._seconds
        while len(self._ends) > _REMEMBERED:
            del self._ends[next(iter(self._ends))]
        return ticket

    def take(self, ticket: str) -> Verdict:
        """Use a ticket up."""
        known = next((one for one in self._ends if _same(one, ticket)), None)
        if known is None:
            return Verdict.USED if any(_same(one, ticket) for one in self._used) else Verdict.UNKNOWN
        if time.monotonic() > self._ends[known]:
            return Verdict.OLD
        del self._ends[known]
        self._used[known] = None
        while len(self._used) > _REMEMBERED:
            del self._used[next(iter(self._used))]
        return Verdict.GOOD


class Access:
    """The secrets of one run. None of them outlives it, and none is ever part of an address but a ticket.

    `url` is where a tunnel or a proxy shows this server, if there is one.
    """

    def __init__(self, port: int, url: str | None = None) -> None:
        self.port = port
        self.tickets = Tickets()
        self.cookie = f"pollux-{port}"
        self.form_token = secrets.token_urlsafe(_BYTES)
        self.door_key = secrets.token_urlsafe(_BYTES)
        """With this key another `pollux web` of the same user asks for a ticket."""
        self._session = secrets.token_urlsafe(_BYTES)
        self.origins = {_origin("http", f"{name}:{port}"): True for name in ("127.0.0.1", "localhost", "[::1]")}
        if port == 80:
            self.origins |= {f"http://{name}": True for name in ("127.0.0.1", "localhost", "[::1]")}
        self.address = url.rstrip("/") if url is not None else f"http://127.0.0.1:{port}"
        if url is not None:
            self.origins[origin_of(url)] = True
        self.is_plain = url is not None and _is_plain(url)
        """Is it shown at an address at which browsers do not say which site asks?"""
        self.hosts = {origin.partition("://")[2] for origin in self.origins}

    def cookie_header(self) -> str:
        """What makes a browser known. It goes to every server of this machine, so it is named after the port."""
        secure = "; Secure" if self.address.startswith("https://") else ""
        return f"{self.cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict{secure}"

    def is_known(self, cookies: str) -> bool:
        """Do these cookies hold ours?"""
        pairs = (pair.strip().partition("=") for pair in cookies.split(";"))
        return any(name == self.cookie and _same(value, self._session) for name, _, value in pairs)

    def has_token(self, token: str) -> bool:
        """Is this the token of our own forms?"""
        return _same(token, self.form_token)

    def entry(self) -> str:
        """An address that opens the door once."""
        return f"{self.address}/enter?ticket={self.tickets.make()}"


def origin_of(url: str) -> str:
    """The origin of an address that a person named. Raises `RequestError`."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    plain = parts.path in ("", "/") and not parts.query and not parts.fragment and "@" not in parts.netloc
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain or port == 0:
        raise RequestError(
            f"--url cannot be {url!r}.", "Name scheme, host and port, as in: --url https://box.example:8443"
        )
    return _origin(parts.scheme, parts.netloc.lower())


def _is_plain(url: str) -> bool:
    """Is this an address without encryption that leads, for all a browser knows, to another machine?"""
    parts = urlsplit(url)
    name = parts.hostname or ""
    return parts.scheme == "http" and name not in ("127.0.0.1", "localhost", "::1") and not name.endswith(".localhost")


def _origin(scheme: str, host: str) -> str:
    default = {"http": ":80", "https": ":443"}[scheme]
    return f"{scheme}://{host.removesuffix(default)}"


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode("utf-8", "surrogatepass"))
