"""Reads a bundle for the index: its words go to the index of words, everything else into rows."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pollux.errors import StoreError
from pollux.index.catalogue.rows import BundleRows, entry
from pollux.index.search.passages import cut_outputs
from pollux.model import Notice, Session, Severity
from pollux.sources.base import Bundle, Reading, Source
from pollux.text.surrogates import escape_surrogates
from pollux.wire import display_path
from pollux.wire.passing import troubles

_encode = msgspec.msgpack.Encoder().encode


StoreWords = Callable[[Session], int]
"""Stores the words of a session, and returns its number."""


def without_words(_session: Session) -> int:
    """Store no words: the session gets its number in the catalogue."""
    return 0


def read(number: int, task: tuple[Source, Bundle], store_words: StoreWords, *, details: bool = True) -> BundleRows:
    """Read one bundle. An error affects this bundle only, unless words cannot be stored."""
    before = troubles()
    rows = _read(number, task, store_words, details=details)
    rows.passing = troubles() != before
    return rows


def _read(number: int, task: tuple[Source, Bundle], store_words: StoreWords, *, details: bool) -> BundleRows:
    source, bundle = task
    numbers: list[int] = []
    try:
        reading = source.read(bundle)
        for session in reading.sessions:
            numbers.append(store_words(session))  # noqa: PERF401 (an error leaves those that were stored)
        return _rows(number, reading, numbers, details=details)
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other sessions)
        return failed(number, bundle, f"{type(error).__name__}: {error}", [no for no in numbers if no])


def _rows(number: int, reading: Reading, numbers: list[int], *, details: bool) -> BundleRows:
    """The rows of what was read. Lone surrogates, which cannot be stored, are escaped."""
    try:
        rows = _make_rows(number, reading, numbers, details=details)
        _encode(rows)
    except UnicodeEncodeError:
        return _make_rows(number, escape_surrogates(reading, Reading), numbers, details=details)
    return rows


def _make_rows(number: int, reading: Reading, numbers: list[int], *, details: bool) -> BundleRows:
    entries = [
        entry(session, no, cut_outputs(session), details=details)
        for session, no in zip(reading.sessions, numbers, strict=True)
    ]
    notices = () if entries else reading.notices
    return BundleRows(number, reading.problem, notices, reading.dependencies, entries)


def failed(number: int, bundle: Bundle, reason: str, unused: list[int]) -> BundleRows:
    """A bundle that could not be read."""
    text = f"Reading failed ({reason}); please report it."
    file = display_path(bundle.files[0].path) if bundle.files else None
    notice = Notice(code="reader.failed", text=text, severity=Severity.ERROR, file=file)
    return BundleRows(number, text, (notice,), b"", [], unused)
