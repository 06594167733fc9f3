"""Groups rows and files into sessions: the same id in several places is one session."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import Bundle, File, SourceContext
from pollux.sources.database import DATABASE, NotInPlace, is_large, session_of, with_log
from pollux.sources.opencode import find
from pollux.sources.opencode.bundle import OpenCodeBundle, RowsIn
from pollux.sources.opencode.format.schema import Part
from pollux.sources.opencode.witnesses.files import folder_name, stem
from pollux.sources.opencode.witnesses.listing import Listing, SessionRows, first_listing, listing_of
from pollux.sources.opencode.witnesses.rows import database_of
from pollux.sources.walk import stat_file
from pollux.wire import Malformed, Notes, decode, display_path, read_head

AGENT = "opencode"
_HEAD = b"SQLite format 3\0"
_EXPORTED = re.compile(rb'\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"ses_')
_OLD = f"{os.sep}storage{os.sep}session{os.sep}"


class Owner(msgspec.Struct, frozen=True, array_like=True):
    """The session that a part without a message names."""

    session: str


def bundles(root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions under one root. Other roots of the agent may hold the same ones: each is read as it stands there."""
    own = list(files)
    every = _Sessions(root, context)
    databases = [file for file in own if file.role == DATABASE and not file.path.endswith(("-wal", "-journal"))]
    for database in databases:
        every.add_database(with_log(database, own), _logs(database, own))
    for file in own:
        if file.role == find.DOCUMENT:
            every.add_document(file)
        elif file.role == find.EXPORT:
            every.add_export(file)
    every.add_files(own)
    outputs = {os.path.basename(file.path): file for file in own if file.role == find.OUTPUT}  # noqa: PTH119
    return every.all(outputs)


def _logs(database: File, own: Iterable[File]) -> list[File]:
    """The logs of a database. What else has its name before it, such as an index of the log, holds nothing."""
    return [file for file in own if file.role == DATABASE and file.path.startswith(f"{database.path}-")]


class _Sessions:
    """The sessions so far, by their ids."""

    def __init__(self, root: Path, context: SourceContext) -> None:
        self._root = str(root)
        self._context = context
        self._bundles: dict[str, OpenCodeBundle] = {}
        self._messages: dict[str, list[File]] = {}
        self._projects: dict[str, str] = {}
        self._rows: dict[str, list[SessionRows]] = {}

    def _bundle(self, id: str) -> OpenCodeBundle:
        if id not in self._bundles:
            self._bundles[id] = OpenCodeBundle(agent=AGENT, id=id, root=self._root)
        return self._bundles[id]

    def add_database(self, database: File, log: list[File]) -> None:
        """Add the sessions in a database. One that cannot be read is a bundle without a session."""
        try:
            found = self._listing(database)
        except Unreadable as error:
            found = Listing([], [str(error)])
        for rows in found.sessions:
            bundle = self._bundle(rows.id)
            bundle.rows.append(RowsIn(database, rows, found.projects.get(rows.project, "")))
            bundle.files = (*bundle.files, database, *log)
            self._projects.setdefault(rows.id, rows.project)
            self._rows.setdefault(rows.project, []).append(rows)
            if found.damage:
                bundle.damage = {**bundle.damage, database.path: found.damage}
        if found.damage and not found.sessions:
            name = f"{os.path.basename(database.path)}-unread"  # noqa: PTH119
            bundle = OpenCodeBundle(agent=AGENT, id=name, root=self._root, files=(database, *log))
            bundle.damage = {database.path: found.damage}
            self._bundles[name] = bundle

    def _listing(self, database: File) -> Listing:
        """The sessions in a database. For an early answer, their own rows are enough of a large one."""
        former = self._context.former(database, Listing)
        if former is None and self._context.needs is not None and is_large(database):
            with contextlib.suppress(NotInPlace):
                return first_listing(database)
        return self._context.peek(database, Listing, partial(listing_of, former=former))

    def add_document(self, file: File) -> None:
        """Add what is kept of a session in a database."""
        bundle = self._bundle(session_of(file.path))
        bundle.documents.append(file)
        bundle.files = (*bundle.files, file)

    def add_export(self, file: File) -> None:
        """Add a session that was exported into one file."""
        self._take(stem(file.path), file)

    def add_files(self, files: Iterable[File]) -> None:
        """Add JSON files: the newer layout first, then the older one."""
        newer: list[File] = []
        older: list[File] = []
        for file in files:
            if file.role in (find.SESSION, find.MESSAGE, find.PART, find.TODO, find.DIFF):
                (older if self._is_old(file) else newer).append(file)
        for file in (*newer, *older):
            if file.role == find.MESSAGE:
                self._messages.setdefault(folder_name(file.path), []).append(file)
            elif file.role == find.SESSION and not self._is_old(file):
                self._projects.setdefault(stem(file.path), folder_name(file.path))
        owners = self._owners()
        told_of: list[tuple[str, File]] = []
        for file in (*newer, *older):
            id = self._owner(file, owners)
            if id is None:
                continue
            if file.role in (find.TODO, find.DIFF):
                told_of.append((id, file))
                continue
            self._take(id, file)
        for id, file in told_of:
            # Of a session that is gone, its list of changes alone is no session.
            if id in self._bundles:
                self._take(id, file)

    def _take(self, id: str, file: File) -> None:
        bundle = self._bundle(id)
        bundle.records.append(file)
        bundle.files = (*bundle.files, file)

    def _is_old(self, file: File) -> bool:
        return file.path[len(self._root) :].startswith(f"{os.sep}project{os.sep}") and _OLD in file.path

    def _owners(self) -> dict[str, str]:
        """The sessions of messages. One that somebody copied to another session is left out."""
        owners: dict[str, str] = {}
        copied: set[str] = set()
        for session, files in self._messages.items():
            for message in {stem(file.path) for file in files}:
                if owners.setdefault(message, session) != session:
                    copied.add(message)
        return {message: session for message, session in owners.items() if message not in copied}

    def _owner(self, file: File, owners: dict[str, str]) -> str | None:
        """The session of a file. A part whose message is gone, or was copied, says itself where it belongs."""
        if file.role != find.PART:
            return folder_name(file.path) if file.role == find.MESSAGE else stem(file.path)
        message = folder_name(file.path)
        if self._is_old(file):
            return folder_name(os.path.dirname(file.path))  # noqa: PTH120
        if message not in owners:
            owners[message] = self._context.peek(file, Owner, _owner).session
        return owners[message] or None

    def all(self, outputs: dict[str, File]) -> list[Bundle]:
        """The bundles. What only tells of a session that is gone is none."""
        by_project: dict[str, dict[str, list[File]]] = {}
        for id, project in self._projects.items():
            by_project.setdefault(project, {})[id] = self._messages.get(id, [])
        for id, bundle in self._bundles.items():
            project = bundle.project = self._projects.get(id, "")
            bundle.siblings = by_project.get(project, {})
            bundle.relatives = self._rows.get(project, [])
            bundle.outputs = outputs
        return [*self._bundles.values()]


