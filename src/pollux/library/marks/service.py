"""What views ask about marks: stars, tags, notes and names that the user gave, and how far sessions were read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from unicodedata import category, normalize

from msgspec import UNSET
from msgspec.structs import replace

from pollux.errors import RequestError
from pollux.index.catalogue.follow_marks import follow_marks
from pollux.index.catalogue.values import Filter, ListEntry
from pollux.library.fresh_index import FreshIndex
from pollux.marks.changes import Change
from pollux.marks.read_positions import EVERYTHING, ReadPosition
from pollux.marks.store import MarkStore
from pollux.model import Anchor, Marks, Message, MessageMarks, Session, SessionMarks, Value
from pollux.model.base import NOTHING
from pollux.system.clock import is_usable, now
from pollux.text.surrogates import spell_surrogates

LONGEST_TAG, LONGEST_NAME, LONGEST_NOTE = 60, 200, 20_000
_NOT_IN_TAGS = re.compile(r"""[\s"'(),*?]""")


class Edit(Value, frozen=True, kw_only=True):
    """What is to change. None leaves a mark as it is, an empty text removes it; `tags` adds or removes each tag."""

    starred: bool | None = None
    private: bool | None = None
    tags: Mapping[str, bool] = NOTHING
    note: str | None = None
    name: str | None = None


class Target(NamedTuple):
    """What is marked: a session, or one of its messages."""

    key: str
    message: Message | None = None


class MarkedItem(NamedTuple):
    """A session, or a message of one, that has marks. `entry` is None where no list has the session now.

    `message` has the id that the message has now, or had when it was last there.
    """

    key: str
    entry: ListEntry | None
    message: MessageMarks | None
    marks: Marks


