"""The records of OpenCode: sessions, messages and their parts.

Files and rows hold the same records; a row keeps ids and times in columns of their own.
"""

from __future__ import annotations

from typing import Any, Literal

from pollux.wire import Count, Shape


class Times(Shape):
    """Times, in milliseconds since 1970."""

    created: int | float | None = None
    updated: int | float | None = None
    completed: int | float | None = None
    compacting: int | float | None = None
    archived: int | float | None = None
    initialized: int | float | None = None
    start: int | float | None = None
    end: int | float | None = None
    compacted: int | float | None = None


class Revert(Shape):
    """Up to which message, and which part of it, a session was put back."""

    messageID: str | None = None
    partID: str | None = None
    snapshot: str | None = None
    diff: str | None = None


class SessionInfo(Shape):
    """A session."""

    id: str | None = None
    slug: str | None = None
    version: str | None = None
    projectID: str | None = None
    workspaceID: str | None = None
    directory: str | None = None
    path: str | None = None
    parentID: str | None = None
    title: str | None = None
    time: Times | None = None
    summary: Any = None
    revert: Revert | None = None
    share: Any = None
    permission: Any = None
    metadata: Any = None
    agent: Any = None
    model: Any = None
    cost: Any = None
    tokens: Any = None


class Cache(Shape):
    """Tokens read from a cache, and written to it."""

    read: Count | None = None
    write: Count | None = None


class Tokens(Shape):
    """What a response used."""

    total: Count | None = None
    input: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None
    cache: Cache | None = None


class Place(Shape):
    """Where a message was made: the directory, and the root of the project."""

    cwd: str | None = None
    root: str | None = None


class State(Shape):
    """How far a tool call is."""

    status: str | None = None
    input: Any = None
    raw: Any = None
    output: Any = None
    error: Any = None
    title: Any = None
    metadata: Any = None
    time: Times | None = None
    attachments: Any = None


class Part(Shape):
    """A piece of a message, of any type."""

    id: str | None = None
    sessionID: str | None = None
    messageID: str | None = None
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    time: Times | None = None
    metadata: Any = None
    callID: str | None = None
    tool: str | None = None
    state: State | None = None
    snapshot: Any = None
    reason: Any = None
    cost: Any = None
    tokens: Tokens | None = None
    mime: str | None = None
    filename: str | None = None
    url: str | None = None
    source: Any = None
    auto: Any = None
    overflow: Any = None
    tail_start_id: str | None = None
    name: Any = None
    prompt: str | None = None
    description: Any = None
    agent: Any = None
    model: Any = None
    command: Any = None
    hash: Any = None
    files: Any = None
    attempt: Any = None
    error: Any = None


class Span(Shape):
    """When something began and ended, as `Times` has it."""

    start: int | float | None = None
    end: int | float | None = None
    compacted: int | float | None = None


class UsualPart(Shape):
    """A part as nearly all rows hold them: of these types, with no other fields. They stand in the order of `Part`.

    A shape with few fields is read, copied and dropped in less time.
    """

    id: str | None = None
    type: Literal["text", "reasoning", "tool", "step-start", "step-finish", "patch"] | None = None
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    time: Span | None = None
    metadata: Any = None
    callID: str | None = None
    tool: str | None = None
    state: State | None = None
    snapshot: Any = None
    reason: Any = None
    cost: Any = None
    tokens: Tokens | None = None
    hash: Any = None
    files: Any = None


class MessageInfo(Shape):
    """A message without its parts. The oldest releases wrote the parts into it."""

    id: str | None = None
    sessionID: str | None = None
    role: str | None = None
    time: Times | None = None
    parentID: str | None = None
    modelID: str | None = None
    providerID: str | None = None
    mode: Any = None
    agent: Any = None
    path: Place | None = None
    cost: Any = None
    tokens: Tokens | None = None
    finish: Any = None
    error: Any = None
    summary: Any = None
    system: Any = None
    tools: Any = None
    model: Any = None
    variant: Any = None
    format: Any = None
    structured: Any = None
    metadata: Any = None
    parts: list[Part] | None = None
