"""One large session of each agent, handed over to each: read, drafted and written, in a process of its own.

python -m benchmarks.handover [MEGABYTES] [FIT]

The yardstick is a process that parses the same file with msgspec and keeps nothing. Seconds are CPU time; the peak of
memory is that of the whole process, Python and pollux included. FIT is how many tokens there is room for.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.yardsticks import bare_parse
from pollux import registry
from pollux.library.library import Library
from pollux.model import Author, Message, Role, Session, Status, Text, ToolCall
from pollux.writers.base import Options
from pollux.writers.native.draft import draft
from pollux.writers.native.options import DraftOptions

ID = "0b5c7b1e-9a3b-4c55-8a54-6f4f6a3f5f10"
SHAPES = {
    "usual": [20_000 if n == 199 else 400 if n % 10 == 9 else 30 for n in range(200)],
    "many small": [1],
}
"""How many lines results have: mostly few, some of a megabyte; or only one, so that there are as many as can be."""
AGENTS = ("gemini", "claude", "codex")
START = datetime(2026, 11, 1, tzinfo=UTC)
ROUNDS = 3


def large(megabytes: int, sizes: Sequence[int]) -> Session:
    """Prompts, replies, and results with such numbers of lines, one after another."""
    messages: list[Message] = []
    size, number = 0, 0
    while size < megabytes * 1_000_000:
        lines = sizes[number % len(sizes)]
        output = "\n".join(f"{n:6} a line of what the program printed, {number}" for n in range(lines))
        call = ToolCall(
            id=f"call_{number}",
            name="run_shell_command",
            canonical="shell_exec",
            tool_kind="execute",
            input={"command": f"make test-{number}"},
            status=Status.OK,
            output=output,
        )
        at = START + timedelta(seconds=number)
        asked, told = Text(text=f"And number {number}?"), Text(text=f"I have looked at {number} of them. " * 10)
        messages += [
            Message(id=f"u{number}", role=Role.USER, author=Author.HUMAN, at=at, parts=(asked,)),
            Message(id=f"a{number}", role=Role.ASSISTANT, author=Author.MODEL, at=at, parts=(told, call)),
        ]
        size += len(output) + 700
        number += 1
    return Session(agent="bench", id="large", project="/home/ada/code", messages=tuple(messages))


def hand_over(file: Path, target: str, fit: int | None) -> None:
    """Read a session, and write it for an agent."""
    written = import_module(f"pollux.sources.{target}.native").FORMAT
    folder = file.parent
    environ = {f"XDG_{name}_HOME": str(folder / name) for name in ("CACHE", "DATA", "CONFIG")}
    with Library({"HOME": str(folder), **environ}, folder, hunt=False) as library:
        session = library.session(str(file))
        where = {"id": ID, "folder": "/home/ada", "agent_title": "Another agent"}
        conversation, account = draft(session, DraftOptions(fit=fit), written, at=START + timedelta(days=30), **where)
        assert account.messages.total == len(session.messages) > 1000
        with Path(os.devnull).open("w", encoding="utf-8") as out:
            out.writelines(written.lines(conversation))


def in_a_process(work: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds of some work in a process of its own, and its peak of memory in megabytes."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    _, status, used = os.wait4(child, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    fit = int(sys.argv[2]) if len(sys.argv) > 2 else None
    figures: dict[str, Any] = {}
    for shape, lines in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            for source in AGENTS:
                file = Path(folder) / f"rollout-2026-11-01T00-00-00-{ID}-{source}.jsonl"
                in_a_process(partial(_written, source, file, megabytes, lines))
                for target in AGENTS:
                    figures[f"{shape}, {source} to {target}"] = _beside(file, target, fit)
    print(json.dumps(figures, indent=1))


def _beside(file: Path, target: str, fit: int | None) -> dict[str, float]:
    size = file.stat().st_size / 1e6
    rounds = [
        (in_a_process(partial(bare_parse, [str(file)])), in_a_process(partial(hand_over, file, target, fit)))
        for _ in range(ROUNDS)
    ]
    yardstick = min(theirs for (theirs, _), _ in rounds)
    seconds, peak = min(ours for _, (ours, _) in rounds), min(memory for _, (_, memory) in rounds)
    return {
        "megabytes": round(size, 1),
        "cpu s": round(seconds, 2),
        "ratio": round(seconds / yardstick, 1),
        "peak MB": round(peak),
        "peak / file": round(peak / size, 2),
    }


def _written(agent: str, file: Path, megabytes: int, lines: Sequence[int]) -> None:
    with file.open("w", encoding="utf-8") as out:
        registry.writer(agent).write(large(megabytes, lines), out.write, Options())


if __name__ == "__main__":
    main()
