"""Events of the user interface: prompts, texts and reasoning, which are in the conversation too, and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pollux.model import Part, Text, Thinking, Usage
from pollux.sources.codex.format.content import picture
from pollux.sources.codex.format.schema import (
    AgentEvent,
    Envelope,
    RawReasoningEvent,
    ReasoningEvent,
    TokenCount,
    UsageRecord,
    UserEvent,
)
from pollux.sources.codex.usage.tokens import native
from pollux.wire import coherent, tidy

if TYPE_CHECKING:
    from pollux.sources.codex.replay.replay import Replay


def _user_event(replay: Replay, event: UserEvent, envelope: Envelope) -> None:
    """A prompt as it was typed. Up to 0.47 `kind` says what it is, which may be the client's context."""
    if event.kind not in (None, "plain"):
        replay.keep("event_msg/user_message", {**tidy(event), **envelope.extra})
        return
    parts: list[Part] = [picture(url) for url in event.images] if event.images else []
    if event.message:
        parts.append(Text(text=event.message))
    rest: dict[str, Any] = {**event.extra, **envelope.extra} if event.extra or envelope.extra else {}
    if event.local_images:
        rest["local_images"] = event.local_images
    if event.audio:
        rest["audio"] = event.audio
    if event.local_audio:
        rest["local_audio"] = event.local_audio
    if event.text_elements:
        rest["text_elements"] = event.text_elements
    if event.client_id:
        rest["client_id"] = event.client_id
    if envelope.metadata is not None:
        rest["line_metadata"] = envelope.metadata
    replay.show_prompt(envelope, parts, rest)


def _agent_event(replay: Replay, event: AgentEvent, envelope: Envelope) -> None:
    """A text of the model."""
    if event.message:
        replay.show_text(event.message, envelope, Text)
    if event.extra or envelope.extra or event.memory_citation is not None or event.phase or envelope.metadata:
        rest = {"phase": event.phase, "memory_citation": event.memory_citation, "line_metadata": envelope.metadata}
        replay.keep("event_msg/agent_message", {**rest, **event.extra, **envelope.extra})


def _reasoning_event(replay: Replay, event: ReasoningEvent | RawReasoningEvent, envelope: Envelope) -> None:
    """Reasoning of the model."""
    if event.text:
        replay.show_text(event.text, envelope, Thinking)
    if event.extra or envelope.extra or envelope.metadata:
        replay.keep("event_msg/agent_reasoning", {"line_metadata": envelope.metadata, **event.extra, **envelope.extra})


def _count(replay: Replay, event: TokenCount, envelope: Envelope) -> None:
    """Figures and rate limits."""
    replay.counted = True
    info = event.info
    if info is not None and (figures := replay.meter.count(info, replay.line)) is not None:
        _add_usage(replay, figures, envelope)
    rest: dict[str, Any] = {}
    if event.extra or envelope.extra:
        rest = {**event.extra, **envelope.extra}
        if "info" in event.extra:
            replay.meter.lose(replay.line)
    if envelope.metadata is not None:
        rest["line_metadata"] = envelope.metadata
    limits = event.rate_limits
    if limits is not None and limits != replay.limits:
        replay.limits = rest["rate_limits"] = limits
    if info is not None:
        if info.model_context_window != replay.window:
            replay.window = rest["model_context_window"] = info.model_context_window
        last, total = info.last_token_usage, info.total_token_usage
        if info.extra or (last is not None and last.extra) or (total is not None and total.extra):
            rest["info"] = tidy(info)
    if rest:
        replay.keep("event_msg/token_count", rest)


def _add_usage(replay: Replay, figures: Usage, envelope: Envelope) -> None:
    replay.notes.line = replay.line
    replay.add_usage(coherent(figures, replay.notes), envelope.timestamp)


def _usage(replay: Replay, record: UsageRecord, envelope: Envelope) -> None:
    """The figures of one response."""
    replay.counted = True
    usage = replay.meter.record(record, replay.line)
    if usage is not None:
        _add_usage(replay, usage, envelope)
    rest: dict[str, Any] = dict(envelope.extra)
    if envelope.metadata is not None:
        rest["line_metadata"] = envelope.metadata
    if usage is None:
        rest |= native(record)
    if rest:
        replay.keep("token_usage_record", rest)


EVENTS: dict[type, Callable[[Replay, Any, Envelope], None]] = {
    UserEvent: _user_event,
    AgentEvent: _agent_event,
    ReasoningEvent: _reasoning_event,
    RawReasoningEvent: _reasoning_event,
    TokenCount: _count,
    UsageRecord: _usage,
}
