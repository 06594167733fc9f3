"""Folders of agents that pollux renamed: a file in such a folder is not gone, but has another path."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from pollux.errors import StoreError
from pollux.system.decoders import msgpack_decoder
from pollux.system.files import LARGE, read, write_file
from pollux.wire import display_path


class RenamedFolders:
    """All names that each folder had, kept in a file. A folder that was renamed back keeps all its names."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _names(self) -> list[set[bytes]]:
        try:
            return msgpack_decoder(list[set[bytes]]).decode(read(self._file, LARGE))
        except FileNotFoundError:
            return []
        except (OSError, msgspec.DecodeError) as error:
            raise StoreError(f"{display_path(self._file)} cannot be read: {error}.") from error

    def others(self, home: bytes, path: bytes) -> Iterator[bytes]:
        """The paths of a file below a home under the other names of its folder."""
        full_path = os.path.join(home, path)  # noqa: PTH118
        for names in self._names:
            for name in names:
                if full_path.startswith(name + b"/"):
                    inner = full_path[len(name) + 1 :]
                    others = (os.path.join(other, inner) for other in names - {name})  # noqa: PTH118
                    yield from (os.path.relpath(other, home) for other in others)

    def add(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Remember pairs of names. Raises `OSError`."""
        groups = [set(names) for names in self._names]
        for pair in pairs:
            group = set(pair).union(*(names for names in groups if names & set(pair)))
            groups = [*(names for names in groups if not names & group), group]
        write_file(self._file, msgspec.msgpack.encode(groups), durable=True)
        self.__dict__.pop("_names", None)
