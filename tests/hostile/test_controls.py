"""Control characters in any field: no transcript hands one on, in whichever format and to whomever."""

from __future__ import annotations

import pytest

from pollux import registry
from pollux.text.escape import visible
from pollux.writers.base import Options
from tests.cli.made import EVIL
from tests.unit.writers.planting import EVERYTHING, kind, places, planted
from tests.unit.writers.reading import put_together

KINDS = {kind(path): path for path in places(EVERYTHING)}
FULL = Options(thinking=True, tools="full", tokens=True, notices=True, front_matter=True)


@pytest.mark.parametrize("place", KINDS)
def test_no_control_gets_into_a_transcript(place: str) -> None:
    session = planted(EVERYTHING, KINDS[place], EVIL)
    for name in ("markdown", "text", "html"):
        out: list[str] = []
        registry.writer(name).write(session, out.append, FULL)
        written = put_together(out)
        assert visible(written) == written, name
