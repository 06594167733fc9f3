"""The skill: small, true, and written with the same manners as settings."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pollux.errors import OutputError
from pollux.library.connect import skill
from pollux.library.connect.plan import Change, ConnectPlan
from pollux.library.library import Library
from tests import program
from tests.unit.library.connect.conftest import Machine

CLAUDE, SHARED = ".claude/skills/pollux/SKILL.md", ".agents/skills/pollux/SKILL.md"


def install(library: Library, agent: str = "all", scope: str = "user", *, remove: bool = False) -> ConnectPlan:
    return library.connect.write(library.connect.plan_skill(agent, scope, remove=remove))


def test_it_is_small_and_has_a_name_and_a_description() -> None:
    lines = skill.text().splitlines()
    assert len(lines) <= 120
    assert lines[0] == lines[3] == "---"
    assert lines[1] == "name: pollux"
    description = lines[2].removeprefix("description: ")
    assert len(description) + len("pollux") <= 500
    assert not set(description) & set("#{}[]&*!|>%@`:"), "it must be plain in YAML"


def commands() -> list[str]:
    shell = "\n".join(re.findall(r"```sh\n(.*?)```", skill.text(), re.DOTALL))
    return [*re.findall(r"^ *(pollux .+)$", shell, re.MULTILINE), *re.findall(r"`(pollux [^`]+)`", skill.text())]


@pytest.mark.parametrize("line", commands())
def test_every_command_works_over_the_sample(line: str, tmp_path: Path) -> None:
    words = shlex.split(line.partition(" | head")[0])[1:]
    env = {"HOME": str(tmp_path), "PYTHONPATH": program.SOURCE, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = program.run(*words, *(() if "--help" in words else ("--sample",)), env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_it_comes_to_the_agents_that_are_here_and_goes_again(machine: Machine) -> None:
    machine.have("claude", "codex", "gemini")
    before = sorted(machine.home.rglob("*"))
    library = machine.library()
    plan = install(library)
    assert [step.agents for step in plan.steps] == [("gemini", "codex"), ("claude",)]
    for name in (CLAUDE, SHARED):
        assert (machine.home / name).read_text() == library.connect.skill_text()
    assert [step.change for step in install(library).steps] == [Change.NONE, Change.NONE]
    install(library, remove=True)
    assert [path for path in sorted(machine.home.rglob("*")) if ".local" not in path.parts] == before
    assert machine.copies == [], "it can be written again at any time"
    assert [step.change for step in install(library, remove=True).steps] == [Change.ABSENT] * 4


def test_in_a_project(machine: Machine) -> None:
    machine.have("claude", "codex")
    install(machine.library(), scope="project")
    assert (machine.project / CLAUDE).stat().st_mode & 0o044 == 0o044
    assert (machine.project / SHARED).exists()


def test_variables_move_it(machine: Machine) -> None:
    moved = {"CLAUDE_CONFIG_DIR": str(machine.home / "c"), "GEMINI_CLI_HOME": str(machine.home / "g")}
    machine.have("codex")
    plan = machine.library(**moved).connect.plan_skill("all", remove=True)
    assert [str(step.place.relative_to(machine.home)) for step in plan.steps] == [
        "g/.agents/skills/pollux/SKILL.md",
        "c/skills/pollux/SKILL.md",
        SHARED,
        ".copilot/skills/pollux/SKILL.md",
        ".qwen/skills/pollux/SKILL.md",
    ]


def test_an_older_page_of_ours_is_renewed_without_a_remark(machine: Machine) -> None:
    page = "---\nname: pollux\n---\nOld.\n"
    file = machine.file(CLAUDE, f"{page}<!-- pollux 0.0.1 {skill._hash(page.encode())} -->\n")
    plan = install(machine.library(), "claude")
    assert [(step.change, step.notes) for step in plan.steps] == [(Change.RENEW, ())]
    assert file.read_text() == skill.text()
    assert machine.copies == []


@pytest.mark.parametrize("remove", [False, True])
def test_a_page_that_somebody_changed_is_named_and_kept(machine: Machine, remove: bool) -> None:
    machine.have("claude")
    changed = skill.text().replace("Two or three", "Ten")
    file = machine.file(CLAUDE, changed)
    beside = machine.file(".claude/skills/pollux/mine.md", "mine")
    plan = machine.library().connect.plan_skill("claude", remove=remove)
    assert plan.steps[0].change is (Change.REMOVE if remove else Change.REPLACE)
    assert "changed since pollux wrote it" in plan.steps[0].notes[0]
    machine.library().connect.write(plan)
    assert file.exists() is not remove
    assert [copy.read_text() for copy in machine.copies] == [changed]
    assert beside.exists()


def test_a_page_that_pollux_never_wrote_is_not_removed(machine: Machine) -> None:
    file = machine.file(CLAUDE, "---\nname: pollux\ndescription: another one\n---\n")
    plan = install(machine.library(), "claude", remove=True)
    assert [(step.change, step.notes) for step in plan.steps] == [
        (Change.LEFT, ("It is not the skill of pollux. It stays.",))
    ]
    assert file.exists()


def test_a_page_that_changed_meanwhile_stays(machine: Machine) -> None:
    file = machine.file(CLAUDE, "mine\n")
    library = machine.library()
    plan = library.connect.plan_skill("claude")
    file.write_text("mine, too\n")
    with pytest.raises(OutputError, match="was changed meanwhile"):
        library.connect.write(plan)
    assert file.read_text() == "mine, too\n"
    file.write_text(skill.text())
    assert library.connect.write(plan).written, "somebody else wrote the same"


def test_a_link_in_a_project_is_refused(machine: Machine, tmp_path: Path) -> None:
    (machine.project / ".claude").symlink_to(tmp_path)
    with pytest.raises(OutputError, match="is a link"):
        machine.library().connect.plan_skill("claude", "project")
