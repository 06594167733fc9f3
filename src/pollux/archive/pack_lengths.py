"""Records the length that each pack had when it was last safe on the disk.

So pollux can tell a loss from an unfinished record, even if the cache was cleared. The file is beside the archive's
folder, and survives its deletion. An archive of an earlier release has none until
something is archived again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pollux.errors import StoreError
from pollux.system.decoders import json_decoder
from pollux.system.files import fsync_folder, read, write_file
from pollux.wire import display_path


class _Note(msgspec.Struct, kw_only=True):
    packs: dict[str, int] = {}


class PackLengths:
    """The note beside an archive's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder.with_name(f"{folder.name}.json")

    def read(self) -> dict[str, int]:
        """The ends of all packs, by name; empty where there is no note. Raises `StoreError`."""
        with reading(self._folder):
            try:
                return json_decoder(_Note).decode(read(self._file)).packs
            except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
                return {}

    def write(self, packs: Mapping[str, int]) -> None:
        """Write the ends of all packs to the disk. Raises `OSError`."""
        write_file(self._file, msgspec.json.encode(_Note(packs=dict(packs))), durable=True)
        fsync_folder(self._file.parent)


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Turns what the system refuses into a `StoreError`, so that nobody takes it for an empty archive."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"The archive in {display_path(folder)} cannot be read: {reason}.") from error
