"""The web UI under load: a real server over a large history, beside a bare Starlette page in the same run.

Both servers are processes of their own. Their processor time is what the kernel says of them; times on the clock are
those of the clients, and stand beside the bare page's, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from benchmarks.store import QUERIES, history
from benchmarks.web_server import Server, bare_starlette, pollux_web
from pollux.library.library import Library

READERS = 50


def percentiles(times: list[float]) -> dict[str, float]:
    """Milliseconds."""
    ordered = sorted(times)
    at95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return {"p50 ms": 1e3 * statistics.median(ordered), "p95 ms": 1e3 * at95}


def one_reader(server: Server, paths: list[str], rounds: int) -> dict[str, float]:
    """Pages one after the other; also the processor time of the server for each."""
    connection = server.connect()
    before = server.cpu()
    asked = [paths[number % len(paths)] for number in range(rounds)]
    times = [_wall(lambda path=path: server.get(path, connection)) for path in asked]  # type: ignore[misc]
    connection.close()
    return {**percentiles(times), "cpu ms": 1e3 * (server.cpu() - before) / rounds}


def readers(server: Server, paths: list[str], each: int, pause: float) -> dict[str, float]:
    """Fifty readers at once, each with a connection, and with a pause between two pages."""
    times: list[float] = []
    lock = threading.Lock()

    def read(offset: int) -> None:
        connection = server.connect()
        for number in range(each):
            took = _wall(lambda n=offset + number: server.get(paths[n % len(paths)], connection))  # type: ignore[misc]
            with lock:
                times.append(took)
            time.sleep(pause)
        connection.close()

    threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
    for thread in threads:
        thread.start()
        time.sleep(pause / READERS)
    for thread in threads:
        thread.join()
    return percentiles(times)


def after_changes(server: Server, home: Path, rounds: int) -> dict[str, float]:
    """The first list after each of several changes: what had been remembered is not true any more."""
    file, times, costs = _growing(home), [], []
    for number in range(rounds):
        _append(file, f"tapir{number}")
        deadline = time.monotonic() + 10
        time.sleep(1.5)  # what changed is read meanwhile, since somebody listens
        assert time.monotonic() < deadline
        before = server.cpu()
        times.append(_wall(lambda: server.get("/")))
        costs.append(server.cpu() - before)
    return {**percentiles(times), "cpu ms": 1e3 * statistics.median(costs)}


@contextmanager
def listening(server: Server) -> Iterator[list[float]]:
    """A tab that listens to events: the moments at which it heard one."""
    moments: list[float] = []
    connection = server.connect()
    connection.request("GET", "/events", headers=server.headers)
    response = connection.getresponse()

    def hear() -> None:
        while line := response.fp.readline():
            if line.startswith(b"data:"):
                moments.append(time.monotonic())

    def quiet() -> None:
        try:
            hear()
        except (OSError, ValueError, AttributeError):
            return

    threading.Thread(target=quiet, daemon=True).start()
    try:
        yield moments
    finally:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)  # who reads from it would keep it open
            connection.sock.close()


def growth(server: Server, home: Path, rounds: int) -> dict[str, float]:
    """From a new line in a file to the page that has it, as a page asks for it."""
    file = _growing(home)
    key = _key_of(file)
    page = server.get(f"/s/{key}").decode()
    version = page.partition('data-version="')[2].partition('"')[0]
    times = []
    with listening(server) as moments:
        time.sleep(3)
        for number in range(rounds):
            heard, began = len(moments), time.monotonic()
            word = f"quokka{time.time_ns()}"
            _append(file, word)
            while len(moments) == heard:
                time.sleep(0.005)
                assert time.monotonic() - began < 20, "no event came"
            grown = json.loads(server.get(f"/s/{key}?since={version}"))
            assert word in grown["html"], number
            version = grown["version"]
            times.append(time.monotonic() - began)
            time.sleep(0.7)
    return {**percentiles(times), "most ms": 1e3 * max(times)}


def large_session(server: Server, environ: dict[str, str], home: Path, key: str) -> dict[str, Any]:
    """A session of 100 MB: its first pieces, a small page meanwhile, and the library's own reading of it."""
    small, waits, done = server.connect(), [], threading.Event()

    def ask() -> None:
        while not done.is_set():
            waits.append(_wall(lambda: server.get("/?q=agent:codex", small)))
            time.sleep(0.02)

    server.get("/?q=agent:codex")
    reader = threading.Thread(target=ask)
    reader.start()
    try:
        pieces = _pieces(server, f"/s/{key}")
    finally:
        done.set()
        reader.join()
    with Library(environ, home, hunt=False, fresh=False) as library:
        own = _wall(lambda: library.session(key))
    return {
        "title and prompts ms": 1e3 * pieces[0],
        "first messages s": pieces[1],
        "library's reading s": own,
        "first messages ratio": pieces[1] / own,
        "whole s": pieces[2],
        "small page meanwhile": {**percentiles(waits), "most ms": 1e3 * max(waits)},
        "again": dict(zip(("title ms", "messages ms", "whole ms"), (1e3 * t for t in _pieces(server, f"/s/{key}")))),  # noqa: B905
    }


