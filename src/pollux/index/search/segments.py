"""Several indexes, made in parallel, joined into one.

An index of tantivy is a folder of segments, whose files never change, with a list of them in `meta.json`. Only one
process may write to an index, so every text would have to be sent to it. Instead each process makes its own index. Then
its segments are moved over and added to the list, which is replaced in one step.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import msgspec

from pollux.index.search.errors import Damaged
from pollux.system.files import read, write_file

_META = "meta.json"
_MANAGED = ".managed.json"
"""The list of all files that tantivy may delete once no segment needs them. Moved files must be in it."""


def adopt_segments(folder: Path, pieces: Collection[Path]) -> None:
    """Move the segments of all pieces into the index of a folder. The pieces cannot be used afterwards."""
    meta, managed = _load(folder / _META), _load(folder / _MANAGED)
    files: list[Path] = []
    for piece in pieces:
        piece_meta = _load(piece / _META)
        if any(piece_meta[key] != meta[key] for key in ("schema", "index_settings")):
            raise Damaged(f"The words in {piece} have another schema than those in {folder}.")
        meta["segments"] += piece_meta["segments"]
        meta["opstamp"] = max(meta["opstamp"], piece_meta["opstamp"])
        names = {segment["segment_id"].replace("-", "") for segment in piece_meta["segments"]}
        files += [file for file in piece.iterdir() if file.name.partition(".")[0] in names]
    _replace(folder / _MANAGED, sorted({*managed, *(file.name for file in files)}))
    for file in files:
        file.rename(folder / file.name)
    _replace(folder / _META, meta)


def _load(file: Path) -> Any:
    return msgspec.json.decode(read(file))


def _replace(file: Path, value: Any) -> None:
    write_file(file, msgspec.json.encode(value), durable=True)
