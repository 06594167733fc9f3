"""A verifiable agent record: a session in the vocabulary of draft-birkholz-verifiable-agent-conversations.

The schema is 3.0.0-draft. Maps are open: canonical members
have names-with-dashes, what the agent recorded rides along under its own names, and what only pollux knows stands
together in a member `pollux`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pollux.errors import needs
from pollux.model import Fate, Session
from pollux.writers.base import LOST_FATES, NO_CONTEXT, WHY_LOST, Fabrication, Loss, Options, Out, Report, WriterContext
from pollux.writers.vac.record import record_of

INFERRED = (
    Fabrication("record id and creation time", "the format wants its own, and they are those of the session"),
    Fabrication("program and model provider", "most sessions do not name them, so they are those of the agent"),
)
NO_MODEL = Fabrication("agent-meta.model-id", 'the format wants one, and "unknown" stands where no model is named')


class Vac:
    """One JSON object a session: names in order, no spaces, no newline at the end, so that its bytes can be signed."""

    name = "vac"
    suffix = ".vac.json"
    purpose = "a verifiable agent record: everything, ready to be signed"
    supported_options: tuple[str, ...] = ()

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write the record."""
        record, report = reported(session, options, context)
        out(canonical(record))
        return report

    @property
    def cbor(self) -> VacCbor:
        """The same record in CBOR."""
        return VacCbor()


class VacCbor(Vac):
    """One CBOR map a session, in the canonical encoding."""

    suffix = ".vac.cbor"

    def write_bytes(
        self, session: Session, out: Callable[[bytes], object], options: Options, context: WriterContext = NO_CONTEXT
    ) -> Report:
        """Write the record in bytes."""
        record, report = reported(session, options, context)
        out(as_cbor(record))
        return report


def reported(session: Session, options: Options, context: WriterContext) -> tuple[dict[str, Any], Report]:
    """The record of a session, and what became of it on the way."""
    record = record_of(session, options, context)
    kept = sum(not options.live_only or message.fate is Fate.LIVE for message in session.messages)
    lost = len(session.messages) - kept
    unknown = record["session"]["agent-meta"]["model-id"] == "unknown"
    return record, Report(
        kept=kept,
        dropped=[Loss(LOST_FATES, lost, WHY_LOST)] if lost else [],
        fabricated=[*INFERRED, *([NO_MODEL] if unknown else [])],
    )


def canonical(record: Any) -> str:
    """The canonical text of a record."""
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def as_cbor(record: Any) -> bytes:
    """The canonical bytes of a record in CBOR."""
    with needs("CBOR", "sign"):
        import cbor2
    return cbor2.dumps(record, canonical=True)


WRITER = Vac()
