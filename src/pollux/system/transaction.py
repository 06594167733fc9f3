"""Changes to a database that happen as a whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(sql: sqlite3.Connection) -> Iterator[None]:
    """Commits all changes made inside, or none of them."""
    sql.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        sql.execute("ROLLBACK")
        raise
    sql.execute("COMMIT")
