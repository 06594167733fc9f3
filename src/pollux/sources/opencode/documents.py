"""The sessions in databases as documents, for the archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from pollux.sources.base import File, SourceContext
from pollux.sources.database import DATABASE, Document, document_file, document_of, session_snapshot, with_log
from pollux.sources.opencode.witnesses.listing import Listing, listing_of
from pollux.sources.opencode.witnesses.rows import SHAPE, session_rows


def documents(_root: Path, files: Iterable[File], context: SourceContext) -> Iterator[Document]:
    """A document of each session in each database. Raises `Unreadable`."""
    own = list(files)
    for file in own:
        if file.role == DATABASE and not file.path.endswith(("-wal", "-journal")):
            database = with_log(file, own)
            found = context.peek(database, Listing, partial(listing_of, former=context.former(database, Listing)))
            for rows in found.sessions:
                mark = rows.fingerprint + found.projects.get(rows.project, "") + ("damaged" if found.damage else "")
                made = document_file(database, rows.id, mark, rows.changed)
                yield Document(made, partial(_content, database, rows.id, damaged=bool(found.damage)))


def _content(database: File, id: str, *, damaged: bool) -> bytes:
    return document_of(session_rows(session_snapshot(database, SHAPE, id), id), damaged=damaged)
