"""A transcript knows whether its lines follow one another: then it has neither copies nor branches nor gaps."""

from __future__ import annotations

import pytest

from pollux.sources.claude.transcript import Transcript
from pollux.sources.claude.tree.tree import Tree
from pollux.wire import Notes
from tests.unit.sources.claude.conftest import SID, Home, Json, compaction, in_chain, model, user

ONE, TWO, THREE = in_chain([user("One"), model("1"), user("Two")])
TRANSCRIPTS: dict[str, tuple[list[Json], bool]] = {
    "in a chain": ([ONE, TWO, THREE], True),
    "with a line written twice": ([ONE, TWO, TWO, THREE], True),
    "with a branch": ([ONE, TWO, user("Other", parentUuid=ONE["uuid"])], False),
    "with a lost line": ([ONE, THREE], False),
    "without its beginning": ([TWO, THREE], False),
    "with a line without a uuid": ([ONE, TWO, {**THREE, "uuid": None}], False),
    "with a compaction": ([ONE, TWO, compaction()], False),
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcript_is_a_chain_where_its_tree_is(home: Home, name: str) -> None:
    records, is_chain = TRANSCRIPTS[name]
    transcript = Transcript(str(home.log(SID, *records)), SID, Notes()).read()
    tree = Tree([line for _, line in transcript.lines], transcript.by_uuid)
    assert (transcript.is_chain, tree.is_chain) == (is_chain, is_chain)
