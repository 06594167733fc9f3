"""A home that changes, caches of it, and everything pollux answers about it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pollux.library.library import Filter, Library
from pollux.model import NOTHING

CORPUS = Path(__file__).parent.parent / "corpus" / "gemini"
WORDS = (
    "weather",
    "report",
    '"the report"',
    "-report weather",
    "main.py",
    "tool:shell_exec",
    "parser OR error",
    "架构",
)


class ChangingHome:
    """A home with sessions that can be added to, changed and removed."""

    def __init__(self, folder: Path, *, furnished: bool = True) -> None:
        self.home = folder / "home"
        self.cache = folder / "cache"
        self.home.mkdir()
        if furnished:
            shutil.copytree(CORPUS / "0.61.0" / "home", self.home, dirs_exist_ok=True)
        self._talks = 0

    def library(self, cache: Path | None = None, *, environ: Mapping[str, str] = NOTHING, **options: Any) -> Library:
        """The library over this home, with this cache."""
        places = {"XDG_CACHE_HOME": str(cache or self.cache), "XDG_DATA_HOME": str((cache or self.cache) / "data")}
        return Library({"HOME": str(self.home), **places, **environ}, self.home, hunt=False, **options)

    def talk(self, name: str, *texts: str, project: str = "weather") -> Path:
        """Write a session, or go on with one."""
        file = self.home / ".gemini" / "tmp" / project / "chats" / f"session-{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as out:
            if not out.tell():
                header = {"sessionId": name, "projectHash": "0" * 64, "startTime": _time(0), "kind": "main"}
                out.write(json.dumps(header) + "\n")
            for text in texts:
                self._talks += 1
                line = {"id": f"{name}-{self._talks}", "timestamp": _time(self._talks), "type": "user", "content": text}
                out.write(json.dumps(line) + "\n")
        return file

    def answers(self, cache: Path | None = None, **options: Any) -> dict[str, Any]:
        """What pollux says about the home, from this cache."""
        library = self.library(cache, **options)
        everything = library.list(Filter(everything=True))
        report = library.doctor()
        hits_by_word = {word: library.search(word, limit=200).hits for word in WORDS}
        return {
            "list": msgspec.to_builtins(everything),
            "search": {
                word: sorted((hit.key, hit.message_id, hit.snippet) for hit in hits)
                for word, hits in hits_by_word.items()
            },
            "projects": msgspec.to_builtins(library.projects.all()),
            "edits": msgspec.to_builtins(library.edits.newest(limit=None)),
            "friction": msgspec.to_builtins(library.friction.newest(limit=None)),
            "doctor": msgspec.to_builtins(report.totals),
        }

    def truth(self) -> dict[str, Any]:
        """The same from a cache that was made just now."""
        fresh = self.cache.with_name("fresh")
        shutil.rmtree(fresh, ignore_errors=True)
        return self.answers(fresh)


def _time(second: int) -> str:
    return f"2026-11-14T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000Z"


@pytest.fixture
def home(tmp_path: Path) -> ChangingHome:
    return ChangingHome(tmp_path)


@pytest.fixture
def empty_home(tmp_path: Path) -> ChangingHome:
    return ChangingHome(tmp_path, furnished=False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with little room, where the machine lets us make one."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.system(f"mount -t tmpfs -o size=400k tmpfs {place} 2>/dev/null") != 0:  # noqa: S605
        pytest.skip("no permission to mount a file system")
    yield place
    os.system(f"umount -l {place}")  # noqa: S605
