"""Marks are made, found and read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from pollux import Filter, Library
from pollux.errors import RequestError, StoreError, UnknownName
from pollux.library.marks import Edit, Target
from pollux.model import Marks
from tests.unit.library.marks.conftest import SEEDS, STAR, TIDES, Place, found, listed


def test_marks_are_seen_by_every_other_library_at_once(place: Place, library: Library) -> None:
    other = place.library()
    assert other.marks.of(TIDES) is None
    assert library.marks.change([Target(TIDES)], Edit(starred=True, tags={"Tide": True}, note=" n ", name="a\nb")) == [
        Target(TIDES)
    ]
    marks = other.marks.of(TIDES)
    assert marks is not None
    assert marks.session == Marks(starred=True, tags=("tide",), note="n", name="a b")
    assert listed(other, ("is", "starred"), ("tag", "ti*"), ("note", "N"), ("name", "A B")) == [TIDES]
    (entry,) = [entry for entry in other.list() if entry.summary.key == TIDES]
    assert entry.title == "a b"
    assert entry.summary.title != "a b"


def test_what_is_so_already_is_not_changed_again(library: Library) -> None:
    assert library.marks.change([Target(TIDES), Target(SEEDS)], STAR) == [Target(TIDES), Target(SEEDS)]
    assert library.marks.change([Target(TIDES)], STAR) == []
    assert library.marks.undo() == [TIDES, SEEDS]
    assert library.marks.undo() == []
    assert not library.marks.all()


@pytest.mark.parametrize("tag", ["", "#", "two words", 'a"b', "a(b", "a,b", "a*", "a\x00b", "a\u202eb", "x" * 61])
def test_a_tag_is_one_word(library: Library, tag: str) -> None:
    with pytest.raises(RequestError):
        library.marks.change([Target(TIDES)], Edit(tags={tag: True}))


def test_half_characters_and_long_texts(library: Library) -> None:
    library.marks.change([Target(TIDES)], Edit(note="\ud800", name="\udcff", tags={"\udcff": True}))
    marks = library.marks.of(TIDES)
    assert marks is not None
    assert (marks.session.note, marks.session.name, marks.session.tags) == ("\\ud800", "\\xff", ("\\xff",))
    for edit in (Edit(note="x" * 20_001), Edit(name="x" * 201)):
        with pytest.raises(RequestError, match="at most"):
            library.marks.change([Target(TIDES)], edit)


def test_a_search_has_the_messages_of_marked_sessions_and_marked_messages(library: Library) -> None:
    message = library.cited(f"{SEEDS}#5a7c").message
    assert message is not None
    library.marks.change([Target(TIDES), Target(SEEDS, message)], STAR)
    hits = found(library, "is:starred")
    assert {one for one in hits if one.startswith(SEEDS)} == {f"{SEEDS}#{message.id}"}
    assert {one.partition("#")[0] for one in hits} == {TIDES, SEEDS}
    every = found(library, "the")
    starred = found(library, "the is:starred")
    assert starred
    assert starred < every
    assert found(library, "the -is:starred") == every - starred
    assert found(library, "the (is:starred OR agent:codex)") == starred | found(library, "the agent:codex")
    (hit,) = library.search("is:starred project:seedbank", limit=1).hits
    assert hit.message_marks == Marks(starred=True)
    assert not hit.marks
    assert listed(library, ("is", "starred")) == [TIDES, SEEDS]
    assert library.count(Filter(marks=(("is", "starred"),))) == 2
    assert [one.key for one in library.sessions(Filter(marks=(("is", "starred"),)))] == [TIDES, SEEDS]


def test_a_name_of_the_agent_is_a_name_too(library: Library) -> None:
    named = [entry.summary for entry in library.list() if entry.summary.facts.get("name")]
    assert named
    for summary in named:
        assert summary.key in listed(library, ("name", summary.facts["name"][0]))


def test_a_session_is_starred_without_being_read(place: Place, library: Library) -> None:
    library.list()
    for file in place.home.rglob("*aa6812ea*"):
        file.chmod(0)
    library.marks.change([Target(TIDES)], STAR)
    assert listed(library, ("is", "starred")) == [TIDES]


def test_what_was_read_and_what_is_new(place: Place, library: Library) -> None:
    session = library.session(TIDES)
    assert {entry.unread for entry in library.list()} == {None}
    assert library.marks.new_from(session) is None
    library.marks.read(session, session.messages[3])
    unread = {entry.summary.key: entry.unread for entry in place.library().list()}
    assert unread[TIDES] is True
    assert set(unread.values()) == {True, False}
    assert listed(library, ("is", "unread")) == [TIDES]
    assert {hit.key for hit in library.search("is:unread").hits} == {TIDES}
    assert library.marks.new_from(session) == 4
    library.marks.read(session)
    assert library.marks.new_from(session) is None
    assert listed(library, ("is", "unread")) == []
    library.marks.unread(SEEDS)
    assert listed(library, ("is", "unread")) == [SEEDS]
    library.marks.read_everything()
    assert listed(library, ("is", "unread")) == []


def test_names_of_messages(library: Library) -> None:
    assert library.cited(SEEDS).message is None
    assert library.cited("6403#5a7cbec2").message == library.session(SEEDS).messages[1]
    with pytest.raises(UnknownName, match="No message is called 'x'"):
        library.cited("6403#x")
    with pytest.raises(UnknownName, match="No session is called 'none'"):
        library.cited("none#x")


def test_a_path_with_the_sign_is_a_path(place: Place, library: Library) -> None:
    (file,) = place.home.rglob("*aa6812ea*.jsonl")
    copy = place.home / "a#b.jsonl"
    shutil.copy(file, copy)
    assert library.cited(str(copy)).session.key == TIDES


_MARKER = """
import sys
from pathlib import Path
from pollux import Library
from pollux.library.marks import Edit, Target
library = Library(fresh=False)
for number in range(15):
    library.marks.change([Target(sys.argv[1])], Edit(tags={f"{sys.argv[2]}{number}": True}))
