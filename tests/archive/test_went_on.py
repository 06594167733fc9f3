"""A session that went on differently on two machines, with the archive of one taken in on the other."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pollux.archive.merge import rewrite_points
from pollux.archive.packs import State
from pollux.library.library import Filter, Library
from pollux.usage.stats import Grouping
from tests.unit.sources.claude import conftest as claude
from tests.unit.sources.codex import conftest as codex
from tests.unit.sources.gemini import conftest as gemini

EVERYTHING = Filter(everything=True)


class Talk(NamedTuple):
    """A file of a session, what both machines have of it, and what each of them has alone."""

    path: str
    shared: list[gemini.Json]
    here: list[gemini.Json]
    there: list[gemini.Json]


def claude_talk() -> Talk:
    names = [f"msg_01{letter * 22}" for letter in "abc"]
    shared = claude.in_chain([claude.user("Begin"), claude.model("Begun.", names[0])])
    there = claude.in_chain([claude.user("There"), claude.model("Done.", names[1])])
    here = claude.in_chain([claude.user("Here"), claude.model("Done.", names[2])])
    for branch in (here, there):
        branch[0]["parentUuid"] = shared[-1]["uuid"]
    return Talk(f".claude/projects/{claude.PROJECT}/{claude.SID}.jsonl", shared, here, there)


def gemini_talk() -> Talk:
    shared = [gemini.header(), gemini.user("u1", "Begin"), gemini.gemini("g1", "Begun.")]
    there = [gemini.user("u2", "There", "06:00:10"), gemini.gemini("g2", "Done.", "06:00:11")]
    here = [gemini.user("u3", "Here", "06:00:20"), gemini.gemini("g3", "Done.", "06:00:21")]
    return Talk(f".gemini/tmp/{gemini.LOG}", shared, here, there)


def codex_talk() -> Talk:
    shared = [codex.meta(), *codex_turn("Begin", "Begun.", 1, before=0)]
    there = codex_turn("There", "Done.", 2, before=100)
    here = codex_turn("Here", "Done.", 3, before=100)
    return Talk(f".codex/{codex.DAY}/rollout-2026-11-15T06-00-00-{codex.ONE}.jsonl", shared, here, there)


def codex_turn(asked: str, answered: str, number: int, before: int) -> list[gemini.Json]:
    """A prompt, its answer, and what that used beyond what was used before."""
    used = 100 * number
    at = [f"06:0{number}:0{second}.000" for second in range(3)]
    total = codex.figures(before + used, out=before // 100 + 1)
    count = {**codex.tokens(total, codex.figures(used)), "timestamp": f"2026-11-15T{at[2]}Z"}
    return [
        codex.sent_prompt(asked, at=at[0]),
        codex.typed_prompt(asked, at=at[0]),
        codex.reply(answered, at=at[1]),
        count,
    ]


class Machine:
    """A home, and pollux's own folders in it."""

    def __init__(self, home: Path, talk: Talk) -> None:
        self.home = home
        self._talk = talk

    def write(self, *records: gemini.Json) -> Path:
        file = self.home / self._talk.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(claude.json_lines(*self._talk.shared, *records), encoding="utf-8")
        return file

    def library(self) -> Library:
        return Library({"HOME": str(self.home)}, self.home, hunt=False)

    def export(self, file: Path) -> Path:
        """All that is kept of what went on there."""
        self.write()
        library = self.library()
        library.archive.on()
        library.sync()
        self.write(*self._talk.there)
        library.sync()
        library.archive.export(file)
        library.close()
        return file


def check(library: Library, *more: str, live: tuple[str, ...] = ("Begin", "Begun.", "Here", "Done.")) -> None:
    (listed,) = library.list(EVERYTHING)
    requests = 3 + len(more) // 2
    assert (listed.summary.usage.requests, listed.summary.usage.exact) == (requests, True)
    assert library.usage.stats(Grouping.AGENT).total.usage.requests == requests
    assert [session.usage.requests for session in library.sessions(EVERYTHING)] == [requests]
    session = library.session(listed.summary.key)
    said = [message.text for message in session.messages]
    assert said == ["Begin", "Begun.", "There", "Done.", "Here", "Done.", *more]
    assert [message.text for message in session.messages if message.fate == "live"] == [*live, *more]
    assert [hit.message_id for hit in library.search("There").hits] == [session.messages[2].id]
    recovered = library.recover.join(session).session
    assert [message.text for message in recovered.messages] == said


