"""How a program names sessions and agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.errors import UnknownName

HOME = Path(__file__).parent.parent.parent / "src" / "pollux" / "sample" / "home"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    own = str(tmp_path)
    return Library({"HOME": str(HOME), "XDG_DATA_HOME": own, "XDG_CACHE_HOME": own}, HOME, hunt=False)


def test_a_session_by_its_path(library: Library) -> None:
    told = library.list(limit=1)[0].summary
    file = Path(told.files[0])
    assert library.session(file) == library.session(str(file)) == library.session(told.key)


def test_an_agent_nobody_knows_is_refused_by_every_question(library: Library) -> None:
    unknown = Filter(agent="hal")
    for ask in (library.list, library.count, library.watch, lambda asked: list(library.sessions(asked))):
        with pytest.raises(UnknownName, match="No agent is called 'hal'"):
            ask(unknown)
