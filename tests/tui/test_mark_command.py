"""Every change of a mark names the command that does the same, and that command does."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from pollux.library.library import Library
from pollux.library.marks import Edit, Target
from pollux.library.sample import HOME
from pollux.tui.mark_command import mark_command
from tests.tui.driving import Driver, drive, environment
from tests.tui.terminal import pollux_command

TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"
TRIALS = "claude:d80997e6-0e9e-4ce2-99f8-6b4631a4696f"
EDITS = [
    Edit(starred=True),
    Edit(tags={"seeds": True, "bug": True}),
    Edit(note='it\'s the "good" one; $HOME'),
    Edit(name="-x"),
    Edit(private=True),
]


@pytest.mark.parametrize("edit", EDITS)
def test_the_command_does_the_same(tmp_path: Path, edit: Edit) -> None:
    found = []
    for by_command in (True, False):
        variables = environment(HOME, tmp_path / str(by_command))
        with Library(variables, HOME, hunt=False) as library:
            message = library.session(TRIALS).messages[0]
            for target in (Target(TRIALS), Target(TRIALS, message) if edit.name is None else Target(TRIALS)):
                if by_command:
                    words = shlex.split(mark_command(target, edit))[1:]
                    env = {**variables, "PATH": os.environ["PATH"]}
                    subprocess.run(pollux_command(*words), env=env, check=True, capture_output=True)
                else:
                    library.marks.change([target], edit)
        with Library(variables, HOME, hunt=False) as library:
            marks = library.marks.of(TRIALS)
            assert marks is not None
            found.append((marks.session, {key: one.marks for key, one in marks.messages.items()}))
    assert found[0] == found[1]


def test_what_the_last_line_says(tmp_path: Path) -> None:
    async def steps(driver: Driver) -> None:
        await driver.press("ctrl+b")
        assert f"Starred. · pollux mark {TIDES} --star" in driver.text()
        driver.app.call_later(driver.app.read, TIDES)
        await driver.read()
        await driver.press("m", "t", *"seeds -bug", "enter")
        assert f"Tagged. · pollux mark {TIDES} --tag seeds --untag bug" in driver.text()
        await driver.press("m", "t", "enter")
        assert "agged" not in driver.text()
        await driver.press("m", "p")
        assert f"Kept from agents. · pollux mark {TIDES} --private" in driver.text()
        marks = driver.app.library.marks.of(TIDES)
        assert marks is not None
        assert (marks.session.starred, marks.session.tags, marks.session.private) == (True, ("seeds",), True)
        await driver.press("m", "u")
        assert "Undone. · pollux mark --undo" in driver.text()

    drive(steps, tmp_path, size=(100, 30))
