"""What the installed release of Claude Code decides, and the name of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.errors import CannotResume
from tests.resumable import IDS, Desk

ID = IDS["claude"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.claude(desk.home / ".claude")
    return desk


@pytest.mark.parametrize("release", ["1.0.128", "2.0.77", "2.1.112", "2.1.181"])
@pytest.mark.parametrize("fork", [False, True])
def test_releases_that_find_a_session_only_in_its_own_folder(desk: Desk, release: str, fork: bool) -> None:
    desk.install("claude", release)
    assert desk.library().resume.plan(ID, fork=fork).folder == str(desk.project)
    with pytest.raises(CannotResume, match=f"Claude Code {release} resumes a session only in the folder") as caught:
        desk.library().resume.plan(ID, fork=fork, folder=str(desk.elsewhere))
    assert caught.value.reason == "elsewhere"


@pytest.mark.parametrize("release", ["2.1.250", "2.1.325", "3.0.0"])
def test_releases_that_find_a_session_anywhere(desk: Desk, release: str) -> None:
    desk.install("claude", release)
    assert desk.library().resume.plan(ID, folder=str(desk.elsewhere)).folder == str(desk.elsewhere)


def test_a_release_that_is_not_known_has_the_last_word_itself(desk: Desk) -> None:
    (desk.bin / "claude").write_text("#!/bin/sh\n")
    (desk.bin / "claude").chmod(0o755)
    assert desk.library().resume.plan(ID, folder=str(desk.elsewhere)).program == str(desk.bin / "claude")


def test_a_file_with_another_name_gets_its_own_again(desk: Desk) -> None:
    file = desk.home / ".claude" / "projects"
    (file,) = file.rglob("*.jsonl")
    file.rename(file.with_name("copy of yesterday.jsonl"))
    asked = desk.library()
    key = asked.list()[0].summary.key
    with pytest.raises(CannotResume, match="by the name of its file") as caught:
        asked.resume.plan(key)
    assert caught.value.reason == "name"
    assert caught.value.hint == f"Try: pollux recover {key} --in-place"
    rebuilt = asked.recover.rebuild(asked.session(key))
    asked.archive.restore(asked.recover.plan(rebuilt, None))
    assert desk.library().resume.plan(ID).words == ("claude", "--resume", ID)
