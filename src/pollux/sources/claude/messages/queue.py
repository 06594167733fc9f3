"""Prompts without a record in the tree: typed while the agent was busy, and known only from its queue."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

import msgspec

from pollux.model import Author, Fate, Message, Origin, Role, Text
from pollux.sources.claude.messages.authors import is_client_text
from pollux.sources.claude.transcript import QueueStep, Transcript
from pollux.sources.typed_prompts import normalize_space
from pollux.system.clock import recorded

_ABSORBED = (None, "absorbed_mid_turn")


def lost_prompts(transcript: Transcript, messages: list[Message]) -> list[Message]:
    """The queue's prompts without a message, each at the line where it left the queue.

    A prompt that began a turn has a record, perhaps joined with others; without one it was lost with the process,
    unless it was a command for the client. A prompt that a running turn absorbed has no record in some releases (2.0,
    2.1.24x). A prompt that is still in the queue at the end never arrived.
    """
    counts: dict[str, int] = {}
    for message in messages:
        if message.author is Author.HUMAN:
            words = normalize_space(message.text)
            counts[words] = counts.get(words, 0) + 1
    lost: list[Message] = []
    for step, end, fate in _queue_ends(transcript.queue):
        words = normalize_space(step.content or "")
        if counts.get(words):
            counts[words] -= 1
        elif fate is not None or not messages or not (words.startswith("/") or any(words in text for text in counts)):
            lost.append(_message(step, end, fate or Fate.FAILED, transcript.file))
    return lost


def _queue_ends(queue: list[QueueStep]) -> list[tuple[QueueStep, int, Fate | None]]:
    """Each prompt of the queue, the line at which it left the queue, and its fate; None if it began a turn."""
    queued: list[QueueStep] = []
    finished: list[tuple[QueueStep, int, Fate | None]] = []
    for step in queue:
        if step.operation == "enqueue":
            queued.append(step)
        elif step.operation == "popAll":
            # Moved back into the input line; a prompt that is sent from there is written again.
            queued.clear()
        elif queued:
            has_content = step.content is not None
            matches = (number for number, entry in enumerate(queued) if has_content and entry.content == step.content)
            removed = queued.pop(next(matches, 0))
            if step.operation == "remove":
                if step.reason in _ABSORBED:
                    finished.append((removed, step.number, Fate.LIVE))
            else:
                finished.append((removed, step.number, None))
    finished += [(step, step.number, Fate.FAILED) for step in queued]
    # Pictures and lists of blocks have no text in the queue.
    return [item for item in finished if item[0].content and not is_client_text(item[0].content)]


def _message(step: QueueStep, end: int, fate: Fate, file: str) -> Message:
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


def insert_queued(messages: list[Message], added: list[Message]) -> list[Message]:
    """All messages in the order of their lines. An absorbed prompt has the fate of its turn."""

    def line(message: Message) -> int:
        return (message.origin.line or 0) if message.origin is not None else 0

    last_lines = list(accumulate(map(line, messages), max))
    result: list[Message] = []
    done = 0
    for prompt in sorted(added, key=line):
        place = bisect_right(last_lines, line(prompt))
        result += messages[done:place]
        done = place
        absorbed = prompt.fate is Fate.LIVE and bool(result)
        result.append(msgspec.structs.replace(prompt, fate=result[-1].fate) if absorbed else prompt)
    return [*result, *messages[done:]]
