"""Which path a project's hash stands for: found once, remembered for good."""

from __future__ import annotations

import contextlib

from pollux.errors import StoreError
from pollux.projects.stored_dict import StoredDict
from pollux.system.directories import Places

_ENDED_EARLY = " ended early"


class ProjectHashes:
    """The paths that pollux knows, and the hashes for which it found none.

    The paths are kept with the user's data. The hashes without a path only save work, and are kept in the cache. A
    table that cannot be read counts as empty. One that cannot be written is an error only for a path from the user.
    """

    def __init__(self, places: Places) -> None:
        self._paths = StoredDict(places.projects)
        self._missing = StoredDict(places.unknown_projects)

    def path_of(self, digest: str) -> str | None:
        """The path that is known for this hash."""
        return self._paths.get(digest)

    def learn(self, digest: str, path: str) -> None:
        """Remember a proved path; `save` writes it."""
        self._paths.put(digest, path)

    def teach(self, digest: str, path: str) -> None:
        """Remember a path that the user gave, and write it at once. Raises `StoreError` where that fails."""
        try:
            self._paths.store(digest, path)
        except OSError as error:
            raise StoreError(f"{self._paths.file} cannot be written: {error.strerror}.") from error

    def gave_up(self, digest: str, circumstances: str) -> bool:
        """Did a search for this hash fail under the same circumstances?"""
        return (self._missing.get(digest) or "").removesuffix(_ENDED_EARLY) == circumstances

    def give_up(self, digest: str, circumstances: str, *, early: bool) -> None:
        """Remember a failed search, and whether it ended before everything was seen; `save` writes it."""
        self._missing.put(digest, circumstances + _ENDED_EARLY if early else circumstances)

    def ended_early(self, digest: str) -> bool:
        """Did the last search for this hash end before everything was seen?"""
        return (self._missing.get(digest) or "").endswith(_ENDED_EARLY)

    def refresh(self) -> None:
        """Read what another pollux wrote meanwhile."""
        for table in (self._paths, self._missing):
            table.refresh()

    def save(self) -> None:
        """Write what is new. It can be found again, so a full disk is no error."""
        for table in (self._paths, self._missing):
            with contextlib.suppress(OSError):
                table.write()
