"""What the store adds to the events: turns that were rewound or cut off, and figures that the file does not hold."""

from __future__ import annotations

from datetime import datetime
from difflib import SequenceMatcher
from itertools import zip_longest

from pollux.model import Author, Fate, Role, SummaryPart, Text
from pollux.sources.copilot.replay.entries import Entry, said
from pollux.sources.copilot.replay.processes import requests_of
from pollux.sources.copilot.replay.replay import Replay
from pollux.sources.copilot.replay.streams import Stream
from pollux.sources.copilot.store import Request, StoredSession, Summary, Turn


def add_rewound(replay: Replay, store: StoredSession) -> bool:
    """Add the turns that a rewind cut from the file. Are the figures of all of them known?"""
    if not replay.rewinds or not store.turns:
        return False
    main = replay.stream(None)
    prompts = [entry for entry in main.entries if entry.asks and not entry.inherited and _words(entry)]
    texts = [_squeezed(turn.prompt or "") for turn in store.turns]
    matcher = SequenceMatcher(None, texts, [_squeezed(_words(entry)) for entry in prompts], autojunk=False)
    left = _without_recorded(replay, store.requests)
    paid: list[bool] = []
    for tag, first, end, prompt, _ in reversed(matcher.get_opcodes()):
        lost = store.turns[first:end] if tag != "equal" else []
        if lost:
            place = _place(replay, prompts[prompt] if prompt < len(prompts) else None)
            paid += [any(request.turn == turn.number for request in left) for turn in lost]
            main.entries[place:place] = [
                entry for turn in lost for entry in _turn_entries(turn, left, store.file, Fate.REWOUND)
            ]
    return bool(paid) and all(paid)


def add_lost(replay: Replay, store: StoredSession) -> None:
    """Add what a file that was cut lost at its end: the last answer of the turn that was cut, and all later turns.

    With them come the compactions of that time.
    """
    main = replay.stream(None)
    asked = [entry for entry in main.entries if entry.asks and not entry.inherited and _words(entry)]
    texts = [_squeezed(_words(entry)) for entry in asked]
    known = max((place for place, turn in enumerate(store.turns) if _squeezed(turn.prompt or "") in texts), default=-1)
    end = max(main.times, default=None)
    spoken_for = [stream for stream in replay.streams.values() if stream.name is not None and stream.entries]
    left = [
        request
        for request in _without_recorded(replay, store.requests)
        if not any(_is_of(request, stream) for stream in spoken_for)
    ]
    if known >= 0 and _squeezed(store.turns[known].prompt or "") == texts[-1]:
        cut = store.turns[known]
        spoken = _squeezed("\n".join(_words(entry) for entry in main.entries[main.entries.index(asked[-1]) :]))
        if cut.answer and _squeezed(cut.answer) not in spoken:
            main.entries.append(_turn_entries(cut, [], store.file, Fate.LIVE)[-1])
    recorded = {
        entry.extra["compaction"].get("checkpointNumber") for entry in main.entries if "compaction" in entry.extra
    }
    summaries = [
        one for one in store.summaries if one.number not in recorded and (end is None or not _before(one.at, end))
    ]
    compactions = _compactions(summaries, left, store.file)
    if known >= 0:
        compactions.add_before(store.turns[known].at, main.entries)
    for turn in store.turns[known + 1 :]:
        if turn.at is None or end is None or turn.at > end:  # a prompt may stand there in other words
            main.entries += _turn_entries(turn, left, store.file, Fate.LIVE)
            compactions.add_before(turn.at, main.entries)
    compactions.add_all(main.entries)


def _place(replay: Replay, following: Entry | None) -> int:
    """Where turns were cut: before the remark that says so, and before the next prompt that is still there."""
    entries = replay.stream(None).entries
    end = entries.index(following) if following is not None else len(entries)
    remarks = [place for place in range(end) if entries[place] in replay.rewinds]
    between = [place for place in remarks if not any(entry.asks for entry in entries[place:end])]
    return between[0] if between else end


def _without_recorded(replay: Replay, requests: list[Request]) -> list[Request]:
    """The requests without those for compactions that the file still holds."""
    figures = [
        (usage.input, usage.output)
        for entry in replay.stream(None).entries
        if "compaction" in entry.extra
        for usage in entry.usages
    ]
    return [one for one in requests if not one.compacts or (one.usage.input, one.usage.output) not in figures]


def stored_entries(store: StoredSession) -> list[Entry]:
    """All that the store holds of a session as messages. Requests of no turn are counted with the last answer."""
    left = list(store.requests)
    compactions = _compactions(store.summaries, left, store.file)
    entries: list[Entry] = []
    for turn in store.turns:
        entries += _turn_entries(turn, left, store.file, Fate.LIVE)
        compactions.add_before(turn.at, entries)
    compactions.add_all(entries)
    last = next((entry for entry in reversed(entries) if entry.answers), None)
    if last is not None:
        last.usages = [*last.usages, *(request.usage for request in left)]
    return entries


