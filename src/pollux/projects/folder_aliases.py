"""Folders of agents that pollux renamed: a file is not gone where its folder only goes by another name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from pollux.errors import StoreError
from pollux.system.files import LARGE, read, write_file
from pollux.wire import display_path


class FolderAliases:
    """The names of each folder, in a file. Whether one was renamed back does not matter: all name one folder."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _names(self) -> list[set[bytes]]:
        try:
            return msgspec.msgpack.decode(read(self._file, LARGE), type=list[set[bytes]])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.DecodeError) as error:
            raise StoreError(f"{display_path(self._file)} cannot be read: {error}.") from error

    def others(self, home: bytes, path: bytes) -> Iterator[bytes]:
        """What a file below a home would be called under the other names of its folder."""
        whole = os.path.join(home, path)  # noqa: PTH118
        for names in self._names:
            for name in names:
                if whole.startswith(name + b"/"):
                    inner = whole[len(name) + 1 :]
                    others = (os.path.join(other, inner) for other in names - {name})  # noqa: PTH118
                    yield from (os.path.relpath(other, home) for other in others)

    def add(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Remember more. Raises `OSError`."""
        held = [set(names) for names in self._names]
        for pair in pairs:
            joined = set(pair).union(*(names for names in held if names & set(pair)))
            held = [*(names for names in held if not names & joined), joined]
        write_file(self._file, msgspec.msgpack.encode(held), durable=True)
        self.__dict__.pop("_names", None)
