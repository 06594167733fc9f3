"""Every field Claude Code is known to have written, 1.0 to 2.1.325.

The names are Claude Code's. A key that does not stand here is unknown to us: it is kept in `extra` and reported.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.wire import Shape, Utc


class Source(Shape, omit_defaults=True):
    """Where the bytes of a picture or a document are: inside, in base64, or at an address."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None


class Block(Shape, omit_defaults=True):
    """A piece of content in the API's vocabulary; `odd` holds an item that is no block at all."""

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
    source: Source | None = None
    title: str | None = None
    context: str | None = None
    citations: Any = None
    cache_control: Any = None
    caller: Any = None
    odd: Any = msgspec.field(name="⁂odd", default=None)


class Reply(Shape, omit_defaults=True):
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


class From(Shape, omit_defaults=True):
    """Who made a prompt: `kind` is "human" or the name of some machinery."""

    kind: str | None = None
    producer: str | None = None
    runId: str | None = None
    server: str | None = None
    name: str | None = None


class Position(Shape, omit_defaults=True):
    """Which prompt and turn of the session it is."""

    promptIndex: int | None = None
    turnIndex: int | None = None


class Decision(Shape, omit_defaults=True):
    """Who allowed or denied a call."""

    decision: str | None = None
    source: str | None = None
    reasonType: str | None = None
    reason: str | None = None


class Depth(Shape, omit_defaults=True):
    """How much thinking was asked for (2.0)."""

    level: str | None = None
    disabled: bool | None = None
    triggers: Any = None
    maxThinkingTokens: int | None = None


class Segment(Shape, omit_defaults=True):
    """The stretch that a fold took along."""

    headUuid: str | None = None
    anchorUuid: str | None = None
    tailUuid: str | None = None


class Preserved(Shape, omit_defaults=True):
    """The records that a fold took along."""

    anchorUuid: str | None = None
    uuids: list[str] | None = None
    allUuids: list[str] | None = None


class Fold(Shape, omit_defaults=True):
    """A compaction: who asked for it, and what is left."""

    trigger: str | None = None
    preTokens: int | None = None
    postTokens: int | None = None
    durationMs: float | None = None
    cumulativeDroppedTokens: int | None = None
    preservedSegment: Segment | None = None
    preservedMessages: Preserved | None = None
    messagesSummarized: int | None = None
    userContext: str | None = None
    preCompactDiscoveredTools: Any = None


class Run(Shape, omit_defaults=True):
    """A command of the client that was run."""

    command: str | None = None
    args: str | None = None


class Hook(Shape, omit_defaults=True):
    """A hook that ran at the end of a turn."""

    command: str | None = None
    durationMs: float | None = None
    promptText: str | None = None


class Rendered(Shape, omit_defaults=True):
    """The exact text the model was given."""

    content: str | None = None
    odd: Any = msgspec.field(name="⁂odd", default=None)


