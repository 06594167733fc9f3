from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import Pollux


@pytest.fixture
def pollux(tmp_path: Path) -> Pollux:
    """A home with sessions of the newest release."""
    return Pollux(tmp_path, "0.61.0")


@pytest.fixture
def empty(tmp_path: Path) -> Pollux:
    """A home in which no agent was ever used."""
    return Pollux(tmp_path)


@pytest.fixture
def home_of(tmp_path: Path) -> Callable[[str], Pollux]:
    """The home of any version in the corpus."""
    return lambda version: Pollux(tmp_path, version)
