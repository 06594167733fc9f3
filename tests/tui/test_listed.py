"""The list is made again only if it may be another one."""

from __future__ import annotations

import shutil
from pathlib import Path

from pollux.library.library import Library
from pollux.library.marks import Edit, Target
from pollux.library.sample import HOME
from pollux.tui.list.answering import Listed, answer
from pollux.tui.list.question import Question
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
        assert answer(library, Question(), before=before).sessions == 11


def test_a_new_mark_is_found_at_once(tmp_path: Path) -> None:
    variables, before = environment(HOME, tmp_path), Listed()
    with Library(variables, HOME, hunt=False) as library:
        starred = Question("is:starred")
        assert answer(library, starred, before=before).sessions == 0
        library.marks.change([Target(TIDES)], Edit(starred=True))
        assert answer(library, starred, before=before).sessions == 1