"""


def test_two_processes_mark_one_session_at_once(place: Place, library: Library) -> None:
    library.list()
    environ = {**os.environ, **place.environ}
    both = [subprocess.Popen([sys.executable, "-c", _MARKER, TIDES, name], env=environ) for name in "ab"]
    assert [one.wait() for one in both] == [0, 0]
    assert sorted(library.marks.tags()) == sorted(f"{name}{number}" for name in "ab" for number in range(15))


def test_a_folder_that_cannot_be_written_to_is_an_error_for_marks_only(place: Place, library: Library) -> None:
    (place.data / "pollux").mkdir(parents=True)
    (place.data / "pollux" / "marks").write_text("in the way")
    with pytest.raises(StoreError, match="marks"):
        library.marks.change([Target(TIDES)], STAR)
    assert library.list()


@pytest.mark.parametrize("name", ["marks.jsonl", "read.jsonl"])
def test_marks_that_cannot_be_read_cost_no_other_answer(place: Place, library: Library, name: str) -> None:
    (place.data / "pollux" / "marks" / name).mkdir(parents=True)
    assert len(library.list()) == 15
    assert library.search("packet").hits
    assert library.index.problem is not None
    assert name in library.index.problem
    with pytest.raises(StoreError, match=name):
        library.marks.change([Target(TIDES)], STAR) if name == "marks.jsonl" else library.marks.unread(TIDES)
    (place.data / "pollux" / "marks" / name).rmdir()
    library.marks.change([Target(TIDES)], STAR)
    assert listed(library, ("is", "starred")) == [TIDES]
    assert library.index.problem is None


def test_damage_is_named(place: Place, library: Library) -> None:
    library.marks.change([Target(TIDES)], STAR)
    file = place.data / "pollux" / "marks" / "marks.jsonl"
    file.write_bytes(b"nonsense\n" + file.read_bytes())
    assert listed(library, ("is", "starred")) == [TIDES]
    assert library.marks.problem == f"1 line of {file} cannot be read."


def test_every_character_of_a_tag_stands_for_itself(library: Library) -> None:
    library.marks.change([Target(TIDES)], Edit(tags={"[wip]": True, "a]b[!c]": True}))
    library.marks.change([Target(SEEDS)], Edit(tags={"w": True}))
    for typed in ("[wip]", "[w*", "?wip?", "a]b[!c]", "a*c]"):
        assert listed(library, ("tag", typed)) == [TIDES]
        assert {one.partition("#")[0] for one in found(library, f"tag:{typed}")} == {TIDES}
    assert not library.search("tag:[wip]").hints
