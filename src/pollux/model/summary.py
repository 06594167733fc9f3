"""The facts about a session that a list shows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pollux.model.base import NOTHING, Value
from pollux.model.parts import Status, Text, ToolCall
from pollux.model.session import HANDED_OVER, Author, Kind, Message, Role, Session
from pollux.model.usage import Usage

PROMPT_LENGTH = 500
TITLE_LENGTH = 100

# These are asked for in every message, and Python looks them up slowly in their classes.
_USER, _ASSISTANT, _HUMAN, _MODEL, _ERROR = Role.USER, Role.ASSISTANT, Author.HUMAN, Author.MODEL, Status.ERROR


class Counts(Value, frozen=True, kw_only=True):
    """How much was said and done, whatever its fate; inherited messages do not count."""

    prompts: int = 0
    replies: int = 0
    tool_calls: int = 0
    failed_tool_calls: int = 0


class Summary(Value, frozen=True, kw_only=True):
    """A session without its messages."""

    key: str
    agent: str
    id: str
    kind: Kind
    parent: str | None
    title: str | None
    project: str | None
    project_evidence: str | None
    project_hash: str | None
    started: datetime | None
    ended: datetime | None
    first_prompt: str | None
    last_prompt: str | None
    models: tuple[str, ...]
    counts: Counts
    usage: Usage
    cost_usd: float | None
    files: tuple[str, ...]
    notice_count: int
    kept: bool = False
    unpriced_requests: int | None = None
    facts: Mapping[str, tuple[str, ...]] = NOTHING
    handed_over_from: str | None = None


def summarize(session: Session) -> Summary:
    """The facts that a list needs, calculated from the messages."""
    own = [m for m in session.messages if not m.inherited]
    prompts = session.prompts
    first = next((text for m in prompts if (text := m.text.strip())), None)
    last = next((text for m in reversed(prompts) if (text := m.text.strip())), None)
    calls = [part for m in own for part in m.parts if type(part) is ToolCall]
    return Summary(
        key=session.key,
        agent=session.agent,
        id=session.id,
        kind=session.kind,
        parent=session.parent,
        title=session.title or (first_words(first) if first is not None else None),
        project=session.project,
        project_evidence=session.project_evidence,
        project_hash=session.project_hash,
        started=session.started,
        ended=session.ended,
        first_prompt=first[:PROMPT_LENGTH] if first is not None else None,
        last_prompt=last[:PROMPT_LENGTH] if last is not None else None,
        models=tuple(dict.fromkeys(m.model for m in own if m.model)),
        counts=Counts(
            prompts=sum(not m.inherited for m in prompts),
            replies=sum(map(is_reply, own)),
            tool_calls=len(calls),
            failed_tool_calls=sum([call.status is _ERROR for call in calls]),
        ),
        usage=session.usage,
        cost_usd=None,
        files=session.files,
        notice_count=sum(notice.count for notice in session.notices),
        kept=session.kept,
        facts=session.facts,
        handed_over_from=next((link.target for link in session.links if link.kind == HANDED_OVER), None),
    )


def is_prompt(message: Message) -> bool:
    """Did somebody say it to the model: the human, or another model that gives a sub-agent its task?"""
    return message.role is _USER and (message.author is _HUMAN or (message.author is _MODEL and bool(message.text)))


def is_reply(message: Message) -> bool:
    """Did the model say something in words?"""
    if message.role is not _ASSISTANT or message.author is not _MODEL:
        return False
    for part in message.parts:  # noqa: SIM110 (asked of every message, and a generator takes twice as long)
        if type(part) is Text and part.text and not part.text.isspace():
            return True
    return False


def first_words(text: str, length: int = TITLE_LENGTH) -> str:
    """The beginning of a text on one line, cut at a word."""
    line = " ".join(text[: 4 * length].split())
    if len(line) <= length:
        return line
    beginning = line[: length - 1]
    return f"{beginning[: beginning.rfind(' ')] if beginning.rfind(' ') > length // 2 else beginning}…"
