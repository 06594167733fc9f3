"""Every record Codex CLI is known to have written, May 2025 to 0.166, as far as it carries the conversation.

The names are Codex's. An unknown key is kept in `extra` and reported. Records that are only bookkeeping (settings,
snapshots, marks) are kept as they are; `KNOWN` in `keys.py` lists their known keys.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec

from pollux.sources.codex.format.keys import ALIASES
from pollux.wire import Dated, Shape, Utc

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
"""A figure. A number that no program could have counted is odd, and is kept as it is."""
MOST_TOKENS = 10**9
Tokens = Annotated[int, msgspec.Meta(ge=0, le=MOST_TOKENS)]
"""Tokens of one response. No model reads or writes more."""


class Piece(Shape):
    """A part of a message's content; `odd` holds an item that is not a part."""

    type: str | None = None
    text: str | None = None
    image_url: str | None = None
    detail: str | None = None
    file_id: str | None = None
    audio_url: str | None = None
    encrypted_content: str | None = None
    annotations: Any = None
    logprobs: Any = None
    odd: Any = msgspec.field(name="⁂odd", default=None)


class ItemMetadata(Shape, omit_defaults=True):
    """Facts that newer releases (0.145+) add to an item: its turn, its time, and the kind of each part (0.150+)."""

    turn_id: str | None = None
    create_time: Any = None
    content_item_kinds: list[str] | None = None
    content_item_metadata: Any = None


class Item(Shape):
    """The fields that every item of the conversation may have."""

    id: str | None = None
    status: str | None = None
    item_metadata: ItemMetadata | None = msgspec.field(name="internal_chat_message_metadata_passthrough", default=None)


class MessageItem(Item, tag_field="type", tag="message"):
    """A message; the client may also write messages with the role of the user."""

    role: str | None = None
    content: list[Piece] | str | None = None
    phase: str | None = None
    end_turn: Any = None


class ReasoningItem(Item, tag_field="type", tag="reasoning"):
    """The reasoning of the model: as summaries, as text, or encrypted."""

    summary: list[Piece] | None = None
    content: list[Piece] | None = None
    encrypted_content: str | None = None
    duration_ms: Any = None


class FunctionCall(Item, tag_field="type", tag="function_call"):
    """A tool call with its arguments as a string of JSON."""

    name: str | None = None
    namespace: str | None = None
    arguments: str | None = None
    call_id: str | None = None


class CustomCall(Item, tag_field="type", tag="custom_tool_call"):
    """A tool call with free text as its argument."""

    name: str | None = None
    namespace: str | None = None
    input: str | None = None
    call_id: str | None = None


class Action(Shape):
    """The action of a shell call or a search call."""

    type: str | None = None
    command: list[str] | None = None
    working_directory: str | None = None
    env: Any = None
    timeout_ms: Any = None
    user: str | None = None
    query: str | None = None
    queries: list[str] | None = None
    url: str | None = None
    pattern: str | None = None


class ShellCall(Item, tag_field="type", tag="local_shell_call"):
    """A shell call of the codex-mini models."""

    call_id: str | None = None
    action: Action | None = None


class SearchCall(Item, tag_field="type", tag="web_search_call"):
    """A search by the model's own service. Its result is not recorded."""

    action: Action | None = None
    call_id: str | None = None


class ToolSearchCall(Item, tag_field="type", tag="tool_search_call"):
    """A search of the model for tools that it may use (0.115+)."""

    call_id: str | None = None
    execution: Any = None
    arguments: Any = None


class ImageCall(Item, tag_field="type", tag="image_generation_call"):
    """A picture that the model's own service made."""

    revised_prompt: str | None = None
    result: str | None = None


