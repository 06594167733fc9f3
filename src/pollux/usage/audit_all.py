"""The audit of all sessions: which figures are exact, what is missing in others, what the agents themselves say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pollux.index.catalogue.rows import AuditFacts
from pollux.index.catalogue.usage_queries import CountedSession
from pollux.model import Value
from pollux.usage.audit import Comparison, compare
from pollux.usage.stats import Stats


class AgentAudit(Value, frozen=True, kw_only=True):
    """One agent's figures: requests that count, requests of other sessions, and how exact the sessions' sums are."""

    agent: str
    requests: int
    inherited: int
    total: int | None
    exact: int
    at_least: int
    unknown: int


class MissingFigures(Value, frozen=True, kw_only=True):
    """One reason why figures are missing, or may be: how often, in how many sessions, and one of them."""

    why: str
    certain: bool
    times: int
    sessions: int
    example: str


class HistoryAudit(Value, frozen=True, kw_only=True):
    """The audit of all sessions."""

    agents: tuple[AgentAudit, ...]
    missing: tuple[MissingFigures, ...]
    verdicts: tuple[Comparison, ...]


def audit_all(
    by_agent: Stats,
    audit_facts: Iterable[tuple[CountedSession, AuditFacts]],
    inherited: Mapping[str, tuple[int, int]],
    ours: Mapping[str, Mapping[str, tuple[int | None, float | None]]],
) -> HistoryAudit:
    """Audit every session. `inherited` has requests and tokens by key, `ours` tokens and dollars by key and scope."""
    exact: dict[str, list[bool | None]] = {}
    elsewhere: Counter[str] = Counter()
    gaps: dict[tuple[str, bool], list[str]] = {}
    verdicts: list[Comparison] = []
    for session, proof in audit_facts:
        exact.setdefault(session.agent, []).append(session.exact)
        requests, tokens = inherited.get(session.key, (0, 0))
        elsewhere[session.agent] += requests
        for gap in proof.gaps:
            gaps.setdefault((gap.why, gap.certain), []).append(session.key)
        totals = ours[session.key]
        verdicts += [compare(session.key, one, *totals[one.scope], proof.gaps, tokens) for one in proof.tallies]
    return HistoryAudit(
        agents=tuple(
            AgentAudit(
                agent=row.name or "",
                requests=row.usage.requests or 0,
                inherited=elsewhere[row.name or ""],
                total=row.usage.total,
                exact=exact.get(row.name or "", []).count(True),
                at_least=exact.get(row.name or "", []).count(False),
                unknown=exact.get(row.name or "", []).count(None),
            )
            for row in by_agent.rows
        ),
        missing=tuple(
            MissingFigures(why=why, certain=certain, times=len(keys), sessions=len(set(keys)), example=min(keys))
            for (why, certain), keys in sorted(
                gaps.items(), key=lambda pair: (not pair[0][1], -len(pair[1]), pair[0][0])
            )
        ),
        verdicts=tuple(sorted(verdicts, key=lambda verdict: (-abs(verdict.difference or 0), verdict.key))),
    )
