"""A source that does what another does, for those who change one thing about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pollux.model import Session
from pollux.sources.base import Bundle, File, Retention, Root, Source, Surroundings
from pollux.sources.moving import Moving
from pollux.sources.resuming import Form, Resumable, made_by, united_by


class Wrapped:
    """All as the source inside has it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name
        self.title = source.title
        self.wonders = source.wonders

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """Where the agent keeps sessions."""
        return self.source.roots(environ, home)

    def find(self, root: Path) -> Iterator[File]:
        """Every file under a root."""
        return self.source.find(root)

    def bundles(self, root: Path, files: Iterable[File], around: Surroundings) -> list[Bundle]:
        """The sessions among the files."""
        return self.source.bundles(root, files, around)

    def read(self, bundle: Bundle) -> list[Session]:
        """One session and those inside it."""
        return self.source.read(bundle)

    def claims(self, path: Path, head: bytes) -> bool:
        """Is this the agent's?"""
        return self.source.claims(path, head)

    def loose(self, path: Path, around: Surroundings) -> Bundle:
        """A single file."""
        return self.source.loose(path, around)

    def retention(self, root: Path) -> Retention | None:
        """When the agent deletes sessions; one that others added may not say."""
        told = getattr(self.source, "retention", None)
        found: Retention | None = told(root) if told is not None else None
        return found

    def moving(self, root: Path, moved: Mapping[str, str]) -> Moving | None:
        """What must change where projects were moved; one that others added may not say."""
        told = getattr(self.source, "moving", None)
        found: Moving | None = told(root, moved) if told is not None else None
        return found

    def resuming(self, session: Session, forms: Sequence[Form], root: Path) -> list[Resumable]:
        """Files that the agent resumes; one that others added may not make any."""
        return made_by(self.source, session, forms, root)

    def united(self, forms: Sequence[Form]) -> bytes | None:
        """One content for all forms of a file; one that others added may not make it."""
        return united_by(self.source, forms)
