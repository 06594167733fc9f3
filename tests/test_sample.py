"""The bundled sample: what a newcomer without any history sees first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pollux import Filter, Library, Session
from pollux.model import Fate, Kind, Severity, Status, ToolCall
from tests.cli.running import Pollux

HOME = Path(__file__).parent.parent / "src" / "pollux" / "sample" / "home"
EVERYTHING = Filter(everything=True)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> list[Session]:
    own = str(tmp_path_factory.mktemp("xdg"))
    environ = {"HOME": str(HOME), "XDG_DATA_HOME": own, "XDG_CACHE_HOME": own}
    return list(Library(environ, HOME, hunt=False).sessions(EVERYTHING))


def calls(session: Session) -> list[ToolCall]:
    return [part for message in session.messages for part in message.parts if isinstance(part, ToolCall)]


def test_it_holds_something_of_every_kind(sessions: list[Session]) -> None:
    kinds = [session.kind for session in sessions]
    assert {kind: kinds.count(kind) for kind in Kind} == {
        Kind.MAIN: 6,
        Kind.SUBAGENT: 1,
        Kind.CHECKPOINT: 1,
        Kind.PROMPTS: 1,
    }


def test_nothing_in_it_is_odd(sessions: list[Session]) -> None:
    assert not [n for session in sessions for n in session.notices if n.severity is not Severity.INFO]


def test_the_doctor_is_content(tmp_path: Path) -> None:
    done = Pollux(tmp_path)("--sample", "doctor", "--strict")
    assert done.returncode == 0, done.stdout


def test_every_project_is_known(sessions: list[Session]) -> None:
    named = {session.project: session.project_evidence for session in sessions}
    assert named == {
        "/home/juno/code/postcards": "hash",
        "/home/juno/code/seedbank": "marker",
        "/home/juno/code/tidewatch": "marker",
    }


def test_it_shows_what_can_become_of_a_message(sessions: list[Session]) -> None:
    fates = {message.fate for session in sessions for message in session.messages}
    assert {Fate.LIVE, Fate.REWOUND, Fate.COMPRESSED} <= fates


def test_a_command_fails_in_it(sessions: list[Session]) -> None:
    failed = [call for session in sessions for call in calls(session) if call.status is Status.ERROR]
    assert {call.exit_code for call in failed} == {1, 127}


def test_its_sub_agent_is_linked_both_ways(sessions: list[Session]) -> None:
    child = next(session for session in sessions if session.kind is Kind.SUBAGENT)
    parent = next(session for session in sessions if session.key == child.parent)
    assert child.key in [call.child for call in calls(parent)]


def test_its_figures_add_up(sessions: list[Session]) -> None:
    figures = [m.usage for session in sessions for m in session.messages if m.usage is not None]
    assert figures
    for usage in figures:
        assert usage.total == usage.native["total"]
        assert (usage.cached or 0) <= (usage.input or 0)
    exact = {session.usage.exact for session in sessions if session.kind is Kind.MAIN}
    assert exact == {True, False}


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in HOME.rglob("*") if file.is_file()) <= 60_000


@pytest.mark.parametrize("arguments", [(), ("list", "--all"), ("show", "last"), ("projects",), ("agents",)])
def test_every_command_has_something_to_show(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = Pollux(tmp_path)("--sample", *arguments)
    assert done.returncode == 0
    assert done.stdout
    assert done.stderr == "pollux: this is the bundled sample, not your own history.\n"


def test_the_sample_leaves_no_trace(tmp_path: Path) -> None:
    pollux = Pollux(tmp_path)
    pollux("--sample", "projects")
    assert not list(pollux.home.iterdir())
    assert not (tmp_path / "xdg").exists()


def test_nobody_in_it_is_real() -> None:
    homes = {
        found
        for file in HOME.rglob("*")
        if file.is_file()
        for found in re.findall(r"/home/(\w+)", file.read_text("utf-8"))
    }
    assert homes == {"juno"}
