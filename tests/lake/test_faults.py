"""What a store, a disk or a network does wrong costs a sentence, and nothing else."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from pollux.lake.delta import Delta, rows_in
from pollux.lake.load import Loader
from pollux.lake.shown import known
from pollux.lake.store import Store, open_store
from pollux.lake.tables import MESSAGES
from pollux.lake.tidy import tidy
from tests.lake.making import push
from tests.lake.sessions import session
from tests.program import run

AS_ANYBODY = ["setpriv", *(f"--{which}=-dac_override,-dac_read_search" for which in ("inh-caps", "bounding-set"))]
"""Starts a program of root's that may do what the modes of files say, and no more."""


@pytest.mark.parametrize(
    ("command", "place", "mode", "status"),
    [
        ("load", "loads", 0o500, 5),
        ("load", "news", 0, 3),
        ("load", "news/ada", 0, 3),
        ("load", "news/ada/m1", 0o500, 5),
        ("load", "sessions/ada", 0, 3),
        ("load", "tables", 0, 3),
        ("load", "tables/usage_all/_delta_log", 0o500, 5),
        ("tidy", "loads", 0o500, 5),
        ("tidy", "tables/sessions/_delta_log", 0o500, 5),
        ("erase --person ada --yes", "", 0o500, 5),
        ("erase --person ada --yes", "sessions/ada/m1/claude/a", 0o500, 5),
        ("erase --person ada --yes", "tables/sessions/_delta_log", 0o500, 5),
        ("list", "tables", 0, 3),
        ("stats", "tables/usage_all", 0, 3),
        ("search hello", "tables/messages_all/month=2026-10", 0, 3),
        ("show last", "sessions", 0, 3),
        ("query SELECT", "tables/sessions/month=2026-10", 0, 3),
    ],
)
def test_missing_rights_are_told(
    store: Store, tmp_path: Path, command: str, place: str, mode: int, status: int
) -> None:
    push(store, [session("a")])
    Loader(store).load()
    push(store, [session("b")], seq=2)
    name, *options = command.replace("SELECT", "SELECT*FROM+sessions").split()
    program = [*(AS_ANYBODY if os.geteuid() == 0 else ()), sys.executable, "-m", "pollux", "lake", name, store.url]
    folder = Path(store.url, place)
    folder.chmod(mode)
    try:
        done = subprocess.run(
            [*program, *(option.replace("+", " ") for option in options)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "HOME": str(tmp_path)},
        )
    finally:
        folder.chmod(0o700)
    assert (done.returncode, done.stdout.replace("0 sessions loaded\n", "")) == (status, ""), done.stderr
    assert "the rights are missing" in done.stderr
    assert "Traceback" not in done.stderr
    Loader(store).load()
    tidy(store)
    assert {one.key for one in known(Delta(store))} >= {"claude:b"} or name == "erase"


def small_files() -> None:
    """No file may become larger than this."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))


def test_a_full_disk_costs_nothing_but_time(store: Store) -> None:
    push(store, [session(f"s{number}", 30, words="many words " * number) for number in range(40)])
    command = [sys.executable, "-m", "pollux", "lake", "load", store.url]
    full = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=small_files)
    assert (full.returncode, full.stdout) == (5, "")
    assert "Traceback" not in full.stderr
    assert "pollux: The tables of the lake " in full.stderr  # a library of others may say something, too
    assert not known(Delta(store))
    assert Loader(store).load().sessions == 40
    assert len(known(Delta(store))) == 40


@pytest.mark.parametrize("command", ["load", "tidy", "list", "stats", "show", "search", "query"])
def test_a_store_that_is_not_there_is_told(command: str, tmp_path: Path) -> None:
    environ = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_REGION": "us-east-1",
    }
    words = {"show": ["last"], "search": ["word"], "query": ["SELECT 1"]}.get(command, [])
    arguments = [sys.executable, "-m", "pollux", "lake", command, "s3://bucket/lake", *words]
    gone = subprocess.run(arguments, capture_output=True, text=True, check=False, env=environ, timeout=120)
    assert (gone.returncode, gone.stdout) == (3, "")
    assert "Traceback" not in gone.stderr
    assert "s3://bucket/lake" in gone.stderr


class Deaf(BaseHTTPRequestHandler):
    """Does what it is asked. But every fifth time that something is written, the line is cut before the answer."""

    behind = ""
    written: ClassVar[list[str]] = []

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = HTTPConnection(self.behind, timeout=60)
        asked.request(self.command, self.path, body, dict(self.headers.items()))
        said = asked.getresponse()
        answer = said.read()
        if self.command == "PUT":
            self.written.append(self.path)
            if len(self.written) % 5 == 0:
                return
        self.send_response(said.status)
        for name, value in said.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", said.getheader("Content-Length") or str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def do_GET(self) -> None:
        self.do_PUT()

    def do_HEAD(self) -> None:
        self.do_PUT()

    def do_POST(self) -> None:
        self.do_PUT()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.slow
def test_a_store_whose_answers_get_lost_has_nothing_twice(
    bucket: Store, s3_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others ask it through it: delta-rs keeps a thread of ours from answering."""
    monkeypatch.setattr(Deaf, "behind", s3_server.removeprefix("http://"))
    monkeypatch.setattr(Deaf, "written", [])
    with ThreadingHTTPServer(("127.0.0.1", 0), Deaf) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        deaf = open_store(bucket.url)
        for state, commands in ((1, ["load"]), (2, ["load", "tidy"])):
            push(deaf, [session("a", 2 * state), session("b", 2 * state)], seq=state)
            for command in commands:
                done = run("lake", command, bucket.url, env={**os.environ, "HOME": str(tmp_path)}, cwd=tmp_path)
                assert done.returncode == 0, done.stderr
        assert len(Deaf.written) > 20
        server.shutdown()
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server)
    rows = [tuple(row.values()) for row in rows_in(Delta(bucket).open(MESSAGES), ["key", "number"])]
    assert sorted(rows) == [(f"claude:{name}", number) for name in "ab" for number in range(1, 5)]
    assert [one.seq for one in known(Delta(bucket))] == [2, 2]
    assert not list(bucket.paths("news"))


def test_a_store_that_goes_in_the_midst_loses_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    push(store, [session("a"), session("b")])
    deleted = []

    def delete(_: Store, paths: object) -> None:
        deleted.append(paths)
        raise OSError("the line is cut")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "delete", delete)
        with pytest.raises(OSError, match="cut"):
            Loader(store).load()
    again = Loader(store).load()
    assert (again.sessions, again.unchanged) == (0, 2)
    assert len(known(Delta(store))) == 2
    assert not list(store.paths("news"))
