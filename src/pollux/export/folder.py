"""A folder of transcripts that is written again and again.

What has not changed is not touched, so that a repository of transcripts has small differences. What pollux did not
write, or somebody changed since, is never overwritten. A record in the folder tells what is ours: of each file which
sessions it holds and how it read. It is written to before a file is put in its place, so that no crash makes a file
of ours look like somebody else's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from pollux.errors import OutputError
from pollux.export.target import encoded, failed, protect, readable, replaced
from pollux.files import LARGE, make_folders, opened, read
from pollux.model import Value

RECORD = ".pollux.jsonl"


class Held(Value, frozen=True, kw_only=True):
    """A file of ours: the format it is in, the sessions it holds, what it reads."""

    file: str
    to: str
    keys: tuple[str, ...]
    hash: str


class Folder:
    """Where an export goes. Used as a context: what is unfinished when it ends was never there."""

    def __init__(self, path: str, *, forbidden: Iterable[Path], force: bool = False) -> None:
        self.path = Path(path)
        self._force = force
        protect(self.path, forbidden)
        try:
            make_folders(self.path)
            self._drafts = tempfile.TemporaryDirectory(dir=self.path, prefix=".pollux-", ignore_cleanup_errors=True)
        except FileExistsError:
            raise OutputError(f"{self.path} is a file, and several sessions need a folder.") from None
        except OSError as error:
            raise failed(self.path, error) from error
        self._held: dict[str, Held] = {}
        self._ours: dict[str, set[str]] = {}
        self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._drafts.cleanup()

    def held(self, to: str) -> Mapping[str, Held]:
        """The files of ours in a format, by name, as they were when the folder was opened."""
        return {name: held for name, held in self._held.items() if held.to == to}

    @contextlib.contextmanager
    def draft(self) -> Iterator[Draft]:
        """A file in the making."""
        try:
            handle, name = tempfile.mkstemp(dir=self._drafts.name)
            with os.fdopen(handle, "wb") as out:
                draft = Draft(Path(name), out)
                yield draft
        except OSError as error:
            raise failed(self.path, error) from error

    def is_free(self, name: str, draft: Draft) -> bool:
        """May a draft go there: is there nothing, something of ours, or just what it says?"""
        if self._force:
            return True
        try:
            now = _hash(self.path / name)
        except OSError as error:
            raise failed(self.path / name, error) from error
        return now in (None, draft.hash) or now in self._ours.get(name, ())

    def keep(self, draft: Draft, name: str, to: str, keys: tuple[str, ...]) -> bool:
        """Put a draft in its place, where it says something new; False where a file there is not ours to change."""
        if not self.is_free(name, draft):
            return False
        place = self.path / name
        held = Held(file=name, to=to, keys=keys, hash=draft.hash)
        try:
            now = _hash(place)
            if now != held.hash or self._held.get(name) != held:
                self._note(held)
            if now != held.hash or place.is_symlink():
                make_folders(place.parent)
                readable(draft.path)
                draft.path.replace(place)
        except OSError as error:
            raise failed(place, error) from error
        return True

    def remove(self, name: str) -> None:
        """Take away a file of ours whose sessions are elsewhere now, unless somebody changed it."""
        place = self.path / name
        try:
            if _hash(place) in self._ours.get(name, ()):
                place.unlink()
                with contextlib.suppress(OSError):  # where nothing else is in it
                    place.parent.rmdir() if place.parent != self.path else None
        except OSError as error:
            raise failed(place, error) from error

    def close(self) -> None:
        """Write the record anew, one line a file that is there."""
        self._read()
        place = self.path / RECORD
        try:
            there = [held for name, held in sorted(self._held.items()) if _is_there(self.path / name)]
            lines = "".join(msgspec.json.encode(held).decode() + "\n" for held in there)
            if not _is_there(place) or read(place, LARGE).decode("utf-8", "replace") != lines:
                with replaced(place) as write:
                    write(lines)
        except OSError as error:
            raise failed(place, error) from error

    def _note(self, held: Held) -> None:
        with (self.path / RECORD).open("ab") as record:
            record.write(msgspec.json.encode(held) + b"\n")

    def _read(self) -> None:
        """What the record says. The last word about a file holds, but it may still read as it did before."""
        try:
            lines = read(self.path / RECORD, LARGE).splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise failed(self.path / RECORD, error) from error
        for line in lines:
            # What cannot be understood, as after a crash, says nothing is ours: then nothing is overwritten.
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                held = msgspec.json.decode(line, type=Held)
                self._held[held.file] = held
                self._ours.setdefault(held.file, set()).add(held.hash)


class Draft:
    """Takes text or bytes, and knows what it reads so far."""

    def __init__(self, path: Path, out: IO[bytes]) -> None:
        self.path = path
        self._out = out
        self.size = 0
        self._digest = hashlib.blake2b(digest_size=16)

    def write(self, piece: str | bytes) -> None:
        """Add to it."""
        data = encoded(piece)
        self.size += len(data)
        self._digest.update(data)
        self._out.write(data)

    def mark(self) -> Callable[[], None]:
        """Remember this place; the answer goes back to it."""
        size, digest = self.size, self._digest.copy()

        def back() -> None:
            self._out.seek(size)
            self._out.truncate()
            self.size, self._digest = size, digest

        return back

    @property
    def hash(self) -> str:
        """What tells it from another text."""
        return self._digest.hexdigest()


def _is_there(place: Path) -> bool:
    """Is there such a file? Raises `OSError` where the system does not tell: then it is not taken for gone."""
    try:
        place.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _hash(place: Path) -> str | None:
    """What a file reads, None where there is none."""
    if not _is_there(place):
        return None
    with opened(place) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
