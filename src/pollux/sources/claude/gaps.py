"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from pollux.model import Author, Gap, Message, Role, Usage, gap
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.gaps import BROKEN_OFF, awaits

_ABSORBED = {"attachment", "queued"}
_STOPS = ("hook_stopped_continuation", "max_turns_reached", "structured_output")
_MODEL, _HUMAN, _USER, _ASSISTANT = Author.MODEL, Author.HUMAN, Role.USER, Role.ASSISTANT


def gaps(messages: list[Message]) -> tuple[Gap, ...]:
    """The gaps in the figures: what is missing, or may be."""
    missing: list[Gap] = []
    unanswered: Message | None = None
    unfinished: Message | None = None
    answered = False
    folds: list[Message] = []
    for message in messages:
        if message.inherited:
            continue
        author = message.author
        if author is _MODEL and message.role is _ASSISTANT:
            unanswered, unfinished, answered = None, message, True
            if message.usage is not None and not message.usage.exact:
                missing.append(_usage_gap(message, message.usage))
        elif author is _HUMAN and message.role is _USER:
            # A shell command needs no answer. A prompt that a running turn absorbed is answered by that turn.
            if not message.text.startswith("!"):
                if not _ABSORBED & message.extra.keys():
                    missing += _turn_gaps(unanswered, unfinished)
                    unfinished = None
                unanswered = message
        elif message.extra.get("subtype") == "compact_boundary" or message.extra.get("isCompactSummary"):
            folds.append(message)
        elif unfinished is not None and _stops_turn(message):
            unfinished = None
    missing += _compaction_gaps(folds, messages)
    missing += _turn_gaps(unanswered, unfinished)
    if not answered and not (messages and all(message.inherited for message in messages)):
        missing.append(Gap(why="No reply was written.", certain=False))
    return tuple(missing)


def lost_records(file: str, lines: Iterable[Pair], known: Container[str]) -> Iterator[Gap]:
    """The gaps before records whose parent is not among the `known` uuids: a part of the file was lost."""
    for number, line in lines:
        if line.parentUuid and line.parentUuid not in known:
            why = "The record before this one is missing: it may hold figures."
            yield Gap(why=why, certain=False, file=file, line=number)


def _usage_gap(message: Message, usage: Usage) -> Gap:
    """The gap of a reply without all of its figures."""
    if usage.known is None:
        return gap("A reply has no figures.", message, certain=True)
    if usage.exact is None:
        return gap("A reply has only a part of its figures.", message, certain=usage.total is None)
    return gap("A reply has no end: only the figures with which it began were written.", message, certain=True)


def _compaction_gaps(folds: list[Message], messages: list[Message]) -> list[Gap]:
    """The requests that compacted: a boundary and its summary stand for one, in early releases a summary alone.

    A summary at the very beginning belongs to another session.
    """
    requests = [fold for fold, before in zip(folds, [None, *folds], strict=False) if not _is_summary_of(fold, before)]
    why = "The conversation was compacted: that request is billed, but has no record."
    return [gap(why, fold, certain=True) for fold in requests if fold is not messages[0]]


def _is_summary_of(fold: Message, before: Message | None) -> bool:
    """Is this the summary of the boundary before it?"""
    return before is not None and "isCompactSummary" in fold.extra and "isCompactSummary" not in before.extra


def _stops_turn(message: Message) -> bool:
    """Does the client say that it did not send the tools' answers any more?"""
    attachment = message.extra.get("attachment")
    return isinstance(attachment, dict) and attachment.get("type") in _STOPS


def _turn_gaps(unanswered: Message | None, unfinished: Message | None) -> Iterator[Gap]:
    """The gap of a turn that ended early: a prompt without an answer, or tool results without a reply."""
    if unfinished is not None and awaits(unfinished):
        yield gap(BROKEN_OFF, unfinished)
    elif unanswered is not None:
        yield gap("A prompt has no answer: what it cost, if anything, was not written.", unanswered)
