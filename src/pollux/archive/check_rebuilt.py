"""Checks whether rebuilt files hold a session: they are read back, and every message is looked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pollux.archive.join_readings import covers, words_of
from pollux.model import Message, Session, Value
from pollux.sources.resume_files import ResumeFile
from pollux.wire import display_path

TYPED = "the agent stores typed prompts outside the session"
OTHER = "the file holds another form of the same message"
CUT = "the record is cut off"


class UnrestoredMessages(Value, frozen=True, kw_only=True):
    """Messages of a file that are in no rebuilt file, and why."""

    file: str | None
    messages: int
    why: str


def compare_rebuilt(
    wanted: Iterable[Session], readings: Sequence[Session], made: Iterable[ResumeFile]
) -> tuple[int, tuple[UnrestoredMessages, ...], int]:
    """The number of messages that were read back, the missing ones, and the number of surplus ones."""
    paths = tuple(f"/{display_path(path)}" for file in made for path in file.sources)
    complete, surplus = 0, 0
    missing: Counter[tuple[str | None, str]] = Counter()
    for session in wanted:
        same = [one for one in readings if one.key == session.key] or readings
        pool = _Pool(message for one in same for message in one.messages)
        for message in session.messages:
            file = message.origin.file if message.origin is not None else None
            if pool.holds(message):
                complete += 1
            elif file is not None and not file.endswith(paths):
                missing[file, TYPED] += 1
            else:
                missing[file, OTHER if _id(message) in pool.by_id else CUT] += 1
        if len(same) == 1:
            own = _Pool(session.messages)
            surplus += sum(not own.holds(message) for message in same[0].messages)
            surplus += max(0, len(same[0].messages) - len(session.messages))
    return complete, tuple(UnrestoredMessages(file=f, messages=n, why=why) for (f, why), n in missing.items()), surplus


class _Pool:
    """Messages by their ids and by their words."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.by_id: dict[str, list[Message]] = {}
        self._by_words: dict[str, Message] = {}
        for message in messages:
            self.by_id.setdefault(_id(message), []).append(message)
            self._by_words[words_of(message)] = message

    def holds(self, message: Message) -> bool:
        """Does one of the messages hold all of this one?"""
        same = self.by_id.get(_id(message), ())
        return words_of(message) in self._by_words or any(covers(other, message) for other in same)


def _id(message: Message) -> str:
    """The id that a reader gave it. Joining puts a number behind the id of an earlier form."""
    return message.id.partition("@")[0]
