"""Control characters in any field: no transcript hands one on, in whichever format and to whomever."""

from __future__ import annotations

import pytest

from pollux import registry
from pollux.text.escape import visible
from pollux.writers.base import Options
from tests.cli.session_text import EVIL
from tests.unit.writers.full_session import EVERYTHING, kind, places, with_text
from tests.unit.writers.markdown_parser import joined

KINDS = {kind(path): path for path in places(EVERYTHING)}
FULL = Options(thinking=True, tools="full", tokens=True, notices=True, front_matter=True)


@pytest.mark.parametrize("place", KINDS)
def test_no_control_gets_into_a_transcript(place: str) -> None:
    session = with_text(EVERYTHING, KINDS[place], EVIL)
    for name in ("markdown", "text", "html"):
        out: list[str] = []
        registry.writer(name).write(session, out.append, FULL)
        written = joined(out)
        assert visible(written) == written, name
