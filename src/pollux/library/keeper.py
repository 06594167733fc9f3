"""What every sync does for the archive: keep what is new if the user wants that, and lay out what is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from pollux.errors import StoreError
from pollux.index.catalogue.catalogue import Peeks
from pollux.index.sync.sync import RootScan
from pollux.library.session_files import SessionFiles
from pollux.system.directories import Places
from pollux.system.progress import Report

if TYPE_CHECKING:
    from pollux.archive.archive import Archive


class Keeper:
    """Brings the archive up to date with the agents' files.

    A problem with the archive prevents no answer, and no use of what is kept already: `problem` describes it.
    """

    def __init__(self, places: Places, files: SessionFiles, report: Report) -> None:
        self._places = places
        self._files = files
        self._report = report
        self.problem: str | None = None

    @cached_property
    def archive(self) -> Archive:
        """The states of the agents' files that were kept. Few people have any, so it is imported when needed."""
        from pollux.archive.archive import Archive

        return Archive(self._places.archive, self._places.archive_index)

    def run(self, scans: list[RootScan]) -> None:
        """Keep what is there if the user wants that, and lay out what the agents deleted."""
        if self._exists():
            self._note(lambda: self._keep(scans), lambda: self._lay_out(scans), self._loss)

    def peeks_of(self, agent: str, root: str) -> Peeks:
        """What is known of the files under a root; with a new cache, only what the archive knows of databases."""
        kept = self.archive.peeks(agent, root) if self._exists() else {}
        return kept | self._files.peeks_of(agent, root)

    def check(self) -> None:
        """Check whether part of the archive is missing."""
        if self._exists():
            self._note(self._loss)

    def close(self) -> None:
        """Let go of all files."""
        if "archive" in self.__dict__:
            self.archive.close()

    def _exists(self) -> bool:
        """Is there an archive? Where the system does not say, assume one: it will report the reason."""
        for place in (self._places.archive, self._places.archive_extents, self._places.archive_switch):
            try:
                place.stat()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                return True
            return True
        return False

    def _note(self, *steps: Callable[[], str | None]) -> None:
        """Take some steps, and note their problems."""
        self.problem = join_sentences(map(_trouble, steps))

    def _keep(self, scans: list[RootScan]) -> str | None:
        if self.archive.enabled:
            self.archive.keep(scans)
        return None

    def _lay_out(self, scans: list[RootScan]) -> str | None:
        if not self.archive.exists:
            return None
        self._files.checkouts.refresh(self.archive, scans, self._report)
        return self._files.checkouts.problem

    def _loss(self) -> str | None:
        return self.archive.loss


def _trouble(step: Callable[[], str | None]) -> str | None:
    try:
        return step()
    except StoreError as error:
        return str(error)


def join_sentences(problems: Iterable[str | None]) -> str | None:
    """Sentences in a row, each once."""
    return " ".join(dict.fromkeys(filter(None, problems))) or None
