from __future__ import annotations

from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.index.catalogue.states import known_states, state_of
from pollux.library.for_agents.state import change_between, change_of, split_state

HOME = Path(__file__).parents[4] / "src" / "pollux" / "sample" / "home"


@pytest.mark.parametrize(
    ("name", "plain", "state"),
    [
        ("gemini:6403bd4e#5a7c@14-3fa2", "gemini:6403bd4e#5a7c", "14-3fa2"),
        ("gemini:6403bd4e@14-3fa2", "gemini:6403bd4e", "14-3fa2"),
        ("gemini:6403bd4e#5a7c", "gemini:6403bd4e#5a7c", None),
        ("a@b", "a@b", None),
        ("a@14-3FA2", "a@14-3FA2", None),
        ("a@14-3fa2 ", "a@14-3fa2 ", None),
        ("@14-3fa2", "", "14-3fa2"),
    ],
)
def test_a_name_is_divided_from_its_state(name: str, plain: str, state: str | None) -> None:
    assert split_state(name) == (plain, state)


def test_a_change_is_told_in_a_sentence() -> None:
    assert change_between("14-3fa2", "14-3fa2") is None
    assert change_between("14-3fa2", "14-0000") == "Messages of this session were changed after it was cited."
    assert "went on after it was cited: it had 14 messages then, and has 1,500 now" in (
        change_between("14-3fa2", "1500-0000") or ""
    )
    assert "was changed after it was cited: it had 14 messages then, and has 2 now" in (
        change_between("14-3fa2", "2-0000") or ""
    )


def test_the_catalogue_knows_the_state_of_each_session_as_its_files_tell_it(tmp_path: Path) -> None:
    environ = {"HOME": str(HOME), "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    with Library(environ, HOME, hunt=False) as library:
        sessions = {session.key: session for session in library.sessions(Filter(everything=True))}
        known = library._index.ask(lambda current: known_states(current, sessions))
        assert len(known) == 19
        assert known == {key: state_of(session) for key, session in sessions.items()}
        session = sessions[next(iter(sessions))]
        assert change_of(f"{session.key}@{state_of(session)}", session) is None
        assert change_of(f"{session.key}@0-0000", session) is not None
        assert change_of(session.key, session) is None
