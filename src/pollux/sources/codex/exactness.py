"""Do the files hold every token that was used?"""

from __future__ import annotations

from pollux.model import Attachment
from pollux.sources.codex.calls import Call
from pollux.sources.codex.entries import ASSISTANT, MODEL, Entry


def exact(entries: list[Entry], *, uncounted: bool) -> bool | None:
    """True: every request is there. False: some are known to be missing. None: it cannot be told.

    The request for a summary is in no figure up to 0.48, nor where the service made the summary itself up to 0.152. Up
    to 0.40 and in 0.145 the figures come after the tools: of a response whose tool never ended they were never
    written. A turn that was killed or failed may have cost more than was told.
    """
    last: Entry | None = None
    counted = doubtful = waiting = picture_only = False
    for entry in entries:
        if entry.usages is not None:
            counted = True
        if entry.author is MODEL:
            if entry.role is ASSISTANT:
                waiting, last = False, entry
        elif entry.is_prompt:
            # Releases around 0.40 send a picture and its question as two prompts, and answer once.
            doubtful = doubtful or (waiting and not picture_only) or _broken_off(last)
            answered_picture = picture_only and not waiting
            picture_only = all(type(part) is Attachment for part in entry.parts)
            waiting, last = not answered_picture, None
    if not counted:
        return None
    if uncounted:
        return False
    if last is not None and last.usages is None and _ended(last) is False:
        return False
    return None if doubtful or waiting or _broken_off(last) else True


def _ended(entry: Entry) -> bool:
    """Did every tool the model asked for give an answer?"""
    return all(type(part) is not Call or part.answered for part in entry.parts)


def _broken_off(entry: Entry | None) -> bool:
    """Does a turn end with a call rather than with words, though nobody interrupted it?"""
    if entry is None or entry.aborted or not entry.parts:
        return False
    return type(entry.parts[-1]) is Call and entry.parts[-1].ended is None
