"""The edits that agents made: each is found, once, and with its difference."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.answers.edits import edits_document
from pollux.errors import RequestError, Unreadable
from pollux.library.edits.values import FileEdit
from pollux.model import Fate, Kind, Status, ToolCall
from pollux.sources.base import Bundle, Reading
from pollux.writers.changed_files import changed_files

ROOT = Path(__file__).parents[4]
SAMPLE = ROOT / "src" / "pollux" / "sample" / "home"
CORPUS = ROOT / "tests" / "corpus"
HOMES = [
    SAMPLE,
    CORPUS / "claude" / "2.1.325" / "home",
    CORPUS / "claude" / "walk-fork-of-compacted-in-other-folder" / "home",
    CORPUS / "claude" / "walk-two-resumes-at-once" / "home",
    CORPUS / "codex" / "0.166.0" / "home",
    CORPUS / "codex" / "0.40.0" / "home",
    CORPUS / "codex" / "walk-exact-though-cut" / "home",
    CORPUS / "gemini" / "0.61.0" / "home",
    CORPUS / "gemini" / "0.30.1-tui" / "home",
]


def library_of(home: Path, folder: Path, here: Path | None = None) -> Library:
    own = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("DATA", "CACHE", "CONFIG")}
    return Library({"HOME": str(home), **own}, here or folder, hunt=False)


@pytest.fixture
def sample(tmp_path: Path) -> Library:
    return library_of(SAMPLE, tmp_path)


def _names(edits: tuple[FileEdit, ...]) -> list[tuple[str | None, str, str, str]]:
    return [(edit.project_path, edit.agent, edit.change, edit.short_message_id) for edit in edits]


@pytest.mark.parametrize("home", HOMES, ids=lambda home: f"{home.parent.parent.name}-{home.parent.name}")
def test_what_is_found_is_what_reading_every_session_gives(home: Path, tmp_path: Path) -> None:
    library = library_of(home, tmp_path)
    expected = [
        (session.key, message.id, call.name, call.status, message.fate)
        for session in library.sessions(Filter(everything=True))
        if session.kind is not Kind.CHECKPOINT
        for message in session.messages
        for call in message.parts
        if type(call) is ToolCall and not message.inherited
        for _ in changed_files(call)
    ]
    found = library.edits.newest(limit=None).edits
    assert found
    given = [(edit.key, edit.message_id, edit.tool, edit.status, edit.fate) for edit in found]
    assert sorted(map(str, given)) == sorted(map(str, expected))
    assert None not in library.edits.differences(found)
    assert [edit.at for edit in found] == sorted((edit.at for edit in found if edit.at), reverse=True)


def test_one_file_through_all_agents(sample: Library) -> None:
    found = sample.edits.newest(path="tables.py").edits
    assert _names(found) == [
        ("tidewatch/tables.py", "gemini", "edited", "07ce485f"),
        ("tidewatch/tables.py", "codex", "edited", "msg_0e6d"),
    ]
    assert [edit.prompt.text[:33] for edit in found if edit.prompt] == [
        "The tides of Port Lune are an hou",
        "What happens if I mistype a harbo",
    ]
    first, second = sample.edits.differences(found)
    assert first is not None
    assert second is not None
    assert first.lines == (
        "@@@ -9,1 +9,1 @@",
        "-    return moment + SUMMER",
        "+    return moment.astimezone(ZoneInfo(harbour.zone))",
    )
    assert (first.added, first.removed, second.added, second.removed) == (1, 1, 2, 0)


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("tables", 2),
        ("tidewatch/tables.py", 2),
        ("/home/juno/code/tidewatch/tidewatch/tables.py", 2),
        ("/home/juno/code/tidewatch", 9),
        ("TIDEWATCH/*.py", 6),
        ("seedbank/**/*.html", 1),
        ("./tidewatch", 9),
        ("../postcards/make_album.py", 2),
        ("ables.py", 0),
        ("tables.py/x", 0),
    ],
)
def test_a_path_is_a_whole_one_or_its_end_or_a_pattern(path: str, count: int, tmp_path: Path) -> None:
    here = Path("/home/juno/code/seedbank" if path.startswith("..") else "/home/juno/code")
    assert len(library_of(SAMPLE, tmp_path, here).edits.newest(path=path).edits) == count


def test_no_path_at_all_makes_no_sense(sample: Library) -> None:
    with pytest.raises(RequestError, match="Which file"):
        sample.edits.newest(path="/")


def test_filters_and_limit(sample: Library) -> None:
    everything = sample.edits.newest(limit=None)
    assert len(everything.edits) == 19
    assert not everything.more
    few = sample.edits.newest(limit=18)
    assert few.more
    assert few.edits == everything.edits[:18]
    assert not sample.edits.newest(limit=19).more
    assert len(sample.edits.newest(Filter(agent="claude", everything=True)).edits) == 3
    assert len(sample.edits.newest(Filter(project="seedbank", everything=True)).edits) == 6
    november = Filter(
        since=datetime(2026, 11, 1, tzinfo=UTC), until=datetime(2026, 11, 10, tzinfo=UTC), everything=True
    )
    assert {edit.project_path for edit in sample.edits.newest(november).edits} == {
        "tidewatch/cache.py",
        "templates/variety.html",
        "app.py",
    }


def test_what_failed_or_was_taken_back_says_so(tmp_path: Path) -> None:
    forks = library_of(CORPUS / "claude" / "walk-fork-of-compacted-in-other-folder" / "home", tmp_path / "1")
    assert [(edit.path.rpartition("/")[2], edit.status, edit.fate) for edit in forks.edits.newest().edits] == [
        ("zc7_2z.md", Status.OK, Fate.COMPRESSED),
        ("zc7_0z.md", Status.OK, Fate.COMPRESSED),
        ("zc6_2z.md", Status.OK, Fate.LIVE),
        ("zc5_2z.md", Status.ERROR, Fate.LIVE),
        ("notes.md", Status.ERROR, Fate.LIVE),
    ]
    rewound = library_of(CORPUS / "gemini" / "0.30.1-tui" / "home", tmp_path / "2").edits.newest().edits
    assert [(edit.status, edit.fate) for edit in rewound] == [(Status.CANCELLED, Fate.REWOUND)]


def test_an_edit_without_a_time_stands_where_its_session_does(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for version in ("0.29.0", "0.166.0"):
        shutil.copytree(CORPUS / "codex" / version / "home", home, dirs_exist_ok=True)
    found = library_of(home, tmp_path).edits.newest().edits
    assert [edit.at is None for edit in found] == [True] * 3 + [False] * 3  # the older release was run later
    since = Filter(since=datetime(2026, 11, 15, 6, tzinfo=UTC), everything=True)
    assert len(library_of(home, tmp_path).edits.newest(since).edits) == 3


def test_a_session_that_is_gone_has_no_difference(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(CORPUS / "claude" / "2.0.77" / "home", home)
    library = library_of(home, tmp_path)
    found = library.edits.newest()
    shutil.rmtree(home / ".claude" / "projects")
    assert library.edits.differences(found.edits) == [None, None]
    document = edits_document(found, [None, None])
    assert [edit["diff"] for edit in document["edits"]] == [None, None]
    assert "diff" not in edits_document(found)["edits"][0]


def test_a_session_that_cannot_be_read_costs_no_other_its_difference(
    sample: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pollux.sources.agent import Agent

    found = sample.edits.newest(limit=None).edits
    lost, whole = found[0].key, Agent.read
    assert len({edit.key for edit in found if edit.agent == found[0].agent}) > 1

    def read(agent: Agent, bundle: Bundle) -> Reading:
        reading = whole(agent, bundle)
        if lost in {session.key for session in reading.sessions}:
            raise Unreadable("The file is gone.")
        return reading

    monkeypatch.setattr(Agent, "read", read)
    differences = sample.edits.differences(found)
    assert [edit.key for edit, one in zip(found, differences, strict=True) if one is None] == [
        edit.key for edit in found if edit.key == lost
    ]


def test_a_name_that_the_user_gave_is_the_title(sample: Library) -> None:
    from pollux.library.marks import Edit, Target

    key = sample.edits.newest(limit=1).edits[0].key
    sample.marks.change([Target(key)], Edit(name="my tides"))
    assert sample.edits.newest(limit=1).edits[0].title == "my tides"


def test_one_session_alone(sample: Library) -> None:
    every = sample.edits.newest(limit=None).edits
    for key in {edit.key for edit in every}:
        assert sample.edits.newest(limit=None, key=key).edits == tuple(edit for edit in every if edit.key == key)
    assert sample.edits.newest(key="nobody:nothing").edits == ()
