"""The records outside of the tree, and the small files next to a transcript: the client's own bookkeeping."""

from __future__ import annotations

from typing import Any

from pollux.sources.claude.format.schema import Block
from pollux.wire import Shape


class Snapshot(Shape, omit_defaults=True):
    """Which files were saved before a prompt."""

    messageId: str | None = None
    trackedFileBackups: Any = None
    timestamp: Any = None


class Effort(Shape, omit_defaults=True):
    """How hard the model was asked to think."""

    effort: str | None = None


class RequestMessage(Shape, omit_defaults=True):
    """A message as it was sent to the API."""

    role: str | None = None
    content: str | list[Block] | None = None
    output_config: Effort | None = None


class SideRecord(Shape, omit_defaults=True):
    """A record outside of the tree: a title, the queue, the client's own bookkeeping."""

    type: str | None = None
    sessionId: str | None = None
    timestamp: Any = None
    # Titles and previews.
    summary: str | None = None
    leafUuid: str | None = None
    customTitle: str | None = None
    aiTitle: str | None = None
    agentName: str | None = None
    lastPrompt: str | None = None
    explicit: bool | None = None
    rewound: bool | None = None
    cutUuid: str | None = None
    # Modes and the queue.
    mode: str | None = None
    permissionMode: str | None = None
    operation: str | None = None
    content: Any = None
    reason: str | None = None
    commandUuid: str | None = None
    deliveryId: str | None = None
    # File backups and tools.
    messageId: str | None = None
    snapshot: Snapshot | None = None
    isSnapshotUpdate: bool | None = None
    tools: Any = None
    # What a process used.
    totalCostUSD: float | None = None
    totalAPIDuration: float | None = None
    totalAPIDurationWithoutRetries: float | None = None
    totalToolDuration: float | None = None
    totalLinesAdded: int | None = None
    totalLinesRemoved: int | None = None
    totalDuration: float | None = None
    startTime: Any = None
    modelUsage: Any = None
    hasUnknownModelCost: bool | None = None
    # The log of requests.
    id: str | None = None
    version: str | None = None
    agentId: str | None = None
    querySource: str | None = None
    shapeHash: str | None = None
    shape: Any = None
    hash: str | None = None
    message: RequestMessage | None = None
    params: Any = None
    keep: Any = None
    tail: Any = None
    base: Any = None
    cacheControl: Any = None
    requestDigest: str | None = None
    atis: Any = None


class SnapshotRecord(Shape, omit_defaults=True):
    """`file-history-snapshot`, which stands before every prompt: only its fields in `SideRecord`."""

    type: str | None = None
    sessionId: str | None = None
    messageId: str | None = None
    snapshot: Snapshot | None = None
    isSnapshotUpdate: bool | None = None


class SubagentMeta(Shape, omit_defaults=True):
    """`agent-<id>.meta.json` (2.1.112+): what a sub-agent was started for."""

    agentType: str | None = None
    description: str | None = None
    isBuiltIn: bool | None = None
    toolUseId: str | None = None
    spawnDepth: int | None = None
    requestShape: str | None = None
    requestNonInteractive: bool | None = None
    pickedEffortModel: str | None = None
    finished: bool | None = None
    worktreePath: str | None = None
    worktreeBranch: str | None = None
    model: str | None = None
    name: str | None = None


class TitleFile(Shape, omit_defaults=True):
    """`custom-title.json` in a session's folder (2.1.325)."""

    customTitle: str | None = None


class HistoryRecord(Shape, omit_defaults=True):
    """A line of `history.jsonl`; 1.0 did not say which session it was typed in."""

    display: str | None = None
    pastedContents: Any = None
    timestamp: int | None = None
    project: str | None = None
    sessionId: str | None = None


# Types of records outside of the tree, with the fields of `SideRecord`.
SIDE_TYPES = frozenset({
    "summary",
    "custom-title",
    "ai-title",
    "agent-name",
    "last-prompt",
    "mode",
    "permission-mode",
    "queue-operation",
    "file-history-snapshot",
    "tools-used",
    "cost-state",
    "api-request-shape",
    "api-request-blob",
    "api-request",
    "atis-latch",
})  # fmt: skip
# Types that are known only from other readers: such records are kept whole, whatever their fields.
UNSEEN_TYPES = frozenset({
    "file-history-snapshot-delta",
    "file-history-delta",
    "pr-link",
    "worktree-state",
    "agent-setting",
    "agent-color",
    "tag",
    "content-replacement",
    "relocated",
    "bridge-session",
    "frame-link",
    "fork-context-ref",
    "task-summary",
    "started",
    "result",
    "marble-origami-commit",
    "marble-origami-snapshot",
    "attribution-snapshot",
    "speculation-accept",
})  # fmt: skip
