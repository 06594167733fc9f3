"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pollux.model import Attachment, Gap
from pollux.sources.codex.books import Task
from pollux.sources.codex.calls import Call
from pollux.sources.codex.entries import ASSISTANT, HUMAN, MODEL, USER, Entry

_UNANSWERED = "A prompt has no answer: what it cost, if anything, was not written."
_BROKEN_OFF = "A turn was broken off: it may have cost more than was told."
_CUT = "A response has no figures, because it or its tool never ended."
_UNREADABLE = "A figure is missing or cannot be read."


class Account(msgspec.Struct):
    """One file's messages and turns, and the lines with figures that cannot be read."""

    entries: list[Entry]
    tasks: list[Task]
    unreadable: list[int]


def gaps(accounts: list[Account], *, uncounted: bool, spawned: bool) -> tuple[Gap, ...]:
    """What is missing, or may be, in the files of a session, which another one `spawned` or a human began.

    The request for a summary is in no figure up to 0.48, nor where the service made the summary itself up to 0.152. Up
    to 0.40 and in 0.145 the figures come after the tools: of a response whose tool never ended they were never
    written. Nor are they of a response that was cut. Of a request that was cut before anything was written, nobody
    knows what it cost.
    """
    found = [_gap(_UNREADABLE, line, certain=True) for account in accounts for line in account.unreadable]
    usages = [usage for account in accounts for entry in account.entries for usage in entry.usages or ()]
    found += [
        _gap(_UNREADABLE, usage.line, certain=usage.exact is False) for usage in usages if usage.exact is not True
    ]
    for account in accounts:
        for task, turn in _turns(account, spawned=spawned):
            found += _missing(task, turn, spawned=spawned)
    if uncounted:
        found.append(Gap(why="A summary was made by a request that no figure tells of.", certain=True))
    if found and not usages:
        return (Gap(why="The files hold no figures at all.", certain=False),)
    return tuple(found)


def _turns(account: Account, *, spawned: bool) -> Iterator[tuple[Task | None, list[Entry]]]:
    """The messages by turn. Before turns were written (0.100) each prompt begins one; later some stand within one."""
    tasks = iter([*account.tasks, None])
    task, turn = None, list[Entry]()
    coming = next(tasks)
    for entry in account.entries:
        while coming is not None and entry.line > coming.line:
            yield task, turn
            task, turn, coming = coming, [], next(tasks)
        if task is None and _is_asked(entry, spawned=spawned) and not _is_of(turn, entry):
            yield task, turn
            turn = []
        turn.append(entry)
    while coming is not None:
        yield task, turn
        task, turn, coming = coming, [], next(tasks)
    yield task, turn


def _is_of(turn: list[Entry], entry: Entry) -> bool:
    """Releases around 0.40 send a picture and its question as two prompts, and answer once, after either."""
    before = [other for other in turn if other.role is USER and other.author is HUMAN]
    return len(before) == 1 and any(_is_picture(other) for other in (*before, entry))


def _is_picture(entry: Entry) -> bool:
    return all(type(part) is Attachment for part in entry.parts)


def _is_asked(entry: Entry, *, spawned: bool) -> bool:
    """Does it ask the model for something? A report of another agent does not; the task that one gave does."""
    return entry.is_prompt or entry.sure or (spawned and entry.role is USER and entry.author is MODEL)


def _missing(task: Task | None, turn: list[Entry], *, spawned: bool) -> Iterator[Gap]:
    """What one turn leaves open."""
    if not turn:
        if task is not None and not task.ended:
            yield _gap(_BROKEN_OFF, task.line)
        return
    unpaid: Entry | None = None
    latest: Entry | None = None
    pictures = any(_is_picture(entry) for entry in turn if entry.is_prompt)
    for entry in turn:
        if entry.role is ASSISTANT and entry.author is MODEL:
            # A response may stand in several messages; the last of them has its figures.
            unpaid = None if entry.is_paid else unpaid or entry
            latest = entry
        elif entry.refused:
            latest = None
        elif _is_asked(entry, spawned=spawned) and not (pictures and latest is not None):
            latest = entry
    if unpaid is not None:
        yield _gap(_CUT, unpaid.line, certain=True)
    elif latest is not None and latest.role is not ASSISTANT:
        yield _gap(_UNANSWERED, latest.line)
    elif latest is not None and _awaits(latest):
        yield _gap(_BROKEN_OFF, latest.line)


def _awaits(entry: Entry) -> bool:
    """Does a turn end with answers of tools, so that the next request may have been under way?"""
    calls = entry.calls
    return bool(calls) and type(entry.parts[-1]) is Call and calls[-1].ended is None and all(map(_is_settled, calls))


def _is_settled(call: Call) -> bool:
    return call.ended is not None or (call.is_settled and not (call.cancelled and call.is_denied))


def _gap(why: str, line: int | None, *, certain: bool = False) -> Gap:
    return Gap(why=why, certain=certain, line=line)
