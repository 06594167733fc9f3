"""Do the files hold every token that was used?"""

from __future__ import annotations

from pollux.model import Author, Gap, Message, Role, gap

_MODEL, _HUMAN, _USER, _ASSISTANT = Author.MODEL, Author.HUMAN, Role.USER, Role.ASSISTANT


def gaps(messages: list[Message]) -> tuple[Gap, ...]:
    """What is missing, or may be."""
    found: list[Gap] = []
    waiting: Message | None = None
    answered = False
    for message in messages:
        if message.inherited:
            continue
        author = message.author
        if author is _MODEL and message.role is _ASSISTANT:
            waiting, answered = None, True
            usage = message.usage
            if usage is None:
                found.append(gap("A reply has no figures.", message))
            elif usage.exact is False:
                why = "A reply has no end: only the figures with which it began were written."
                found.append(gap(why, message, certain=True))
        elif author is _HUMAN and message.role is _USER:
            # What was typed for the shell need not be answered.
            if not message.text.startswith("!"):
                if waiting is not None:
                    found.append(_unanswered(waiting))
                waiting = message
        elif message.extra.get("subtype") == "compact_boundary":
            why = "The conversation was folded: that request is billed and has no record."
            found.append(gap(why, message, certain=True))
    if waiting is not None:
        found.append(_unanswered(waiting))
    if not answered:
        found.append(Gap(why="No reply was written.", certain=False))
    return tuple(found)


def _unanswered(message: Message) -> Gap:
    return gap("A prompt has no answer: what it cost, if anything, was not written.", message)
