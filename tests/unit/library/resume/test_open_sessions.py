"""A session that an agent has open is found by real processes, and nothing else is taken for one."""

from __future__ import annotations

import os
import shutil
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from pollux.errors import CannotResume
from pollux.library.resume import open_sessions
from pollux.library.resume.plan import ResumePlan
from tests.resumable import IDS, PACKAGES, Desk

AGENTS = sorted(IDS)
CORPUS = Path(__file__).parents[3] / "corpus"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    for agent in AGENTS:
        desk.install(agent)
    desk.furnish()
    return desk


def plan_of(desk: Desk, agent: str, **options: Any) -> ResumePlan:
    return desk.library().resume.plan(IDS[agent], **options)


def touch(desk: Desk, agent: str) -> None:
    """Write the session's file now."""
    os.utime(plan_of(desk, agent).files[0])


def note(desk: Desk, pid: int, id: str) -> None:
    """What a running Claude Code notes about itself."""
    folder = desk.home / ".claude" / "sessions"
    folder.mkdir(exist_ok=True)
    (folder / f"{pid}.json").write_text(f'{{"pid":{pid},"sessionId":"{id}","cwd":"/","kind":"interactive"}}')
    (folder / f"{pid}.key").write_text("secret")


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_was_told_to_resume_it(desk: Desk, agent: str) -> None:
    words = plan_of(desk, agent).words
    with desk.running(*words) as pid:
        plan = plan_of(desk, agent)
        assert plan.opened is not None
        assert plan.opened.pid == pid
        with pytest.raises(CannotResume) as caught:
            plan.require_ready()
        assert caught.value.reason == "open"
        assert f"(process {pid}) has {plan.session.key} open." in str(caught.value)
        assert f"pollux resume {plan.session.key} --fork" in (caught.value.hint or "")
        plan_of(desk, agent, fork=True).require_ready()
    assert plan_of(desk, agent).opened is None


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_writes_to_its_file(desk: Desk, agent: str) -> None:
    file = Path(plan_of(desk, agent).files[0])
    with desk.running(agent, opened=file) as pid:
        opened = plan_of(desk, agent).opened
        assert opened is not None
        assert opened.pid == pid


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_in_the_folder_that_may_have_written_it(desk: Desk, agent: str) -> None:
    with desk.running(agent, folder=desk.project) as pid:
        assert plan_of(desk, agent).opened is None
        time.sleep(0.02)  # a process began a hundredth of a second ago at most
        touch(desk, agent)
        opened = plan_of(desk, agent).opened
        assert opened is not None
        assert opened.pid == pid
        assert opened.sentence.endswith("changed since it began.")


@pytest.mark.parametrize("agent", AGENTS)
def test_other_processes_do_not_have_it_open(desk: Desk, agent: str) -> None:
    file = Path(plan_of(desk, agent).files[0])
    with (
        desk.running(agent, folder=desk.elsewhere),
        desk.running("vim", folder=desk.project, opened=file),
        desk.running(agent, "--resume", "another", folder=desk.elsewhere),
        desk.running(agent, "--resume", IDS[agent], "--fork-session", folder=desk.elsewhere),
    ):
        touch(desk, agent)
        assert plan_of(desk, agent).opened is None


def test_a_helper_that_outlives_the_agent(desk: Desk) -> None:
    """The daemon of Codex CLI goes on after the last window, and holds threads for a while."""
    file = Path(plan_of(desk, "codex").files[0])
    with (
        desk.running("codex", "app-server", "--managed-daemon", folder=desk.project, opened=file),
        desk.running("codex", "app-server", "daemon", "pid-update-loop", folder=desk.project),
    ):
        touch(desk, "codex")
        assert plan_of(desk, "codex").opened is None


def test_a_running_agent_that_notes_which_session_it_has(desk: Desk) -> None:
    with desk.running("claude", folder=desk.project) as pid:
        note(desk, pid, IDS["claude"])
        opened = plan_of(desk, "claude").opened
        assert opened is not None
        assert opened.pid == pid
        note(desk, pid, "another")
        touch(desk, "claude")
        assert plan_of(desk, "claude").opened is None


def test_an_agent_that_starts_a_script_of_its_package(desk: Desk) -> None:
    """Qwen Code 0.24 starts itself once more, as `node …/@qwen-code/qwen-code/cli.js`, and notes that process."""
    script = f"/opt/node_modules/{PACKAGES['claude']}/cli.js"
    with desk.running("claude", folder=desk.project), desk.running(script, folder=desk.project) as pid:
        note(desk, pid, IDS["claude"])
        touch(desk, "claude")
        opened = plan_of(desk, "claude").opened
        assert opened is not None
        assert opened.pid == pid
        assert opened.sentence.endswith(" open.")


def test_a_note_that_an_agent_left_behind(desk: Desk) -> None:
    with desk.running("claude") as pid:
        pass
    note(desk, pid, IDS["claude"])
    (desk.home / ".claude" / "sessions" / "7.json").write_text("no JSON")
    assert plan_of(desk, "claude").opened is None


class TestWhereProcessesCannotBeSeen:
    @pytest.fixture(autouse=True)
    def blind(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(open_sessions, "processes", lambda: None)

    @pytest.mark.parametrize("agent", AGENTS)
    def test_a_session_that_was_written_just_now(self, desk: Desk, agent: str) -> None:
        assert plan_of(desk, agent).opened is None
        touch(desk, agent)
        opened = plan_of(desk, agent).opened
        assert opened is not None
        assert opened.pid is None
        assert "second" in opened.sentence

    def test_a_note_decides(self, desk: Desk) -> None:
        touch(desk, "claude")
        note(desk, os.getpid(), "another")
        assert plan_of(desk, "claude").opened is None
        note(desk, os.getpid(), IDS["claude"])
        opened = plan_of(desk, "claude").opened
        assert opened is not None
        assert opened.pid == os.getpid()


def test_an_agent_that_makes_no_copies_by_itself(desk: Desk) -> None:
    shutil.copytree(CORPUS / "copilot" / "1.0.102" / "home", desk.home, dirs_exist_ok=True)
    program = desk.bin / "copilot"
    program.write_text("#!/bin/sh\n")
    program.chmod(stat.S_IRWXU)
    events = next(desk.home.glob(".copilot/session-state/*/events.jsonl"))
    key = f"copilot:{events.parent.name}"
    with desk.running("copilot") as pid:
        (events.parent / f"inuse.{pid}.lock").touch()
        plan = desk.library().resume.plan(key, folder=str(desk.elsewhere))
        with pytest.raises(CannotResume) as caught:
            plan.require_ready()
    assert caught.value.reason == "open"
    assert (caught.value.hint or "").endswith(f"pollux handoff {key} --to AGENT")
    desk.library().handoff.plan(key, "claude", folder=str(desk.elsewhere))
