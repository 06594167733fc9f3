"""A session from the document that `pollux export --to json` wrote: it is the same session again."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.model import Session, Usage, Value
from pollux.system.decoders import json_decoder
from pollux.system.files import HUGE
from pollux.wire import read_bytes

_BEGINS = re.compile(rb'\s*\{\s*(?:"key"\s*:\s*"|"agent"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"cost_usd"\s*:)')


def begins(head: bytes) -> bool:
    """Does a file begin like such a document, even if another program formatted it or sorted its fields?"""
    return _BEGINS.match(head) is not None


class _DocumentFields(Value, frozen=True, kw_only=True):
    """Fields of a document that a session has in another form."""

    key: str
    recorded_title: str | None
    usage: Usage


def read_document(path: Path) -> Session:
    """The session in a file. Raises `Unreadable`."""
    try:
        return session_of(read_bytes(path, HUGE))
    except ValueError as error:
        raise Unreadable(f"{path} is no document of `pollux export --to json`: {error}.") from error


def session_of(document: bytes) -> Session:
    """The session. Raises `ValueError` where this is no document of ours."""
    session, fields = json_decoder(Session).decode(document), json_decoder(_DocumentFields).decode(document)
    if fields.key != session.key:
        raise ValueError("the key is not that of the session")
    return msgspec.structs.replace(session, title=fields.recorded_title, exact=fields.usage.exact)
