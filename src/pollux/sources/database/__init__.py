"""Databases as sources: an agent's SQLite files, read from a private copy, and only the tables that a source names."""

from pollux.sources.database.changes import Marks, changes_since, marks_of
from pollux.sources.database.documents import (
    Document,
    document_file,
    document_of,
    document_path,
    is_document,
    joined_documents,
    rows_of,
    session_of,
)
from pollux.sources.database.excerpt import Excerpt, Shape, is_large, keep_excerpt, session_snapshot
from pollux.sources.database.in_place import InPlace, NotInPlace
from pollux.sources.database.private_copy import JOURNAL, LOG
from pollux.sources.database.snapshot import DATABASE, Row, Snapshot, is_database, snapshot, text_of, with_log

__all__ = [
    "DATABASE",
    "JOURNAL",
    "LOG",
    "Document",
    "Excerpt",
    "InPlace",
    "Marks",
    "NotInPlace",
    "Row",
    "Shape",
    "Snapshot",
    "changes_since",
    "document_file",
    "document_of",
    "document_path",
    "is_database",
    "is_document",
    "is_large",
    "joined_documents",
    "keep_excerpt",
    "marks_of",
    "rows_of",
    "session_of",
    "session_snapshot",
    "snapshot",
    "text_of",
    "with_log",
]