class _Compactions:
    """The summaries that are still to be put between turns, as messages, and when each was made."""

    def __init__(self, waiting: list[tuple[datetime | None, Entry]]) -> None:
        self._waiting = waiting

    def add_before(self, end: datetime | None, entries: list[Entry]) -> None:
        """Add those of a turn that ended then. What stands before them is no longer sent."""
        while self._waiting and _before(self._waiting[0][0], end):
            self._add(entries)

    def add_all(self, entries: list[Entry]) -> None:
        """Add all others."""
        while self._waiting:
            self._add(entries)

    def _add(self, entries: list[Entry]) -> None:
        at, summary = self._waiting.pop(0)
        for entry in entries if at is not None else ():
            entry.fate = Fate.COMPRESSED if entry.fate is Fate.LIVE else entry.fate
        entries.append(summary)


def _compactions(summaries: list[Summary], left: list[Request], file: str) -> _Compactions:
    """Summaries as messages, each with the figures of its request, which is taken out of `left`."""
    requests = [request for request in left if request.compacts]
    waiting: list[tuple[datetime | None, Entry]] = []
    for summary, request in zip_longest(summaries, requests[: len(summaries)]):
        entry = Entry(
            id=f"checkpoint-{summary.number}",
            role=Role.USER,
            author=Author.CLIENT,
            line=0,
            place=-1,
            file=file,
            row=f"checkpoints/{summary.row}",
            at=summary.at,
            parts=[SummaryPart(text=summary.text)],
            extra={"compaction": {"checkpointNumber": summary.number}},
        )
        if request is not None:
            left.remove(request)
            entry.usages, entry.model = [request.usage], request.model
        waiting.append((summary.at, entry))
    return _Compactions(waiting)


def _turn_entries(turn: Turn, left: list[Request], file: str, fate: Fate) -> list[Entry]:
    """A turn of the store as messages: the prompt, and the last answer with the figures of all its requests.

    These are taken out of `left`.
    """
    entries: list[Entry] = []
    if turn.prompt:
        prompt = _entry(turn, "user_message", file)
        prompt.fate, prompt.parts = fate, said(turn.prompt)
        entries.append(prompt)
    requests = [request for request in left if request.turn == turn.number]
    left[:] = [request for request in left if request.turn != turn.number]
    if turn.answer or requests:
        answer = _entry(turn, "assistant_response", file)
        answer.fate, answer.parts = fate, said(turn.answer)
        answer.usages = [request.usage for request in requests]
        answer.at = max((request.at for request in requests if request.at is not None), default=turn.at)
        answer.model = next((request.model for request in requests if request.model), None)
        entries.append(answer)
    return entries


def _entry(turn: Turn, field: str, file: str) -> Entry:
    asks = field == "user_message"
    return Entry(
        id=f"turn-{turn.number}{'' if asks else '-answer'}",
        role=Role.USER if asks else Role.ASSISTANT,
        author=Author.HUMAN if asks else Author.MODEL,
        line=0,
        place=-1,
        file=file,
        row=f"turns/{turn.row}",
        extra={"field": field},
    )


def add_figures(replay: Replay, store: StoredSession) -> None:
    """Give each response the figures of its requests, where the file has none and the store has all of them."""
    everything = [request for request in store.requests if not request.compacts]
    rewound = {usage.row for entry in replay.stream(None).entries if entry.row for usage in entry.usages}
    requests = [request for request in everything if request.usage.row not in rewound]
    if not requests or any(process.records for process in replay.processes):
        return
    written = [requests_of(process.shutdown.totals.values()) for process in replay.processes if process.shutdown]
    if len(everything) < max(written, default=0):
        return
    shares: list[tuple[list[Entry], list[Request]]] = []
    for stream in replay.streams.values():
        mine = [request for request in requests if _is_of(request, stream)]
        answers = [entry for entry in stream.entries if entry.answers and not entry.inherited and not entry.row]
        if len(mine) < len(answers) or (mine and not answers):
            return
        shares.append((answers, mine))
    if sum(len(mine) for _, mine in shares) != len(requests):
        return
    for answers, mine in shares:
        _share(answers, mine)


def _is_of(request: Request, stream: Stream) -> bool:
    if stream.name is None:
        return request.agent is None and request.call is None
    return stream.name in (request.agent, request.call) or (request.call is not None and request.call == stream.call)


def _share(answers: list[Entry], requests: list[Request]) -> None:
    """Each response has the requests before it that no earlier one has, at least one."""
    taken = 0
    for number, entry in enumerate(answers):
        left = len(answers) - number - 1
        end = taken + 1
        while end < len(requests) - left and (left == 0 or _before(requests[end].at, entry.at)):
            end += 1
        entry.usages = [request.usage for request in requests[taken:end]]
        entry.model = entry.model or requests[taken].model
        taken = end


def _before(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and one <= other


def _words(entry: Entry) -> str:
    return "\n".join(part.text for part in entry.parts if type(part) is Text)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