class Injected(Shape, omit_defaults=True):
    """What an attachment record holds: `type` tells what the client injected."""

    type: str | None = None
    content: Any = None
    # A prompt typed while the agent was busy.
    prompt: Any = None
    source_uuid: str | None = None
    delivery_id: str | None = None
    commandMode: str | None = None
    origin: From | None = None
    timestamp: Any = None
    humanTurn: bool | None = None
    imagePasteIds: Any = None
    isMeta: bool | None = None
    # A file or a folder that a prompt mentions.
    filename: str | None = None
    displayPath: str | None = None
    path: str | None = None
    truncated: bool | None = None
    snippet: str | None = None
    # Hooks.
    hookName: str | None = None
    hookEvent: str | None = None
    toolUseID: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    exitCode: int | None = None
    command: str | None = None
    durationMs: float | None = None
    blockingError: Any = None
    # What the model is told about its surroundings.
    addedTypes: Any = None
    addedLines: Any = None
    builtInTypes: Any = None
    builtInPluginTypes: Any = None
    removedTypes: Any = None
    isInitial: bool | None = None
    showConcurrencyNote: bool | None = None
    autoModeConsentFlow: Any = None
    finishExposedWork: Any = None
    bashFirst: Any = None
    bashFirstSteer: Any = None
    steerOnly: Any = None
    bypass: Any = None
    allowedTools: Any = None
    model: Any = None
    date: str | None = None
    newDate: str | None = None
    addedNames: Any = None
    removedNames: Any = None
    wireHiddenNames: Any = None
    readdedNames: Any = None
    pendingMcpServers: Any = None
    needsAuthMcpServers: Any = None
    failedMcpServers: Any = None
    snapshot: Any = None
    files: Any = None
    identity: Any = None
    text: str | None = None
    systemPrompt: Any = None
    reminderFold: Any = None
    echoWireToolInputs: Any = None
    contextRendering: Any = None
    tools: Any = None
    cliPrefix: Any = None
    systemTurns: Any = None
    toolChangeHeader: Any = None
    inlineTools: Any = None
    keptReminders: Any = None
    url: str | None = None
    commit: str | None = None
    pr: str | None = None
    sendUserFileHint: Any = None
    managedCommit: Any = None
    managedPr: Any = None
    context: Any = None
    skillCount: int | None = None
    names: Any = None
    digests: Any = None
    itemCount: int | None = None
    reminderType: str | None = None
    isSubAgent: bool | None = None
    planFilePath: str | None = None
    planExists: bool | None = None
    planContent: str | None = None
    used: float | None = None
    total: float | None = None
    remaining: float | None = None
    skills: Any = None
    taskId: str | None = None
    taskType: str | None = None
    description: str | None = None
    status: str | None = None
    deltaSummary: str | None = None
    outputFilePath: str | None = None


class Line(Shape, omit_defaults=True):
    """A record of the tree: something said, or something the client put between."""

    # In the order in which most releases write them: the decoder looks for the next key behind the last.
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
    type: str | None = None
    message: Reply | None = None
    requestId: str | None = None
    isMeta: bool | None = None
    toolUseResult: Any = None
    uuid: str | None = None
    timestamp: Utc | None = None
    # What few records hold.
    session_id: str | None = None
    logicalParentUuid: str | None = None
    # Users.
    sourceToolAssistantUUID: str | None = None
    sourceToolUseID: str | None = None
    isCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    summarizeMetadata: Any = None
    thinkingMetadata: Depth | None = None
    todos: Any = None
    permissionMode: str | None = None
    origin: From | None = None
    promptSource: str | None = None
    turnOrigin: str | None = None
    turnPosition: Position | None = None
    turnCompanion: bool | None = None
    permissionDecision: Decision | None = None
    toolDenialKind: str | None = None
    sandboxed: bool | None = None
    interruptedMessageId: str | None = None
    queueSkipAttachments: bool | None = None
    imagePasteIds: Any = None
    planContent: str | None = None
    mcpMeta: Any = None
    sessionKind: str | None = None
    teamName: str | None = None
    # The model.
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
    attributionSkill: str | None = None
    attributionAgent: str | None = None
    attributionPlugin: str | None = None
    attributionMcpServer: str | None = None
    attributionMcpTool: str | None = None
    # The client.
    subtype: str | None = None
    content: Any = None
    level: str | None = None
    compactMetadata: Fold | None = None
    microcompactMetadata: Any = None
    durationMs: float | None = None
    messageCount: int | None = None
    commandRun: Run | None = None
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
    toolUseID: str | None = None
    url: str | None = None
    upgradeNudge: str | None = None
    attachment: Injected | None = None
    rendered: list[Rendered] | None = None
    renderedRole: str | None = None
    renderedBesideToolResult: bool | None = None
    data: Any = None
    parentToolUseID: str | None = None


