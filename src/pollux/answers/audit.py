"""The proof of every figure: `audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pollux.writers.json import stamp, usage_document

if TYPE_CHECKING:
    from pollux.model import Session
    from pollux.usage.audit import Comparison, Item, SessionAudit
    from pollux.usage.audit_all import HistoryAudit
    from pollux.usage.sums import Bill


def audit_document(session: Session, evidence: SessionAudit, bill: Bill) -> dict[str, Any]:
    """`pollux audit KEY --json`."""
    return {
        "key": session.key,
        "usage": usage_document(session.usage),
        "cost_usd": bill.usd,
        "unpriced_requests": bill.unpriced,
        "figures": [item_document(item) for item in evidence.items],
        "gaps": msgspec.to_builtins(evidence.gaps),
        "totals_of_the_agent": [verdict_document(verdict) for verdict in evidence.verdicts],
    }


def history_document(history: HistoryAudit) -> dict[str, Any]:
    """`pollux audit --json`."""
    agents = [
        {
            "agent": agent.agent,
            "requests": agent.requests,
            "inherited": agent.inherited,
            "total": agent.total,
            "exact": agent.exact,
            "at_least": agent.at_least,
            "unknown": agent.unknown,
        }
        for agent in history.agents
    ]
    missing = [
        {
            "why": reason.why,
            "certain": reason.certain,
            "times": reason.times,
            "sessions": reason.sessions,
            "example": reason.example,
        }
        for reason in history.missing
    ]
    totals = [verdict_document(verdict) for verdict in history.verdicts]
    return {"agents": agents, "missing": missing, "totals_of_the_agents": totals}


def item_document(item: Item) -> dict[str, Any]:
    """One figure."""
    return {
        "message": item.message,
        "at": stamp(item.at),
        "model": item.model,
        "file": item.file,
        "line": item.line,
        "item": item.item,
        **({"row": item.row} if item.row is not None else {}),
        "usage": usage_document(msgspec.structs.replace(item.usage, native={})),
        "native": item.native,
        "counted": item.counted,
        "rule": item.rule,
        "cost_usd": item.cost_usd,
    }


def verdict_document(verdict: Comparison) -> dict[str, Any]:
    """An agent's own total beside ours."""
    tally = verdict.tally
    return {
        "key": verdict.key,
        "name": tally.name,
        "scope": tally.scope,
        "rule": tally.rule,
        "total": tally.total,
        "total_cost_usd": tally.cost_usd,
        "file": tally.file,
        "line": tally.line,
        "ours": verdict.ours,
        "cost_usd": verdict.cost_usd,
        "difference": verdict.difference,
        "why": verdict.why,
    }
