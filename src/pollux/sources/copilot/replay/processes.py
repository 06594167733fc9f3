"""The runs of the program in which a session was held, and what each of them used.

Since 1.0.102 there is a record of each request. Before, a run writes its figures when it ends: up to 1.0.60 its own,
from 1.0.66 on a total of all runs so far. More requests than responses of the run show that it is such a total. A run
that was killed writes none; only the output of its responses is known.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pollux.model import Usage, add
from pollux.sources.copilot.replay.entries import Entry
from pollux.sources.copilot.replay.figures import minus


class Shutdown(msgspec.Struct, frozen=True):
    """The figures of a run by model, and where they stand."""

    place: int
    line: int
    file: str
    totals: dict[str, Usage]


class Process(msgspec.Struct):
    """One run. `turns` are the requests that began: place, agent, line, file."""

    place: int = 0
    answers: list[Entry] = []
    records: list[Usage] = []
    turns: list[tuple[int, str | None, int, str]] = []
    shutdown: Shutdown | None = None
    own: dict[str, Usage] = {}
    """What the run used by its last figures, by model."""
    told: bool = False
    """Do later figures tell what it used, because they include it?"""


def requests_of(usages: Iterable[Usage]) -> int:
    """How many requests figures are about."""
    return sum(usage.requests or 0 for usage in usages)


def settle(processes: list[Process]) -> None:
    """Find out what each run used, by the figures at its end and those of the runs before."""
    covered: dict[str, Usage] = {}
    untold: list[Process] = []
    for process in processes:
        shutdown = process.shutdown
        if shutdown is None:
            if process.records:
                # The totals of releases with records include killed runs.
                covered = {**covered, "": add([*_known(covered, ""), *process.records], exact=None)}
            elif process.answers:
                untold.append(process)
            continue
        totals = shutdown.totals
        count, before = requests_of(totals.values()), requests_of(covered.values())
        running = count > len(process.answers) and count >= before > 0 and _includes(totals, covered)
        if not running:
            process.own = _left(totals, {})
            covered = {
                model: add([*_known(covered, model), *_known(totals, model)], exact=None)
                for model in (*covered, *totals)
            }
        else:
            process.own = _left(totals, covered)
            covered = dict(totals)
        more = requests_of(process.own.values()) - len(process.answers)
        if not process.records and more > 0 and untold and more >= sum(len(one.answers) for one in untold):
            for one in untold:
                one.told = True
        untold = []


def _includes(totals: dict[str, Usage], covered: dict[str, Usage]) -> bool:
    """Can figures be a total that includes others? Then they are nowhere less."""
    return all(
        (totals[model].input or 0) >= (usage.input or 0) and (totals[model].output or 0) >= (usage.output or 0)
        for model, usage in covered.items()
        if model in totals
    )


def _known(totals: dict[str, Usage], model: str) -> list[Usage]:
    return [totals[model]] if model in totals else []


def _left(totals: dict[str, Usage], covered: dict[str, Usage]) -> dict[str, Usage]:
    """A total of all runs without the runs before; nothing for a model that did nothing."""
    models = list(totals)
    left = {model: minus(totals[model], covered.get(model)) for model in models}
    # What killed runs used is known, but not always by model: it is taken from the first.
    if "" in covered and models:
        left[models[0]] = minus(left[models[0]], covered[""])
    return {model: usage for model, usage in left.items() if usage.requests or usage.input or usage.output}
