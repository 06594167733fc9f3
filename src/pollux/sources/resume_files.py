"""Files that let an agent resume a session of which only pieces are left."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.model import Value


class FileVersion(Value, frozen=True, kw_only=True):
    """One version of a file, or of a copy of it: its path below the agent's folder, and its bytes."""

    path: str
    content: bytes


class ResumeFile(Value, frozen=True, kw_only=True):
    """A file as the agent would write it. `sources` are the files whose records it is made of, if it has any.

    `made` says which part of it stands in no record, and where that part comes from.
    """

    path: str
    content: bytes
    sources: tuple[str, ...] = ()
    made: str | None = None


def source_files(versions: Iterable[FileVersion]) -> tuple[str, ...]:
    """The paths of these versions, each once."""
    return tuple(dict.fromkeys(version.path for version in versions))


def largest_versions(versions: Iterable[FileVersion]) -> dict[str, bytes]:
    """The largest version of each file. Files beside a session are never joined."""
    best: dict[str, bytes] = {}
    for version in versions:
        if len(version.content) >= len(best.get(version.path, b"")):
            best[version.path] = version.content
    return best
