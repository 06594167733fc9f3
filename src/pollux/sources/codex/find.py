"""The folders of Codex CLI, and the kind of each file in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from pollux.sources.base import File, Root, Status
from pollux.sources.session_migrate import FOLDER, RULES
from pollux.sources.walk import FileKind, FolderRules, ignored, unknown, walk
from pollux.system.clock import since_epoch
from pollux.system.named_path import named_path

ROLLOUT, PROMPTS, NAMES, IMPORTS = "rollout", "prompts", "names", "imports"
LIVE, ARCHIVE = "sessions", "archived_sessions"

_ROLLOUT = re.compile(r"rollout-.*\.(?:jsonl(?:\.zst)?|json)\Z", re.DOTALL)
_TEMPORARY = re.compile(r"\.rollout-.*\.tmp\Z", re.DOTALL)
_DATABASE = re.compile(r".+\.sqlite(?:-wal|-shm|-journal)?\Z", re.DOTALL)
# The thread a file belongs to, and the file's own id where it is not the thread's first (0.149+). Other programs add
# something to the name of a copy, for example " (copy)".
_NAME = re.compile(
    r"rollout-(?P<at>\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?)-"
    r"(?P<thread>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"(?:_(?P<rollout>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?(?P<rest>.*?)\.json",
    re.DOTALL,
)
_SESSION: FileKind = (ROLLOUT, Status.IGNORED, "nothing was said in it")
_TEMPORARY_FILE = ignored("a file in the making: a migration or compression")
_OTHER = unknown("not a session file by its name")
_SIDE_FILES: dict[str, FileKind] = {
    "history.jsonl": (PROMPTS, Status.READ, None),
    "session_index.jsonl": (NAMES, Status.READ, None),
    "external_agent_session_imports.json": (IMPORTS, Status.READ, None),
}
_INDEX = ignored("an index that Codex makes of the session files; never opened")
_MIGRATION = ignored("the mark of a migration under way")


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The folders of sessions. The archive comes first, so the other folder counts for a session in both."""
    if moved := environ.get("CODEX_SESSIONS_DIR", ""):
        return [Root(path=named_path(moved), reason="$CODEX_SESSIONS_DIR")]
    if moved := environ.get("CODEX_HOME", ""):
        base, reason = named_path(moved), "$CODEX_HOME"
    else:
        base, reason = home / ".codex", "the default"
    return [Root(path=base / ARCHIVE, reason=reason), Root(path=base / LIVE, reason=reason)]


def find(root: Path) -> Iterator[File]:
    """All files under a root with their roles, and the files beside the sessions."""
    files = walk(str(root), _BELOW, [])
    return iter([*files, *beside(root)] if root.name == LIVE else files)


def beside(root: Path) -> list[File]:
    """The files beside a folder of sessions."""
    return walk(str(root.parent), _HOME, [], str(root))


def rollouts(root: Path) -> list[File]:
    """The session files of a folder."""
    return [file for file in walk(str(root), _BELOW, []) if file.role == ROLLOUT]


def _session(name: str) -> FileKind:
    # Most names are usual ones, which need no pattern.
    if (name.startswith("rollout-") and name.endswith(".jsonl")) or _ROLLOUT.match(name):
        return _SESSION
    return _TEMPORARY_FILE if _TEMPORARY.match(name) else _OTHER


def _side_file(name: str) -> FileKind | None:
    """The kind of a file beside the sessions. Settings, keys and caches do not concern pollux."""
    return _SIDE_FILES.get(name) or (_INDEX if _DATABASE.match(name) else None)


_BELOW: FolderRules = FolderRules(_session, lambda _: _BELOW)
_MIGRATIONS = FolderRules(lambda _: _MIGRATION, lambda _: None, own=False)
_FOLDERS = {"rollout-migrations": _MIGRATIONS, FOLDER: RULES}
_HOME = FolderRules(_side_file, _FOLDERS.get, own=False)


def parse_name(path: str) -> tuple[str | None, str | None, str | None]:
    """The facts in a file's name: the thread's id, the file's own id, and the local time of its beginning."""
    name = _NAME.match(os.path.basename(path))  # noqa: PTH119
    if name is None:
        return None, None, None
    return name["thread"], name["rollout"] or name["thread"], name["at"]


def is_given_by_codex(path: str) -> bool:
    """Is a file's name one that Codex gives, without anything that another program added?"""
    name = _NAME.match(os.path.basename(path))  # noqa: PTH119
    return name is not None and not name["rest"]


def time_of_id(name: str | None) -> datetime | None:
    """The time at which an id was made, if it contains one (uuid7)."""
    if name is None or len(name) != 36 or name[14] != "7":
        return None
    try:
        return since_epoch(int(name[:8] + name[9:13], 16), 1000)
    except ValueError:
        return None


def is_line_of_parent(name: str, thread: str | None, at: datetime | None) -> bool:
    """Is a file's first line a copy of a parent's line, because the file's own first line is lost?

    It has another id than the file's name, and was written after the thread of that name was begun.
    """
    begun = time_of_id(thread) if name != thread else None
    return begun is not None and at is not None and at >= begun
