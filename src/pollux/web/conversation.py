"""A session as a page: read, rendered in pieces, and rendered again where it grew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from pollux import registry
from pollux.errors import CannotResume, NotFound, PolluxError
from pollux.export.service import Exporter
from pollux.model import NO_MARKS
from pollux.system.gc_pause import gc_paused
from pollux.text.escape import one_line
from pollux.text.figures import plural
from pollux.web.pages.session import (
    Surroundings,
    after_main,
    announcement,
    before_index,
    live_links,
    outline_links,
    tools,
)
from pollux.web.versions import Versions, blocks, digest, noted
from pollux.writers.base import Options
from pollux.writers.html.markup import Html, tag
from pollux.writers.html.messages import Messages, anchor
from pollux.writers.html.page import conversation, prompts
from pollux.writers.html.page_parts import LIMIT
from pollux.writers.loss import LossCounter

if TYPE_CHECKING:
    from pollux.library.library import Library, ListEntry
    from pollux.model import Session
    from pollux.web.reading import Reading
    from pollux.writers.base import WriterContext

SLOW = 2_000_000
"""Bytes of files: what takes longer to read is announced, and its prompts come from the cache."""

FIRST = 200
"""So many prompts of such a session come before it is read; all of them, below the conversation."""

_BEGINNING = 6
"""Pieces of a page: the facts, and the first messages, which are sent before others are made."""

_EDITS = 200
"""The newest edits of a session: their files stand in its menu."""


class Wanted(NamedTuple):
    """Which page of a session is wanted: the view, and the part of a large one, from 0."""

    key: str
    live_only: bool = False
    part: int = 0


class Conversations:
    """Makes the pages of sessions."""

    def __init__(self, library: Library, reading: Reading, token: str, *, is_sample: bool = False) -> None:
        self._library = library
        self._reading = reading
        self._token = token
        self._is_sample = is_sample
        self._versions = Versions()

    def page(self, wanted: Wanted) -> Iterator[str]:
        """A whole page, piece by piece. Raises `NotFound` before the first piece."""
        entry = self._reading.entry(wanted.key)
        size = self._reading.file_size(entry)
        if size > SLOW and not self._reading.is_kept(entry):
            return self._slow_page(entry, wanted, size)
        session = self._reading.session(entry)
        messages, context = self._messages(session, wanted)
        about = self._surroundings(entry, wanted, session)
        top = (*before_index(about, wanted.part), prompts(messages.index(wanted.part)))
        return self._whole(top, conversation(session, context, messages, wanted.part))

    def growth(self, wanted: Wanted, version: str) -> dict[str, object]:
        """What a page has to change: how many blocks stay as they are, what comes after them, and the prompts."""
        entry = self._reading.entry(wanted.key)
        session = self._reading.session(entry)
        messages, context = self._messages(session, wanted)
        every = list(blocks(conversation(session, context, messages, wanted.part)))
        digests = tuple(map(digest, every))
        same = self._versions.same(version, digests)
        return {
            "version": self._versions.note(digests),
            "keep": same,
            "html": "".join(every[same:]),
            "prompts": "".join(messages.index(wanted.part)),
            "kind": session.kind,
        }

    def tools(self, wanted: Wanted) -> str:
        """What stands above the conversation, as it is now."""
        return tools(self._surroundings(self._reading.entry(wanted.key), wanted, None))

    def read(self, key: str) -> None:
        """Note that a session was read to its end. Raises `NotFound` and `StoreError`."""
        self._library.marks.read(self._reading.session(self._reading.entry(key)))

    # ------------------------------------------------------------------ pieces

    def _slow_page(self, entry: ListEntry, wanted: Wanted, size: int) -> Iterator[str]:
        """The page of a session that takes a while to read: what is known comes first."""
        about = self._surroundings(entry, wanted, None)
        yield from (f"{piece}\n" for piece in before_index(about, wanted.part))
        yield ""  # so far it can be sent
        # The links of the cache know no parts.
        known = self._library.index.outline(wanted.key, FIRST + 1) if not wanted.part else None
        is_early = known is not None and len(known) > FIRST
        if known is not None:
            links = outline_links(live_links(known[:FIRST], live_only=wanted.live_only))
            yield f"{prompts(links, early=is_early)}\n"
        yield f"{announcement(size)}\n"
        yield ""
        try:
            with gc_paused():  # nobody waits until all these values were searched for garbage
                session = self._reading.session(entry)
                messages, context = self._messages(session, wanted)
                main = conversation(session, context, messages, wanted.part)
                begun = list(islice(main, _BEGINNING))
        except PolluxError as error:
            yield tag("main", tag("p", str(error), class_="notice error"), id="conversation")
            yield from after_main("")
            return
        top = () if known is not None else (prompts(messages.index(wanted.part)),)
        yield from self._whole(top, chain(begun, main), messages.index if is_early else None)

    def _whole(
        self, top: tuple[Html, ...], main: Iterator[str], index: Callable[[], list[Html]] | None = None
    ) -> Iterator[str]:
        """The page, with these pieces `top` of the conversation; an `index` of all prompts comes below it."""
        yield from (f"{piece}\n" for piece in top)
        yield ""
        digests: list[bytes] = []
        yield '<main id="conversation">\n'
        for number, piece in enumerate(noted(main, digests), 1):
            yield piece
            if number == _BEGINNING:
                yield ""
        yield "</main>\n"
        if index is not None:
            yield f"{prompts(index())}\n"
        yield from (f"{piece}\n" for piece in after_main(self._versions.note(digests)))
        yield ""
        self._reading.tidy()

    def _messages(self, session: Session, wanted: Wanted) -> tuple[Messages, WriterContext]:
        options = Options(live_only=wanted.live_only)
        context = Exporter(self._library, registry.writer("html"), options).context(session)
        if self._reading.file_size(self._reading.entry(wanted.key)) > LIMIT:  # only then it may have parts
            context = replace(context, files={session.key: f"{session.key}.html"})
        messages = Messages(session, options, context, LossCounter())
        if wanted.part >= len(messages.parts):
            raise NotFound(f"This session has {plural(len(messages.parts), 'part')}.", "Go back to its first part.")
        return messages, context

    def _surroundings(self, entry: ListEntry, wanted: Wanted, session: Session | None) -> Surroundings:
        key = wanted.key
        resume = problem = None
        try:
            resume = self._library.resume.plan(key).line
        except CannotResume as error:
            problem = " ".join(filter(None, [str(error), error.hint]))
        except PolluxError as error:
            problem = str(error)
        relatives = self._library.index.relatives(key)
        titles = {
            one.summary.key: one_line(one.title or "", 100) or one.short
            for one in self._library.index.entries([relative.key for relative in relatives])
        }
        place = self._library.marks.new_from(session) if session is not None else None
        return Surroundings(
            entry=entry,
            marks=entry.marks.session if entry.marks is not None else NO_MARKS,
            live_only=wanted.live_only,
            resume=resume,
            problem=problem,
            relatives=[(one, titles.get(one.key, one.key)) for one in relatives],
            token=self._token,
            files=tuple(dict.fromkeys(edit.path for edit in self._library.edits.newest(key=key, limit=_EDITS).edits)),
            messages=tuple(self._library.marks.of_messages(key)),
            is_sample=self._is_sample,
            new=anchor(session.messages[place].id) if session is not None and place is not None else None,
            news=len(session.messages) - place if session is not None and place is not None else 0,
        )
