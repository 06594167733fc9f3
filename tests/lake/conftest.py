"""Lakes of the tests: a folder, and a bucket on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest.importorskip("deltalake", reason="the extra `lake` is not installed")

from pollux.lake.delta import Delta
from pollux.lake.store import Store, open_store
from tests.lake.engines import engine


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty lake in a folder."""
    made = open_store(str(tmp_path / "a lake"), create=True)
    Delta(made).create()
    return made


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of a server that answers as S3 does."""
    engine("moto.server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 60
        while True:
            try:
                with urlopen(f"{address}/moto-api/data.json", timeout=5):  # noqa: S310 (it is our own)
                    break
            except OSError:
                assert time.monotonic() < deadline
                time.sleep(0.2)
        yield address
        server.kill()


@pytest.fixture
def bucket(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Store:
    """An empty lake in a bucket."""
    import boto3

    name = f"lake-{os.urandom(4).hex()}"
    keys = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "us-east-1"}
    for variable, value in {**keys, "AWS_ENDPOINT_URL": s3_server, "AWS_ALLOW_HTTP": "true"}.items():
        monkeypatch.setenv(variable, value)
    boto3.client("s3", endpoint_url=s3_server, region_name="us-east-1").create_bucket(Bucket=name)
    made = open_store(f"s3://{name}/team")
    Delta(made).create()
    return made
