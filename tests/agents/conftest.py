"""The agents themselves, run against a model server on this machine that remembers what it is sent.

`RESUME_CLIS` names the folder in which they are installed, by agent and release; without it, these tests are skipped.
`make test-agents` installs them and sets `RESUME_ALL`; without that, only a part of the tests runs.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

HARNESS = Path(__file__).parent / "harness"
CLIS = os.environ.get("RESUME_CLIS", "")
in_full = pytest.mark.skipif(not os.environ.get("RESUME_ALL"), reason="`make test-agents` runs it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what lies in this folder if no agents are installed."""
    for item in items:
        if not CLIS and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="RESUME_CLIS is not set: `make test-agents` runs it"))


@pytest.fixture(scope="session")
def harness() -> Iterator[ModuleType]:
    sys.path.insert(0, str(HARNESS))
    yield importlib.import_module("resume")
    sys.path.remove(str(HARNESS))


def need(agent: str, release: str) -> None:
    """Skip the test if a release is not installed."""
    if not Path(CLIS, agent, release).exists():
        pytest.skip(f"{agent} {release} is not installed")
