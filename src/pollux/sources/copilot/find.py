"""The folders of Copilot CLI, and the kind of each file in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.absolute_path import absolute_path
from pollux.sources.base import File, Root, Status
from pollux.sources.database.snapshot import DATABASE
from pollux.sources.walk import FileKind, FolderRules, every_file, ignored, unknown, walk
from pollux.system.named_path import named_path
from pollux.wire import folder_at

EVENTS, WORKSPACE = "events", "workspace"
FOLDER = "session-state"
EVENTS_NAME, WORKSPACE_NAME, STORE_NAME = "events.jsonl", "workspace.yaml", "session-store.db"

_LOCK = re.compile(r"inuse\..+\.(?:lock|hold)\Z|\.workspace-fork\.lock\Z", re.DOTALL)
_DATABASE = re.compile(r"session\.db(?:-wal|-shm|-journal)?\Z")
_EVENTS: FileKind = (EVENTS, Status.IGNORED, "nothing was said in it")
_SESSION_FILES: dict[str, FileKind] = {
    EVENTS_NAME: _EVENTS,
    WORKSPACE_NAME: (WORKSPACE, Status.IGNORED, "it names a session of which no event is left"),
    "plan.md": ignored("a plan that the agent wrote"),
}
_LOCK_FILE = ignored("a lock: a process has the session open, or was killed")
_MODELS_DATABASE = ignored("the database of the model's own tool `sql`; no conversation, never opened")
_STORE: FileKind = (DATABASE, Status.READ, None)
_SESSION_FOLDERS = {
    "checkpoints": every_file(ignored("a readable copy of a compaction's summary, which the events hold")),
    "rewind-file-snapshots": every_file(ignored("a backup of the project's files for /rewind")),
    "files": every_file(ignored("a file that the agent made for the session")),
    "research": every_file(ignored("a file that the agent made for the session")),
}
_OTHER = every_file(unknown("not a file that Copilot CLI is known to write"))
_LOCKS = every_file(_LOCK_FILE)
_FIRST_RELEASES = every_file(unknown("a session of the first releases, whose format pollux does not know"))


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The folders of sessions. Old releases looked in the XDG folders as well, which count if they exist."""
    if moved := environ.get("COPILOT_HOME", ""):
        return [Root(path=absolute_path(named_path(moved)) / FOLDER, reason="$COPILOT_HOME")]
    old = [
        Root(path=absolute_path(named_path(base)) / ".copilot" / FOLDER, reason=f"${name}")
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
        if (base := environ.get(name, ""))
    ]
    default = Root(path=home / ".copilot" / FOLDER, reason="the default")
    return [*(root for root in old if folder_at(root.path) and root.path != default.path), default]


def find(root: Path) -> Iterator[File]:
    """All files under a root with their roles, and the files beside the sessions."""
    files = walk(str(root), _ROOT, [])
    return iter([*files, *beside(root)] if root.name == FOLDER else files)


def beside(root: Path) -> list[File]:
    """The files beside a folder of sessions."""
    return walk(str(root.parent), _HOME, [], str(root))


def _session_file(name: str) -> FileKind:
    known = _SESSION_FILES.get(name)
    if known is not None:
        return known
    if _DATABASE.match(name):
        return _MODELS_DATABASE
    return _LOCK_FILE if _LOCK.match(name) else unknown("not a file that Copilot CLI is known to write")


def _root_file(name: str) -> FileKind:
    """The kind of a file between the sessions: very old releases wrote each session's events here."""
    return _EVENTS if name.endswith(".jsonl") else unknown("not a session file by its name")


def _home_file(name: str) -> FileKind | None:
    """The kind of a file beside the sessions. Settings, keys and logs do not concern pollux."""
    return _HOME_FILES.get(name)


_HOME_FILES = {
    STORE_NAME: _STORE,
    f"{STORE_NAME}-wal": _STORE,
    f"{STORE_NAME}-journal": _STORE,
    f"{STORE_NAME}-shm": ignored("an index of the database's log, which SQLite makes anew"),
}
_SESSION = FolderRules(_session_file, lambda name: _SESSION_FOLDERS.get(name, _OTHER))
_ROOT = FolderRules(_root_file, lambda name: _LOCKS if name == ".session-operation-locks" else _SESSION)
_HOME_FOLDERS = {"history-session-state": _FIRST_RELEASES, ".session-operation-locks": _LOCKS}
_HOME = FolderRules(_home_file, _HOME_FOLDERS.get, own=False)
