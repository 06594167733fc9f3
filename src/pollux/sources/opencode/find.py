"""The data folder of OpenCode, and the kind of each file in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.base import File, Root, Status
from pollux.sources.database import DATABASE
from pollux.sources.walk import FileKind, FolderRules, every_file, ignored, unknown, walk
from pollux.wire import folder_at

SESSION, MESSAGE, PART, TODO, DIFF, PROJECT, OUTPUT, DOCUMENT, EXPORT = (
    "session",
    "message",
    "part",
    "todo",
    "diff",
    "project",
    "output",
    "document",
    "export",
)
SUFFIX = ".db"
"""A database, by its name."""

_ROWS = ".rows"
"""What is kept of a database lies in a folder with this behind its name."""

_NAME = "opencode"
_IN_MEMORY = ":memory:"
_NOTHING = "nothing was said in it"
_SIDE = ("-wal", "-journal")
_KEYS = ignored("keys; never opened")
_OF_KEYS = re.compile(r"auth|account|credential|key|password|secret|token", re.IGNORECASE)
"""What a name of an unknown file in this folder, in which the agent keeps its keys, too, says if it may hold some."""

_COPY = ignored("a copy of a database, which may hold keys; never opened")
_SHARE = ignored("a link to a shared session, with its secret; never opened")
_SHARED_MEMORY = ignored("an index of the database's log, which holds nothing of its own")
_NOT_OURS = "not a session: logs, programs, snapshots of projects"


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """Where sessions are. Whoever set `XDG_DATA_HOME` later still has old ones in the default place."""
    default = home / ".local" / "share" / _NAME
    found = [Root(path=default, reason="the default")]
    moved = environ.get("XDG_DATA_HOME", "")
    other = Path(moved) / _NAME
    if os.path.isabs(moved) and other != default and folder_at(other):  # noqa: PTH117
        found.append(Root(path=other, reason="$XDG_DATA_HOME"))
    named = environ.get("OPENCODE_DB", "")
    if named and named != _IN_MEMORY:
        database = found[-1].path / named
        is_seen = database.name.endswith(SUFFIX) and any(database.parent == root.path for root in found)
        if not is_seen and not folder_at(database):
            found.append(Root(path=database, reason="$OPENCODE_DB"))
    return found


def find(root: Path) -> Iterator[File]:
    """All files of a data folder with their roles; for a database alone, the database with its log."""
    if os.path.isfile(root):  # noqa: PTH113 (`Path.is_file` raises an error for a path that is too long)
        beside = {root.name, *(root.name + side for side in _SIDE)}
        rules = FolderRules(lambda name: _database(name, root.name) if name in beside else None, lambda _: None)
        return iter(walk(str(root.parent), rules, [], str(root.parent)))
    return iter(walk(str(root), _DOCUMENTS if root.name.endswith(_ROWS) else _DATA, []))


def _database(name: str, database: str) -> FileKind:
    if name == database:
        return DATABASE, Status.IGNORED, "no session is in it"
    return DATABASE, Status.READ, "the log of the database"


def _top(name: str) -> FileKind:
    if name.endswith(SUFFIX):
        return _database(name, name)
    if name.endswith(tuple(SUFFIX + side for side in _SIDE)):
        return _database(name, "")
    if name.endswith(f"{SUFFIX}-shm"):
        return _SHARED_MEMORY
    if SUFFIX in name:
        return _COPY
    return _unknown_file(name)


def _json(role: str, reason: str = _NOTHING) -> FolderRules:
    """A folder of JSON files of one kind, at any depth."""
    kind: FileKind = (role, Status.IGNORED, reason)
    other = unknown("not a record by its name")
    rules: FolderRules = FolderRules(lambda name: kind if name.endswith(".json") else other, lambda _: rules)
    return rules


def _storage_file(name: str) -> FileKind:
    return ignored("how far the files were migrated") if name == "migration" else _unknown_file(name)


def _unknown_file(name: str) -> FileKind:
    return _KEYS if _OF_KEYS.search(name) else unknown("a file of an unknown kind")


def _unknown_folder(name: str) -> FolderRules:
    return _ALL_KEYS if _OF_KEYS.search(name) else _UNKNOWN


def _document(name: str) -> FileKind:
    return (DOCUMENT, Status.IGNORED, _NOTHING) if name.endswith(".jsonl") else unknown("not a document by its name")


_IGNORED = every_file(ignored(_NOT_OURS))
_STORAGE_FOLDERS = {
    "session": _json(SESSION),
    "message": _json(MESSAGE),
    "part": _json(PART),
    "todo": _json(TODO),
    "session_diff": _json(DIFF, "no session is left of which it tells"),
    "project": _json(PROJECT, "what a project is called, and where it lies"),
    "share": every_file(_SHARE),
    "session_share": every_file(_SHARE),
    "permission": every_file(ignored("what a project's tools may do without asking")),
}
_UNKNOWN: FolderRules = FolderRules(_unknown_file, _unknown_folder)
_ALL_KEYS = every_file(_KEYS)
_STORAGE: FolderRules = FolderRules(_storage_file, lambda name: _STORAGE_FOLDERS.get(name) or _unknown_folder(name))
_OLD_FOLDERS = {
    "info": _json(SESSION),
    "message": _json(MESSAGE),
    "part": _json(PART),
    "share": every_file(_SHARE),
}
_OLD_SESSION = FolderRules(
    lambda _: unknown("a file of an unknown kind"), lambda name: _OLD_FOLDERS.get(name, _UNKNOWN)
)
_OLD_STORAGE = FolderRules(
    lambda _: unknown("a file of an unknown kind"), lambda name: _OLD_SESSION if name == "session" else _UNKNOWN
)
_OLD_PROJECT = FolderRules(
    lambda _: ignored("when the project was set up"), lambda name: _OLD_STORAGE if name == "storage" else _IGNORED
)
_OLD_PROJECTS = FolderRules(lambda _: unknown("a file of an unknown kind"), lambda _: _OLD_PROJECT)
_DOCUMENTS = FolderRules(_document, lambda _: _UNKNOWN)
_FOLDERS = {
    "storage": _STORAGE,
    "project": _OLD_PROJECTS,
    "tool-output": every_file((OUTPUT, Status.IGNORED, "no session names it")),
    # Files for `opencode import`, which pollux makes.
    "import": _json(EXPORT),
    # What lies in these folders is large, and holds no conversation.
    "snapshot": None,
    "log": None,
    "bin": None,
    "repos": None,
    "worktree": None,
    "plans": _IGNORED,
}


def _folder(name: str) -> FolderRules | None:
    if name in _FOLDERS:
        return _FOLDERS[name]
    return _DOCUMENTS if name.endswith(_ROWS) else _unknown_folder(name)


_DATA = FolderRules(_top, _folder)