@pytest.mark.parametrize("keeping", [False, True])
@pytest.mark.parametrize("same_home", [False, True])
@pytest.mark.parametrize("make", [claude_talk, gemini_talk, codex_talk])
def test_both_sides_are_there(tmp_path: Path, make: Callable[[], Talk], same_home: bool, keeping: bool) -> None:
    talk = make()
    there = Machine(tmp_path / "there", talk)
    exported = there.export(tmp_path / "archive")
    here = there if same_home else Machine(tmp_path / "here", talk)
    shutil.rmtree(there.home)
    file = here.write(*talk.here)
    library = here.library()
    if keeping:
        library.archive.on()
        library.sync()
    library.archive.import_file(exported)
    library.close()
    check(here.library())
    assert here.library().sync().changed == 0
    file.write_text(file.read_text() + claude.json_lines(*goes_on(talk)), encoding="utf-8")
    check(here.library(), "More", "Said.")


def goes_on(talk: Talk) -> list[gemini.Json]:
    if ".gemini" in talk.path:
        return [gemini.user("u4", "More", "06:00:30"), gemini.gemini("g4", "Said.", "06:00:31")]
    if ".codex" in talk.path:
        return codex_turn("More", "Said.", 4, before=400)
    records = claude.in_chain([claude.user("More"), claude.model("Said.", f"msg_01{'d' * 22}")])
    records[0]["parentUuid"] = talk.here[-1]["uuid"]
    return records


@pytest.mark.parametrize("make", [claude_talk, gemini_talk, codex_talk])
@pytest.mark.parametrize("same_home", [False, True])
def test_what_the_live_file_has_is_not_called_kept(tmp_path: Path, make: Callable[[], Talk], same_home: bool) -> None:
    talk = make()
    there = Machine(tmp_path / "there", talk)
    exported = there.export(tmp_path / "archive")
    here = there if same_home else Machine(tmp_path / "here", talk)
    shutil.rmtree(there.home)
    here.write(*talk.there, *talk.here)
    here.library().archive.import_file(exported)
    (listed,) = here.library().list(EVERYTHING)
    assert not listed.summary.kept
    assert listed.summary.files == (str(here.home / talk.path),)


@pytest.mark.parametrize("make", [claude_talk, gemini_talk, codex_talk])
@pytest.mark.parametrize("same_home", [False, True])
def test_the_side_that_went_on_last_is_live(tmp_path: Path, make: Callable[[], Talk], same_home: bool) -> None:
    talk = make()
    talk = talk._replace(here=talk.there, there=talk.here)
    there = Machine(tmp_path / "there", talk)
    exported = there.export(tmp_path / "archive")
    here = there if same_home else Machine(tmp_path / "here", talk)
    shutil.rmtree(there.home)
    here.write(*talk.here)
    here.library().archive.import_file(exported)
    check(here.library())


@pytest.mark.parametrize("keeping", [False, True])
def test_figures_of_both_sides(tmp_path: Path, keeping: bool) -> None:
    """The states that are kept of one file become one file, and each total goes on from one of them."""
    talk = codex_talk()
    machine = Machine(tmp_path, talk)
    exported = machine.export(tmp_path / "archive")
    shutil.rmtree(tmp_path / ".local")
    file = machine.write(*talk.here)
    library = machine.library()
    if keeping:
        library.archive.on()
        library.sync()
    library.archive.import_file(exported)
    (session,) = library.sessions(EVERYTHING)
    assert (session.usage.input, session.usage.requests, session.usage.exact) == (600, 3, True)
    assert {notice.code for notice in session.notices} == {"session.branches"}
    file.unlink()
    (session,) = machine.library().sessions(EVERYTHING)
    expected = (600, 3, True) if keeping else (300, 2, True)
    assert (session.usage.input, session.usage.requests, session.usage.exact) == expected


def test_a_session_that_was_archived_there(tmp_path: Path) -> None:
    talk = codex_talk()
    archived = f".codex/archived_sessions/{Path(talk.path).name}"
    there = Machine(tmp_path / "there", talk._replace(path=archived))
    exported = there.export(tmp_path / "archive")
    shutil.rmtree(there.home)
    here = Machine(tmp_path / "there", talk)
    here.write(*talk.here)
    here.library().archive.import_file(exported)
    check(here.library())


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([(10, "new"), (20, "grown"), (30, "grown")], [3]),
        ([(10, "new", True), (15, "new"), (20, "grown", True), (30, "grown")], [3, 2, 4]),
        ([(10, "new", True), (20, "grown", True), (15, "new"), (30, "grown")], [2, 4]),
        ([(15, "new"), (20, "new", True), (30, "grown")], [2, 1, 3]),
        ([(30, "new"), (20, "cut"), (40, "rewritten")], [1, 2, 3]),
    ],
)
def test_which_states_go_on_from_another(
    states: list[tuple[int, str] | tuple[int, str, bool]], expected: list[int]
) -> None:
    listed = [
        State(agent="a", home=b"h", path=b"f", at=at, change=change, sha=bytes([at]), size=size, taken=bool(taken))
        for at, (size, change, *taken) in enumerate(states, start=1)
    ]
    assert [one.at for one in rewrite_points(listed)] == expected
