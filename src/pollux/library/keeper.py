"""What every sync does for the archive: keep what is new where the user wants that, and lay out what is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from pollux.errors import StoreError
from pollux.index.sync.sync import RootScan
from pollux.library.homes import Homes
from pollux.system.directories import Places
from pollux.system.progress import Report

if TYPE_CHECKING:
    from pollux.archive.archive import Archive


class Keeper:
    """Brings the archive up to date with the agents' files.

    What goes wrong with it keeps nobody from having an answer, or from what is kept already: `problem` tells of it.
    """

    def __init__(self, places: Places, homes: Homes, report: Report) -> None:
        self._places = places
        self._homes = homes
        self._report = report
        self.problem: str | None = None

    @cached_property
    def archive(self) -> Archive:
        """The states of the agents' files that were kept. Most have none, so it is imported when it is needed."""
        from pollux.archive.archive import Archive

        return Archive(self._places.archive, self._places.archive_index)

    def run(self, scans: list[RootScan]) -> None:
        """Keep what is there where the user wants that, and lay out what is there no more."""
        if self._exists():
            self._note(lambda: self._keep(scans), lambda: self._lay_out(scans), self._loss)

    def check(self) -> None:
        """See whether part of what was kept is missing."""
        if self._exists():
            self._note(self._loss)

    def close(self) -> None:
        """Let go of all files."""
        if "archive" in self.__dict__:
            self.archive.close()

    def _exists(self) -> bool:
        """Was anything kept? Where the system does not tell, the archive says why."""
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
        """Take some steps, and note what is wrong."""
        self.problem = joined(map(_trouble, steps))

    def _keep(self, scans: list[RootScan]) -> str | None:
        if self.archive.enabled:
            self.archive.keep(scans)
        return None

    def _lay_out(self, scans: list[RootScan]) -> str | None:
        if not self.archive.exists:
            return None
        self._homes.trees.refresh(self.archive, scans, self._report)
        return self._homes.trees.problem

    def _loss(self) -> str | None:
        return self.archive.loss


def _trouble(step: Callable[[], str | None]) -> str | None:
    try:
        return step()
    except StoreError as error:
        return str(error)


def joined(problems: Iterable[str | None]) -> str | None:
    """Sentences in a row, each once."""
    return " ".join(dict.fromkeys(filter(None, problems))) or None
