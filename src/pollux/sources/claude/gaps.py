"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pollux.model import Author, Gap, Message, Role, Usage, gap
from pollux.sources.gaps import BROKEN_OFF, awaits

_ABSORBED = {"attachment", "queued"}
_STOPS = ("hook_stopped_continuation", "max_turns_reached", "structured_output")
_MODEL, _HUMAN, _USER, _ASSISTANT = Author.MODEL, Author.HUMAN, Role.USER, Role.ASSISTANT


def gaps(messages: list[Message]) -> tuple[Gap, ...]:
    """What is missing, or may be."""
    found: list[Gap] = []
    waiting: Message | None = None
    running: Message | None = None
    answered = False
    folds: list[Message] = []
    for message in messages:
        if message.inherited:
            continue
        author = message.author
        if author is _MODEL and message.role is _ASSISTANT:
            waiting, running, answered = None, message, True
            if message.usage is not None and not message.usage.exact:
                found.append(_uncounted(message, message.usage))
        elif author is _HUMAN and message.role is _USER:
            # What was typed for the shell need not be answered; what a running turn absorbed, that turn answers.
            if not message.text.startswith("!"):
                if not _ABSORBED & message.extra.keys():
                    found += _left(waiting, running)
                    running = None
                waiting = message
        elif message.extra.get("subtype") == "compact_boundary" or message.extra.get("isCompactSummary"):
            folds.append(message)
        elif running is not None and _stops(message):
            running = None
    found += _folded(folds, messages)
    found += _left(waiting, running)
    if not answered:
        found.append(Gap(why="No reply was written.", certain=False))
    return tuple(found)


def _uncounted(message: Message, used: Usage) -> Gap:
    """What a reply without all its figures shows to be missing."""
    if used.known is None:
        return gap("A reply has no figures.", message, certain=True)
    if used.exact is None:
        return gap("A reply has only a part of its figures.", message, certain=used.total is None)
    return gap("A reply has no end: only the figures with which it began were written.", message, certain=True)


def _folded(told: list[Message], messages: list[Message]) -> list[Gap]:
    """The requests that folded: a boundary with its summary tells of one, in early releases a summary alone.

    A summary at the very beginning is of another session.
    """
    begin = [fold for fold, before in zip(told, [None, *told], strict=False) if not _belongs(fold, before)]
    why = "The conversation was folded: that request is billed and has no record."
    return [gap(why, fold, certain=True) for fold in begin if fold is not messages[0]]


def _belongs(fold: Message, before: Message | None) -> bool:
    """Is it the summary of the boundary before it?"""
    return before is not None and "isCompactSummary" in fold.extra and "isCompactSummary" not in before.extra


def _stops(message: Message) -> bool:
    """Does the client tell that it sent the answers of tools no more?"""
    held = message.extra.get("attachment")
    return held is not None and isinstance(held, Mapping) and held.get("type") in _STOPS


def _left(waiting: Message | None, running: Message | None) -> Iterator[Gap]:
    """What a turn leaves open that has ended: a prompt without an answer, or answers of tools that led to nothing."""
    if running is not None and awaits(running):
        yield gap(BROKEN_OFF, running)
    elif waiting is not None:
        yield gap("A prompt has no answer: what it cost, if anything, was not written.", waiting)