class ShellOutput(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """The oldest form of a command's result: JSON in a string (up to 0.49; for patches up to 0.130)."""

    output: str
    metadata: dict[str, Any]


class Output(Item):
    """A result as a text, as parts, or inside an object."""

    call_id: str | None = None
    output: str | list[Piece] | dict[str, Any] | None = None


class FunctionOutput(Output, tag_field="type", tag="function_call_output"):
    """The result of a tool."""


class CustomOutput(Output, tag_field="type", tag="custom_tool_call_output"):
    """The result of a tool with free text as its argument."""

    name: str | None = None


class ToolSearchOutput(Item, tag_field="type", tag="tool_search_output"):
    """The tools that a search found."""

    call_id: str | None = None
    execution: Any = None
    tools: Any = None


class AgentItem(Item, tag_field="type", tag="agent_message"):
    """A message from one agent to another (0.138+)."""

    author: str | None = None
    recipient: str | None = None
    content: list[Piece] | str | None = None


Conversation = (
    MessageItem
    | ReasoningItem
    | FunctionCall
    | FunctionOutput
    | CustomCall
    | CustomOutput
    | ShellCall
    | SearchCall
    | ToolSearchCall
    | ToolSearchOutput
    | ImageCall
    | AgentItem
)


class ResponseTokens(Shape, omit_defaults=True):
    """Tokens of a response: `input_tokens` includes the cached ones, `output_tokens` the reasoning."""

    input_tokens: Tokens | None = None
    cached_input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    reasoning_output_tokens: Tokens | None = None
    total_tokens: Tokens | None = None
    cache_write_input_tokens: Tokens | None = None


class TokenTotals(Shape, omit_defaults=True):
    """Tokens of a turn or a thread, with the same meaning as those of a response."""

    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    output_tokens: Count | None = None
    reasoning_output_tokens: Count | None = None
    total_tokens: Count | None = None
    cache_write_input_tokens: Count | None = None


class TokenInfo(Shape):
    """The tokens of the thread so far, and those of the last response, which may be an estimate."""

    total_token_usage: TokenTotals | None = None
    last_token_usage: ResponseTokens | None = None
    model_context_window: Count | None = None
    last_usage_includes_reasoning: bool | None = None


class TokenCount(Shape, tag_field="type", tag="token_count"):
    """The figures that the user interface shows."""

    info: TokenInfo | None = None
    rate_limits: Any = None


class UserEvent(Shape, tag_field="type", tag="user_message"):
    """The human's prompt as it was typed."""

    message: str | None = None
    kind: str | None = None
    images: list[str] | None = None
    local_images: list[str] | None = None
    audio: list[str] | None = None
    local_audio: list[str] | None = None
    text_elements: Any = None
    client_id: str | None = None


class AgentEvent(Shape, tag_field="type", tag="agent_message"):
    """A text of the model as the user interface showed it."""

    message: str | None = None
    phase: str | None = None
    memory_citation: Any = None


class ReasoningEvent(Shape, tag_field="type", tag="agent_reasoning"):
    """A summary of the model's reasoning as the user interface showed it."""

    text: str | None = None


class RawReasoningEvent(Shape, tag_field="type", tag="agent_reasoning_raw_content"):
    """The model's reasoning as the user interface showed it."""

    text: str | None = None


Echo = UserEvent | AgentEvent | ReasoningEvent | RawReasoningEvent | TokenCount


class Envelope(Dated):
    """The fields around the payload of a line (0.32+)."""

    timestamp: Utc | None = None
    ordinal: Count | None = None
    metadata: Any = None


class ItemLine(Envelope, kw_only=True, tag_field="type", tag="response_item"):
    """A line with an item of the conversation."""

    payload: Conversation


class EventLine(Envelope, kw_only=True, tag_field="type", tag="event_msg"):
    """A line with an event of the user interface."""

    payload: Echo


class UsageRecord(Shape, omit_defaults=True):
    """The figures of one response (0.153+)."""

    thread_id: str | None = None
    turn_id: str | None = None
    session_id: str | None = None
    root_turn_id: str | None = None
    response_id: str | None = None
    usage: ResponseTokens | None = None
    turn_token_usage: TokenTotals | None = None
    thread_token_usage: TokenTotals | None = None


class UsageLine(Envelope, kw_only=True, tag_field="type", tag="token_usage_record"):
    """A line with the figures of one response."""

    payload: UsageRecord


class ContextLine(Envelope, kw_only=True, tag_field="type", tag="turn_context"):
    """A line with the settings of a turn or a request. It is decoded later: most lines repeat the settings before."""

    kind: ClassVar[str] = "turn_context"
    payload: msgspec.Raw


class MetaLine(Envelope, kw_only=True, tag_field="type", tag="session_meta"):
    """The first line of a file."""

    kind: ClassVar[str] = "session_meta"
    payload: dict[str, Any]


class CompactedLine(Envelope, kw_only=True, tag_field="type", tag="compacted"):
    """A line with a summary that replaces the conversation so far."""

    kind: ClassVar[str] = "compacted"
    payload: dict[str, Any]


class WorldLine(Envelope, kw_only=True, tag_field="type", tag="world_state"):
    """A line with facts about the machine that the client gave the model (0.143+)."""

    kind: ClassVar[str] = "world_state"
    payload: dict[str, Any]


class NoteLine(Envelope, kw_only=True, tag_field="type", tag="event_msg"):
    """A line with an event that is only bookkeeping."""

    payload: dict[str, Any]

    @property
    def kind(self) -> str:
        """The kind of the event."""
        kind = f"event_msg/{self.payload.get('type')}"
        return ALIASES.get(kind, kind)


Line = ItemLine | EventLine | UsageLine | ContextLine | MetaLine | CompactedLine | WorldLine
ITEMS: dict[str, type[Shape]] = {kind.__struct_config__.tag: kind for kind in Conversation.__args__}
ECHOES: dict[str, type[Shape]] = {kind.__struct_config__.tag: kind for kind in Echo.__args__}


class Bookkeeping(Envelope, kw_only=True):
    """A record as it was written: its kind (`compacted`, `event_msg/task_started`) and its content."""

    kind: str = msgspec.field(name="type")
    payload: dict[str, Any]


BookkeepingLine = Bookkeeping | MetaLine | CompactedLine | WorldLine | NoteLine
"""A line that is not part of the conversation."""
