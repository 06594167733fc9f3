"""Every field that Qwen Code is known to write into its records, 0.4 to 0.24.

The names are Qwen's; parts are those of Gemini's API. An unknown key is kept in `extra` and reported.
"""

from __future__ import annotations

from typing import Any

from pollux.sources.gemini_sessions.format.schema import Part
from pollux.wire import Count, Dated, Shape, Utc


class Content(Shape):
    """A turn in the form of the API."""

    role: str | None = None
    parts: list[str | Part] | None = None


class Tokens(Shape):
    """The figures of one response. Whether `candidatesTokenCount` includes the thinking depends on the server."""

    promptTokenCount: Count | None = None
    candidatesTokenCount: Count | None = None
    thoughtsTokenCount: Count | None = None
    totalTokenCount: Count | None = None
    cachedContentTokenCount: Count | None = None
    toolUsePromptTokenCount: Count | None = None
    promptTokensDetails: Any = None
    candidatesTokensDetails: Any = None
    cacheTokensDetails: Any = None
    trafficType: Any = None


class Outcome(Shape):
    """How a tool call ended."""

    callId: str | None = None
    status: str | None = None
    resultDisplay: Any = None
    executionStatus: str | None = None
    error: Any = None
    errorType: str | None = None
    durationMs: float | None = None
    responseParts: Any = None
    outputFile: str | None = None
    contentLength: float | None = None


class Forked(Shape):
    """The record of another session that this one is a copy of."""

    sessionId: str | None = None
    messageUuid: str | None = None


class Record(Dated):
    """One line of a session."""

    uuid: str | None = None
    parentUuid: str | None = None
    sessionId: str | None = None
    timestamp: Utc | None = None
    type: str | None = None
    subtype: str | None = None
    cwd: str | None = None
    version: str | None = None
    gitBranch: str | None = None
    message: Content | None = None
    usageMetadata: Tokens | None = None
    model: str | None = None
    contextWindowSize: float | None = None
    toolCallResult: Outcome | None = None
    systemPayload: Any = None
    provenance: str | None = None
    agentId: str | None = None
    agentName: str | None = None
    agentColor: str | None = None
    isSidechain: bool | None = None
    agentRunId: str | None = None
    agentRound: int | None = None
    forkedFrom: Forked | None = None
    goalContext: Any = None


class Meta(Shape):
    """What the client notes about a sub-agent."""

    agentId: str | None = None
    agentType: str | None = None
    description: str | None = None
    parentSessionId: str | None = None
    toolUseId: str | None = None
    parentAgentId: str | None = None
    createdAt: str | None = None
    status: str | None = None
    isBackgrounded: bool | None = None
    lastUpdatedAt: str | None = None
    resolvedApprovalMode: str | None = None
    persistedCliFlags: Any = None
    subagentName: str | None = None
    resumeCount: int | None = None
    depth: int | None = None
    model: str | None = None
