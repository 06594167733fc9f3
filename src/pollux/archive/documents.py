"""Sessions in databases, as the archive keeps them: a document each. No database is ever kept itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from pollux.archive.packs import State
from pollux.errors import Unreadable
from pollux.index.sync.sync import RootScan
from pollux.sources.base import File


def document_files(scan: RootScan, home: bytes, last: Mapping[bytes, State]) -> Iterator[tuple[bytes, File]]:
    """The documents of a root, by their paths below the home. Raises `Unreadable` where a database cannot be read.

    One whose time is as it was kept last has the size that it had then. The others have none before they are made.
    """
    for made in scan.documents.values():
        path = os.path.relpath(os.fsencode(made.file.path), home)
        kept = last.get(path)
        is_kept = kept is not None and kept.sha is not None and kept.mtime_ns == made.file.mtime_ns
        yield path, replace(made.file, size=kept.size) if kept is not None and is_kept else made.file


def live_documents(scan: RootScan, home: bytes, last: Mapping[bytes, State]) -> dict[bytes, File]:
    """As `document_files`, all with their sizes: those that changed are made.

    Where a database cannot be read, they are the documents as they were kept last: none is lost.
    """
    try:
        return {
            path: file if file.size else replace(file, size=len(scan.documents[file.path].content()))
            for path, file in document_files(scan, home, last)
        }
    except Unreadable:
        return {
            path: File(path=os.fsdecode(os.path.join(home, path)), role="document", size=state.size)  # noqa: PTH118
            for path, state in last.items()
            if state.sha is not None and b".rows/" in path
        }