class MarksService:
    """The user's marks. They lie in pollux's own data, never in the agents' files."""

    def __init__(self, store: MarkStore, index: FreshIndex) -> None:
        self._store = store
        self._index = index

    def of(self, key: str) -> SessionMarks | None:
        """The marks of a session and of its messages; None where there are none."""
        return self._store.state().of(key)

    def state(self) -> object:
        """Another object whenever a mark or a read position changed, by any process."""
        return self._store.state()

    def all(self) -> Mapping[str, SessionMarks]:
        """All sessions with marks by their keys, those that were marked first first."""
        return self._store.state().sessions

    def items(self, keys: Iterable[str] | None = None) -> list[MarkedItem]:
        """Everything that has marks, or these sessions with their messages, the newest sessions first."""
        self._index.ask(lambda current: follow_marks(self._store, current))
        sessions = self.all()
        wanted = sessions if keys is None else {key: sessions[key] for key in keys if key in sessions}
        listed = self._index.entries(Filter(everything=True, marks=(("is", "marked"),))) if wanted else []
        entries: dict[str, ListEntry | None] = {
            entry.summary.key: entry for entry in listed if entry.summary.key in wanted
        }
        items: list[MarkedItem] = []
        for key in [*entries, *(key for key in wanted if key not in entries)]:
            entry, marks = entries.get(key), wanted[key]
            if marks.session:
                items.append(MarkedItem(key, entry, None, marks.session))
            items += [MarkedItem(key, entry, one, one.marks) for one in self._present(key, marks)]
        return items

    def _present(self, key: str, marks: SessionMarks) -> Iterator[MessageMarks]:
        """The marked messages of a session, with the anchors that they have now."""
        anchors = self._index.ask_known(lambda current: current.anchors(key)) if marks.messages else []
        places = marks.places(anchors)
        for name, one in marks.messages.items():
            yield replace(one, anchor=anchors[places[name]]) if name in places else one

    def of_messages(self, key: str) -> list[MessageMarks]:
        """The messages of a session that have marks, with the anchors that they have now."""
        marks = self.of(key)
        return [one for one in self._present(key, marks) if one.marks] if marks is not None else []

    def tags(self) -> dict[str, int]:
        """Every tag, and how many sessions have it; the most frequent first."""
        return dict(sorted(self._store.state().tags().items(), key=lambda item: (-item[1], item[0])))

    @property
    def problem(self) -> str | None:
        """What is wrong with the file of the marks; None where nothing is."""
        if self._store.unreadable is not None:
            return self._store.unreadable
        damaged = self._store.damaged
        lines = "1 line" if damaged == 1 else f"{damaged:,} lines"
        return f"{lines} of {self._store.file} cannot be read." if damaged else None

    # ------------------------------------------------------------------ changing them

    def change(self, targets: Iterable[Target], edit: Edit) -> list[Target]:
        """Change the marks of some sessions and messages at once. Returns those that changed.

        Raises `RequestError` for a tag or a text that cannot be one, and `StoreError`.
        """
        tags = {tag_of(tag): is_set for tag, is_set in edit.tags.items()}
        note, name = _text("note", edit.note, LONGEST_NOTE), _text("name", edit.name, LONGEST_NAME)
        by_place = {(target.key, self._anchor(target)): target for target in targets}
        prompts = self._own_prompts([key for key, _ in by_place])
        changes = [
            Change(
                at=now(),
                session=key,
                message=anchor,
                starred=UNSET if edit.starred is None else edit.starred,
                private=UNSET if edit.private is None else edit.private,
                tags=tags,
                note=UNSET if note is None else note or None,
                name=UNSET if name is None else " ".join(name.split()) or None,
                prompt=prompts.get(key),
            )
            for key, anchor in by_place
        ]
        changed = self._store.change(changes)
        return [by_place[line.session, line.message] for line in changed]

    def _anchor(self, target: Target) -> Anchor | None:
        """The anchor of the message, if one is marked: that of the marks which it has, as its line may have moved."""
        if target.message is None:
            return None
        anchor, marks = Anchor.of(target.message), self.of(target.key)
        if marks is None or not marks.messages:
            return anchor
        known = self._index.ask_known(lambda current: current.anchors(target.key))
        here, places = anchor.place(known), marks.places(known)
        return next((marks.messages[name].anchor for name, place in places.items() if place == here), anchor)

    def _own_prompts(self, keys: Sequence[str]) -> dict[str, str]:
        """A prompt of each session that no other has. While some sessions are not read yet, that is not known."""
        prompts = self._index.ask_known(lambda current: current.own_prompts(keys))
        return prompts if self._index.is_complete else {}

    def remove(self, targets: Iterable[Target]) -> list[Target]:
        """Remove all marks of some sessions and messages. Returns those that had any. Raises `StoreError`."""
        tags = dict.fromkeys(self._store.state().tags(), False)
        return self.change(targets, Edit(starred=False, private=False, tags=tags, note="", name=""))

    def undo(self) -> list[str]:
        """Undo the last change that was not undone yet. Returns the keys of its sessions; none where there is none."""
        undone = self._store.undo()
        moved = self._store.state().moved
        return list(dict.fromkeys(moved.get(change.session, change.session) for change in undone))

    # ------------------------------------------------------------------ how far sessions were read

    def read(self, session: Session, message: Message | None = None) -> None:
        """Note that a session was read, up to a message or to its end. Raises `StoreError`."""
        messages = session.messages
        count = messages.index(message) + 1 if message is not None else len(messages)
        ended = (session.ended or session.started) if count == len(messages) else _last_time(messages[:count])
        ended = ended if ended is not None and is_usable(ended) else None
        last = messages[count - 1].id if count else None
        position = ReadPosition(at=now(), session=session.key, message=last, messages=count, ended=ended)
        self._store.read([position])

    def unread(self, key: str) -> None:
        """Note that a session is to be read again. Raises `StoreError`."""
        self._store.read([ReadPosition(at=now(), session=key)])

    def read_everything(self) -> None:
        """Note that everything up to now was read. Raises `StoreError`."""
        self._store.read_everything()

    def new_from(self, session: Session) -> int | None:
        """The place of the first message that is new since the session was read; None where nothing is new.

        None also where it was never read: then all of it is new, or nothing.
        """
        positions = self._store.state().positions
        position, everything = positions.get(session.key), positions.get(EVERYTHING)
        if position is None or position.message is None or (everything is not None and position.at <= everything.at):
            return None
        ids = [message.id for message in session.messages]
        if position.message in ids:
            place = ids.index(position.message) + 1
        else:  # the message is gone, as where the agent wrote the file anew
            times = [message.at for message in session.messages]
            read = position.ended
            newer = (n for n, at in enumerate(times) if at is not None and read is not None and at > read)
            place = next(newer, len(ids))
        return place if place < len(ids) else None


def _last_time(messages: Sequence[Message]) -> datetime | None:
    return max((message.at for message in messages if message.at is not None), default=None)


def tag_of(typed: str) -> str:
    """A tag as it is stored: one word in small letters. Raises `RequestError`."""
    tag = normalize("NFC", spell_surrogates(typed.strip().removeprefix("#"))).lower()
    if not tag or _NOT_IN_TAGS.search(tag) or any(category(letter).startswith("C") for letter in tag):
        raise RequestError(
            f"{typed!r} cannot be a tag: a tag is one word, without quotes, commas, stars and parentheses.",
            "Try: --tag two-words",
        )
    if len(tag) > LONGEST_TAG:
        raise RequestError(f"A tag has at most {LONGEST_TAG} characters.")
    return tag


def _text(what: str, typed: str | None, most: int) -> str | None:
    if typed is None:
        return None
    text = spell_surrogates(typed.strip())
    if len(text) > most:
        raise RequestError(f"A {what} has at most {most:,} characters, and this one has {len(text):,}.")
    return text