def _owner(file: File) -> Owner:
    try:
        part = decode(Part, read_head(file.path, 1 << 24), Notes(), "part")
    except (Unreadable, Malformed):
        part = None
    return Owner(part.sessionID or "" if part is not None else "")


def recognizes(path: Path, head: bytes) -> bool:
    """Is it a database of OpenCode, a document of one, or the record of a session?"""
    if head.startswith(_HEAD):
        return path.suffix == find.SUFFIX and (b"`session`" in head or path.name.startswith(AGENT))
    if path.suffix == ".jsonl":
        return head.startswith((b'{"row":', b'{"table":')) and b'"table":"session"' in head.replace(b" ", b"")
    return path.suffix == ".json" and (path.name.startswith("ses_") or _EXPORTED.match(head) is not None)


def bundle_of_file(path: Path, context: SourceContext) -> Bundle:
    """The session of a file: the newest one of a database; of a session's record, with all that lies around it."""
    if path.suffix == find.SUFFIX:
        files = [stat_file(Path(name), DATABASE) for name in _beside(path)]
        found = bundles(path, files, context)
        return max(found, key=lambda bundle: bundle.changed_ns) if found else _alone(path, DATABASE)
    if path.suffix == ".jsonl":
        return bundles(Path(database_of(str(path))), [stat_file(path, find.DOCUMENT)], context)[0]
    for above in path.parents:
        if above.name in ("storage", "session") and (above.parent / "storage").is_dir():
            root = above.parent
            for bundle in bundles(root, list(find.find(root)), context):
                if bundle.id == path.stem:
                    return bundle
    return _alone(path, find.EXPORT if b'"messages"' in read_head(path, 1 << 24) else find.SESSION)


def _beside(path: Path) -> list[str]:
    return [name for name in (str(path), f"{path}-wal", f"{path}-journal") if os.path.isfile(name)]  # noqa: PTH113


def _alone(path: Path, role: str) -> OpenCodeBundle:
    file = stat_file(path, role)
    bundle = OpenCodeBundle(agent=AGENT, id=path.stem, root=str(path.parent), files=(file,))
    if role != DATABASE:
        bundle.records = [file]
    else:
        bundle.damage = {str(path): [f"{display_path(path)} holds no session."]}
    return bundle
