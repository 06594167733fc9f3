"""A folder and a bucket, and one sentence for whatever goes wrong with them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pollux.errors import NotFound, OutputError, RequestError, Unreadable
from pollux.lake import store as module
from pollux.lake.delta import Delta
from pollux.lake.store import Store, lake_name, open_store
from pollux.lake.tables import SESSIONS


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path))


def test_an_object_is_written_once(store: Store) -> None:
    assert store.put_if_absent("a/b/c.json", b"first")
    assert not store.put_if_absent("a/b/c.json", b"second")
    assert store.get("a/b/c.json") == b"first"


def test_of_many_one_wins(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda number: store.put_if_absent("a", str(number).encode()), range(16)))
    assert won.count(True) == 1
    assert store.get("a") == str(won.index(True)).encode()


def test_objects_are_listed_by_whole_parts_of_their_paths(store: Store) -> None:
    for path in ("news/ada/1", "news/adam/2", "newsletter/3"):
        store.put_if_absent(path, b"xyz")
    assert [(one.path, one.size) for one in store.paths("news/ada")] == [("news/ada/1", 3)]
    assert {one.path for one in store.paths("news/")} == {"news/ada/1", "news/adam/2"}
    assert len(list(store.paths())) == 3
    assert list(store.paths("none")) == []


def test_objects_are_deleted_whether_or_not_they_are_there(store: Store) -> None:
    store.put_if_absent("a", b"")
    store.delete(["a", "b", "a"])
    with pytest.raises(NotFound):
        store.get("a")


def test_what_killed_writers_left_goes(store: Store, tmp_path: Path) -> None:
    store.put_if_absent("a/b.json", b"")
    for name in ("b.json#1", "c.json#23"):
        (tmp_path / "a" / name).write_text("left")
    assert [one.path for one in store.paths()] == ["a/b.json"]
    assert store.remove_drafts(timedelta(hours=24)) == 0
    assert store.remove_drafts(timedelta(0)) == 2
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["b.json"]


@pytest.mark.parametrize(
    "url",
    ["ftp://host/x", "s3://", "https://example.org/x", "S3:/x/y", "", "s3://user:word@bucket/x", "/no/such/folder"],
)
def test_an_address_that_makes_no_sense(url: str) -> None:
    with pytest.raises(RequestError) as raised:
        open_store(url)
    assert raised.value.hint


def test_a_file_is_no_lake(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RequestError):
        open_store(str(tmp_path / "file"))
    with pytest.raises(OutputError):
        open_store(str(tmp_path / "file"), create=True)


def test_a_folder_is_made_only_if_asked(tmp_path: Path) -> None:
    open_store(str(tmp_path / "new" / "lake"), create=True)
    assert (tmp_path / "new" / "lake").is_dir()


def test_a_lake_has_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert {lake_name(url) for url in ("lake", f"{tmp_path}/lake/", f"file://{tmp_path}/lake")} == {f"{tmp_path}/lake"}
    assert lake_name("s3://acme/lake/") == "s3://acme/lake"


def test_a_folder_without_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import obstore

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(obstore, "put", refuse)
    with pytest.raises(OutputError, match="rights are missing"):
        open_store(str(tmp_path)).put_if_absent("a", b"")


# -------------------------------------------------------------------------------------------- a bucket that fails


class Failing(BaseHTTPRequestHandler):
    """Answers every request in the same way."""

    status = 500
    seconds = 0.0
    asked = 0

    def do_PUT(self) -> None:
        type(self).asked += 1
        time.sleep(self.seconds)
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.send_header("ETag", "x")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_PUT()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Failing]]:
    """The address of a store in the environment, and what it answers."""
    handler = type("Handler", (Failing,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    for name, value in (("ACCESS_KEY_ID", "k"), ("SECRET_ACCESS_KEY", "s"), ("REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setattr(module, "_RETRIES", {"max_retries": 2})
    yield handler
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("status", "words"),
    [(403, "rights are missing"), (401, "rights are missing"), (404, "no such place"), (500, "500")],
)
def test_a_bucket_that_refuses(bucket: type[Failing], status: int, words: str) -> None:
    bucket.status = status
    store = open_store("s3://acme/lake")
    with pytest.raises(OutputError, match=words) as written:
        store.put_if_absent("a", b"x")
    with pytest.raises((Unreadable, NotFound)):
        store.get("a")
    with pytest.raises(Unreadable, match=words):
        list(store.paths("a"))
    with pytest.raises(Unreadable, match=words):
        Delta(store).open(SESSIONS)
    assert "\n" not in str(written.value)
    assert written.value.hint
    assert bucket.asked >= (5 if status == 500 else 3)


def test_a_bucket_that_writes_over_objects_becomes_no_lake(bucket: type[Failing]) -> None:
    bucket.status = 200
    with pytest.raises(OutputError, match="writes over objects"):
        open_store("s3://acme/lake").check_writes("loads/a")


def test_a_bucket_that_answers_late(bucket: type[Failing], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CLIENT", {"timeout": "200ms"})
    bucket.seconds = 1.0
    started = time.monotonic()
    with pytest.raises(OutputError):
        open_store("s3://acme/lake").put_if_absent("a", b"x")
    assert time.monotonic() - started < 10


def test_a_bucket_that_is_not_there(bucket: type[Failing], monkeypatch: pytest.MonkeyPatch) -> None:
    assert bucket
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(OutputError):
        open_store("s3://acme/lake").put_if_absent("a", b"x")


def test_words_do_not_travel_without_encryption(bucket: type[Failing], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://store.example.org:9000")
    with pytest.raises(OutputError):
        open_store("s3://acme/lake").put_if_absent("a", b"x")
    assert not bucket.asked