def _pieces(server: Server, path: str) -> tuple[float, float, float]:
    """When the head of a page came, its first message, and its end."""
    connection = server.connect()
    began = time.perf_counter()
    connection.request("GET", path, headers=server.headers)
    response = connection.getresponse()
    head = message = None
    seen = b""
    while piece := response.read1(1 << 16):
        seen = seen[-200:] + piece
        if head is None:
            head = time.perf_counter() - began
        if message is None and b'<main id="conversation">' in seen:
            message = time.perf_counter() - began
    connection.close()
    end = time.perf_counter() - began
    return head or end, message or end, end


def idle(server: Server, seconds: float) -> float:
    """The share of a processor that a server takes that nobody asks."""
    before = server.cpu()
    time.sleep(seconds)
    return 100 * (server.cpu() - before) / seconds


def _growing(home: Path) -> Path:
    logs = sorted(home.rglob("session-*.jsonl"), key=lambda path: path.stat().st_size)
    return logs[len(logs) // 2]


def _append(file: Path, word: str) -> None:
    line = {"id": word, "timestamp": f"2026-11-01T00:00:{time.time() % 60:06.3f}Z", "type": "user", "content": word}
    with file.open("a") as out:
        out.write(json.dumps(line) + "\n")


def _key_of(file: Path) -> str:
    with file.open() as lines:
        head = json.loads(lines.readline())
    return f"gemini:{head['sessionId']}"


def large_home(folder: Path, megabytes: int) -> tuple[Path, str]:
    """A home with one large session of Claude Code, made of the lines of ordinary ones."""
    home = folder / f"home-large-{megabytes}"
    name = "11111111-2222-4333-8444-555555555555"
    file = home / ".claude" / "projects" / "-work-large" / f"{name}.jsonl"
    if not file.exists():
        file.parent.mkdir(parents=True)
        parent = None
        with file.open("w") as out:
            number = 0
            while out.tell() < megabytes * 1_000_000:
                number += 1
                user, answer = f"u{number:08}-0000-4000-8000-000000000000", f"a{number:08}-0000-4000-8000-000000000000"
                shared = {"sessionId": name, "cwd": "/work/large", "version": "2.1.0", "isSidechain": False}
                minute = f"{1 + number // 1440 % 28:02}T{number // 60 % 24:02}:{number % 60:02}"
                moment = {"timestamp": f"2026-10-{minute}:00.000Z", "userType": "external"}
                words = f"Why does case {number} fail? " + "It was green before the refactoring. " * 12
                told = f"Case {number} fails since the cache is stale.\n\n```python\nprint({number})\n```\n" + (
                    "The reader keeps what it read, and the writer does not tell it. " * 60
                )
                said = {"role": "user", "content": words}
                line = {"type": "user", "uuid": user, "parentUuid": parent, "message": said, **shared, **moment}
                out.write(json.dumps(line) + "\n")
                reply: dict[str, Any] = {
                    "id": f"m{number}",
                    "type": "message",
                    "role": "assistant",
                    "model": "claude-opus-4-5",
                }
                reply |= {"content": [{"type": "text", "text": told}], "usage": {"input_tokens": 9, "output_tokens": 9}}
                line = {"type": "assistant", "uuid": answer, "parentUuid": user, "message": reply, **shared, **moment}
                out.write(json.dumps(line) + "\n")
                parent = answer
    return home, f"claude:{name}"


def _wall(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _environ(home: Path, cache: Path) -> dict[str, str]:
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(cache / "data")}
    return {**os.environ, **own, "XDG_CONFIG_HOME": str(cache / "config"), "XDG_STATE_HOME": str(cache / "state")}


def under_load(server: Server, home: Path, options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Lists and searches, by one reader and by many, beside the bare page."""
    searches = [f"/?q={quote(text)}" for text in QUERIES.values()]
    typed = [f"/?q={quote(text)}&typing=1&fragment=1" for text in QUERIES.values()]
    size = len(server.get("/"))
    with bare_starlette(size) as bare:
        time.sleep(5)  # what the server makes beforehand
        yield "page bytes", size
        yield "bare page, one reader", one_reader(bare, ["/"], options.rounds)
        yield "list, one reader", one_reader(server, ["/"], options.rounds)
        pages = [f"/?page={n}" for n in range(2, 102)]
        yield "lists never asked for before", one_reader(server, pages, min(100, options.sessions // 50 - 1))
        yield "searches never asked for before", one_reader(server, searches, len(searches))
        words = [f"/?q={quote(word)}" for word in _words(home)]
        yield "searches for other words", one_reader(server, words, len(words))
        yield "searches while typing", one_reader(server, typed, len(typed))
        for pause, name in ((0.0, "without a pause"), (1.0, "one page a second")):
            each = options.rounds if pause else options.rounds // 2
            found = {
                "bare page": readers(bare, ["/"], each, pause),
                "list": readers(server, ["/"], each, pause),
                "search": readers(server, searches, each, pause),
                "other searches": readers(server, words, each, pause),
            }
            base = found["bare page"]["p95 ms"]
            ratios = {f"{what} ratio": one["p95 ms"] / base for what, one in found.items() if what != "bare page"}
            yield f"{READERS} readers, {name}", {**found, **ratios}


def lasting(server: Server, keys: list[str], options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Memory after many sessions were read, and what a server takes that nobody asks."""
    before = server.memory()
    connection = server.connect()
    took = [_wall(lambda key=key: server.get(f"/s/{key}", connection)) for key in keys]  # type: ignore[misc]
    yield "sessions", {"read": len(keys), **percentiles(took)}
    yield "memory MB", {"before": before, "after": server.memory()}
    with listening(server):
        time.sleep(20)
        yield "idle % with a tab", idle(server, options.idle)
    time.sleep(70)
    yield "idle % without", idle(server, options.idle)


def measured(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """Everything, as it is known."""
    if not options.only_large:
        yield from many_sessions(options)
    home, key = large_home(options.folder, options.large)
    environ = _environ(home, options.folder / "cache-web-large")
    with Library(environ, home, hunt=False) as library:
        library.sync()
    with pollux_web(environ, home) as server:
        time.sleep(3)
        yield f"a session of {options.large} MB", large_session(server, environ, home, key)
        yield "memory MB after it", server.memory()


def many_sessions(options: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    """A large history."""
    home = history(options.folder, options.sessions, options.kilobytes)
    environ = _environ(home, options.folder / f"cache-web-{options.sessions}")
    with Library(environ, home, hunt=False) as library:
        yield "sync s", _wall(library.sync)
        keys = [one.summary.key for one in library.list(limit=200)]
    with pollux_web(environ, home) as server:
        yield from under_load(server, home, options)
        yield "growth", growth(server, home, 10)
        with listening(server):
            time.sleep(2)
            yield "first list after a change", after_changes(server, home, 10)
        yield from lasting(server, keys, options)


def _words(home: Path) -> list[str]:
    """Words of a session."""
    text = _growing(home).read_text("utf-8", "replace")
    found = dict.fromkeys(re.findall(r"\b[a-z]{6,12}\b", text))
    return list(found)[:60]


def main() -> None:
    """Measure, and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where histories are made, and left for the next time")
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--kilobytes", type=int, default=250, help="the mean size of a session")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--idle", type=float, default=60, help="seconds for which an idle server is watched")
    parser.add_argument("--large", type=int, default=100, help="megabytes of the large session")
    parser.add_argument("--only-large", action="store_true", help="measure the large session alone")
    parser.add_argument("--fresh", action="store_true", help="make the caches anew")
    options = parser.parse_args()
    if options.fresh:
        for cache in options.folder.glob("cache-web-*"):
            shutil.rmtree(cache)
    found = {}
    for name, value in measured(options):
        found[name] = value
        print(f"{name}: {json.dumps(value)}", file=sys.stderr, flush=True)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
