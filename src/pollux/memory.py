"""Which path a project's hash stands for: learnt once, remembered for good."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path

from pollux.errors import StoreError


class ProjectMemory:
    """A small JSON table `{hash: path}`. One that cannot be read is treated as empty, one that cannot be written stays unsaved."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._paths: dict[str, str] | None = None
        self._fresh: dict[str, str] = {}

    def path_of(self, digest: str) -> str | None:
        """The path once learnt for this hash."""
        return self._known().get(digest)

    def learn(self, digest: str, path: str) -> None:
        """Remember a proved path; `save` writes it down."""
        if self._known().get(digest) != path:
            self._known()[digest] = path
            self._fresh[digest] = path

    def teach(self, digest: str, path: str) -> None:
        """Remember what the user says, at once. Raises `StoreError` where it cannot be kept."""
        self.learn(digest, path)
        self._fresh[digest] = path
        try:
            self._write()
        except OSError as error:
            raise StoreError(f"{self._file} cannot be written: {error.strerror}.") from error

    def save(self) -> None:
        """Write down what was learnt. It can be learnt again, so a full disk is no error."""
        if self._fresh:
            with contextlib.suppress(OSError):
                self._write()

    def _known(self) -> dict[str, str]:
        if self._paths is None:
            self._paths = _read(self._file)
        return self._paths

    def _write(self) -> None:
        """Merge with what another pollux wrote meanwhile, and replace the file in one step."""
        table = {**_read(self._file), **self._fresh}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=".projects-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as out:
                json.dump(table, out, ensure_ascii=False, indent=1, sort_keys=True)
            Path(name).replace(self._file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._fresh.clear()


def _read(file: Path) -> dict[str, str]:
    try:
        table = json.loads(file.read_text("utf-8", "surrogateescape"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(table, dict):
        return {}
    return {key: value for key, value in table.items() if isinstance(value, str)}
