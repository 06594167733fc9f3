"""Which path a project's hash stands for: learnt once, remembered for good."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from pollux.errors import StoreError
from pollux.sources.base import fingerprint_of
from pollux.system.directories import Places
from pollux.system.files import LARGE, read, write_file


class ProjectMemory:
    """What pollux has learnt, and for what it has searched in vain.

    The first is the user's own and kept with the data, the second only saves work and is kept in the cache. A table
    that cannot be read is empty; one that cannot be written stays unsaved, unless the user taught us.
    """

    def __init__(self, places: Places) -> None:
        self._learnt = Table(places.projects)
        self._vain = Table(places.unknown_projects)

    @property
    def stamp(self) -> str:
        """Differs when something was learnt."""
        return self._learnt.stamp

    def path_of(self, digest: str) -> str | None:
        """The path once learnt for this hash."""
        return self._learnt.get(digest)

    def learn(self, digest: str, path: str) -> None:
        """Remember a proved path; `save` writes it down."""
        self._learnt.put(digest, path)

    def gave_up(self, digest: str, fingerprint: str) -> bool:
        """Was this hash searched for in vain under the same circumstances?"""
        return self._vain.get(digest) == fingerprint

    def give_up(self, digest: str, fingerprint: str) -> None:
        """Remember a search in vain; `save` writes it down."""
        self._vain.put(digest, fingerprint)

    def teach(self, digest: str, path: str) -> None:
        """Remember what the user says, at once. Raises `StoreError` where it cannot be kept."""
        self._learnt.put(digest, path)
        try:
            self._learnt.write()
        except OSError as error:
            raise StoreError(f"{self._learnt.file} cannot be written: {error.strerror}.") from error

    def refresh(self) -> None:
        """Hear of what another pollux learnt meanwhile."""
        for table in (self._learnt, self._vain):
            table.refresh()

    def save(self) -> None:
        """Write down what is new. It can be found out again, so a full disk is no error."""
        for table in (self._learnt, self._vain):
            with contextlib.suppress(OSError):
                table.write()


class Table:
    """A small JSON object of texts in a file, read when first needed and replaced in one step."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._held: dict[str, str] | None = None
        self._fresh: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        """The text under a name."""
        return self.all().get(name)

    def all(self) -> dict[str, str]:
        """All that the table holds."""
        if self._held is None:
            self._held = _read(self.file)
        return self._held

    def refresh(self) -> None:
        """Read the file again, where it was read before."""
        if self._held is not None:
            self._held = {**_read(self.file), **self._fresh}

    @property
    def stamp(self) -> str:
        """Stands for all that the table holds."""
        return fingerprint_of(f"{name}\n{text}" for name, text in sorted(self.all().items()))

    def put(self, name: str, text: str) -> None:
        """Hold a text under a name until `write`."""
        if self.get(name) != text and self._held is not None:
            self._held[name] = text
            self._fresh[name] = text

    def write(self) -> None:
        """Merge what is new with what another pollux wrote meanwhile. Raises `OSError`."""
        if not self._fresh:
            return
        table = {**_read(self.file), **self._fresh}
        text = json.dumps(table, ensure_ascii=False, indent=1, sort_keys=True)
        write_file(self.file, text.encode("utf-8", "surrogateescape"), durable=True)
        self._fresh.clear()


def _read(file: Path) -> dict[str, str]:
    try:
        table = json.loads(read(file, LARGE).decode("utf-8", "surrogateescape"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {key: text for key, text in table.items() if isinstance(text, str)} if isinstance(table, dict) else {}
