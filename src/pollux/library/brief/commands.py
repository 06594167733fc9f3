"""What was run: tests with their results, commits, and the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from pollux.library.brief.output_lines import made_commits, result_line
from pollux.library.brief.shell import commits, is_test, shell_command
from pollux.library.brief.told_calls import CallAt, call_words
from pollux.library.brief.values import Importance, Item, Section, Unit
from pollux.model import Status
from pollux.text.figures import plural
from pollux.writers.calls import outcome

_OTHER = ("read", "search", "edit", "plan", "agent", "communicate", "execute")
"""What other lines tell of, or what tells little: files that were only looked at."""


def commits_made(calls: Sequence[CallAt]) -> Iterator[Item]:
    """The commits, as git told them; where it said nothing, the command, once for all that are alike."""
    silent: list[CallAt] = []
    for one in calls:
        command = shell_command(one.call)
        if command is None or one.call.status is not Status.OK or not commits(command):
            continue
        made = list(made_commits(one.call.output or ""))
        for match in made:
            yield _commit([one], match[3], f"{match[2]} on {match[1]}")
        if not made:
            silent.append(one)
    for command, same in _by_command(silent).items():
        yield _commit(same, command, f"{len(same):,} times" if len(same) > 1 else "")


def _commit(calls: Sequence[CallAt], text: str, note: str) -> Item:
    last = calls[-1]
    return Item(
        section=Section.CHANGED,
        what="committed",
        text=text,
        note=note,
        importance=Importance.CHANGE,
        places=(last.place,),
        covers=tuple(one.unit for one in calls),
        at=last.message.at,
        fate=last.message.fate,
    )


def tests_run(calls: Sequence[CallAt]) -> Iterator[Item]:
    """Each command that runs tests, how often, and how that ended the last time."""
    for command, runs in _by_command(one for one in calls if is_test(shell_command(one.call) or "")).items():
        last = runs[-1]
        times = f"{plural(len(runs), 'run')}, the last {outcome(last.call)}" if len(runs) > 1 else outcome(last.call)
        yield Item(
            section=Section.CHANGED,
            what="tested",
            text=command,
            note=times,
            detail=result_line(last.call.output or ""),
            importance=Importance.CHANGE,
            places=(last.place,),
            covers=tuple(one.unit for one in runs),
            at=last.message.at,
            fate=last.message.fate,
        )


def others_run(calls: Sequence[CallAt], told: Collection[Unit]) -> Iterator[Item]:
    """Commands and other tools that went well and are not `told` yet, without those that only looked at files."""
    fine = (one for one in calls if one.call.status is Status.OK and one.unit not in told and _is_told_here(one))
    for words, runs in _by_command(fine).items():
        last = runs[-1]
        yield Item(
            section=Section.RAN,
            what="ran",
            text=words,
            note=f"{len(runs):,} times" if len(runs) > 1 else "",
            importance=Importance.ROUTINE,
            places=(last.place,),
            covers=tuple(one.unit for one in runs),
            at=last.message.at,
            fate=last.message.fate,
        )


def _is_told_here(one: CallAt) -> bool:
    command = shell_command(one.call)
    if command is None:
        return one.call.tool_kind not in _OTHER
    return bool(command.strip()) and not is_test(command) and not commits(command)


def _by_command(calls: Iterable[CallAt]) -> dict[str, list[CallAt]]:
    """Calls that did the same, in the order of the last of each."""
    groups: dict[str, list[CallAt]] = {}
    for one in calls:
        words = call_words(one.call)
        same = groups.pop(words, [])
        same.append(one)
        groups[words] = same
    return groups
