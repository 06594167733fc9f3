"""Reads a bundle for the index: its words go to the index of words, everything else into rows."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import msgspec

from pollux.errors import StoreError
from pollux.index.catalogue.rows import BundleRows, Entry, entry
from pollux.model import Notice, Session, Severity
from pollux.sources.base import Bundle, Source
from pollux.text.surrogates import escape_surrogates
from pollux.wire import display_path

_encode = msgspec.msgpack.Encoder().encode


class StoredWords(NamedTuple):
    """The number of a session in the index of words, and how many of its outputs were cut."""

    no: int
    cut: int


class Words(Protocol):
    """Stores the words of sessions."""

    def keep(self, session: Session) -> StoredWords:
        """Store the words of a session under a new number."""
        ...


def read(number: int, task: tuple[Source, Bundle], words: Words) -> BundleRows:
    """Read one bundle. An error affects this bundle only, unless words cannot be stored."""
    source, bundle = task
    stored_words: list[StoredWords] = []
    try:
        entries: list[Entry] = []
        reading = source.read(bundle)
        for session in reading.sessions:
            stored_words.append(words.keep(session))
            entries.append(entry(session, *stored_words[-1]))
        notices = () if entries else reading.notices
        return _writable(BundleRows(number, reading.problem, notices, reading.dependencies, entries))
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other sessions)
        return failed(number, bundle, f"{type(error).__name__}: {error}", [no for no, _ in stored_words])


def _writable(reading: BundleRows) -> BundleRows:
    """The rows, with lone surrogates escaped."""
    try:
        _encode(reading)
    except UnicodeEncodeError:
        return escape_surrogates(reading, BundleRows)
    return reading


def failed(number: int, bundle: Bundle, reason: str, unused: list[int]) -> BundleRows:
    """A bundle that could not be read."""
    text = f"Reading failed ({reason}); please report it."
    file = display_path(bundle.files[0].path) if bundle.files else None
    notice = Notice(code="reader.failed", text=text, severity=Severity.ERROR, file=file)
    return BundleRows(number, text, (notice,), b"", [], unused)
