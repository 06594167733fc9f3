"""Every field that Claude Code is known to have written, 1.0 to 2.1.325.

The names are Claude Code's. An unknown key is kept in `extra` and reported.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pollux.sources.claude.format.attachments import AttachmentContent, PromptOrigin, RenderedText
from pollux.wire import Dated, Shape, Utc


class MediaSource(Shape, omit_defaults=True):
    """Where the bytes of a picture or a document are: inside, in base64, or at an address."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None


class Block(Shape, omit_defaults=True):
    """A piece of content in the API's vocabulary; `odd` holds an item that is not a block."""

    tool_use_id: str | None = None
    type: str | None = None
    content: Any = None
    is_error: bool | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    source: MediaSource | None = None
    title: str | None = None
    context: str | None = None
    citations: Any = None
    cache_control: Any = None
    caller: Any = None
    tool: Any = None
    odd: Any = msgspec.field(name="⁂odd", default=None)


class ApiMessage(Shape, omit_defaults=True):
    """What was said: an API message, or one of its blocks with the figures of the whole."""

    model: str | None = None
    id: str | None = None
    type: str | None = None
    role: str | None = None
    content: str | list[Block] | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Any = None
    usage: dict[str, Any] | None = None
    container: Any = None
    context_management: Any = None
    diagnostics: Any = None


class TurnPosition(Shape, omit_defaults=True):
    """Which prompt and turn of the session it is."""

    promptIndex: int | None = None
    turnIndex: int | None = None


class PermissionDecision(Shape, omit_defaults=True):
    """Who allowed or denied a call."""

    decision: str | None = None
    source: str | None = None
    reasonType: str | None = None
    reasonCode: str | None = None
    reason: str | None = None


class ThinkingMetadata(Shape, omit_defaults=True):
    """How much thinking was asked for (2.0)."""

    level: str | None = None
    disabled: bool | None = None
    triggers: Any = None
    maxThinkingTokens: int | None = None


class PreservedSegment(Shape, omit_defaults=True):
    """The range of records that a compaction kept."""

    headUuid: str | None = None
    anchorUuid: str | None = None
    tailUuid: str | None = None


class PreservedMessages(Shape, omit_defaults=True):
    """The records that a compaction kept."""

    anchorUuid: str | None = None
    uuids: list[str] | None = None
    allUuids: list[str] | None = None


class CompactMetadata(Shape, omit_defaults=True):
    """A compaction: who started it, and what is left."""

    trigger: str | None = None
    preTokens: int | None = None
    postTokens: int | None = None
    durationMs: float | None = None
    cumulativeDroppedTokens: int | None = None
    preservedSegment: PreservedSegment | None = None
    preservedMessages: PreservedMessages | None = None
    messagesSummarized: int | None = None
    userContext: str | None = None
    preCompactDiscoveredTools: Any = None


class CommandRun(Shape, omit_defaults=True):
    """A command of the client that was run."""

    command: str | None = None
    args: str | None = None


class Hook(Shape, omit_defaults=True):
    """A hook that ran at the end of a turn."""

    command: str | None = None
    durationMs: float | None = None
    promptText: str | None = None


class ForkOrigin(Shape, omit_defaults=True):
    """The original of a record that `/branch` copied: its session and its uuid."""

    sessionId: str | None = None
    messageUuid: str | None = None


class Line(Dated, omit_defaults=True):
    """The fields that every record of the tree may have; `type` says which kind it is."""

    # In the order of most releases: the decoder looks for the next key after the last one.
    parentUuid: str | None = None
    isSidechain: bool | None = None
    promptId: str | None = None
    agentId: str | None = None
    userType: str | None = None
    entrypoint: str | None = None
    cwd: str | None = None
    sessionId: str | None = None
    version: str | None = None
    gitBranch: str | None = None
    slug: str | None = None
    type: Literal["user", "assistant", "system", "attachment", "progress"] | None = None
    message: ApiMessage | None = None
    requestId: str | None = None
    isMeta: bool | None = None
    toolUseResult: Any = None
    uuid: str | None = None
    timestamp: Utc | None = None


class SlimRecord(Line, omit_defaults=True):
    """`user` or `assistant` with the fields that every record may have, as old releases write them."""

    type: Literal["user", "assistant"] | None = None


