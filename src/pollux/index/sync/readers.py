"""Reading a bundle for the store: its words go one way, everything else comes back as rows."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import msgspec

from pollux.errors import StoreError
from pollux.index.catalog.rows import BundleRows, Entry, entry
from pollux.model import Notice, Session, Severity
from pollux.sources.base import Bundle, Source
from pollux.text.surrogates import escape_surrogates
from pollux.wire import display_path

_encode = msgspec.msgpack.Encoder().encode


class Kept(NamedTuple):
    """Under which number the words of a session are kept, and how many of its outputs had to be cut."""

    no: int
    cut: int


class Words(Protocol):
    """Takes the words of sessions."""

    def keep(self, session: Session) -> Kept:
        """Keep the words of a session under a number that no other ever had."""
        ...


def read(number: int, task: tuple[Source, Bundle], words: Words) -> BundleRows:
    """Read one bundle. Whatever goes wrong costs this bundle only, but for words that cannot be kept."""
    source, bundle = task
    kept: list[Kept] = []
    try:
        entries: list[Entry] = []
        reading = source.read(bundle)
        for session in reading.sessions:
            kept.append(words.keep(session))
            entries.append(entry(session, *kept[-1]))
        notices = () if entries else reading.notices
        return _writable(BundleRows(number, reading.problem, notices, reading.dependencies, entries))
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other sessions)
        return failed(number, bundle, f"{type(error).__name__}: {error}", [no for no, _ in kept])


def _writable(reading: BundleRows) -> BundleRows:
    """The reading as it can be kept."""
    try:
        _encode(reading)
    except UnicodeEncodeError:
        return escape_surrogates(reading, BundleRows)
    return reading


def failed(number: int, bundle: Bundle, reason: str, wasted: list[int]) -> BundleRows:
    """A bundle that could not be read."""
    text = f"Reading failed ({reason}); please report it."
    file = display_path(bundle.files[0].path) if bundle.files else None
    notice = Notice(code="reader.failed", text=text, severity=Severity.ERROR, file=file)
    return BundleRows(number, text, (notice,), b"", [], wasted)
