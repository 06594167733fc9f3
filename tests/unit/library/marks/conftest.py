"""The sample history with marks, as several libraries see it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.library.marks import Edit

HOME = Path(__file__).parents[4] / "src" / "pollux" / "sample" / "home"
CORPUS = Path(__file__).parents[3] / "corpus"
TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"
SEEDS = "gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43"
SIGNS = "codex:01a1b23d-6e6d-76af-93ee-fed9b94e762c"
STAR = Edit(starred=True)


class Place:
    """A home of one's own that a library can be opened for again and again."""

    def __init__(self, folder: Path, home: Path = HOME) -> None:
        self.home, self.cache, self.data = folder / "home", folder / "cache", folder / "data"
        shutil.copytree(home, self.home)
        self.environ = {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_DATA_HOME": str(self.data),
            "POLLUX_BACKGROUND": "0",
        }

    def library(self, *, early: bool = False) -> Library:
        return Library(self.environ, self.home, hunt=False, early=early)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def library(place: Place) -> Library:
    return place.library()


def listed(library: Library, *marks: tuple[str, str]) -> list[str]:
    return [entry.summary.key for entry in library.list(Filter(marks=marks, everything=True))]


def found(library: Library, query: str) -> set[str]:
    return {f"{hit.key}#{hit.message_id}" for hit in library.search(query, limit=1000).hits}


def exported(library: Library, file: Path) -> Path:
    library.archive.export(file)
    return file
