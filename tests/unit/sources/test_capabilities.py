"""What sources may offer beyond reading is declared, and whoever offers a capability offers it whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pollux import registry
from pollux.sources.capabilities import (
    CAPABILITIES,
    joined_versions_of,
    rehome_plan_of,
    resume_files_of,
    retention_of,
)
from pollux.testing import undeclared


@pytest.mark.parametrize("agent", registry.SOURCES)
def test_our_agents_have_every_capability(agent: str) -> None:
    source = registry.source(agent)
    assert all(isinstance(source, capability) for capability in CAPABILITIES)
    assert registry.knowledge(agent) is not None
    assert undeclared(source) == []


class Reader:
    """A source that only reads, but for half of a capability."""

    def join_versions(self, _forms: Any) -> bytes:
        return b"never asked"


def test_half_a_capability_is_none_and_the_kit_says_so(tmp_path: Path) -> None:
    source = Reader()
    session: Any = None
    assert joined_versions_of(source, []) is None
    assert resume_files_of(source, session, [], tmp_path) == []
    assert retention_of(source, tmp_path) is None
    assert rehome_plan_of(source, tmp_path, {}) is None
    assert undeclared(source) == ["join_versions is part of Resumes, which also has resume_files"]
