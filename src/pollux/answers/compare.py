"""Two sessions side by side: `compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pollux.writers.json import stamp, usage_document

if TYPE_CHECKING:
    from pollux.library.compare.values import Comparison, Side, Stretch


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """`pollux compare --json`."""
    link = comparison.link
    return {
        "sessions": [_side(comparison.first), _side(comparison.second)],
        "shared": _stretch(comparison.shared) if comparison.shared is not None else None,
        "link": (
            {"of": comparison.link_of, "kind": link.kind, "target": link.target, "evidence": link.evidence}
            if link is not None
            else None
        ),
    }


def _side(side: Side) -> dict[str, Any]:
    summary = side.summary
    return {
        "key": summary.key,
        "short_id": side.short_id,
        "agent": summary.agent,
        "kind": summary.kind,
        "title": side.title,
        "project": summary.project,
        "started": stamp(summary.started),
        "ended": stamp(summary.ended),
        "parted_at": side.parted_at,
        "own": _stretch(side.own),
    }


def _stretch(part: Stretch) -> dict[str, Any]:
    return {
        "messages": part.messages,
        "inherited": part.inherited,
        "prompts": [
            {"message_id": one.message_id, "at": stamp(one.at), "text": one.text, "fate": one.fate}
            for one in part.prompts
        ],
        "replies": part.replies,
        "models": part.models,
        "tools": msgspec.to_builtins(part.tools),
        "files": msgspec.to_builtins(part.files),
        "usage": usage_document(part.usage),
        "cost_usd": part.cost_usd,
        "unpriced_requests": part.unpriced_requests,
        "started": stamp(part.started),
        "ended": stamp(part.ended),
        "seconds": part.seconds,
    }
