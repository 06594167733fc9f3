"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec

from pollux.model import Attachment, Gap
from pollux.sources.codex.calls.calls import Call
from pollux.sources.codex.replay.entries import ASSISTANT, HUMAN, MODEL, USER, Entry
from pollux.sources.codex.replay.thread_state import Task

_UNANSWERED = "A prompt has no answer: what it cost, if anything, was not written."
_BROKEN_OFF = "A turn was broken off: it may have cost more than was told."
_CUT = "A response has no figures, because it or its tool never ended."
_UNSURE = "Where the parent's lines end is not certain: some of the figures may be the parent's."
_UNREADABLE = "A figure is missing or cannot be read."


class Account(msgspec.Struct):
    """One file's messages and turns, and the lines with figures that cannot be read.

    `sure` says whether it is certain which messages are the session's own.
    """

    entries: list[Entry]
    tasks: list[Task]
    unreadable: list[int]
    sure: bool = True


def gaps(accounts: list[Account], *, uncounted_summaries: bool, spawned: bool) -> tuple[Gap, ...]:
    """What is missing, or may be, in the files of a session, which another one `spawned` or a human began.

    The request for a summary is in no figure up to 0.48, nor where the service made the summary itself up to 0.152. Up
    to 0.40 and in 0.145 the figures come after the tools: of a response whose tool never ended they were never
    written. Nor are they of a response that was cut. Of a request that was cut before anything was written, nobody
    knows what it cost.
    """
    result = [_gap(_UNREADABLE, line, certain=True) for account in accounts for line in account.unreadable]
    usages = [usage for account in accounts for entry in account.entries for usage in entry.usages or ()]
    result += [
        _gap(_UNREADABLE, usage.line, certain=usage.exact is False) for usage in usages if usage.exact is not True
    ]
    result += [_gap(_UNSURE, None) for account in accounts if not account.sure]
    for account in accounts:
        for part in _parts(account, spawned=spawned):
            result += _missing(part)
    if uncounted_summaries:
        result.append(Gap(why="A summary was made by a request that no figure tells of.", certain=True))
    if result and not usages:
        return (Gap(why="The files hold no figures at all.", certain=False),)
    return tuple(result)


class _Part(msgspec.Struct):
    """A turn, or what was said in it up to the next prompt: `is_steered` says that there is one."""

    task: Task | None
    entries: list[Entry]
    asked: list[Entry]
    is_steered: bool = False


def _parts(account: Account, *, spawned: bool) -> list[_Part]:
    """The messages by turn and prompt. Before turns were written (0.100) each prompt begins one."""
    part = _Part(None, [], [])
    parts = [part]
    tasks = deque(account.tasks)
    for entry in account.entries:
        while tasks and entry.line > tasks[0].line:
            part = _Part(tasks.popleft(), [], [])
            parts.append(part)
        if _is_asked(entry, spawned=spawned):
            if part.asked and not _is_picture(part.asked, entry):
                part.is_steered = part.task is not None
                part = _Part(part.task, [], [])
                parts.append(part)
            part.asked.append(entry)
        part.entries.append(entry)
    return parts + [_Part(task, [], []) for task in tasks]


def _is_picture(prompts: list[Entry], entry: Entry) -> bool:
    """Releases around 0.40 send a picture and its question as two prompts, and answer once, after either."""
    return len(prompts) == 1 and (_has_only_pictures(entry) or _has_only_pictures(prompts[0]))


def _has_only_pictures(prompt: Entry) -> bool:
    return all(type(part) is Attachment for part in prompt.parts)


def _is_asked(entry: Entry, *, spawned: bool) -> bool:
    """Does it ask the model for something? A report of another agent does not; the task that one gave does."""
    author = entry.author
    return entry.sure or (entry.role is USER and (author is HUMAN or (spawned and author is MODEL)))


def _missing(part: _Part) -> Iterator[Gap]:
    """What one part leaves open."""
    task = part.task
    if not part.entries:
        if task is not None and not task.ended:
            yield _gap(_BROKEN_OFF, task.line)
        return
    unpaid: Entry | None = None
    latest: Entry | None = None
    refused = False
    for entry in part.entries:
        refused = refused or entry.refused
        if entry.role is ASSISTANT and entry.author is MODEL:
            # A response may stand in several messages; the last of them has its figures.
            unpaid = None if entry.is_paid else unpaid or entry
            latest = entry
    if unpaid is not None:
        yield _gap(_CUT, unpaid.line, certain=True)
    elif refused:
        return
    elif latest is None:
        yield from (_gap(_UNANSWERED, entry.line) for entry in part.asked[:1])
    elif _awaits(latest) and (task is None or task.cuts or not part.is_steered):
        yield _gap(_BROKEN_OFF, latest.line)


def _awaits(entry: Entry) -> bool:
    """Does a turn end with answers of tools, so that the next request may have been under way?"""
    calls = entry.calls
    return bool(calls) and type(entry.parts[-1]) is Call and calls[-1].ended is None and all(map(_is_settled, calls))


def _is_settled(call: Call) -> bool:
    return call.ended is not None or (call.is_settled and not (call.cancelled and call.is_denied))


def _gap(why: str, line: int | None, *, certain: bool = False) -> Gap:
    return Gap(why=why, certain=certain, line=line)
