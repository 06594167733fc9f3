"""Indexes made beside one another, joined into one.

An index of tantivy is a folder of segments, whose files never change, and a list of them in `meta.json`. tantivy lets
one process write to an index, so every text would have to be sent there. Instead each process makes an index of its
own. Its segments are then moved over and added to the list, which is replaced in one step: seen whole, or not at all.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from pollux.index.search.trouble import Damaged
from pollux.system.files import read, write_file

_META = "meta.json"
_MANAGED = ".managed.json"
"""All files that tantivy may delete once no segment needs them. Those moved over have to be among them."""


def take_in(folder: Path, pieces: Collection[Path]) -> None:
    """Move the segments of all pieces into the index of a folder; the pieces are of no use after that."""
    meta, managed = _load(folder / _META), _load(folder / _MANAGED)
    files: list[Path] = []
    for piece in pieces:
        theirs = _load(piece / _META)
        if any(theirs[key] != meta[key] for key in ("schema", "index_settings")):
            raise Damaged(f"The words in {piece} were written in another way than those in {folder}.")
        meta["segments"] += theirs["segments"]
        meta["opstamp"] = max(meta["opstamp"], theirs["opstamp"])
        names = {segment["segment_id"].replace("-", "") for segment in theirs["segments"]}
        files += [file for file in piece.iterdir() if file.name.partition(".")[0] in names]
    _replace(folder / _MANAGED, sorted({*managed, *(file.name for file in files)}))
    for file in files:
        file.rename(folder / file.name)
    _replace(folder / _META, meta)


def _load(file: Path) -> Any:
    return msgspec.json.decode(read(file))


def _replace(file: Path, value: Any) -> None:
    write_file(file, msgspec.json.encode(value), durable=True)
