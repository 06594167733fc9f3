"""Which path a project's hash stands for: learnt once, remembered for good."""

from __future__ import annotations

import contextlib

from pollux.errors import StoreError
from pollux.projects.stored_dict import StoredDict
from pollux.system.directories import Places

_EARLY = " ended early"


class ProjectHashes:
    """The paths that pollux has learnt, and the hashes for which it has searched in vain.

    The first are the user's own and kept with the data, the second only save work and are kept in the cache. A table
    that cannot be read is empty; one that cannot be written stays unsaved, unless the user taught us.
    """

    def __init__(self, places: Places) -> None:
        self._learnt = StoredDict(places.projects)
        self._vain = StoredDict(places.unknown_projects)

    def path_of(self, digest: str) -> str | None:
        """The path once learnt for this hash."""
        return self._learnt.get(digest)

    def learn(self, digest: str, path: str) -> None:
        """Remember a proved path; `save` writes it down."""
        self._learnt.put(digest, path)

    def teach(self, digest: str, path: str) -> None:
        """Remember what the user says, at once. Raises `StoreError` where it cannot be kept."""
        self._learnt.put(digest, path)
        try:
            self._learnt.write()
        except OSError as error:
            raise StoreError(f"{self._learnt.file} cannot be written: {error.strerror}.") from error

    def gave_up(self, digest: str, circumstances: str) -> bool:
        """Was this hash searched for in vain under the same circumstances?"""
        return (self._vain.get(digest) or "").removesuffix(_EARLY) == circumstances

    def give_up(self, digest: str, circumstances: str, *, early: bool) -> None:
        """Remember a search in vain, and whether it ended before everything was seen; `save` writes it down."""
        self._vain.put(digest, circumstances + _EARLY if early else circumstances)

    def ended_early(self, digest: str) -> bool:
        """Did the last search for this hash end before everything was seen?"""
        return (self._vain.get(digest) or "").endswith(_EARLY)

    def refresh(self) -> None:
        """Hear of what another pollux learnt meanwhile."""
        for table in (self._learnt, self._vain):
            table.refresh()

    def save(self) -> None:
        """Write down what is new. It can be found out again, so a full disk is no error."""
        for table in (self._learnt, self._vain):
            with contextlib.suppress(OSError):
                table.write()
