"""Joins the files of one session: every message once."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Author, Fate, Kind, Message, Role
from pollux.sources.base import File
from pollux.sources.gemini_sessions.format.content import TASK
from pollux.sources.gemini_sessions.gaps import is_compression
from pollux.sources.gemini_sessions.identity import stem
from pollux.sources.gemini_sessions.prompts.prompt_log import COMPRESS, Line
from pollux.sources.gemini_sessions.replay.replay import Replay
from pollux.sources.gemini_sessions.replay.same_messages import with_common_ids
from pollux.sources.order_by_time import order_by_time


class ChatFile(msgspec.Struct):
    """One file of `chats`: its replay, its messages, and whether one of their calls starts sub-agents.

    `is_damaged`: the file has lost its head, and perhaps more.
    """

    file: File
    replay: Replay
    messages: list[Message]
    spawns: bool
    is_damaged: bool = False

    @property
    def current(self) -> tuple[bool, float, bool, float, bool, int, int]:
        """How the CLI chooses between files of one session: has content, updated last, newer format.

        Among equals it is the file with the latest message; among copies, the one with the least damage.
        """
        has_content = any(message.author is not Author.CLIENT for message in self.messages)
        updated = self.replay.updated.timestamp() if self.replay.updated is not None else 0.0
        last = max((message.at.timestamp() for message in self.messages if message.at is not None), default=0.0)
        return has_content, updated, ".jsonl" in self.file.path, last, not self.is_damaged, self.turns, self.file.size

    @property
    def turns(self) -> int:
        """How many messages come from a person or a model, or are meant for one."""
        return sum(message.role is not Role.SYSTEM for message in self.messages)

    @property
    def may_lack_calls(self) -> bool:
        """May a release from 0.4 to 0.8 have written the file? Those record no calls. Nothing shows a later one."""
        if ".jsonl" in self.file.path or self.replay.facts.keys() - {"sessionId", "projectHash"}:
            return False
        messages = [entry.message for entry in self.replay.entries]
        plain = all(m.type in ("user", "gemini") and type(m.content) is str and not m.toolCalls for m in messages)
        return plain and any(m.type == "gemini" for m in messages)

    @property
    def is_subagent(self) -> bool:
        """Does the file hold a sub-agent's conversation: by its own field (0.31+), or by its first prompt?"""
        if self.replay.facts.get("kind") == Kind.SUBAGENT:
            return True
        first = next((message for message in self.messages if message.role is Role.USER), None)
        return first is not None and first.text.startswith(TASK)


def families_of(chats: list[ChatFile]) -> list[list[ChatFile]]:
    """The files in groups of copies: they have a common name or a common message."""
    families: list[tuple[set[str], list[ChatFile]]] = []
    for chat in chats:
        names = {stem(chat.file.path), *(message.id for message in chat.messages)}
        same = [family for family in families if family[0] & names]
        families = [family for family in families if not family[0] & names]
        members = [member for _, family in same for member in family]
        families.append((names.union(*(known for known, _ in same)), [*members, chat]))
    return [members for _, members in families]


def is_subagent(family: list[ChatFile]) -> bool:
    """Is this the conversation of a sub-agent? The fullest file says so: others may have lost what shows it."""
    return max(family, key=lambda chat: chat.turns).is_subagent


def join_files(chats: list[ChatFile], current: ChatFile, typed: list[Line]) -> list[Message]:
    """Every message of all files once, in the order of time. The current file decides its fate."""
    if len(chats) == 1:
        return chats[0].messages
    files = with_common_ids([chat.messages for chat in chats])
    current_messages = next(messages for chat, messages in zip(chats, files, strict=True) if chat is current)
    fates = {message.id: message.fate for message in current_messages}
    chosen: dict[str, Message] = {}
    for chat, messages in zip(chats, files, strict=True):
        compressed = bool(chat.messages) and (is_compression(chat.messages[-1]) or _was_compressed(typed, chat, chats))
        # What a damaged copy lacks, or what only it has, shows no fate.
        is_damaged = chat.is_damaged or current.is_damaged
        for message in messages:
            fate = fates.get(message.id)
            if fate is None and chat is not current and not is_damaged:
                fate = (
                    message.fate if message.fate is not Fate.LIVE else Fate.COMPRESSED if compressed else Fate.REWOUND
                )
            earlier = chosen.get(message.id)
            if fate is None and chat.is_damaged and earlier is not None:
                fate = earlier.fate
            final = message if fate in (None, message.fate) else msgspec.structs.replace(message, fate=fate)
            chosen[message.id] = final if earlier is None else _richer(earlier, final)
    order = order_by_time({message.id: message.at for message in messages}.items() for messages in files)
    return [chosen[name] for name in order]


def _was_compressed(typed: list[Line], chat: ChatFile, chats: list[ChatFile]) -> bool:
    """Did a `/compress` end a file, rather than a `/clear`? Before 0.18 only the log of typed prompts shows it."""
    since, started = chat.replay.updated, chat.replay.started
    if since is None or started is None:
        return False
    later = (other.replay.started for other in chats if other.replay.started is not None)
    until = min((start for start in later if start > started), default=None)
    if until is None:
        return False
    return any(line.calls(COMPRESS) and line.at and since <= line.at <= until for line in typed)


def _richer(first: Message, second: Message) -> Message:
    """The fuller of two copies of a message; one in a log rather than one in a document."""

    def weight(message: Message) -> tuple[bool, bool, int, int, int, bool]:
        usage = message.usage
        figures = [figure for figure in usage.native.values() if type(figure) is int] if usage is not None else []
        line = message.origin is not None and message.origin.line is not None
        # A message that lost its type has the role of the system.
        content = message.role is not Role.SYSTEM, usage is not None, len(figures), sum(figures), len(message.parts)
        return *content, line

    better, worse = (second, first) if weight(second) > weight(first) else (first, second)
    at = min((m.at for m in (first, second) if m.at is not None), default=None)
    changes: dict[str, Any] = {"fate": second.fate, "at": at}
    if _content(worse) != _content(better):
        replaced = [*better.extra.get("replaced", ()), {"message": msgspec.to_builtins(worse)}]
        changes["extra"] = {**better.extra, "replaced": replaced}
    return msgspec.structs.replace(better, **changes)


def _content(message: Message) -> tuple[Any, ...]:
    """What two copies of a message must share, so that nothing is lost with one of them."""
    extra = {name: value for name, value in message.extra.items() if name != "copies"}
    return message.parts, message.model, message.usage, message.role, message.at, extra
