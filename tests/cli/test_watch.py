"""Following a session in a terminal, as a process that is ended with Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.program import Pollux
from tests.cli.session_text import EVIL, harmless, session

CHAT = "p/chats/session-2026-11-15T05-00-one.jsonl"
HEAD = {"sessionId": "one-session", "projectHash": "0" * 64, "startTime": "2026-11-15T05:00:00.000Z"}
POLLING = "import sys; sys.modules['watchfiles'] = None; from pollux.cli.app import run; sys.exit(run(sys.argv[1:]))"


def line(id: str, kind: str, text: str, **more: object) -> str:
    return json.dumps({"id": id, "timestamp": "2026-11-15T05:00:00.000Z", "type": kind, "content": text, **more}) + "\n"


@contextmanager
def watching(pollux: Pollux, *arguments: str, start: tuple[str, ...] = ("-m", "pollux")) -> Iterator[Callable[[], str]]:
    """A running `pollux watch`; what is given ends it and tells what it wrote."""
    out = pollux.folder / "out"
    command = [sys.executable, *start, "watch", *arguments]
    with (
        out.open("w") as stdout,
        subprocess.Popen(command, env=pollux.env, stdout=stdout, stderr=subprocess.PIPE, text=True) as process,
    ):
        try:
            if "--json" not in arguments:
                assert process.stderr is not None
                assert process.stderr.readline() == "Watching. Ctrl-C ends it.\n"

            def end() -> str:
                process.send_signal(signal.SIGINT)
                assert process.wait(30) == 130
                return out.read_text("utf-8")

            yield end
        finally:
            process.kill()


def until(pollux: Pollux, text: str) -> None:
    """Wait until it was written."""
    out = pollux.folder / "out"
    for _ in range(300):
        if text in out.read_text("utf-8"):
            return
        time.sleep(0.1)
    pytest.fail(f"{text!r} never came; there is only {out.read_text('utf-8')!r}")


def append(file: Path, text: str) -> None:
    with file.open("a") as opened:
        opened.write(text)


@pytest.mark.parametrize("start", [("-m", "pollux"), ("-c", POLLING)], ids=["events", "polling"])
def test_a_session_is_followed(empty: Pollux, start: tuple[str, ...]) -> None:
    file = empty.file(CHAT, json.dumps(HEAD) + "\n" + line("m1", "user", "Hello."))
    with watching(empty, start=start) as end:
        append(file, line("m2", "gemini", "I look", model="gemini-2.5-pro"))
        until(empty, "I look")
        running = {"id": "c", "name": "run_shell_command", "args": {"command": "ls"}, "status": "executing"}
        append(file, line("m2", "gemini", "I look around.", model="gemini-2.5-pro", toolCalls=[running]))
        until(empty, "– run_shell_command  ls · unfinished")
        result = [{"functionResponse": {"id": "c", "name": "run_shell_command", "response": {"output": "README"}}}]
        results = running | {"status": "success", "result": result}
        append(file, line("m2", "gemini", "I look around.", model="gemini-2.5-pro", toolCalls=[results]))
        until(empty, "✓ run_shell_command  ls")
        empty.file("p/chats/session-2026-11-15T06-00-two.json", session("two", "Something else."))
        until(empty, "new session")
        append(file, line("m3", "user", "Thanks."))
        until(empty, "Thanks.")
        answer = end()
    assert (
        answer
        == """
▌ Hello.
▌ gemini · one-sess

gemini-2.5-pro  05:00:00
  I look

   around.

  – run_shell_command  ls · unfinished
  ✓ run_shell_command  ls

▌ Something else.
▌ gemini · two · new session

You  05:00:00
  Something else.

gemini-2.5-pro  05:00:01
  Something else.

▌ Hello.
▌ gemini · one-sess

You  05:00:00
  Thanks.
"""
    )


def test_events_for_programs(empty: Pollux) -> None:
    file = empty.file(CHAT, json.dumps(HEAD) + "\n" + line("m1", "user", "Hello."))
    with watching(empty, "one-s", "--json") as end:
        for number in range(100):  # until it listens
            append(file, line(f"n{number}", "gemini", EVIL))
            time.sleep(0.3)
            if (empty.folder / "out").stat().st_size:
                break
        empty.file("p/chats/session-2026-11-15T06-00-two.json", session("two", "Not followed."))
        append(file, line("last", "user", "Bye."))
        until(empty, "Bye.")
        events = [json.loads(event) for event in end().splitlines()]
    assert {event["key"] for event in events} == {"gemini:one-session"}
    assert events[0]["event"] == "message"
    assert events[0]["message"]["parts"] == [{"type": "text", "text": EVIL}]
    assert events[-1]["message"]["id"] == "last"


def test_no_control_character_gets_out(empty: Pollux) -> None:
    file = empty.file(CHAT, json.dumps(HEAD) + "\n" + line("m1", "user", "Hello."))
    with watching(empty) as end:
        append(file, line("m2", "gemini", EVIL))
        append(file, line("m3", "user", "The end."))
        until(empty, "The end.")
        assert harmless(end())


def test_what_cannot_be_watched(empty: Pollux) -> None:
    assert empty("watch", "nonsense").returncode == 2
    assert json.loads(empty("watch", "nonsense", "--json").stderr)["error"] == "No session is called 'nonsense'."
    assert empty("watch", "--agent", "hal").returncode == 2
