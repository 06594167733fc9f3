"""What is known only when all events are: what was copied, which refusals ended a turn, what was paid for what."""

from __future__ import annotations

from pollux.model import Author, Fate, Role, Usage
from pollux.sources.copilot.replay.entries import REFUSED, Entry
from pollux.sources.copilot.replay.processes import Process, settle
from pollux.sources.copilot.replay.replay import Replay


def finish(replay: Replay, id: str) -> None:
    """Complete the messages of all agents."""
    if replay.fork is not None and replay.fork.origin != id:
        for stream in replay.streams.values():
            for entry in stream.entries:
                entry.inherited = entry.inherited or entry.place < replay.fork.place
    if not replay.rewinds:
        rewound = Fate.REWOUND
        # Another file of the session holds more, but nothing was rewound: this one was cut.
        for stream in replay.streams.values():
            for entry in stream.entries:
                if entry.fate is rewound:
                    entry.fate = Fate.LIVE
    for stream in replay.streams.values() if replay.has_refusals else ():
        _end_turns(stream.entries)


def pay(replay: Replay) -> None:
    """Give the figures of each run to its responses, unless they have figures of their own."""
    settle(replay.processes)
    for process in replay.processes:
        _pay(replay, process)


def _end_turns(entries: list[Entry]) -> None:
    """A refusal after which the model did not go on ended the turn: the call was cancelled."""
    for number, entry in enumerate(entries):
        refused = [call for call in entry.calls if call.success is False and call.code in REFUSED]
        if refused:
            after = next((later for later in entries[number + 1 :] if later.answers or later.asks), None)
            if after is not None and after.asks and after.author is Author.HUMAN:
                for call in refused:
                    call.cancelled = True


def _pay(replay: Replay, process: Process) -> None:
    """Give the figures of a run to its last response. They are one sum for the session and its sub-agents.

    Of a run without figures the outputs are known; those of a sub-agent go to the response before.
    """
    if process.records or any(entry.usages for entry in process.answers):
        return
    main = [entry for entry in process.answers if entry.stream is None]
    if process.shutdown is not None:
        for model, usage in process.own.items():
            last = next((entry for entry in reversed(main) if entry.model == model), None)
            last = last or _bare_response(replay, process, model)
            last.usages = [*last.usages, usage]
    elif not process.told:
        paying = main[0] if main else None
        for entry in process.answers:
            paying = entry if entry.stream is None else paying
            if entry.output is not None and paying is not None:
                usage = Usage(output=entry.output, requests=1, exact=False, line=entry.line, file=entry.file)
                paying.usages = [*paying.usages, usage]


def _bare_response(replay: Replay, process: Process, model: str) -> Entry:
    """A place for figures of a model of which no response was written."""
    shutdown = process.shutdown
    assert shutdown is not None  # noqa: S101 (only then are there figures)
    entry = Entry(
        id=f"line-{shutdown.line}-{model}",
        role=Role.ASSISTANT,
        author=Author.MODEL,
        line=shutdown.line,
        place=shutdown.place,
        file=shutdown.file,
        model=model,
        fate=Fate.FAILED,
        inherited=replay.fork is not None and shutdown.place < replay.fork.place,
    )
    entries = replay.stream(None).entries
    before = sum(other.place < shutdown.place for other in entries)
    entries.insert(before, entry)
    return entry
