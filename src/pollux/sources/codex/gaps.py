"""Which figures may be missing from the files of a session."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec

from pollux.model import Attachment, Gap
from pollux.sources.codex.calls.calls import Call
from pollux.sources.codex.replay.entries import ASSISTANT, HUMAN, MODEL, USER, Entry
from pollux.sources.codex.replay.thread_state import Task
from pollux.sources.gaps import BROKEN_OFF

_UNANSWERED = "A prompt has no answer: what it cost, if anything, was not written."
_CUT = "A response has no figures, because it or its tool never ended."
_UNSURE = "Where the parent's lines end is not certain: some of the figures may be the parent's."
_GOES_ON = "The first figures go on from others that are not here: what was used before them may be missing."
_BROKEN = "An earlier file of the session is gone or was cut: what was used in the lost lines is missing."
_UNREADABLE = "A figure is missing or cannot be read."


class Account(msgspec.Struct):
    """One file's messages and turns, and the lines with figures that cannot be read.

    `sure` says whether it is certain which messages are the session's own. `goes_on` says that the first figures go on
    from others, which are lost.
    """

    entries: list[Entry]
    tasks: list[Task]
    unreadable: list[int]
    sure: bool = True
    goes_on: bool = False


def gaps(accounts: list[Account], *, uncounted_summaries: bool, spawned: bool, broken: bool) -> tuple[Gap, ...]:
    """The gaps of a session. `spawned`: another session started it, not a human. `broken`: earlier files are lost.

    No figure counts the request for a summary up to 0.48, or up to 0.152 if the service made the summary itself. Up to
    0.40 and in 0.145 the figures of a response come after its tools: if a tool never ended, they were never written. A
    response that was cut has no figures either. Nobody knows the cost of a request that was cut before its response.
    """
    result = [_gap(_UNREADABLE, line, certain=True) for account in accounts for line in account.unreadable]
    usages = [usage for account in accounts for entry in account.entries for usage in entry.usages or ()]
    result += [
        _gap(_UNREADABLE, usage.line, certain=usage.exact is False) for usage in usages if usage.exact is not True
    ]
    if len(accounts) == 1 and accounts[0].goes_on:
        # Of several files one goes on from the others' figures.
        result.append(_gap(_GOES_ON, None))
    if broken:
        result.append(_gap(_BROKEN, None))
    for account in accounts:
        for part in _parts(account, spawned=spawned):
            result += _gaps_of(part)
    if uncounted_summaries:
        result.append(Gap(why="A summary was made by a request that no figure tells of.", certain=True))
    unsure = [_gap(_UNSURE, None) for account in accounts if not account.sure]
    if (unsure or result) and not usages:
        return (Gap(why="The files hold no figures at all.", certain=False),)
    if unsure:
        # The figures may also be too high: then nobody knows whether they are too low.
        return (*unsure, *(_gap(gap.why, gap.line) for gap in result))
    return tuple(result)


class _TurnPart(msgspec.Struct):
    """The messages of a turn up to the next prompt; `is_steered` says that such a prompt follows in the turn.

    `latest` is the model's last message, and `unpaid` the first of those that have no figures yet. `refused` says that
    a request was refused.
    """

    task: Task | None
    requests: list[Entry]
    is_empty: bool = True
    is_steered: bool = False
    unpaid: Entry | None = None
    latest: Entry | None = None
    refused: bool = False


def _parts(account: Account, *, spawned: bool) -> list[_TurnPart]:
    """The messages by turn and prompt. Before turns were written (0.100) each prompt begins one."""
    part = _TurnPart(None, [])
    parts = [part]
    tasks = deque(account.tasks)
    for entry in account.entries:
        while tasks and entry.line > tasks[0].line:
            part = _TurnPart(tasks.popleft(), [])
            parts.append(part)
        part.is_empty = False
        role, author = entry.role, entry.author
        if role is ASSISTANT and author is MODEL:
            # A response may stand in several messages; the last of them has its figures.
            part.unpaid = None if entry.usages is not None or entry.continued else part.unpaid or entry
            part.latest = entry
        # The task from another agent asks the model for something, a report from one does not.
        elif entry.sure or (role is USER and (author is HUMAN or (spawned and author is MODEL))):
            if part.requests and not _is_picture(part.requests, entry):
                part.is_steered = part.task is not None
                part = _TurnPart(part.task, [])
                parts.append(part)
            part.requests.append(entry)
            part.is_empty = False
        elif entry.refused:
            part.refused = True
    return parts + [_TurnPart(task, []) for task in tasks]


def _is_picture(prompts: list[Entry], entry: Entry) -> bool:
    """Releases around 0.40 send a picture and its question as two prompts, and answer once, after either."""
    return len(prompts) == 1 and (_has_only_pictures(entry) or _has_only_pictures(prompts[0]))


def _has_only_pictures(prompt: Entry) -> bool:
    parts = prompt.parts
    return not parts or (type(parts[0]) is Attachment and all(type(part) is Attachment for part in parts))


def _gaps_of(part: _TurnPart) -> Iterator[Gap]:
    """The gaps of one part of a turn."""
    task, latest = part.task, part.latest
    if part.is_empty:
        if task is not None and not task.ended:
            yield _gap(BROKEN_OFF, task.line)
        return
    if part.unpaid is not None:
        yield _gap(_CUT, part.unpaid.line, certain=True)
    elif part.refused:
        return
    elif latest is None:
        yield from (_gap(_UNANSWERED, entry.line) for entry in part.requests[:1])
    elif _awaits(latest) and (task is None or task.cuts or not part.is_steered):
        yield _gap(BROKEN_OFF, latest.line)


def _awaits(entry: Entry) -> bool:
    """Does a turn end with results of tools, so that the next request may have been under way?"""
    calls = entry.calls
    return bool(calls) and type(entry.parts[-1]) is Call and calls[-1].ended is None and all(map(_is_settled, calls))


def _is_settled(call: Call) -> bool:
    return call.ended is not None or (call.is_settled and not (call.cancelled and call.is_denied))


def _gap(why: str, line: int | None, *, certain: bool = False) -> Gap:
    return Gap(why=why, certain=certain, line=line)
