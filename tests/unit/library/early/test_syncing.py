"""A sync beside a view: in another process, or where none can be started, in a thread."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pollux.library.library import Library
from pollux.library.sample import HOME
from tests.waiting import until


@pytest.fixture(params=[sys.executable, "/nowhere"])
def library(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(sys, "executable", request.param)
    environ = {"HOME": str(HOME), **{f"XDG_{one}_HOME": str(tmp_path / one) for one in ("CACHE", "DATA", "CONFIG")}}
    return Library(environ, HOME, hunt=False, fresh=False)


def test_it_reads_all_sessions(library: Library) -> None:
    with library:
        syncing = library.index.start_sync()
        assert syncing is not None
        assert syncing.wait() == 0
        assert syncing.poll() == 0
        assert library.count() == 15


def test_it_can_be_ended_early(library: Library) -> None:
    with library:
        syncing = library.index.start_sync()
        assert syncing is not None
        syncing.terminate()
        until(lambda: syncing.poll() is not None)
