from __future__ import annotations

import pytest

from pollux.model.names import matched_together, name_matches, project_matches, project_name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/ada/code/weather", "weather"),
        ("/home/ada/code/weather/", "weather"),
        ("C:\\code\\weather", "weather"),
        ("C:\\code\\weather\\", "weather"),
        ("weather", "weather"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_a_project_is_named_by_its_last_folder_on_every_system(path: str, name: str) -> None:
    assert project_name(path) == name


def test_a_name_means_the_last_folder_only() -> None:
    assert project_matches("weather", "C:\\code\\weather")
    assert not project_matches("code", "C:\\code\\weather")
    assert not project_matches("code", "/code/weather")


def test_names_that_match_others_are_those_that_match_when_typed() -> None:
    names = [
        "main",
        "feature/main",
        "main-2",
        "maintenance",
        "gpt-5",
        "gpt-5.5",
        "gpt-5-mini",
        "GPT_5",
        "é",
        "É",
        "5",
        "a b",
    ]
    together = matched_together(names)
    for name in names:
        assert together.get(name, [name]) == [one for one in names if name_matches(name, one)], name
    assert matched_together(["feature", "bug"]) == {}
