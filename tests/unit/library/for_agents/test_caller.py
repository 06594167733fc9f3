from __future__ import annotations

import pytest

from pollux.library.for_agents.caller import caller_project

HOME = "/home/ada"


@pytest.mark.parametrize(
    ("known", "directory", "project"),
    [
        (["/home/ada/code/tides"], "/home/ada/code/tides", "/home/ada/code/tides"),
        (["/home/ada/code/tides"], "/home/ada/code/tides/src/deep", "/home/ada/code/tides"),
        (["/home/ada/code", "/home/ada/code/tides"], "/home/ada/code/tides/src", "/home/ada/code/tides"),
        (["/home/ada/code/tides"], "/home/ada/code", "/home/ada/code"),
        (["/home/ada/code/tidesong"], "/home/ada/code/tides", "/home/ada/code/tides"),
        ([], "/home/ada/new", "/home/ada/new"),
        (["/home/ada", "/"], "/home/ada/new", "/home/ada/new"),
        (["/home/ada"], "/home/ada", None),
        (["/home/ada/code"], "/home", None),
        (["/home/ada/code"], "/", None),
        (["/srv/app"], "/srv/app/x", "/srv/app"),
    ],
)
def test_the_project_is_the_directory_or_the_nearest_known_one_above(
    known: list[str], directory: str, project: str | None
) -> None:
    assert caller_project(known, directory, HOME) == project
