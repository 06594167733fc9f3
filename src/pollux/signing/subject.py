"""The subject of a signature: the bytes, and the session that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import AgentDescription, Session, Value
from pollux.signing import cose
from pollux.signing.salted import SCHEME, Salted, parse_salted
from pollux.writers.json import stamp
from pollux.writers.vac.check import check

RECORD = "ietf-vac-v3.0"
"""The name of records in the header of a signature."""


class Subject(Value, frozen=True, kw_only=True):
    """The signed bytes, their type, and what they say about the session. Unknown facts are None."""

    payload: bytes
    content_type: str
    trace_format: str | None
    session_id: str | None
    vendor: str | None = None
    start: str | int | None = None
    end: str | int | None = None
    hidden: int = 0

    @property
    def metadata(self) -> dict[str, Any] | None:
        """The facts for a header; None where a required fact is missing."""
        required = {
            "session-id": self.session_id,
            "agent-vendor": self.vendor,
            "trace-format": self.trace_format,
            "timestamp-start": self.start,
        }
        if None in required.values():
            return None
        return {**required, **({"timestamp-end": self.end} if self.end is not None else {})}


def of_record(data: bytes) -> Subject | None:
    """A record in JSON or CBOR, or a salted record; None where the bytes are none of these."""
    value, content_type = parse_document(data)
    if not isinstance(value, Mapping):
        return None
    if value.get("scheme") == SCHEME:
        salted = parse_salted(data)
        return _record_subject(salted.payload, "application/cbor", SCHEME, salted.record(), salted)
    if "session" not in value or check(value):
        return None
    return _record_subject(data, content_type, RECORD, value)


def of_session(data: bytes, name: str, session: Session, description: AgentDescription) -> Subject:
    """A file as the agent wrote it."""
    kinds = {".json": "application/json", ".jsonl": "application/jsonl"}
    kind = next((kinds[ending] for ending in kinds if name.endswith(ending)), "application/octet-stream")
    return Subject(
        payload=data,
        content_type=kind,
        trace_format=description.trace or session.agent,
        session_id=session.id,
        vendor=description.vendor,
        start=stamp(session.started),
        end=stamp(session.ended),
    )


def parse_document(data: bytes) -> tuple[Any, str]:
    """A document in JSON or CBOR, and its media type; None where it is neither."""
    try:
        return msgspec.json.decode(data), "application/json"
    except (ValueError, RecursionError):
        pass
    try:
        return cose.decode(data, "The file"), "application/cbor"
    except Unreadable:
        return None, ""


def _record_subject(payload: bytes, kind: str, trace: str, record: Any, salted: Salted | None = None) -> Subject:
    session = _inner(record, "session")
    meta = _inner(session, "agent-meta")
    start, end = session.get("session-start"), session.get("session-end")
    return Subject(
        payload=payload,
        content_type=kind,
        trace_format=trace,
        session_id=_text(session.get("session-id")),
        vendor=_text(meta.get("model-provider")),
        start=start if isinstance(start, str | int) else None,
        end=end if isinstance(end, str | int) else None,
        hidden=salted.hidden if salted is not None else 0,
    )


def _inner(value: Any, name: str) -> Mapping[str, Any]:
    member = value.get(name) if isinstance(value, Mapping) else None
    return member if isinstance(member, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