_NAMES = Line.__struct_fields__
SETTING = slice(_NAMES.index("agentId"), _NAMES.index("type"))
"""Of a line's fields those that say where it was written; they seldom change from line to line."""
SETTING_NAMES = _NAMES[SETTING]
RARE = slice(_NAMES.index("session_id"), None)
"""Of a line's fields those that few lines have."""
RARE_NAMES = _NAMES[RARE]
NO_RARE = (None,) * len(RARE_NAMES)
SHAPED = frozenset({
    "thinkingMetadata", "origin", "turnPosition", "permissionDecision", "compactMetadata", "commandRun", "hookInfos",
})  # fmt: skip
"""Rare fields that have a shape of their own."""


class Snapshot(Shape, omit_defaults=True):
    """Which files were saved before a prompt."""

    messageId: str | None = None
    trackedFileBackups: Any = None
    timestamp: Any = None


class Effort(Shape, omit_defaults=True):
    """How hard the model was asked to think."""

    effort: str | None = None


class Sent(Shape, omit_defaults=True):
    """A message as it was sent to the API."""

    role: str | None = None
    content: str | list[Block] | None = None
    output_config: Effort | None = None


class Aside(Shape, omit_defaults=True):
    """A record beside the tree: a title, the queue, the client's own books."""

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
    message: Sent | None = None
    params: Any = None
    keep: Any = None
    tail: Any = None
    base: Any = None
    cacheControl: Any = None
    requestDigest: str | None = None
    atis: Any = None


class Meta(Shape, omit_defaults=True):
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


class Title(Shape, omit_defaults=True):
    """`custom-title.json` in a session's folder (2.1.325)."""

    customTitle: str | None = None


class Typed(Shape, omit_defaults=True):
    """A line of `history.jsonl`; 1.0 did not say which session it was typed in."""

    display: str | None = None
    pastedContents: Any = None
    timestamp: int | None = None
    project: str | None = None
    sessionId: str | None = None


TREE = frozenset({"user", "assistant", "system", "attachment", "progress"})
# Beside the tree, with the fields that `Aside` names.
ASIDE = frozenset({
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
# Known by name from other readers, never seen: kept whole, whatever their fields are.
HEARSAY = frozenset({
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
# What `attachment.type` is known to say.
INJECTED = frozenset({
    "environment", "model", "date", "date_change", "session_context", "instructions", "skill_listing",
    "agent_listing_delta", "deferred_tools_delta", "auto_mode", "remote_session_change", "prompt_snapshot", "file",
    "already_read_file", "directory", "queued_command", "hook_success", "hook_additional_context",
    "hook_blocking_error", "hook_non_blocking_error", "hook_stopped_continuation", "hook_cancelled",
    "hook_system_message", "hook_error_during_execution", "command_permissions", "task_reminder", "todo_reminder", "edited_text_file",
    "nested_memory", "plan_mode", "plan_mode_exit", "plan_mode_reentry", "plan_file_reference",
    "compact_file_reference", "total_tokens_reminder", "mcp_instructions_delta", "invoked_skills", "dynamic_skill",
    "task_status", "auto_mode_exit", "opened_file_in_ide", "selected_lines_in_ide", "ultrathink_effort",
    "budget_usd", "token_usage", "critical_system_reminder", "output_style", "diagnostics", "relevant_memories",
    "mcp_resource", "agent_mention", "pdf_reference", "companion_intro", "async_hook_response", "goal_status",
    "structured_output", "max_turns_reached", "teammate_mailbox", "team_context", "image", "new_file", "edited_image_file",
    "background_task_status", "context_efficiency", "verify_plan_reminder", "current_session_memory", "ultramemory", "todo",
})  # fmt: skip
SYSTEM = frozenset({
    "compact_boundary", "microcompact_boundary", "local_command", "turn_duration", "api_error", "stop_hook_summary",
    "informational", "away_summary", "bridge_status", "warning", "error", "info", "memory_saved", "thinking",
    "permission_retry", "scheduled_task_fire", "agents_killed", "api_metrics", "file_snapshot", "scheduled_task", "init",
})  # fmt: skip