class UserRecord(Line, omit_defaults=True):
    """`user`: a prompt, a tool's result, a text that the client made."""

    type: Literal["user"] | None = None
    session_id: str | None = None
    forkedFrom: ForkOrigin | None = None
    logicalParentUuid: str | None = None
    sourceToolAssistantUUID: str | None = None
    sourceToolUseID: str | None = None
    isCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    summarizeMetadata: Any = None
    thinkingMetadata: ThinkingMetadata | None = None
    todos: Any = None
    permissionMode: str | None = None
    origin: PromptOrigin | None = None
    promptSource: str | None = None
    turnOrigin: str | None = None
    turnPosition: TurnPosition | None = None
    turnCompanion: bool | None = None
    permissionDecision: PermissionDecision | None = None
    toolDenialKind: str | None = None
    sandboxed: bool | None = None
    interruptedMessageId: str | None = None
    queueSkipAttachments: bool | None = None
    imagePasteIds: Any = None
    planContent: str | None = None
    mcpMeta: Any = None
    mcpCallNotReadOnly: Any = None
    sessionKind: str | None = None
    teamName: str | None = None
    attributionSkill: str | None = None
    attributionAgent: str | None = None


class AssistantRecord(Line, omit_defaults=True):
    """`assistant`: one block of an API reply, or a text that the client wrote in the model's place."""

    type: Literal["assistant"] | None = None
    session_id: str | None = None
    forkedFrom: ForkOrigin | None = None
    logicalParentUuid: str | None = None
    sessionKind: str | None = None
    teamName: str | None = None
    isApiErrorMessage: bool | None = None
    apiErrorStatus: int | None = None
    apiError: Any = None
    error: Any = None
    errorDetails: Any = None
    apiBlockIndex: int | None = None
    requestRef: str | None = None
    requestedModel: str | None = None
    promptCacheRequested: str | None = None
    effort: str | None = None
    perTurnEffort: str | None = None
    madeBy: str | None = None
    serverClassifierRequest: str | None = None
    thinkingDurationMs: float | None = None
    thinkingDisplay: str | None = None
    toolInputStreamMs: float | None = None
    isAbortedMidStream: bool | None = None
    isVirtual: bool | None = None
    # Until the summer of 2025.
    costUSD: float | None = None
    durationMs: float | None = None
    research: Any = None
    attributionSkill: str | None = None
    attributionAgent: str | None = None
    attributionPlugin: str | None = None
    attributionMcpServer: str | None = None
    attributionMcpTool: str | None = None


class ClientRecord(Line, omit_defaults=True):
    """`system`, `attachment`, `progress`: records that the client added."""

    type: Literal["system", "attachment", "progress"] | None = None
    session_id: str | None = None
    forkedFrom: ForkOrigin | None = None
    logicalParentUuid: str | None = None
    sessionKind: str | None = None
    teamName: str | None = None
    subtype: str | None = None
    content: Any = None
    level: str | None = None
    compactMetadata: CompactMetadata | None = None
    microcompactMetadata: Any = None
    durationMs: float | None = None
    messageCount: int | None = None
    pendingBackgroundAgentCount: int | None = None
    modelRestriction: Any = None
    commandRun: CommandRun | None = None
    error: Any = None
    retryInMs: float | None = None
    retryAttempt: int | None = None
    maxRetries: int | None = None
    source: str | None = None
    cause: Any = None
    hookCount: int | None = None
    hookInfos: list[Hook] | None = None
    hookErrors: Any = None
    hookAdditionalContext: Any = None
    preventedContinuation: bool | None = None
    stopReason: str | None = None
    hasOutput: bool | None = None
    hookLabel: str | None = None
    toolUseID: str | None = None
    url: str | None = None
    upgradeNudge: str | None = None
    attachment: AttachmentContent | None = None
    rendered: list[RenderedText] | None = None
    renderedRole: str | None = None
    renderedBesideToolResult: bool | None = None
    data: Any = None
    parentToolUseID: str | None = None


TREE_TYPES: dict[str, type[Line]] = {
    "user": UserRecord,
    "assistant": AssistantRecord,
    "system": ClientRecord,
    "attachment": ClientRecord,
    "progress": ClientRecord,
}
"""The records of the tree, by their types."""

_NAMES = Line.__struct_fields__
SETTING = slice(_NAMES.index("agentId"), _NAMES.index("type"))
"""The fields of a line that describe its setting. They seldom change from line to line."""
RARE = slice(len(_NAMES) - 1, -1)
"""The fields of a line that only its kind has, and few lines of it. `extra` follows them."""
SHAPED = frozenset({
    "thinkingMetadata", "origin", "turnPosition", "permissionDecision", "compactMetadata", "commandRun", "hookInfos",
    "forkedFrom",
})  # fmt: skip
"""Rare fields with their own shape."""


SYSTEM_SUBTYPES = frozenset({
    "agents_killed", "api_error", "api_metrics", "away_summary", "bridge_status", "compact_boundary", "error",
    "file_snapshot", "info", "informational", "init", "local_command", "memory_saved", "microcompact_boundary",
    "permission_retry", "scheduled_task", "scheduled_task_fire", "stop_hook_summary", "thinking",
    "turn_duration", "warning",
})  # fmt: skip
