"""What decides how Gemini CLI goes on: the folder, the release, which of several files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pollux.errors import CannotResume
from pollux.model.project_hash import project_hash
from tests.resumable import IDS, Desk

ID = IDS["gemini"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("release", ["0.1.22", "0.10.0"])
def test_releases_that_cannot_resume(desk: Desk, release: str) -> None:
    desk.gemini(desk.home / ".gemini")
    desk.install("gemini", release)
    with pytest.raises(CannotResume, match=f"Gemini CLI {release} cannot resume sessions") as caught:
        desk.library().resume.plan(ID)
    assert caught.value.reason == "release"


@pytest.mark.parametrize("release", ["0.15.0", "0.40.1"])
def test_releases_that_cannot_load_a_file(desk: Desk, release: str) -> None:
    desk.gemini(desk.home / ".gemini")
    desk.install("gemini", release)
    assert desk.library().resume.plan(ID).words == ("gemini", "--resume", ID)
    for fork, folder in ((True, None), (False, str(desk.elsewhere))):
        with pytest.raises(CannotResume, match="cannot go on with a copy of a session") as caught:
            desk.library().resume.plan(ID, fork=fork, folder=folder)
        assert caught.value.reason == "release"


def test_a_folder_that_is_named_by_its_hash(desk: Desk) -> None:
    file = desk.gemini(desk.home / ".gemini")
    (file.parents[1] / ".project_root").unlink()
    file.parents[1].rename(file.parents[2] / project_hash(str(desk.project)))
    asked = desk.library(desk.project)
    assert asked.resume.plan(ID, folder=str(desk.project)).words == ("gemini", "--resume", ID)
    assert asked.resume.plan(ID, folder=str(desk.elsewhere)).fork


def test_a_copy_is_made_of_the_file_that_has_everything(desk: Desk) -> None:
    """A resume leaves a file with little more than a first line."""
    file = desk.gemini(desk.home / ".gemini")
    stub = file.with_name(file.name.replace("11-14T10", "11-15T10"))
    stub.write_text(file.read_text().splitlines(keepends=True)[0])
    assert desk.library().resume.plan(ID, fork=True).words == ("gemini", "--session-file", str(file))


def test_a_copy_of_files_in_a_folder_to_which_no_variable_leads(desk: Desk) -> None:
    file = desk.gemini(desk.home / ".gemini")
    backup = Path(shutil.move(file.parents[2], desk.elsewhere / "backup"))
    plan = desk.library(environ={"POLLUX_GEMINI_DIR": str(backup)}).resume.plan(ID, fork=True)
    assert plan.words == ("gemini", "--session-file", str(backup / file.relative_to(file.parents[2])))
    assert plan.environ == {}
