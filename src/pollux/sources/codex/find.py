"""Where Codex CLI keeps things, and what each file is by its place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.base import File, Root, Status
from pollux.sources.walk import OTHER, entries, found, is_folder

ROLLOUT, PROMPTS, NAMES, IMPORTS = "rollout", "prompts", "names", "imports"
LIVE, ARCHIVE = "sessions", "archived_sessions"

_ROLLOUT = re.compile(r"rollout-.*\.(?:jsonl(?:\.zst)?|json)\Z", re.DOTALL)
_HALF_MADE = re.compile(r"\.rollout-.*\.tmp\Z", re.DOTALL)
_DATABASE = re.compile(r".+\.sqlite(?:-wal|-shm|-journal)?\Z", re.DOTALL)
# The thread a file belongs to, and the file's own id where it is not the thread's first (0.149+).
_NAME = re.compile(
    r"rollout-(?P<at>\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?)-"
    r"(?P<thread>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"(?:_(?P<rollout>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\.json"
)
_BESIDE = {"history.jsonl": PROMPTS, "session_index.jsonl": NAMES, "external_agent_session_imports.json": IMPORTS}


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The folders of sessions. The archive comes first: a session that lies in both is told by the other one."""
    if moved := environ.get("CODEX_SESSIONS_DIR", ""):
        return [Root(path=Path(moved).expanduser(), reason="$CODEX_SESSIONS_DIR")]
    if moved := environ.get("CODEX_HOME", ""):
        base, reason = Path(moved).expanduser(), "$CODEX_HOME"
    else:
        base, reason = home / ".codex", "the default"
    return [Root(path=base / ARCHIVE, reason=reason), Root(path=base / LIVE, reason=reason)]


def find(root: Path) -> Iterator[File]:
    """Every file under a root with its role, and beside the sessions the files that say something about them."""
    yield from _below(str(root))
    if root.name == LIVE:
        yield from _beside(str(root.parent))


def rollouts(root: Path) -> list[File]:
    """The session files of a folder."""
    return [file for file in _below(str(root)) if file.role == ROLLOUT]


def _below(folder: str) -> Iterator[File]:
    for entry in entries(folder):
        if isinstance(entry, File):
            yield entry
        elif is_folder(entry):
            yield from _below(entry.path)
        elif _ROLLOUT.match(entry.name):
            yield found(entry, ROLLOUT, Status.IGNORED, "nothing was said in it")
        elif _HALF_MADE.match(entry.name):
            yield found(entry, OTHER, Status.IGNORED, "a file in the making: a migration or compression")
        else:
            yield found(entry, OTHER, Status.UNKNOWN, "not a session file by its name")


def _beside(folder: str) -> Iterator[File]:
    """Of the home itself only what is about sessions: settings, keys and caches are none of our business."""
    for entry in entries(folder):
        if isinstance(entry, File):
            continue
        if entry.name == "rollout-migrations" and is_folder(entry):
            for inner in entries(entry.path):
                if not isinstance(inner, File) and not is_folder(inner):
                    yield found(inner, OTHER, Status.IGNORED, "the mark of a migration under way")
        elif not is_folder(entry):
            if entry.name in _BESIDE:
                yield found(entry, _BESIDE[entry.name], Status.READ, None)
            elif _DATABASE.match(entry.name):
                yield found(
                    entry, OTHER, Status.IGNORED, "an index that Codex makes of the session files; never opened"
                )


def named(path: str) -> tuple[str | None, str | None, str | None]:
    """What a file's name says: the thread's id, the file's own id, and when it was begun (local time)."""
    name = _NAME.match(os.path.basename(path))  # noqa: PTH119
    if name is None:
        return None, None, None
    return name["thread"], name["rollout"] or name["thread"], name["at"]
