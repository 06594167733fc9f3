"""A session as a record: the wrapper, the trace, and who recorded it."""

from __future__ import annotations

from typing import Any

from pollux.model import AgentDescription, Fate, Session
from pollux.version import VERSION as POLLUX
from pollux.writers.base import Options, WriterContext, describe
from pollux.writers.json import stamp, usage_document
from pollux.writers.vac.entries import Entries
from pollux.writers.vac.plain import joined, known, plain

VERSION = "3.0.0-draft"
UNKNOWN = "unknown"

_TOLD = ("agent", "id", "messages", "started", "ended", "project", "extra", "exact")


def record_of(session: Session, options: Options, context: WriterContext) -> dict[str, Any]:
    """The whole record. Sub-agents' sessions are inside where they can be read, else only named."""
    trace = {**trace_of(session, context), "entries": _entries(session, options, context, (session.key,))}
    whole: dict[str, Any] = plain(
        known(
            {
                "version": VERSION,
                "id": session.id,
                "created": stamp(session.started),
                "recording-agent": {"name": "pollux", "version": POLLUX},
                "session": trace,
            }
        )
    )
    return whole


def trace_of(session: Session, context: WriterContext) -> dict[str, Any]:
    """What is known of a session, without its entries."""
    agent = describe(session, context.knowledge)
    models = list(dict.fromkeys(message.model for message in session.messages if message.model))
    meta = {
        "model-id": models[0] if models else UNKNOWN,
        "model-provider": agent.vendor or UNKNOWN,
        "models": models if len(models) > 1 else None,
        "cli-name": agent.program,
        "cli-version": agent.version,
    }
    canonical = {
        "session-id": session.id,
        "session-start": stamp(session.started),
        "session-end": stamp(session.ended),
        "agent-meta": known(meta),
        "environment": known({"working-dir": session.project, "vcs": _vcs(agent)}) if session.project else None,
    }
    own = {name: getattr(session, name) for name in Session.__struct_fields__ if name not in _TOLD}
    facts = {name: value for name, value in own.items() if value not in (None, ())}
    own = {"key": session.key, **facts, "usage": usage_document(session.usage)}
    if not session.project and (vcs := _vcs(agent)) is not None:
        own["vcs"] = vcs
    return joined(known(canonical), own, session.extra)


def _vcs(agent: AgentDescription) -> dict[str, Any] | None:
    place = known({"branch": agent.branch, "revision": agent.revision, "repository": agent.repository})
    return {"type": "git", **place} if place else None


def _entries(
    session: Session, options: Options, context: WriterContext, ancestors: tuple[str, ...]
) -> list[dict[str, Any]]:
    def nested(key: str) -> dict[str, Any] | None:
        child = context.child(key) if key not in ancestors else None
        if child is None or child.key in ancestors:
            return None
        return {
            "type": "system-event",
            "event-type": "sub-agent",
            "timestamp": stamp(child.started),
            "data": trace_of(child, context),
            "children": _entries(child, options, context, (*ancestors, child.key)),
        }

    knowledge = context.knowledge(session.agent)
    made = Entries(
        answer=knowledge.answer if knowledge is not None else lambda _: None,
        nested=lambda key: known(entry) if (entry := nested(key)) is not None else None,
    )
    return [made.message(each) for each in session.messages if not options.live_only or each.fate is Fate.LIVE]
