"""What is told of two sessions side by side."""

from __future__ import annotations

from datetime import datetime

from pollux.model import Fate, Link, Summary, Usage, Value


class PromptAt(Value, frozen=True, kw_only=True):
    """What somebody said to the model: the human or, to a sub-agent, another model."""

    message_id: str
    at: datetime | None
    text: str
    fate: Fate


class ToolCount(Value, frozen=True, kw_only=True):
    """How often a tool was called, and how the calls ended that did not go well."""

    name: str
    canonical: str
    calls: int
    failed: int
    cancelled: int
    unfinished: int


class FileCount(Value, frozen=True, kw_only=True):
    """A file that tools for editing were to change: how often that went well, and how often not."""

    path: str
    edits: int
    unsuccessful: int


class Stretch(Value, frozen=True, kw_only=True):
    """Messages of a session, and what was done in them.

    What the session inherited counts in `messages`, `inherited` and `prompts`, and nowhere else. `seconds` is the time
    from the first message to the last, pauses included.
    """

    messages: int
    inherited: int
    prompts: tuple[PromptAt, ...]
    replies: int
    models: tuple[str, ...]
    tools: tuple[ToolCount, ...]
    files: tuple[FileCount, ...]
    usage: Usage
    cost_usd: float | None
    unpriced_requests: int
    started: datetime | None
    ended: datetime | None
    seconds: float | None


class Side(Value, frozen=True, kw_only=True):
    """One of two sessions: what it has for itself.

    `parted_at` is its first message that the other one does not have, behind all that they share; None where they share
    nothing, or where there is no such message.
    """

    summary: Summary
    title: str | None
    short_id: str
    own: Stretch
    parted_at: str | None


class Comparison(Value, frozen=True, kw_only=True):
    """Two sessions side by side. `shared` is what both have; None where they have nothing in common.

    `link` is how one refers to the other, and `link_of` the key of that one.
    """

    first: Side
    second: Side
    shared: Stretch | None
    link: Link | None
    link_of: str | None
