"""The client's own total of a session, written at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.model import Tally

if TYPE_CHECKING:
    from pollux.sources.claude.format.side_records import SideRecord

_COUNTED = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")
# No session has more tokens: a larger total is not an account of a session.
_MOST = 10**15


def tally_of(state: SideRecord, file: str, line: int) -> Tally | None:
    """A `cost-state` record (2.1.325): it covers resumes, sub-agents, and requests without their own record."""
    models: Any = state.modelUsage
    if type(models) is not dict:
        return None
    usages = [usage for usage in models.values() if type(usage) is dict]
    figures = [figure for usage in usages for name in _COUNTED if type(figure := usage.get(name)) is int]
    if not figures or not all(0 <= figure <= _MOST for figure in figures):
        return None
    return Tally(
        name="cost-state",
        scope="family",
        rule="It covers a run of the client: also a session before /clear, what a fork took over, unrecorded requests.",
        total=sum(figures),
        cost_usd=state.totalCostUSD if not state.hasUnknownModelCost else None,
        file=file,
        line=line,
    )
