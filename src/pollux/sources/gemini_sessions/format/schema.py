"""Every field that Gemini CLI is known to have written, 0.1 to 0.61.

The names are Gemini's. An unknown key is kept in `extra` and reported.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.system.clock import FIRST_YEAR, LAST_YEAR
from pollux.wire import Count, Dated, Shape, Utc, check_times


class Blob(Shape):
    """Bytes inside a part, in base64."""

    mimeType: str | None = None
    data: str | None = None
    displayName: str | None = None


class FileData(Shape):
    """Bytes that a part refers to."""

    mimeType: str | None = None
    fileUri: str | None = None
    displayName: str | None = None


class FunctionCall(Shape):
    """The model asks for a tool."""

    id: str | None = None
    name: str | None = None
    args: Any = None


class FunctionResponse(Shape):
    """What a tool answered: `{output}`, `{error}`, or an MCP server's own object."""

    id: str | None = None
    name: str | None = None
    response: Any = None
    parts: list[str | Part] | None = None


class Part(Shape):
    """A piece of content in the API's vocabulary; `odd` holds an item that is not a part."""

    text: str | None = None
    thought: bool | None = None
    thoughtSignature: str | None = None
    inlineData: Blob | None = None
    fileData: FileData | None = None
    functionCall: FunctionCall | None = None
    functionResponse: FunctionResponse | None = None
    executableCode: Any = None
    codeExecutionResult: Any = None
    videoMetadata: Any = None
    odd: Any = msgspec.field(name="⁂odd", default=None)


Pieces = str | Part | list[str | Part]


class Thought(Dated):
    """One step of shown reasoning."""

    subject: str | None = None
    description: str | None = None
    timestamp: Utc | None = None


class Tokens(Shape):
    """The API's usage figures: `input` includes `cached`, `output` excludes `thoughts`."""

    input: Count | None = None
    output: Count | None = None
    cached: Count | None = None
    thoughts: Count | None = None
    tool: Count | None = None
    total: Count | None = None


class Call(Dated):
    """A finished tool call."""

    id: str | None = None
    name: str | None = None
    args: Any = None
    result: Pieces | None = None
    status: str | None = None
    timestamp: Utc | None = None
    displayName: str | None = None
    description: str | None = None
    renderOutputAsMarkdown: bool | None = None
    resultDisplay: Any = None
    agentId: str | None = None


class Message(Dated):
    """A prompt, a model's turn, or a line of the user interface."""

    id: str | None = None
    timestamp: Utc | None = None
    type: str | None = None
    content: Pieces | None = None
    displayContent: Pieces | None = None
    thoughts: list[Thought] | None = None
    tokens: Tokens | None = None
    model: str | None = None
    toolCalls: list[Call] | None = None

    def __post_init__(self) -> None:
        """Check the time, without a second function call. Qwen Code calls the model's messages its own."""
        at = self.timestamp
        if at is not None and not FIRST_YEAR <= at.year <= LAST_YEAR:
            raise ValueError("timestamp is at the end of the calendar")
        if self.type == "qwen":
            self.type = "gemini"


class Scratchpad(Shape):
    """The CLI's own notes on what a session did (0.41+)."""

    version: int | None = None
    workflowSummary: str | None = None
    toolSequence: list[str] | None = None
    touchedPaths: list[str] | None = None
    validationStatus: str | None = None


class SessionFields(Shape):
    """The fields of a session as a whole: in a document, a header line, or a `$set`."""

    sessionId: str | None = None
    projectHash: str | None = None
    startTime: Utc | None = None
    lastUpdated: Utc | None = None
    kind: str | None = None
    summary: str | None = None
    directories: list[str] | None = None
    memoryScratchpad: Scratchpad | None = None
    messages: list[Message] | None = None

    def __post_init__(self) -> None:
        """Check the times."""
        check_times(self.startTime, self.lastUpdated)


class Record(Message):
    """A line of a session log, or a whole session document; its fields show which."""

    # The fields of `SessionFields` again: structs cannot have two bases.
    sessionId: str | None = None
    projectHash: str | None = None
    startTime: Utc | None = None
    lastUpdated: Utc | None = None
    kind: str | None = None
    summary: str | None = None
    directories: list[str] | None = None
    memoryScratchpad: Scratchpad | None = None
    messages: list[Message] | None = None
    rewindTo: str | None = msgspec.field(name="$rewindTo", default=None)
    set: SessionFields | None = msgspec.field(name="$set", default=None)
    # Added by /export-session to the document it writes.
    messageCount: int | None = None
    userMessageCount: int | None = None
    firstUserMessage: str | None = None
    hasResumableContent: bool | None = None
    hasUserOrAssistantMessage: bool | None = None

    def __post_init__(self) -> None:
        """Check the times."""
        check_times(self.timestamp, self.startTime, self.lastUpdated)
        if self.type == "qwen":
            self.type = "gemini"


class Content(Shape):
    """A turn as the API sees it, in checkpoints and shared conversations."""

    role: str | None = None
    parts: list[str | Part] | None = None


class Checkpoint(Shape):
    """What `/chat save` (0.16+) and `/restore` keep."""

    history: list[Content] | None = None
    authType: str | None = None
    clientHistory: list[Content] | None = None
    toolCall: Any = None
    commitHash: str | None = None
    filePath: str | None = None
    messageId: str | None = None


class LogRecord(Dated):
    """A line that the human typed, as `logs.json` keeps it."""

    sessionId: str | None = None
    messageId: int | None = None
    type: str | None = None
    message: str | None = None
    timestamp: Utc | None = None
