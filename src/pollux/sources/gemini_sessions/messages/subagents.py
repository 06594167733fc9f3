"""Sub-agents: which call started which session. Up to 0.34 sub-agents are written into their parent's file."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from datetime import datetime
from itertools import pairwise

import msgspec

from pollux.model import Author, Gap, Kind, Link, Message, Role, Session, ToolCall, first_words
from pollux.sources.gemini_sessions.format.content import TASK
from pollux.sources.gemini_sessions.format.tools import TASKS
from pollux.system.clock import since_epoch
from pollux.text.enclosed import between

_find_created = re.compile(r"[-_](\d{13})[-_]").findall


def created_ms(call_id: str | None) -> float | None:
    """The millisecond in which a call was made, which stands in the CLI's own ids."""
    found = _find_created(call_id) if call_id else None
    return float(found[0]) if found else None


def created(call_id: str | None) -> datetime | None:
    """When a call was made."""
    return since_epoch(created_ms(call_id), 1000)


def task_of(call: ToolCall) -> str | None:
    """The task that a call gives to a sub-agent; None for other tools."""
    names = TASKS.get(call.name)
    if names is None or not isinstance(call.input, dict):
        return None
    return next((task for name in names if isinstance(task := call.input.get(name), str) and task.strip()), None)


class Run(msgspec.Struct):
    """A sub-agent's run inside its parent's file: where it ends, and the call that started it, if that was recorded.

    A call is recorded when it ends: in its own message, or with the last words of the sub-agent.
    """

    end: int
    call: ToolCall | None = None


def objective_of(task: str) -> str:
    """The objective in a sub-agent's task, or the whole task where none is marked."""
    return (between(task, "<objective>", "</objective>") or "").strip() or task


def split_subagents(session: Session) -> list[Session]:
    """The session without its sub-agents' messages, then each sub-agent as a session of its own.

    The sub-agent's prompt was recorded as the user's while its call was running: after the call was made, before it
    ended. The call itself stands in a later message.
    """
    runs = _runs(session.messages) if session.kind is Kind.MAIN else {}
    if not runs:
        return [session]
    remaining = dict(enumerate(session.messages))
    children: list[Session] = []
    starts = [*sorted(runs), len(remaining)]
    for start, following in pairwise(starts):
        run = runs[start]
        places = [n for n in range(start, min(run.end, following)) if remaining[n].role is not Role.SYSTEM]
        messages = [remaining.pop(n) for n in places]
        if run.call is None:
            children.append(_child(session, None, messages))
            continue
        holder = remaining[run.end]
        if holder.at is not None and run.call.at is not None and holder.at < run.call.at and run.end < following:
            calls = tuple(part for part in holder.parts if type(part) is ToolCall)
            words = tuple(part for part in holder.parts if type(part) is not ToolCall)
            messages.append(msgspec.structs.replace(holder, parts=words))
            holder = msgspec.structs.replace(holder, parts=calls, usage=None, model=None)
        children.append(_child(session, run.call, messages))
        parts = tuple(
            msgspec.structs.replace(part, child=children[-1].key) if part is run.call else part for part in holder.parts
        )
        remaining[run.end] = msgspec.structs.replace(holder, parts=parts)
    return [msgspec.structs.replace(session, messages=tuple(remaining.values())), *children]


def _runs(messages: tuple[Message, ...]) -> dict[int, Run]:
    """Where sub-agents begin. If the call was never recorded, because the agent was killed, the prompt shows it."""
    runs: dict[int, Run] = {}
    for place, call in _spawns(messages):
        start = _task_place(messages, place, call, runs)
        if start is not None:
            runs[start] = Run(place, call)
    for place, message in enumerate(messages):
        if place not in runs and _is_prompt(message) and message.text.startswith(TASK):
            later = (n for n in range(place + 1, len(messages)) if _is_prompt(messages[n]))
            runs[place] = Run(next(later, len(messages)))
    return runs


def _is_prompt(message: Message) -> bool:
    return message.role is Role.USER and message.author is Author.HUMAN


def _spawns(messages: tuple[Message, ...]) -> Iterator[tuple[int, ToolCall]]:
    for place, message in enumerate(messages):
        for part in message.parts:
            if type(part) is ToolCall and part.name in TASKS and part.child is None and task_of(part) is not None:
                yield place, part


def _task_place(messages: tuple[Message, ...], place: int, call: ToolCall, used: Container[int]) -> int | None:
    """The place of the sub-agent's prompt: the first user message during the call that holds its task."""
    creation, task = created(call.id), task_of(call) or ""
    for index in range(place):
        message = messages[index]
        if index in used or not _is_prompt(message):
            continue
        text = message.text
        if task in text and (text.startswith(TASK) or _while_running(message, creation, call)):
            return index
    return None


def _while_running(message: Message, creation: datetime | None, call: ToolCall) -> bool:
    if creation is None or message.at is None:
        return False
    return creation <= message.at and (call.at is None or message.at <= call.at)


def _child(parent: Session, call: ToolCall | None, inside: list[Message]) -> Session:
    task, *rest = inside
    messages = (
        msgspec.structs.replace(task, author=Author.MODEL),
        *(
            msgspec.structs.replace(message, author=Author.CLIENT) if message.author is Author.HUMAN else message
            for message in rest
        ),
    )
    ended = call.at if call is not None else None
    times = [at for at in (*(message.at for message in messages), ended) if at is not None]
    # Since 0.32 every answer has a message with figures, even if it has only calls.
    complete = any(message.usage is not None and not message.text for message in messages)
    return Session(
        agent=parent.agent,
        id=task.id,
        kind=Kind.SUBAGENT,
        parent=parent.key,
        title=first_words((task_of(call) if call is not None else None) or objective_of(task.text)) or None,
        project=parent.project,
        project_evidence=parent.project_evidence,
        project_hash=parent.project_hash,
        started=min(times, default=None),
        ended=max(times, default=None),
        messages=messages,
        links=(
            Link(kind="subagent_of", target=parent.key, evidence="recorded in the parent's file while its call ran"),
        ),
        files=parent.files,
        exact=None if complete else False,
        gaps=(Gap(why="Its requests were written into its parent's file, and not all of them.", certain=not complete),),
    )


def wants_children(session: Session) -> bool:
    """Is there a call that started a sub-agent without naming it?"""
    return next(_spawns(session.messages), None) is not None


def link_children(session: Session, children: list[Session]) -> Session:
    """Give calls that do not name their sub-agent (0.37, 0.38) the child with their task."""
    unlinked = [child for child in children if not _is_linked(session, child)]
    if not unlinked:
        return session
    messages: list[Message] = []
    for message in session.messages:
        parts = list(message.parts)
        for index, part in enumerate(parts):
            if type(part) is ToolCall and part.child is None and (task := task_of(part)) is not None:
                child = next((c for c in unlinked if any(task in m.text for m in c.messages[:3])), None)
                if child is not None:
                    unlinked.remove(child)
                    parts[index] = msgspec.structs.replace(part, child=child.key)
        unchanged = all(new is old for new, old in zip(parts, message.parts, strict=True))
        messages.append(message if unchanged else msgspec.structs.replace(message, parts=tuple(parts)))
    return msgspec.structs.replace(session, messages=tuple(messages))


def _is_linked(session: Session, child: Session) -> bool:
    return any(type(part) is ToolCall and part.child == child.key for m in session.messages for part in m.parts)
