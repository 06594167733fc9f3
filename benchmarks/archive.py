"""Keeping a whole history, beside zstd -3 over the same bytes; then keeping it when nothing or one session changed.

python -m benchmarks.archive FOLDER [SESSIONS]
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zstandard

from benchmarks.store import history
from pollux.archive.archive import Archive, wanted
from pollux.archive.verify import verify
from pollux.index.sync.sync import RootScan
from pollux.library.library import Library

ROUNDS = 3


def measured(home: Path, folder: Path) -> dict[str, Any]:
    """Wall times as ratios to the yardstick, sizes as ratios to the history."""
    library = Library({"HOME": str(home)}, home, hunt=False)
    looks = [RootScan(source, root) for source, root in library.homes.roots()]
    files = [file.path for look in looks for file in wanted(look.files)]
    size = sum(Path(name).stat().st_size for name in files)
    pairs = [(_timed(lambda: _packed(files, folder)), _timed(lambda: _kept(looks, folder))) for _ in range(ROUNDS)]
    zstd, keep = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    archive = _archive(folder)
    again = min(_timed(lambda: archive.keep(looks)) for _ in range(ROUNDS))
    verdict = verify(archive)
    assert verdict.sound
    stored = sum(path.stat().st_size for path in archive.folder.glob("*.pack"))
    return {
        "files": len(files),
        "megabytes": size / 1e6,
        "zstd -3 s": zstd,
        "keep s": keep,
        "keep ratio": keep / zstd,
        "stored share": stored / size,
        "unchanged s": again,
    }


def _archive(folder: Path) -> Archive:
    return Archive(folder / "archive", folder / "archive.db")


def _kept(looks: list[RootScan], folder: Path) -> None:
    shutil.rmtree(folder / "archive", ignore_errors=True)
    (folder / "archive.db").unlink(missing_ok=True)
    _archive(folder).keep(looks)


def _packed(files: list[str], folder: Path) -> None:
    """The yardstick: every file compressed by itself, all into one."""
    compressor = zstandard.ZstdCompressor(level=3)
    with (folder / "yardstick.zst").open("wb") as out:
        for name in files:
            out.write(compressor.compress(Path(name).read_bytes()))


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.mkdir(parents=True, exist_ok=True)
    print(json.dumps(measured(history(place, int(sys.argv[2]) if len(sys.argv) > 2 else 200), place), indent=1))
