"""What any reader must do at least: decode the records by their types, and make the same values of the model.

python -m benchmarks.floor qwen|copilot|opencode [--sessions N] prints the processor time of each step, beside that of a
bare parse. With `--step NAME` it does that step alone and prints nothing, for `valgrind --tool=callgrind`: the
difference of two numbers of `--rounds` are the instructions of a round.

`kept` decodes every record with pollux's own types, and keeps all of a session. `made` also makes the objects of the
session anew, by their own fields and with a copy of what is kept beside them, and does not find out what they are.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import database, more_agents, yardsticks
from pollux import Library
from pollux.model import Session
from pollux.sources.copilot.format.events import read_events
from pollux.sources.database import session_snapshot
from pollux.sources.opencode.witnesses.records import Gathered
from pollux.sources.opencode.witnesses.rows import SHAPE, gather_session
from pollux.sources.qwen.transcript import Transcript
from pollux.wire import Notes

STEPS = ("bare", "kept", "made", "pollux")


def steps(agent: str, folder: Path, sessions: int) -> dict[str, Callable[[], None]]:
    """The steps of reading a generated home of an agent."""
    made = {"qwen": more_agents.qwen, "copilot": more_agents.copilot}
    home = made[agent](folder, sessions) if agent in made else database.history(folder, sessions, 100)
    library = Library(environ={"HOME": str(home)}, cwd=home, hunt=False)
    bundles = library._files.bundles()
    plans = [
        [one for session in source.read(bundle).sessions for one in _objects(session)] for source, bundle in bundles
    ]

    def bare() -> None:
        if agent == "opencode":
            database.bare_rows(home / database.PLACE)
        else:
            yardsticks.bare_parse([file.path for _, bundle in bundles for file in bundle.files])

    def keep() -> None:
        for _, bundle in bundles:
            _kept(agent, bundle)

    def make() -> None:
        for (_, bundle), plan in zip(bundles, plans, strict=True):
            records = _kept(agent, bundle)
            session = [
                kind(**{**fields, "extra": _copied(fields["extra"])} if "extra" in fields else fields)
                for kind, fields in plan
            ]
            del records, session

    def read() -> None:
        for source, bundle in bundles:
            source.read(bundle)

    return dict(zip(STEPS, (bare, keep, make, read), strict=True))


def _kept(agent: str, bundle: Any) -> object:
    """All records of a session."""
    if agent == "qwen":
        return [Transcript(file.path, Notes()).read() for file in bundle.transcripts()]
    if agent == "copilot":
        return [list(read_events(file.path, Notes())) for file in bundle.transcripts()]
    into = Gathered()
    for place in bundle.rows:
        state = session_snapshot(place.database, SHAPE, bundle.id)
        gather_session(state, bundle.id, place.database.path, into, Notes())
    return into


def _objects(session: Session) -> Iterator[tuple[Callable[..., Any], dict[str, Any]]]:
    """Everything that a session is made of: each object's type and fields, without those that have no value."""
    for message in session.messages:
        for part in message.parts:
            yield type(part), _fields(part)
        for one in (message.usage, message.origin):
            if one is not None:
                yield type(one), _fields(one)
        yield type(message), _fields(message)


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    infos = msgspec.structs.fields(value)
    return {info.name: got for info in infos if (got := getattr(value, info.name)) is not info.default}


def _copied(extra: Any) -> Any:
    """What is kept beside a message or call: the objects in it are made anew, as they are of decoded records."""
    if type(extra) is dict:
        return {key: _copied(value) if type(value) is dict else value for key, value in extra.items()}
    return extra


def main() -> None:
    """Prints each step beside the bare parse."""
    parser = argparse.ArgumentParser(description="What any reader must do at least.")
    parser.add_argument("agent", choices=("qwen", "copilot", "opencode"))
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--step", choices=STEPS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pollux-floor-") as folder:
        gc.disable()  # as pollux does while it reads
        found = steps(options.agent, Path(folder), options.sessions)
        if options.step:
            for _ in range(options.rounds):
                found[options.step]()
            return
        best = dict.fromkeys(STEPS, float("inf"))
        for _ in range(options.rounds):
            for name, work in found.items():
                start = time.process_time()
                work()
                best[name] = min(best[name], time.process_time() - start)
    for name, seconds in best.items():
        print(f"{options.agent:9} {name:7} {seconds * 1000:8.1f} ms {seconds / best['bare']:6.2f}", file=sys.stdout)


if __name__ == "__main__":
    main()
