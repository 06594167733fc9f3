"""What a source may offer beyond reading. Each capability is a protocol, which a source implements completely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from pollux.model import Session
from pollux.sources.base import Retention
from pollux.sources.relocation import Relocation
from pollux.sources.resume_files import FileVersion, Resumable


@runtime_checkable
class Retains(Protocol):
    """Knows when the agent deletes sessions by itself."""

    def retention(self, root: Path) -> Retention | None:
        """When it deletes, and which setting changes that; None where it never does."""


@runtime_checkable
class Relocates(Protocol):
    """Knows how the agent finds the sessions of a project."""

    def moving(self, root: Path, moved: Mapping[str, str]) -> Relocation | None:
        """What must change under a root so that the agent finds histories under new paths; None where nothing can."""


@runtime_checkable
class Resumes(Protocol):
    """Can make files that the agent resumes, from what is left of a session."""

    def resuming(self, session: Session, versions: Sequence[FileVersion], root: Path) -> list[Resumable]:
        """The files, made of all versions of the session's files."""

    def united(self, versions: Sequence[FileVersion]) -> bytes | None:
        """One content with everything from all versions of a file, the last version unchanged; None where none can."""


@runtime_checkable
class Marks(Protocol):
    """Knows what the agent leaves in its working directories."""

    @property
    def marks(self) -> tuple[str, ...]:
        """Names of files and folders that mark such a directory."""


CAPABILITIES = (Retains, Relocates, Resumes, Marks)


def marks_of(source: object) -> tuple[str, ...]:
    """The names that an agent leaves in its working directories; none where its source does not say."""
    return source.marks if isinstance(source, Marks) else ()


def retention_of(source: object, root: Path) -> Retention | None:
    """When an agent deletes sessions; None where it never does, or its source does not say."""
    return source.retention(root) if isinstance(source, Retains) else None


def moving_of(source: object, root: Path, moved: Mapping[str, str]) -> Relocation | None:
    """What must change under a root where projects were moved; None where the source does not say."""
    return source.moving(root, moved) if isinstance(source, Relocates) else None


def resumable_files(source: object, session: Session, versions: Sequence[FileVersion], root: Path) -> list[Resumable]:
    """The files that an agent resumes; none where its source cannot make them."""
    return source.resuming(session, versions, root) if isinstance(source, Resumes) else []


def united_content(source: object, versions: Sequence[FileVersion]) -> bytes | None:
    """One content for all versions of a file; None where the source cannot make it."""
    return source.united(versions) if isinstance(source, Resumes) else None
