"""Requests that make no sense: one sentence, one hint, status 2, and nothing on the standard output."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pollux.cli.app import cli, run
from pollux.errors import RequestError
from tests.cli.program import Pollux

NONSENSE = {
    "show ''": ("No session is called ''.", "Try: pollux list --all"),
    "--json": ("No such option '--json'.", "Did you mean: pollux list --json?"),
    "list --json --jsonl": ("--json and --jsonl cannot be combined.", "Leave out one of them."),
    "list --project ''": ("No project has an empty name.", "Try: pollux projects"),
    "watch --project ''": ("No project has an empty name.", "Try: pollux projects"),
    "archive retsore": ("No command is called 'retsore'.", "Did you mean: pollux archive restore?"),
    "cache frobnicate": ("No command is called 'frobnicate'.", "Try: pollux cache --help"),
    "export last --to json --tools none": ("json does not support --tools.", "--tools is for markdown, text."),
    "export last --to csv --ids short": ("csv does not support --ids.", "--ids is for atif, otel, openai, hf, acp."),
    "export last --to text --front-matter --content": ("text does not support --content.", "--content is for otel."),
    "export last --to text --redact-word ''": ("No word is empty.", "Leave out --redact-word, or name one."),
    "list --agent gemni": ("No agent is called 'gemni'.", "Did you mean: gemini?"),
    "export last --to md": ("No format is called 'md'.", "Did you mean: markdown?"),
    "search --in promts x": ("--in cannot be 'promts'.", "Did you mean: prompts?"),
    "stats --by day,modle": ("--by cannot be 'modle'.", "Did you mean: model?"),
    "stats --by dya": ("--by cannot be 'dya'.", "Did you mean: day?"),
    "list agent:claude --agent codex": (
        "--agent takes one value, and agent:claude is a second one.",
        "Leave out agent:claude.",
    ),
    "list agent:gemni": ("No agent is called 'gemni'.", "Did you mean: gemini?"),
    "stats --by day,day": ("--by names one thing twice.", "Try: --by day,model"),
    "stats --by model,tool": ("pollux does not count tool calls by model.", "Try: --by agent,tool"),
    "stats --of tokns": ("--of cannot be 'tokns'.", "Did you mean: tokens?"),
    "stats --timezone Europe/Berln": ("No time zone is called 'Europe/Berln'.", "Did you mean: Europe/Berlin?"),
    "list --since yesterdy": ("'yesterdy' is not a time that pollux understands.", "Did you mean: yesterday?"),
    "show latest": ("No session is called 'latest'.", "Did you mean: last?"),
    "completion bahs": ("SHELL cannot be 'bahs'.", "Did you mean: bash?"),
    "--color nevr list": ("--color cannot be 'nevr'.", "Did you mean: never?"),
    "list --limit 0": ("--limit must be 1 or more.", "Try: --limit 20"),
    "list -n many": ("--limit must be a whole number, not 'many'.", "Try: --limit 20"),
    "search --each -1 x": ("--each must be 1 or more.", "Try: --each 20"),
    "search --regex x --timeout 0": ("--timeout must be more than 0.", "Try: --timeout 5"),
    "search --regex x --timeout nan": ("--timeout must be more than 0.", "Try: --timeout 5"),
    "search --regex x --timeout soon": ("--timeout must be a number, not 'soon'.", "Try: --timeout 5"),
    "list --limt 3": ("No such option '--limt'.", "Did you mean: --limit?"),
    "show last --frmt x": ("No such option '--frmt'.", "Try: pollux show --help"),
    "archive --json status": ("--json belongs after status.", "Try: pollux archive status --json"),
    "completion": (
        "Missing argument '{bash|zsh|fish}'. Choose from: bash, zsh, fish.",
        "Try: pollux completion --help",
    ),
}


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty home, and pollux's own files in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)


@pytest.mark.parametrize("request_", NONSENSE)
def test_a_sentence_and_a_hint(request_: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["" if word == "''" else word for word in request_.split()]
    assert run(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    sentence, hint = NONSENSE[request_]
    errors = output.err if "--json" not in arguments else _as_lines(output.err)
    assert errors == f"pollux: {sentence}\n{hint}\n"


@pytest.mark.parametrize(
    ("request_", "status", "meant"),
    [
        ("show aa6812eb", 2, "aa6812ea"),
        ("show gemni:aa6812ea", 2, "gemini:aa6812ea"),
        ("show aa68 --at aa6812ea-x", 2, None),
        ("search tide agent:codx", 2, "agent:codex"),
        ("search tide model:gpt5.5", 1, "model:gpt-5.5"),
        ("search tide tool:exec_comand", 1, "tool:exec_command"),
        ("search tide project:tidewach", 1, "project:tidewatch"),
        ("projects tidewach", 1, "tidewatch"),
        *(
            (f"{command} --project tidewach", 1, "--project tidewatch")
            for command in (
                "list",
                "search tide",
                "search --regex tide",
                "stats",
                "stats --by tool",
                "timeline",
                "audit",
                "scan --all",
                "export --all --to json -o out",
            )
        ),
    ],
)
def test_names_that_nothing_has_are_answered_with_the_one_meant(
    request_: str, status: int, meant: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--sample", *request_.split()]) == status
    output = capsys.readouterr()
    assert output.out == ""
    assert (f"Did you mean: {meant}?" in output.err) is (meant is not None)


def _as_lines(document: str) -> str:
    answer = json.loads(document)
    return f"pollux: {answer['error']}\n{answer['hint']}\n"


@pytest.mark.parametrize("command", [["show"], ["list"], ["search"], ["projects"], ["stats"], ["history"], ["scan"]])
def test_words_that_are_no_text_find_nothing(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--sample", *command, os.fsdecode(b"\xff")]) in (1, 2)
    assert "went wrong" not in capsys.readouterr().err


@pytest.mark.parametrize("group", [["--help"], ["archive", "--help"], ["cache", "--help"]], ids=" ".join)
def test_help_tells_of_each_command_in_whole_sentences(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(group) == 0
    listed = capsys.readouterr().out.partition("Commands:\n")[2].splitlines()
    assert listed
    for line in listed:
        assert line.endswith("."), line
        assert not line.endswith("..."), line


def test_an_option_means_the_same_everywhere() -> None:
    """Options of one name have one short form, and take one kind of value everywhere or none anywhere.

    Only `--in` says both where to look in a session and in which folder to go on with it, `--tokens` both whether to
    show figures and how many tokens there is room for, and `--to` both the format and the agent to write for.
    """
    forms: dict[str, set[tuple[tuple[str, ...], bool, str | None]]] = {}
    with click.Context(cli) as ctx:
        for command in every_command(ctx, cli):
            for option in (each for each in command.params if isinstance(each, click.Option)):
                long = next(one for one in option.opts if one.startswith("--"))
                short = tuple(one for one in option.opts if not one.startswith("--"))
                place = option.metavar is not None and {*option.metavar.split("-")} <= {"FILE", "OR", "FOLDER"}
                forms.setdefault(long, set()).add((short, option.is_flag, "a place" if place else option.metavar))
    assert forms.pop("--in") == {((), False, None), ((), False, "DIR")}
    assert forms.pop("--tokens") == {((), True, None), ((), False, "N")}
    assert forms.pop("--to") == {(("-t",), False, "FORMAT"), (("-t",), False, "AGENT")}
    assert {long: value for long, value in forms.items() if len(value) > 1} == {}
    assert forms["--output"] == {(("-o",), False, "a place")}


def every_command(ctx: click.Context, group: click.Group) -> Iterator[click.Command]:
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from every_command(ctx, command)


def _commands(group: click.Group, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        yield (*above, name), command
        if isinstance(command, click.Group):
            yield from _commands(command, (*above, name))


def _given_twice() -> list[tuple[str, ...]]:
    return [
        (*words, option.opts[0])
        for words, command in [((), cli), *_commands(cli)]
        for option in command.params
        if isinstance(option, click.Option) and not (option.is_flag or option.multiple or option.count)
    ]


def test_an_option_of_one_value_is_not_given_two() -> None:
    value = _given_twice()
    assert len(value) > 60
    for *words, option in value:
        command = dict(_commands(cli))[tuple(words)] if words else cli
        with pytest.raises(RequestError, match=r"takes one value, and was given 2\."):
            command.make_context("pollux", [option, "a", option, "b"])


def test_which_of_two_values_was_meant_is_asked(pollux: Pollux) -> None:
    for command in (
        ("list", "--agent", "gemini", "--agent", "claude"),
        ("search", "x", "--in", "tools", "--in", "all"),
    ):
        result = pollux(*command)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr == (
            f"pollux: {command[-2]} takes one value, and was given 2.\nLeave out all {command[-2]} but one.\n"
        )
    result = pollux("archive", "schedule", "--install", "--remove")
    assert (result.returncode, "--install and --remove cannot be combined." in result.stderr) == (2, True)
    assert pollux("list", "--all", "--all").returncode == 0


def test_a_calendar_of_nothing_does_not_send_in_circles(empty: Pollux) -> None:
    assert empty("timeline").stderr.splitlines()[0] == "No sessions were found."
