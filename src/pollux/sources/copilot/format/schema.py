"""The events that the conversation is made of, as Copilot CLI writes them. Bookkeeping is kept as plain objects."""

from __future__ import annotations

from typing import Any

from pollux.wire import Count, Dated, Shape, Utc


class Event(Dated):
    """A line of `events.jsonl`. `parentId` is the event before; `agentId` is the sub-agent that made the event."""

    type: str | None = None
    id: str | None = None
    timestamp: Utc | None = None
    parentId: str | None = None
    agentId: str | None = None
    ephemeral: bool | None = None


class OtherEvent(Event):
    """An event of any other type."""

    data: dict[str, Any] | None = None


class UserData(Shape):
    """A prompt: `content` as it was typed, `transformedContent` as it was sent."""

    content: str | None = None
    transformedContent: str | None = None
    attachments: list[dict[str, Any]] | None = None
    source: str | None = None
    agentMode: str | None = None
    delivery: str | None = None
    messageId: str | None = None
    interactionId: str | None = None
    turnId: str | None = None
    parentAgentTaskId: str | None = None
    parentToolCallId: str | None = None
    supportedNativeDocumentMimeTypes: list[str] | None = None
    nativeDocumentPathFallbackPaths: list[str] | None = None


class UserEvent(Event):
    """`user.message`."""

    data: UserData | None = None


class ToolRequest(Shape):
    """A call as the model asked for it."""

    toolCallId: str | None = None
    name: str | None = None
    arguments: Any = None
    type: str | None = None
    intentionSummary: str | None = None
    toolTitle: str | None = None
    mcpServerName: str | None = None
    mcpToolName: str | None = None


class AssistantData(Shape):
    """One response of the model."""

    messageId: str | None = None
    originatingMessageId: str | None = None
    content: str | None = None
    toolRequests: list[ToolRequest] | None = None
    reasoningText: str | None = None
    reasoningOpaque: str | None = None
    reasoningWireField: str | None = None
    encryptedContent: str | None = None
    phase: str | None = None
    model: str | None = None
    outputTokens: Count | None = None
    apiCallId: str | None = None
    requestId: str | None = None
    serviceRequestId: str | None = None
    interactionId: str | None = None
    turnId: str | None = None
    parentToolCallId: str | None = None
    rte: bool | None = None


class AssistantEvent(Event):
    """`assistant.message`."""

    data: AssistantData | None = None


class StartData(Shape):
    """A call as it was carried out."""

    toolCallId: str | None = None
    toolName: str | None = None
    arguments: Any = None
    parentToolCallId: str | None = None
    interactionId: str | None = None
    turnId: str | None = None
    model: str | None = None
    toolTitle: str | None = None
    shellToolInfo: dict[str, Any] | None = None
    mcpServerName: str | None = None
    mcpToolName: str | None = None
    rte: bool | None = None


class StartEvent(Event):
    """`tool.execution_start`."""

    data: StartData | None = None


class Result(Shape):
    """What a tool gave: `content` for the model, `detailedContent` for the human."""

    content: str | None = None
    detailedContent: str | None = None
    contents: list[Any] | None = None
    binaryResultsForLlm: list[dict[str, Any]] | None = None


class ToolError(Shape):
    """Why a tool failed."""

    message: str | None = None
    code: str | None = None


class CompleteData(Shape):
    """How a call ended."""

    toolCallId: str | None = None
    success: bool | None = None
    result: Result | None = None
    error: ToolError | None = None
    shellExecution: dict[str, Any] | None = None
    toolTelemetry: dict[str, Any] | None = None
    fileEdits: list[Any] | None = None
    model: str | None = None
    interactionId: str | None = None
    turnId: str | None = None
    parentToolCallId: str | None = None
    isUserRequested: bool | None = None
    rte: bool | None = None


class CompleteEvent(Event):
    """`tool.execution_complete`."""

    data: CompleteData | None = None


CONVERSATION: dict[str, type[Event]] = {
    "user.message": UserEvent,
    "assistant.message": AssistantEvent,
    "tool.execution_start": StartEvent,
    "tool.execution_complete": CompleteEvent,
}
"""The shapes of the events that the conversation is made of."""

_BOOKKEEPING = """
abort assistant.intent assistant.reasoning assistant.turn_end assistant.turn_start command.completed command.queued
elicitation.completed elicitation.requested exit_plan_mode.completed exit_plan_mode.requested external_tool.completed
external_tool.requested hook.end hook.start permission.completed permission.requested session.binary_asset
session.compaction_complete session.compaction_start session.context_changed session.error session.handoff session.info
session.mode_changed session.model_change session.plan_changed session.resume session.shutdown session.snapshot_rewind
session.start session.task_complete session.title_changed session.truncation session.usage_checkpoint
session.usage_record session.warning session.workspace_file_changed skill.invoked subagent.completed subagent.configured
subagent.deselected subagent.failed subagent.selected subagent.started system.message system.notification
tool.user_requested user_input.completed user_input.requested
"""
KNOWN = frozenset((*CONVERSATION, *_BOOKKEEPING.split()))
"""The types that known releases write. Those of the form `model.…` are their notes about requests."""
