"""How a second `pollux web` of the same user opens the server that runs already.

The file of the running server holds a key. Both sides prove that they have it, and neither sends it: whoever took over
the port of a server that has ended learns nothing, and cannot lead the browser anywhere.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import PlainTextResponse, Response

from pollux.system.files import make_private_folder, read, replacing

if TYPE_CHECKING:
    from starlette.datastructures import Headers

    from pollux.web.access import Access

_PATIENCE = 2.0
PROOF, ANSWER = "x-pollux-proof", "x-pollux-answer"


class Running(NamedTuple):
    """A server that runs, as its file tells: `url` is where a tunnel shows it."""

    port: int
    url: str | None
    key: str


def note_running(file: Path, access: Access, url: str | None) -> None:
    """Write the file that only the user can read."""
    make_private_folder(file.parent)
    with replacing(file, mode=0o600) as out:
        out.write(json.dumps({"port": access.port, "url": url, "key": access.door_key, "pid": os.getpid()}).encode())


def forget_running(file: Path, access: Access) -> None:
    """Remove the file, unless another server has written its own meanwhile."""
    running = read_running(file)
    if running is not None and running.key == access.door_key:
        file.unlink(missing_ok=True)


def read_running(file: Path) -> Running | None:
    """The server of the file; None where there is none, or nobody could have written it but the user."""
    try:
        if hasattr(os, "getuid") and file.stat().st_uid != os.getuid():
            return None
        told = json.loads(read(file))
        return Running(int(told["port"]), told["url"], str(told["key"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ask_for_ticket(running: Running) -> str | None:
    """A ticket of the running server; None where it has ended."""
    nonce = secrets.token_urlsafe(32)
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=_PATIENCE)
    try:
        headers = {PROOF: proof(running.key, "ask", nonce), "content-type": "text/plain"}
        connection.request("POST", "/ticket", nonce, headers)
        response = connection.getresponse()
        ticket = response.read(1000).decode("ascii", "replace")
        answer = response.getheader(ANSWER, "")
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    is_ours = hmac.compare_digest(answer, proof(running.key, "answer", f"{nonce} {ticket}"))
    return ticket if response.status == 200 and is_ours else None


def answer_door(access: Access, headers: Headers, nonce: bytes) -> Response:
    """A ticket for whoever has the key. A browser is never answered: it always says where a request comes from."""
    asked = nonce[:200].decode("ascii", "replace")
    is_browser = any(name in headers for name in ("origin", "sec-fetch-site", "cookie"))
    given = headers.get(PROOF, "")
    if is_browser or not hmac.compare_digest(given.encode(), proof(access.door_key, "ask", asked).encode()):
        return PlainTextResponse("Only another pollux of the same user gets a ticket.\n", 403)
    ticket = access.tickets.make()
    return PlainTextResponse(ticket, headers={ANSWER: proof(access.door_key, "answer", f"{asked} {ticket}")})


def proof(key: str, purpose: str, text: str) -> str:
    """What only somebody with the key can write below a text."""
    return hmac.new(key.encode(), f"{purpose} {text}".encode(), hashlib.sha256).hexdigest()
