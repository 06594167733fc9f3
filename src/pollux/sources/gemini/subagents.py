"""Sub-agents: which call started which session, and those that Gemini CLI up to 0.34 wrote into their parent's file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from pollux.model import Author, Gap, Kind, Link, Message, Role, Session, ToolCall, first_words
from pollux.sources.gemini.content import TASK
from pollux.sources.gemini.tools import TASKS

_CREATED = re.compile(r"[-_](\d{13})[-_]")


def made_at(call_id: str | None) -> int | None:
    """The millisecond in which a call was made: the CLI's own ids hold it."""
    found = _CREATED.search(call_id) if call_id else None
    return int(found[1]) if found is not None else None


def created(call_id: str | None) -> datetime | None:
    """When a call was made."""
    made = made_at(call_id)
    return datetime.fromtimestamp(made / 1000, UTC) if made is not None else None


def task_of(call: ToolCall) -> str | None:
    """The task a call hands to a sub-agent; None where the tool is none."""
    names = TASKS.get(call.name)
    if names is None or not isinstance(call.input, dict):
        return None
    return next((task for name in names if isinstance(task := call.input.get(name), str) and task.strip()), None)


def carve(session: Session) -> list[Session]:
    """The session without its sub-agents' messages, then each sub-agent as a session of its own.

    The sub-agent's prompt was recorded as the user's while its call was running: after the call was made, before it
    ended. The call itself stands in a later message.
    """
    spawns = list(_spawns(session.messages)) if session.kind is Kind.MAIN else []
    if not spawns:
        return [session]
    own = dict(enumerate(session.messages))
    children: list[Session] = []
    for place, call in spawns:
        start = _task_place(own, place, call)
        if start is None:
            continue
        child = _child(session, call, [own.pop(n) for n in range(start, place) if n in own])
        children.append(child)
        parts = tuple(
            msgspec.structs.replace(call, child=child.key) if part is call else part for part in own[place].parts
        )
        own[place] = msgspec.structs.replace(own[place], parts=parts)
    if not children:
        return [session]
    return [msgspec.structs.replace(session, messages=tuple(own.values())), *children]


def _spawns(messages: tuple[Message, ...]) -> Iterator[tuple[int, ToolCall]]:
    for place, message in enumerate(messages):
        for part in message.parts:
            if type(part) is ToolCall and part.name in TASKS and part.child is None and task_of(part) is not None:
                yield place, part


def _task_place(messages: dict[int, Message], place: int, call: ToolCall) -> int | None:
    """Where the sub-agent's prompt stands: the first user message of the call's running time that holds its task."""
    made, task = created(call.id), task_of(call) or ""
    for index in range(place):
        message = messages.get(index)
        if message is None or message.role is not Role.USER or message.author is not Author.HUMAN:
            continue
        text = message.text
        if task in text and (text.startswith(TASK) or _while_running(message, made, call)):
            return index
    return None


def _while_running(message: Message, made: datetime | None, call: ToolCall) -> bool:
    if made is None or message.at is None:
        return False
    return made <= message.at and (call.at is None or message.at <= call.at)


def _child(parent: Session, call: ToolCall, inside: list[Message]) -> Session:
    task, *rest = inside
    messages = (
        msgspec.structs.replace(task, author=Author.MODEL),
        *(
            msgspec.structs.replace(message, author=Author.CLIENT) if message.author is Author.HUMAN else message
            for message in rest
        ),
    )
    times = [message.at for message in messages if message.at is not None]
    return Session(
        agent=parent.agent,
        id=task.id,
        kind=Kind.SUBAGENT,
        parent=parent.key,
        title=first_words(task_of(call) or task.text) or None,
        project=parent.project,
        project_evidence=parent.project_evidence,
        project_hash=parent.project_hash,
        started=min(times, default=None),
        ended=max([*times, *([call.at] if call.at is not None else [])], default=None),
        messages=messages,
        links=(
            Link(kind="subagent_of", target=parent.key, evidence="recorded in the parent's file while its call ran"),
        ),
        files=parent.files,
        exact=False,
        gaps=(Gap(why="Its requests were written into its parent's file, and not all of them.", certain=True),),
    )


def wants_children(session: Session) -> bool:
    """Is there a call that started a sub-agent and does not say which?"""
    return next(_spawns(session.messages), None) is not None


def link_children(session: Session, children: list[Session]) -> Session:
    """Give calls that do not name their sub-agent (0.37, 0.38) the child whose task they hand over."""
    free = [child for child in children if not _named(session, child)]
    if not free:
        return session
    messages: list[Message] = []
    for message in session.messages:
        parts = list(message.parts)
        for index, part in enumerate(parts):
            if type(part) is ToolCall and part.child is None and (task := task_of(part)) is not None:
                child = next((c for c in free if any(task in m.text for m in c.messages[:3])), None)
                if child is not None:
                    free.remove(child)
                    parts[index] = msgspec.structs.replace(part, child=child.key)
        same = all(new is old for new, old in zip(parts, message.parts, strict=True))
        messages.append(message if same else msgspec.structs.replace(message, parts=tuple(parts)))
    return msgspec.structs.replace(session, messages=tuple(messages))


def _named(session: Session, child: Session) -> bool:
    return any(type(part) is ToolCall and part.child == child.key for m in session.messages for part in m.parts)
