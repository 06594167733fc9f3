"""A small table of texts that pollux remembers in a file."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from pollux.sources.base import fingerprint_of
from pollux.system.files import LARGE, read, write_file


class StoredDict:
    """A small JSON object of texts in a file, read when first needed and replaced in one step."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._texts: dict[str, str] | None = None
        self._unsaved: dict[str, str] = {}
        self._lock = threading.RLock()

    def get(self, name: str) -> str | None:
        """The text under a name."""
        return self.all().get(name)

    def all(self) -> dict[str, str]:
        """All texts by their names."""
        with self._lock:
            if self._texts is None:
                self._texts = _read(self.file)
            return self._texts

    def refresh(self) -> None:
        """Read the file again, where it was read before."""
        with self._lock:
            if self._texts is not None:
                self._texts = {**_read(self.file), **self._unsaved}

    @property
    def stamp(self) -> str:
        """A value that changes with the table."""
        return fingerprint_of(f"{name}\n{text}" for name, text in sorted(self.all().items()))

    def put(self, name: str, text: str) -> None:
        """Set the text of a name; `write` saves it."""
        with self._lock:
            if self.get(name) != text:
                self._texts = {**self.all(), name: text}
                self._unsaved[name] = text

    def store(self, name: str, text: str) -> None:
        """Set the text of a name and save it at once. Raises `OSError`, and then the text is as before."""
        with self._lock:
            if self.get(name) != text or name in self._unsaved:
                self._write({**self._unsaved, name: text})

    def write(self) -> None:
        """Save the new texts. Raises `OSError`."""
        with self._lock:
            if self._unsaved:
                self._write(self._unsaved)

    def _write(self, texts: dict[str, str]) -> None:
        """Save new texts, merged with what another pollux wrote meanwhile."""
        table = {**_read(self.file), **texts}
        content = json.dumps(table, ensure_ascii=False, indent=1, sort_keys=True)
        write_file(self.file, content.encode("utf-8", "surrogateescape"), durable=True)
        self._texts = {**self.all(), **texts}
        self._unsaved.clear()


def _read(file: Path) -> dict[str, str]:
    try:
        table = json.loads(read(file, LARGE).decode("utf-8", "surrogateescape"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {key: text for key, text in table.items() if isinstance(text, str)} if isinstance(table, dict) else {}
