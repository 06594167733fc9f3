"""What a source may offer beyond reading. Each capability is a protocol, which a source implements completely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from pollux.model import Session
from pollux.sources.base import Retention
from pollux.sources.rehome_plan import RehomePlan, Rename, Rewrite
from pollux.sources.resume_files import FileVersion, ResumeFile

__all__ = [
    "FileVersion",
    "Marks",
    "RehomePlan",
    "Rehomes",
    "Rename",
    "ResumeFile",
    "Resumes",
    "Retains",
    "Retention",
    "Rewrite",
]


@runtime_checkable
class Retains(Protocol):
    """Knows when the agent deletes sessions by itself."""

    def retention(self, root: Path) -> Retention | None:
        """When it deletes, and which setting changes that; None if it never does."""


@runtime_checkable
class Rehomes(Protocol):
    """Knows which files must change if a project gets another path."""

    def plan_rehome(self, root: Path, moved: Mapping[str, str]) -> RehomePlan | None:
        """What must change under a root so that the agent finds histories under new paths; None if nothing can."""


@runtime_checkable
class Resumes(Protocol):
    """Can make files that the agent resumes, from what is left of a session."""

    def resume_files(self, session: Session, versions: Sequence[FileVersion], root: Path) -> list[ResumeFile]:
        """The files, made of all versions of the session's files."""

    def join_versions(self, versions: Sequence[FileVersion]) -> bytes | None:
        """Join all versions of a file; the last version stays unchanged. None if that is not possible."""


@runtime_checkable
class Marks(Protocol):
    """Knows what the agent leaves in its working directories."""

    @property
    def marks(self) -> tuple[str, ...]:
        """Names of files and folders that mark such a directory."""


CAPABILITIES = (Retains, Rehomes, Resumes, Marks)


def marks_of(source: object) -> tuple[str, ...]:
    """The names that an agent leaves in its working directories; none if its source does not say."""
    return source.marks if isinstance(source, Marks) else ()


def retention_of(source: object, root: Path) -> Retention | None:
    """When an agent deletes sessions; None if it never does, or if its source does not say."""
    return source.retention(root) if isinstance(source, Retains) else None


def rehome_plan_of(source: object, root: Path, moved: Mapping[str, str]) -> RehomePlan | None:
    """What must change under a root if projects were moved; None if the source does not say."""
    return source.plan_rehome(root, moved) if isinstance(source, Rehomes) else None


def resume_files_of(source: object, session: Session, versions: Sequence[FileVersion], root: Path) -> list[ResumeFile]:
    """Files that an agent can resume; none if its source cannot make them."""
    return source.resume_files(session, versions, root) if isinstance(source, Resumes) else []


def joined_versions_of(source: object, versions: Sequence[FileVersion]) -> bytes | None:
    """All versions of a file in one; None if the source cannot join them."""
    return source.join_versions(versions) if isinstance(source, Resumes) else None
