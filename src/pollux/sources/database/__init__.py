"""Databases as sources: an agent's SQLite files, read from a private copy, and only the tables that a source names."""

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
from pollux.sources.database.snapshot import DATABASE, Row, Snapshot, is_database, snapshot, with_log

__all__ = [
    "DATABASE",
    "Document",
    "Row",
    "Snapshot",
    "document_file",
    "document_of",
    "document_path",
    "is_database",
    "is_document",
    "joined_documents",
    "rows_of",
    "session_of",
    "snapshot",
    "with_log",
]
