"""Do the files hold every token that was used?"""

from __future__ import annotations

from pollux.model import Author, Message, Role

_MODEL, _HUMAN, _USER, _ASSISTANT = Author.MODEL, Author.HUMAN, Role.USER, Role.ASSISTANT


def exact(messages: list[Message]) -> bool | None:
    """True: every request is there. False: some figures are known to be missing. None: it cannot be told.

    A reply whose end was never written has only the figures of its beginning. The request that folds a conversation
    is billed and has no record. A prompt nobody answered may or may not have cost something.
    """
    doubtful, waiting, answered = False, False, False
    for message in messages:
        if message.inherited:
            continue
        author = message.author
        if author is _MODEL and message.role is _ASSISTANT:
            waiting, answered = False, True
            usage = message.usage
            if usage is None:
                doubtful = True
            elif usage.exact is False:
                return False
        elif author is _HUMAN and message.role is _USER:
            # What was typed for the shell need not be answered.
            if not message.text.startswith("!"):
                doubtful = doubtful or waiting
                waiting = True
        elif message.extra.get("subtype") == "compact_boundary":
            return False
    return None if doubtful or waiting or not answered else True
