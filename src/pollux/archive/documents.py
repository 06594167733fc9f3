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

    One whose time is as it was kept last has the size that it had then. Only the others are made, to learn theirs.
    """
    for made in scan.documents.values():
        path = os.path.relpath(os.fsencode(made.file.path), home)
        kept = last.get(path)
        if kept is not None and kept.sha is not None and kept.mtime_ns == made.file.mtime_ns:
            yield path, replace(made.file, size=kept.size)
        else:
            yield path, replace(made.file, size=len(made.content()))


def live_documents(scan: RootScan, home: bytes, last: Mapping[bytes, State]) -> dict[bytes, File]:
    """As `document_files`; where a database cannot be read, the documents as they were kept last: none is lost."""
    try:
        return dict(document_files(scan, home, last))
    except Unreadable:
        return {
            path: File(path=os.fsdecode(os.path.join(home, path)), role="document", size=state.size)  # noqa: PTH118
            for path, state in last.items()
            if state.sha is not None and b".rows/" in path
        }
