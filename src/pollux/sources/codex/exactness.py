"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections.abc import Iterator

from pollux.model import Attachment, Gap
from pollux.sources.codex.calls import Call
from pollux.sources.codex.entries import ASSISTANT, MODEL, Entry

_UNANSWERED = "A prompt has no answer: what it cost, if anything, was not written."
_BROKEN_OFF = "A turn was broken off: it may have cost more than was told."


def gaps(entries: list[Entry], *, uncounted: bool) -> tuple[Gap, ...]:
    """What is missing, or may be.

    The request for a summary is in no figure up to 0.48, nor where the service made the summary itself up to 0.152. Up
    to 0.40 and in 0.145 the figures come after the tools: of a response whose tool never ended they were never
    written. A turn that was killed or failed may have cost more than was told.
    """
    found: list[Gap] = []
    last: Entry | None = None
    asked: Entry | None = None
    counted = waiting = picture_only = False
    for entry in entries:
        if entry.usages is not None:
            counted = True
        if entry.author is MODEL:
            if entry.role is ASSISTANT:
                waiting, last = False, entry
        elif entry.is_prompt:
            if waiting and not picture_only:
                found.append(_gap(_UNANSWERED, asked))
            found += _unended(last)
            # Releases around 0.40 send a picture and its question as two prompts, and answer once.
            answered_picture = picture_only and not waiting
            picture_only = all(type(part) is Attachment for part in entry.parts)
            waiting, last, asked = not answered_picture, None, entry
    if not counted:
        return (Gap(why="The files hold no figures at all.", certain=False),)
    if uncounted:
        found.append(Gap(why="A summary was made by a request that no figure tells of.", certain=True))
    found += _unended(last)
    return (*found, _gap(_UNANSWERED, asked)) if waiting else tuple(found)


def _unended(last: Entry | None) -> Iterator[Gap]:
    """What the last response of a turn leaves open."""
    if last is not None and last.usages is None and not _ended(last):
        yield _gap("A response has no figures, because its tool never ended.", last, certain=True)
    elif _broken_off(last):
        yield _gap(_BROKEN_OFF, last)


def _gap(why: str, entry: Entry | None, *, certain: bool = False) -> Gap:
    return Gap(why=why, certain=certain, line=entry.line if entry is not None else None)


def _ended(entry: Entry) -> bool:
    """Did every tool the model asked for give an answer?"""
    return all(type(part) is not Call or part.answered for part in entry.parts)


def _broken_off(entry: Entry | None) -> bool:
    """Does a turn end with a call rather than with words, though nobody interrupted it?"""
    if entry is None or entry.aborted or not entry.parts:
        return False
    return type(entry.parts[-1]) is Call and entry.parts[-1].ended is None
