"""The files of one session, each read for itself, and every message of them once."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Author, Fate, Kind, Message, Role
from pollux.sources.base import File
from pollux.sources.gemini.format.content import TASK
from pollux.sources.gemini.gaps import folds
from pollux.sources.gemini.prompts.log import COMPRESS, Line
from pollux.sources.gemini.replay.replay import Replay
from pollux.sources.in_time import in_time


class Part(msgspec.Struct):
    """What one file gave: its replay, the messages built from it, and whether one of their calls starts sub-agents."""

    file: File
    replay: Replay
    messages: list[Message]
    spawns: bool

    @property
    def current(self) -> tuple[bool, float, bool, float]:
        """How the CLI would choose between files of one session: said something, updated last, the newer format.

        Of those that say the same of themselves it is the one in which the last message is the latest.
        """
        said = any(message.author is not Author.CLIENT for message in self.messages)
        updated = self.replay.updated.timestamp() if self.replay.updated is not None else 0.0
        last = max((message.at.timestamp() for message in self.messages if message.at is not None), default=0.0)
        return said, updated, ".jsonl" in self.file.path, last

    @property
    def may_lack_calls(self) -> bool:
        """May 0.4 to 0.8 have written it, which recorded no calls? Nothing shows that a later release did."""
        if ".jsonl" in self.file.path or self.replay.facts.keys() - {"sessionId", "projectHash"}:
            return False
        held = [entry.message for entry in self.replay.entries]
        plain = all(m.type in ("user", "gemini") and type(m.content) is str and not m.toolCalls for m in held)
        return plain and any(m.type == "gemini" for m in held)

    @property
    def is_subagent(self) -> bool:
        """Does the file hold a sub-agent's conversation: by its own word (0.31+), or by the prompt it begins with?"""
        if self.replay.facts.get("kind") == Kind.SUBAGENT:
            return True
        first = next((message for message in self.messages if message.role is Role.USER), None)
        return first is not None and first.text.startswith(TASK)


def joined(parts: list[Part], current: Part, typed: list[Line]) -> list[Message]:
    """Every message of all files once, in the order of time; the current file decides what became of it."""
    if len(parts) == 1:
        return parts[0].messages
    fates = {message.id: message.fate for message in current.messages}
    chosen: dict[str, Message] = {}
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        folded = bool(part.messages) and (folds(part.messages[-1]) or _folded_by(typed, part, following))
        for message in part.messages:
            fate = fates.get(message.id)
            if fate is None and part is not current:
                fate = message.fate if message.fate is not Fate.LIVE else Fate.COMPRESSED if folded else Fate.REWOUND
            settled = message if fate in (None, message.fate) else msgspec.structs.replace(message, fate=fate)
            kept = chosen.get(message.id)
            chosen[message.id] = settled if kept is None else _richer(kept, settled)
    order = in_time({message.id: message.at for message in part.messages}.items() for part in parts)
    return [chosen[name] for name in order]


def _folded_by(typed: list[Line], part: Part, following: Part | None) -> bool:
    """Did a `/compress` end a file, rather than a `/clear`? Before 0.18 only the log of typed lines tells."""
    since, until = part.replay.updated, following.replay.started if following is not None else None
    if since is None or until is None:
        return False
    return any(line.calls(COMPRESS) and line.at and since <= line.at <= until for line in typed)


def _richer(one: Message, other: Message) -> Message:
    """Of two writings of a message the one that tells more; where it stands in a log, rather than in a document."""

    def weight(message: Message) -> tuple[bool, int, bool]:
        line = message.origin is not None and message.origin.line is not None
        return message.usage is not None, len(message.parts), line

    better, worse = (other, one) if weight(other) > weight(one) else (one, other)
    at = min((m.at for m in (one, other) if m.at is not None), default=None)
    changes: dict[str, Any] = {"fate": other.fate, "at": at}
    if _content(worse) != _content(better):
        kept = [*better.extra.get("replaced", ()), {"message": msgspec.to_builtins(worse)}]
        changes["extra"] = {**better.extra, "replaced": kept}
    return msgspec.structs.replace(better, **changes)


def _content(message: Message) -> tuple[Any, ...]:
    """What two writings of a message must share for nothing to be lost with one of them."""
    extra = {name: value for name, value in message.extra.items() if name != "copies"}
    return message.parts, message.model, message.usage, message.role, message.at, extra
