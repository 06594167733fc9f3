"""What is stored of a session's figures."""

from __future__ import annotations

import msgspec
import pytest

from pollux.index.catalogue.rows import AuditFacts
from pollux.model import Gap


@pytest.mark.parametrize("count", [0, 1, 3, 400])
def test_audit_facts_come_back(count: int) -> None:
    facts = AuditFacts(_gaps(count), ())
    assert AuditFacts.unpack(facts.pack()) == facts


def test_many_gaps_that_repeat_their_words_take_little_room() -> None:
    facts = AuditFacts(_gaps(400), ())
    assert len(facts.pack()) < len(msgspec.msgpack.encode(facts)) / 10


def _gaps(count: int) -> tuple[Gap, ...]:
    return tuple(
        Gap(why="A turn was broken off.", certain=False, file="/home/ada/.x/one.jsonl", line=n) for n in range(count)
    )
