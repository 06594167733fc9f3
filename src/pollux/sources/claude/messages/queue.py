"""Prompts that stand in no record of the tree: typed while the agent was busy, known only from its queue."""

from __future__ import annotations

import msgspec

from pollux.model import Author, Fate, Message, Origin, Role, Text
from pollux.sources.claude.messages.speakers import is_client_text
from pollux.sources.claude.transcript import Queued, Transcript
from pollux.sources.typed import squeezed
from pollux.system.clock import recorded

_ABSORBED = (None, "absorbed_mid_turn")


def lost_prompts(transcript: Transcript, messages: list[Message]) -> list[Message]:
    """The queue's prompts that no message says, each at the line where it left the queue.

    One that was taken out to begin a turn has a record of its own, perhaps together with others; without one it was
    lost with the process, if it was no command for the client. One that was absorbed into the running turn has none in
    some releases (2.0, 2.1.24x); one that is still in the queue at the end never arrived.
    """
    said: dict[str, int] = {}
    for message in messages:
        if message.author is Author.HUMAN:
            words = squeezed(message.text)
            said[words] = said.get(words, 0) + 1
    found: list[Message] = []
    for step, end, fate in _ends(transcript.queue):
        words = squeezed(step.content or "")
        if said.get(words):
            said[words] -= 1
        elif fate is not None or not messages or not (words.startswith("/") or any(words in text for text in said)):
            found.append(_message(step, end, fate or Fate.FAILED, transcript.file))
    return found


def _ends(queue: list[Queued]) -> list[tuple[Queued, int, Fate | None]]:
    """What was put into the queue, the line at which it left it, and its fate; None where it began a turn."""
    waiting: list[Queued] = []
    ended: list[tuple[Queued, int, Fate | None]] = []
    for step in queue:
        if step.operation == "enqueue":
            waiting.append(step)
        elif step.operation == "popAll":
            # Taken back into the input line; what is sent then is written again.
            waiting.clear()
        elif waiting:
            named = step.content is not None
            same = (number for number, held in enumerate(waiting) if named and held.content == step.content)
            left = waiting.pop(next(same, 0))
            if step.operation == "remove":
                if step.reason in _ABSORBED:
                    ended.append((left, step.number, Fate.LIVE))
            else:
                ended.append((left, step.number, None))
    ended += [(step, step.number, Fate.FAILED) for step in waiting]
    # Pictures and lists of blocks are put into the queue without a word.
    return [one for one in ended if one[0].content and not is_client_text(one[0].content)]


def _message(step: Queued, end: int, fate: Fate, file: str) -> Message:
    return Message(
        id=f"queue-{step.number}",
        role=Role.USER,
        author=Author.HUMAN,
        at=recorded(step.at, zone=None),
        parts=(Text(text=step.content or ""),),
        fate=fate,
        origin=Origin(file=file, line=end),
        extra={"queued": step.number},
    )


def woven(messages: list[Message], added: list[Message]) -> list[Message]:
    """Both in the order of their lines; what a turn absorbed shares the fate of that turn."""

    def line(message: Message) -> int:
        return (message.origin.line or 0) if message.origin is not None else 0

    result = list(messages)
    for one in added:
        place = next((n for n, message in enumerate(result) if line(message) > line(one)), len(result))
        absorbed = one.fate is Fate.LIVE and place > 0
        result.insert(place, msgspec.structs.replace(one, fate=result[place - 1].fate) if absorbed else one)
    return result
