"""Machines, and lakes to push to."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from pollux.lake.store import Store, open_store
from tests.lake.push.pushing import Machine, new_lake


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "m")


@pytest.fixture
def folder(tmp_path: Path) -> Store:
    """A lake in a folder."""
    return new_lake(tmp_path / "lake")


@pytest.fixture
def s3(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A lake in a new bucket."""
    import urllib.request

    bucket = f"acme-{uuid.uuid4().hex[:8]}"
    urllib.request.urlopen(urllib.request.Request(f"{s3_server}/{bucket}", method="PUT"), timeout=30).close()  # noqa: S310
    names = {"ENDPOINT_URL": s3_server, "ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "REGION": "us-east-1"}
    for name, value in names.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    return open_store(f"s3://{bucket}/lake")


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest) -> Store:
    """A lake in a folder, and one in a bucket."""
    made: Store = request.getfixturevalue(request.param)
    return made
