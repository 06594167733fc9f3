"""What the client injects into a conversation: the fields of `attachment` records, whose `type` says what it is."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.wire import Shape


class PromptOrigin(Shape, omit_defaults=True):
    """Who made a prompt: `kind` is "human" or the name of a mechanism."""

    kind: str | None = None
    producer: str | None = None
    runId: str | None = None
    server: str | None = None
    name: str | None = None


class RenderedText(Shape, omit_defaults=True):
    """The exact text that the model got."""

    content: str | None = None
    odd: Any = msgspec.field(name="⁂odd", default=None)


class AttachmentContent(Shape, omit_defaults=True):
    """The content of an attachment record: `type` says what the client injected."""

    type: str | None = None
    content: Any = None
    # A prompt typed while the agent was busy.
    prompt: Any = None
    source_uuid: str | None = None
    delivery_id: str | None = None
    commandMode: str | None = None
    origin: PromptOrigin | None = None
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
    # What the model gets about its surroundings.
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
    surfacedNames: Any = None
    savedCopyFraming: Any = None
    entries: Any = None
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


# The known values of `attachment.type`.
ATTACHMENT_TYPES = frozenset({
    "agent_listing_delta", "agent_mention", "already_read_file", "async_hook_response", "auto_mode",
    "auto_mode_exit", "background_task_status", "budget_usd", "command_permissions", "compact_file_reference",
    "companion_intro", "context_efficiency", "critical_system_reminder", "current_session_memory", "date",
    "date_change", "deferred_tools_delta", "deferred_tools_record", "diagnostics", "directory", "dynamic_skill",
    "edited_image_file", "edited_text_file", "environment", "file", "goal_status", "hook_additional_context",
    "hook_blocking_error", "hook_cancelled", "hook_error_during_execution", "hook_non_blocking_error",
    "hook_stopped_continuation", "hook_success", "hook_system_message", "image", "instructions", "invoked_skills",
    "max_turns_reached", "mcp_instructions_delta", "mcp_resource", "model", "nested_memory", "new_file",
    "opened_file_in_ide", "output_style", "pdf_reference", "plan_file_reference", "plan_mode", "plan_mode_exit",
    "plan_mode_reentry", "prompt_snapshot", "queued_command", "relevant_memories", "remote_session_change",
    "selected_lines_in_ide", "session_context", "skill_listing", "structured_output", "task_reminder",
    "task_status", "team_context", "teammate_mailbox", "todo", "todo_reminder", "token_usage",
    "total_tokens_reminder", "ultramemory", "ultrathink_effort", "verify_plan_reminder",
})  # fmt: skip
