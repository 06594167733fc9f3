"""The bundled sample: what a newcomer without any history sees first."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from pollux import Filter, Library, Session
from pollux.model import Author, Fate, Kind, Role, Status, SummaryPart, Thinking, ToolCall
from tests.cli.program import Pollux

HOME = Path(__file__).parent.parent / "src" / "pollux" / "sample" / "home"
EVERYTHING = Filter(everything=True)
AGENTS = ("claude", "codex", "gemini")
"""Those that worked on every project."""
OTHERS = {"copilot": "tidewatch", "opencode": "seedbank", "qwen": "postcards"}
"""Those that worked on one project."""
ALL = (*AGENTS, *OTHERS)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[Session]:
    own = str(tmp_path_factory.mktemp("xdg"))
    environ = {"HOME": str(HOME), "XDG_DATA_HOME": own, "XDG_CACHE_HOME": own}
    return list(Library(environ, HOME, hunt=False).sessions(EVERYTHING))


def calls(session: Session) -> list[ToolCall]:
    return [part for message in session.messages for part in message.parts if isinstance(part, ToolCall)]


def titled(sessions: list[Session], title: str) -> Session:
    return next(session for session in sessions if session.title == title)


def test_it_holds_something_of_every_kind(sessions: list[Session]) -> None:
    kinds = [session.kind for session in sessions]
    assert {kind: kinds.count(kind) for kind in Kind} == {
        Kind.MAIN: 15,
        Kind.SUBAGENT: 2,
        Kind.CHECKPOINT: 1,
        Kind.PROMPTS: 1,
    }


def test_every_agent_is_in_it(sessions: list[Session]) -> None:
    main = [session.agent for session in sessions if session.kind is Kind.MAIN]
    assert {agent: main.count(agent) for agent in main} == {
        "claude": 3,
        "codex": 3,
        "gemini": 6,
        **dict.fromkeys(OTHERS, 1),
    }


def test_every_agent_worked_on_every_project(sessions: list[Session]) -> None:
    worked = {(session.project, session.agent) for session in sessions}
    named = {(name, agent) for name in ("postcards", "seedbank", "tidewatch") for agent in AGENTS}
    named |= {(name, agent) for agent, name in OTHERS.items()}
    assert worked == {(f"/home/juno/code/{name}", agent) for name, agent in named}


def test_its_newest_session_is_the_one_of_the_tour(sessions: list[Session]) -> None:
    newest = max((session for session in sessions if session.ended), key=lambda session: str(session.ended))
    assert newest.key == "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"


def test_nothing_in_it_is_odd(sessions: list[Session]) -> None:
    assert not [notice for session in sessions for notice in session.notices]


def test_the_doctor_is_content(tmp_path: Path) -> None:
    result = Pollux(tmp_path)("--sample", "doctor", "--strict")
    assert result.returncode == 0, result.stdout


def test_every_project_is_known(sessions: list[Session]) -> None:
    named = {(session.agent, session.project): session.project_evidence for session in sessions}
    assert {named.pop((agent, project)) for agent, project in list(named) if agent != "gemini"} == {"recorded"}
    assert named == {
        ("gemini", "/home/juno/code/postcards"): "hash",
        ("gemini", "/home/juno/code/seedbank"): "marker",
        ("gemini", "/home/juno/code/tidewatch"): "marker",
    }


@pytest.mark.parametrize("oldest", AGENTS)
def test_its_projects_are_told_alike_whatever_file_is_newest(oldest: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(HOME, home)
    for file in home.rglob("*"):
        os.utime(file, (1, 1) if f".{oldest}" in file.parts else (2, 2))
    environ = {"HOME": str(home), "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    answers = [(p.name, list(p.agents.items()), p.evidence) for p in Library(environ, home, hunt=False).projects.all()]
    assert answers == [
        ("postcards", [("claude", 1), ("codex", 1), ("gemini", 1), ("qwen", 1)], "recorded"),
        ("seedbank", [("claude", 1), ("codex", 1), ("gemini", 2), ("opencode", 1)], "recorded"),
        ("tidewatch", [("claude", 1), ("codex", 1), ("copilot", 1), ("gemini", 3)], "recorded"),
    ]


@pytest.mark.parametrize(
    ("agent", "fates"),
    [
        ("claude", {Fate.LIVE, Fate.REWOUND, Fate.COMPRESSED}),
        ("codex", {Fate.LIVE}),
        ("gemini", {Fate.LIVE, Fate.REWOUND, Fate.COMPRESSED}),
    ],
)
def test_it_shows_what_can_become_of_a_message(sessions: list[Session], agent: str, fates: set[Fate]) -> None:
    assert fates == {m.fate for session in sessions if session.agent == agent for m in session.messages}


@pytest.mark.parametrize(
    ("agent", "codes"),
    [
        *(("claude", {1}), ("codex", {1, 2}), ("gemini", {1, 127})),
        *(("copilot", {1}), ("opencode", {1}), ("qwen", {2})),
    ],
)
def test_a_command_fails_in_it(sessions: list[Session], agent: str, codes: set[int]) -> None:
    of_agent = [session for session in sessions if session.agent == agent]
    failed = [call for session in of_agent for call in calls(session) if call.status is Status.ERROR]
    assert {call.exit_code for call in failed} == codes


@pytest.mark.parametrize("agent", ALL)
def test_every_agent_thinks_in_it(sessions: list[Session], agent: str) -> None:
    parts = [p for session in sessions if session.agent == agent for m in session.messages for p in m.parts]
    assert [part for part in parts if isinstance(part, Thinking) and part.text]


@pytest.mark.parametrize("agent", ["claude", "gemini"])
def test_its_sub_agents_are_linked_both_ways(sessions: list[Session], agent: str) -> None:
    child = next(session for session in sessions if session.kind is Kind.SUBAGENT and session.agent == agent)
    parent = next(session for session in sessions if session.key == child.parent)
    assert child.key in [call.child for call in calls(parent)]


def test_claude_is_told_something_while_it_works(sessions: list[Session]) -> None:
    week = titled(sessions, "Add the week view to tidewatch")
    assert [prompt.text for prompt in week.prompts][1:] == ["The weekday in front of the date, please."]
    edits = [call for call in calls(week) if call.canonical == "file_edit"]
    assert len(edits) == 2
    for edit in edits:
        result = edit.extra["result"]
        (hunk,) = result["structuredPatch"]
        old = [line[1:] for line in hunk["lines"] if line[0] in " -"]
        new = [line[1:] for line in hunk["lines"] if line[0] in " +"]
        assert (len(old), len(new)) == (hunk["oldLines"], hunk["newLines"])
        start = hunk["oldStart"] - 1
        assert result["originalFile"].split("\n")[start : start + len(old)] == old
        changed = result["originalFile"].replace(result["oldString"], result["newString"])
        assert changed.split("\n")[start : start + len(new)] == new


def test_a_prompt_of_claude_was_edited(sessions: list[Session]) -> None:
    twins = titled(sessions, "Find postcards that were scanned twice")
    assert [(prompt.text, prompt.fate) for prompt in twins.prompts][1:] == [
        ("Delete 031.", Fate.REWOUND),
        ("Delete 031 and let the album show 017 in its place.", Fate.LIVE),
    ]


def test_a_session_of_claude_was_renamed_and_compacted(sessions: list[Session]) -> None:
    trials = titled(sessions, "germination trials")
    assert [part for message in trials.messages for part in message.parts if isinstance(part, SummaryPart)]
    commands = [m.text for m in trials.messages if (m.role, m.author) == (Role.SYSTEM, Author.HUMAN)]
    assert commands == ["/rename germination trials", "/compact"]


def test_codex_patches_files(sessions: list[Session]) -> None:
    patches = [call for session in sessions for call in calls(session) if call.name == "apply_patch"]
    assert {call.status for call in patches} == {Status.OK}
    assert {hunk["path"] for call in patches for hunk in call.extra["hunks"]} == {
        "app.py",
        "make_album.py",
        "templates/variety.html",
        "tidewatch/tables.py",
    }


def test_a_thread_of_codex_has_a_name(sessions: list[Session]) -> None:
    assert titled(sessions, "Two packets, no packet").agent == "codex"


def test_its_figures_add_up(sessions: list[Session]) -> None:
    figures = [(session, m.usage) for session in sessions for m in session.messages if m.usage is not None]
    assert {session.agent for session, _ in figures} == set(ALL)
    for session, usage in figures:
        match session.agent:
            case "gemini":
                assert usage.total == usage.native["total"]
            case "codex":
                own = usage.native.get("last_token_usage") or usage.native["usage"]
                assert usage.total == own["total_tokens"]
        assert (usage.cached or 0) + (usage.cache_write or 0) <= (usage.input or 0)
    exact = {(session.agent, session.usage.exact) for session in sessions if session.kind is Kind.MAIN}
    assert exact == {(a, True) for a in ALL} | {("claude", False), ("gemini", False)}


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_its_cache_was_read(sessions: list[Session], agent: str) -> None:
    used = [session.usage for session in sessions if session.agent == agent]
    assert all(usage.cached for usage in used)
    assert all(usage.cache_write for usage in used) is (agent == "claude")


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in HOME.rglob("*") if file.is_file()) <= 225_000


@pytest.mark.parametrize("arguments", [(), ("list", "--all"), ("show", "last"), ("projects",), ("agents",)])
def test_every_command_has_something_to_show(arguments: tuple[str, ...], tmp_path: Path) -> None:
    result = Pollux(tmp_path)("--sample", *arguments)
    assert result.returncode == 0
    assert result.stdout
    assert result.stderr == "pollux: this is the bundled sample, not your own history.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("archive", "on"),
        ("archive", "off"),
        ("archive", "run"),
        ("archive", "import", "kept.pollux"),
        ("archive", "prune", "--lost", "--yes"),
        ("archive", "restore", "6403", "--in-place", "--yes"),
        ("recover", "6403", "--in-place", "--yes"),
        ("rehome", "/home/juno/code/seedbank", "/x"),
        ("cache", "clear"),
        ("key", "new", "work"),
    ],
    ids=" ".join,
)
def test_the_sample_is_never_written_to(arguments: tuple[str, ...], tmp_path: Path) -> None:
    result = Pollux(tmp_path)("--sample", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "pollux: The sample history is read-only.\nLeave --sample out.\n"


def test_a_command_that_writes_never_takes_the_sample_instead(tmp_path: Path) -> None:
    pollux = Pollux(tmp_path)
    assert pollux("--or-sample", "archive", "on").returncode == 0
    assert (tmp_path / "xdg" / "data" / "pollux" / "archive.keeping").exists()
    assert pollux("--or-sample", "key", "new", "work").returncode == 0
    assert "work" in pollux("key", "list").stdout


def test_the_sample_leaves_no_trace(tmp_path: Path) -> None:
    pollux = Pollux(tmp_path)
    pollux("--sample", "projects")
    assert not list(pollux.home.iterdir())
    assert not (tmp_path / "xdg").exists()


def test_nobody_in_it_is_real() -> None:
    homes = {
        word
        for file in HOME.rglob("*")
        if file.is_file()
        for word in re.findall(r"/home/(\w+)", file.read_text("utf-8"))
    }
    assert homes == {"juno"}
