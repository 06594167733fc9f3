"""Which project was probably meant by a name, or a path, that none has."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.library.library import Filter, Library
from tests.unit.sources.claude.conftest import Home, model, user

PROJECTS = (
    "/home/ada/code/tide-watch",
    "/home/ada/code/seedbank",
    "/home/ada/old/seedbank",
    "/home/ada/code/Überblick",
)


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    home = Home(tmp_path)
    for number, path in enumerate(PROJECTS):
        records = [{**one, "cwd": path} for one in (user("Hi"), model("Hello"))]
        home.log(f"aaaaaaaa-0000-4000-8000-00000000000{number}", *records, project=f"p{number}")
    return home.library()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("seedbnak", "seedbank"),
        ("Seedbnak", "seedbank"),
        ("wathc", "tide-watch"),
        ("tidewatch", "tide-watch"),
        ("uberblik", "Überblick"),
        ("/home/ada/code/seedbnak", "/home/ada/code/seedbank"),
        ("/home/ada/old/seedbnak", "/home/ada/old/seedbank"),
        ("/home/eve/code/tide-watch", "/home/ada/code/tide-watch"),
        ("code/tidewatch/", "/home/ada/code/tide-watch"),
        ("~/elsewhere/seedbank", "/home/ada/code/seedbank"),
        ("C:\\code\\seedbank", "/home/ada/code/seedbank"),
        ("/home/ada/code/postcards", None),
        ("postcards", None),
        ("seedbank", None),
        ("/home/ada/code", None),
    ],
)
def test_a_project_is_known_by_its_last_folder(shelf: Library, asked: str, meant: str | None) -> None:
    """All paths begin alike: that tells nothing. A project that is there is not asked back for."""
    assert shelf.projects.closest(asked) == meant
    assert shelf.index.hint(Filter(project=asked)) == (f"Did you mean: --project {meant}?" if meant else "")


def test_a_list_asks_back_for_all_that_nothing_has(shelf: Library) -> None:
    criteria = Filter(project="seedbnak", facts=(("branch", "mian"),), words=("projet:x", "tool:x", "http://x"))
    assert shelf.index.hint(criteria, "Try: pollux list") == (
        "Did you mean: --project seedbank? No branch matches 'mian'. Did you mean: branch:main? "
        "projet: is not a filter. Did you mean: project:x? tool: is a filter of pollux search."
    )
    assert shelf.index.hint(Filter(project="seedbank"), "Try: pollux list") == "Try: pollux list"
