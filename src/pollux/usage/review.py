"""The figures of all sessions reviewed: which are exact, what is missing in others, what the agents themselves say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from pollux.index.catalog.rows import Proof
from pollux.index.catalog.usage_queries import CountedSession
from pollux.model import Value
from pollux.usage.audit import Verdict, judge
from pollux.usage.stats import Stats


class AgentReview(Value, frozen=True, kw_only=True):
    """One agent's figures: requests that count, requests of other sessions, and how exact the sessions' sums are."""

    agent: str
    requests: int
    inherited: int
    total: int | None
    exact: int
    at_least: int
    unknown: int


class Missing(Value, frozen=True, kw_only=True):
    """One reason why figures are missing, or may be: how often, in how many sessions, and one of them."""

    why: str
    certain: bool
    times: int
    sessions: int
    example: str


class Review(Value, frozen=True, kw_only=True):
    """The whole account."""

    agents: tuple[AgentReview, ...]
    missing: tuple[Missing, ...]
    verdicts: tuple[Verdict, ...]


def review(
    by_agent: Stats,
    proofs: Iterable[tuple[CountedSession, Proof]],
    inherited: Mapping[str, tuple[int, int]],
    ours: Mapping[str, Mapping[str, tuple[int | None, float | None]]],
) -> Review:
    """Review every session. `inherited` has requests and tokens by key, `ours` tokens and dollars by key and scope."""
    exact: dict[str, list[bool | None]] = {}
    elsewhere: Counter[str] = Counter()
    gaps: dict[tuple[str, bool], list[str]] = {}
    verdicts: list[Verdict] = []
    for session, proof in proofs:
        exact.setdefault(session.agent, []).append(session.exact)
        requests, tokens = inherited.get(session.key, (0, 0))
        elsewhere[session.agent] += requests
        for gap in proof.gaps:
            gaps.setdefault((gap.why, gap.certain), []).append(session.key)
        totals = ours[session.key]
        verdicts += [judge(session.key, one, *totals[one.scope], proof.gaps, tokens) for one in proof.tallies]
    return Review(
        agents=tuple(
            AgentReview(
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
            Missing(why=why, certain=certain, times=len(keys), sessions=len(set(keys)), example=min(keys))
            for (why, certain), keys in sorted(
                gaps.items(), key=lambda pair: (not pair[0][1], -len(pair[1]), pair[0][0])
            )
        ),
        verdicts=tuple(sorted(verdicts, key=lambda verdict: (-abs(verdict.difference or 0), verdict.key))),
    )
