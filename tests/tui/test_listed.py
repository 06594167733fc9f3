"""The list is made again only if it may be another one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pollux.library.library import Enough, Library, Progress
from pollux.library.marks import Edit, Target
from pollux.library.sample import HOME
from pollux.text.figures import plural
from pollux.tui.list.answering import Listed, answer
from pollux.tui.list.question import Question
from tests.index.test_crash import start_processes
from tests.tui.driving import environment

TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"


def test_the_list_is_made_again_only_if_something_changed(tmp_path: Path) -> None:
    home = Path(shutil.copytree(HOME, tmp_path / "home"))
    variables, before = environment(home, tmp_path), Listed()
    with Library(variables, home, hunt=False) as other:
        other.sync()
    with Library(variables, home, hunt=False, fresh=False) as library:
        first = answer(library, Question(), before=before)
        assert first.sessions == 15
        for same in (Question("e"), Question()):
            assert answer(library, same, before=before).rows is first.rows
        assert answer(library, Question(scope="everything"), before=before).sessions == 19
        assert answer(library, Question("agent:codex"), before=before).sessions == 3
        next(home.rglob("session-2026-11-14T17-02-aa6812ea.jsonl")).unlink()
        with Library(variables, home, hunt=False) as other:
            other.sync()
        assert answer(library, Question(), before=before).sessions == 14


def test_a_new_mark_is_found_at_once(tmp_path: Path) -> None:
    variables, before = environment(HOME, tmp_path), Listed()
    with Library(variables, HOME, hunt=False) as library:
        starred = Question("is:starred")
        assert answer(library, starred, before=before).sessions == 0
        library.marks.change([Target(TIDES)], Edit(starred=True))
        assert answer(library, starred, before=before).sessions == 1


def test_a_list_says_how_many_files_are_unread(tmp_path: Path) -> None:
    """It grows until all are read. A search does not: it would look through the same sessions again."""
    variables = environment(HOME, tmp_path)

    def stop(progress: Progress) -> None:
        if progress.done_files > 5:
            raise Enough

    with Library(variables, HOME, hunt=False, fresh=False) as library:
        first = answer(library, Question())
        assert (first.rows, first.unread_files, first.may_grow) == ([], None, True)
        assert first.remark == "Reading your sessions for the first time …"
        searched = answer(library, Question("tides "))
        assert (searched.rows, searched.remark, searched.may_grow) == (None, first.remark, True)
        with Library(variables, HOME, hunt=False, report=stop) as other:
            other.sync()
            left = other.index.unread_files
        listed, found = answer(library, Question()), answer(library, Question("sea "))
        assert left > 5
        assert listed.status == f"{plural(listed.sessions, 'session')} · {left} files unread"
        assert found.status == f"{found.sessions} found · {left} files unread"
        assert (listed.may_grow, found.may_grow) == (True, False)
        with Library(variables, HOME, hunt=False) as other:
            other.sync()
        complete = answer(library, Question())
        assert (complete.status, complete.may_grow) == ("15 sessions", False)


def test_a_search_ends_when_nobody_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before words are indexed, it looks through all sessions; the next key asks something else."""
    start_processes(monkeypatch)
    variables = {**environment(HOME, tmp_path), "POLLUX_BACKGROUND": "1"}
    with Library(variables, HOME, hunt=False) as other:
        other.list()
        assert other.index.pending()
    heard: list[int] = []

    def stop(progress: Progress) -> None:
        heard.append(progress.done_files)
        if progress.done_files == 3:
            raise Enough

    with Library(variables, HOME, hunt=False, fresh=False, complete_later=True) as library:
        with pytest.raises(Enough):
            answer(library, Question("tides "), report=stop)
        assert heard[-1] == 3
        assert answer(library, Question("tides ")).sessions > 0
        assert library.index.pending()
