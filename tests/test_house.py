"""The house is as CONTRIBUTING describes it."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.apart import apart

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "pollux"
LOOSE = {"__init__.py", "__main__.py", "errors.py", "registry.py", "version.py"}
CROWDED = 25
FOLDERS = sorted(
    folder
    for folder in (PACKAGE, *PACKAGE.rglob("*"))
    if folder.is_dir() and folder.name != "__pycache__" and "sample" not in folder.parts and list(folder.glob("*.py"))
)


def _rooms_in_the_table() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text[text.index("| room |") : text.index("Agents do not import one another.")]
    return re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)


def _floors() -> list[str]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (floors,) = (contract["layers"] for contract in contracts if contract["id"] == "floors")
    return list(floors)


def test_the_table_of_rooms_is_the_tree() -> None:
    rooms = {folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "__pycache__"}
    assert set(_rooms_in_the_table()) == rooms | {"errors", "registry"}


def test_the_table_of_rooms_goes_down_floor_by_floor() -> None:
    floor_of = {room: number for number, floor in enumerate(_floors()) for room in floor.split(" | ")}
    numbers = [floor_of[room] for room in _rooms_in_the_table() if room in floor_of]
    assert numbers == sorted(numbers)
    assert len(numbers) == len(floor_of)


def test_only_a_few_modules_stand_outside_of_every_room() -> None:
    assert {file.name for file in PACKAGE.glob("*.py")} == LOOSE


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(PACKAGE.parent)))
def test_a_room_says_what_it_is_for_and_is_not_crowded(folder: Path) -> None:
    content = apart(lambda: ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))))
    assert content is not None
    assert content.endswith(".") or "\n" in content
    assert len(list(folder.glob("*.py"))) <= CROWDED


def test_a_room_says_what_it_may_import() -> None:
    floors = _floors()
    for floor, below in zip(floors, [*floors[1:], ""], strict=True):
        rooms = " and ".join(f"`{name}`" for name in below.split(" | "))
        sentence = f"It may import {rooms}, and what lies below." if below else "It imports nothing."
        for room in floor.split(" | "):
            if (PACKAGE / room).is_dir():
                assert sentence in (PACKAGE / room / "__init__.py").read_text("utf-8"), room


def test_every_file_that_the_guide_names_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    guide = text[text.index("## Five roads") : text.index("## Words")]
    named = re.findall(r"`((?:\w+/)+\w+(?:\.py)?)`", guide)
    assert len(named) > 15
    assert [name for name in named if not (PACKAGE / name).exists()] == []


def test_whatever_tries_a_sample_is_tried_whole_at_times() -> None:
    """`make test-exhaustive` runs each file that tries less otherwise."""
    listed = re.search(r"^SAMPLED = ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert listed is not None
    folders = tuple(listed[1].replace("\\\n", " ").split())
    files = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    sampled = {name for name, text in files.items() if re.search(r"POLLUX_EXHAUSTIVE\"|tests\.samples", text)}
    assert len(sampled) > 15
    assert sorted(name for name in sampled if not name.startswith(folders)) == []


def test_nobody_left_a_cache_in_the_corpus() -> None:
    """A pollux whose home is one of these homes leaves its cache in it."""
    assert not list((ROOT / "tests" / "corpus").glob("*/*/home/.cache"))
