"""Files that come back to an agent that deletes what is old: they get the present as their last use.

Otherwise the agent would delete them at its next start.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial

from pollux.archive.restore import FileToWrite
from pollux.model import Session
from pollux.sources.base import Retention, Root, Source
from pollux.sources.capabilities import refreshed_content, retention_of
from pollux.system.clock import now

SOON = timedelta(days=7)
"""Who puts a session back wants it for longer than this."""
_LONGEST = timedelta.max.days


def is_due(last_used: datetime | None, retention: Retention | None) -> bool:
    """Will an agent delete a session soon, by its own settings?"""
    if retention is None or retention.days is None or last_used is None:
        return False
    return now() + SOON - last_used > timedelta(days=min(retention.days, _LONGEST))


def kept_alive(files: list[FileToWrite], session: Session, roots: Iterable[tuple[Source, Root]]) -> list[FileToWrite]:
    """The files of a session, with the present as their last use if the agent would delete them soon."""
    for source, root in roots:
        retention = retention_of(source, root.path) if source.name == session.agent else None
        if retention is not None and is_due(session.ended or session.started, retention):
            return list(_refreshed(files, source, retention))
    return files


def _refreshed(files: Iterable[FileToWrite], source: Source, retention: Retention) -> Iterator[FileToWrite]:
    """The files as if they were used now. A file that exists is not written, and so it stays as it is."""
    at = now()
    for file in files:
        if os.path.lexists(file.place) or not retention.concerns(str(file.place)):
            yield file
            continue
        content = file.content()
        new = refreshed_content(source, str(file.place), content, at)
        yield file._replace(
            size=len(new),
            sha=hashlib.sha256(new).hexdigest(),
            mtime_ns=0,
            content=partial(bytes, new),
            refreshed=True,
        )
