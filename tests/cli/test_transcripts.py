"""Runs the Markdown files beside this one: each command in them must print what stands below it.

A block begins with `$ pollux …`; then come the lines of stdout, those of stderr with `2> ` before them, and `=> 3`
where the exit status is not 0. `$ rm PATH` takes a file of the home away, and prints nothing. A line `home: VERSION`
above names the home, `columns: 80` the width, `programs: less` all programs there are beside pollux, which do nothing.
`key: NAME` gives the user a key to sign with, which is always the same, and
`machine: DIGIT` the machine a number. `$HOME` stands for the home's path, `$FOLDER`
for that of the folder around it, `$BIN` for where pollux is installed, `$VERSION` for its version, `$TIME` for how long
a server took to answer.

POLLUX_UPDATE_TRANSCRIPTS=1 writes the files anew from what pollux prints. Read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pollux import __version__
from pollux.cli.app import cli
from tests.cli.program import Pollux

FILES = sorted(Path(__file__).parent.glob("*.md"))
BLOCK = re.compile(r"(?<=^```\n)(\$ .*?)(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (pollux|rm)(?: (.*))?$", re.MULTILINE)
ENDLESS = {"pick", "watch", "web"}
"""What ends only when somebody ends it, as other tests do."""
ACTIONS = {"key": ["new", "list", "show"]}
"""What a command does by its first argument."""


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder with a path of always the same length: a table cuts long ones."""
    with TemporaryDirectory(prefix="transcript-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_transcript(file: Path, short_path: Path) -> None:
    text = file.read_text("utf-8")
    version = re.search(r"^home: (\S+)$", text, re.MULTILINE)
    columns = re.search(r"^columns: (\d+)$", text, re.MULTILINE)
    pollux = Pollux(short_path, version[1] if version is not None else None)
    pollux.env["COLUMNS"] = columns[1] if columns is not None else "100"
    if (programs := re.search(r"^programs: (.+)$", text, re.MULTILINE)) is not None:
        pollux.env["PATH"] = str(_programs(short_path / "bin", programs[1].split()))
        del pollux.env["PYTHONPATH"]
    if (key := re.search(r"^key: (\w+)$", text, re.MULTILINE)) is not None:
        _plant_key(short_path / "xdg" / "data" / "pollux" / "keys", key[1])
    if (machine := re.search(r"^machine: (\d)$", text, re.MULTILINE)) is not None:
        (short_path / "xdg" / "data" / "pollux").mkdir(parents=True)
        (short_path / "xdg" / "data" / "pollux" / "machine").write_text(machine[1] * 64)
    ran = BLOCK.sub(lambda block: _block(pollux, block[0]), text)
    if os.environ.get("POLLUX_UPDATE_TRANSCRIPTS"):
        file.write_text(ran, "utf-8")
    assert ran == text


def _programs(folder: Path, names: list[str]) -> Path:
    """A folder with programs that do nothing, gladly."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


def _plant_key(folder: Path, name: str) -> None:
    """A key that makes the same signatures every time."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    secret = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    shared = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    folder.mkdir(mode=0o700, parents=True)
    for suffix, content in ((".key", secret), (".pub", shared)):
        (folder / f"{name}{suffix}").write_bytes(content)
        (folder / f"{name}{suffix}").chmod(0o600)


def _block(pollux: Pollux, block: str) -> str:
    """The block as it would stand if its commands had just been run."""
    return "".join(_output(pollux, *command.groups(default="")) for command in COMMAND.finditer(block))


def _output(pollux: Pollux, program: str, arguments: str) -> str:
    if program == "rm":
        (pollux.home / arguments).unlink()
        return f"$ rm {arguments}\n"
    result = pollux(*shlex.split(arguments))
    lines = [f"$ pollux {arguments}".rstrip(), *result.stdout.splitlines()]
    lines += [f"2> {line}".rstrip() for line in result.stderr.splitlines()]
    if result.returncode != 0:
        lines.append(f"=> {result.returncode}")
    text = "\n".join(lines).replace(str(pollux.home), "$HOME").replace(str(pollux.folder), "$FOLDER")
    text = text.replace(str(Path(sys.executable).parent), "$BIN").replace(f"pollux {__version__},", "pollux $VERSION,")
    return re.sub(r"(?<=, in )[\d.]+ m?s(?=:)", "$TIME", text) + "\n"


# ------------------------------------------------------------------------------------------ every command has one


def _commands(group: click.Group, *above: str) -> Iterator[tuple[str, ...]]:
    """Every command that does something by itself, with the names of the groups around it."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if isinstance(command, click.Group):
            yield from _commands(command, *above, name)
        elif name in ACTIONS:
            yield from ((*above, name, action) for action in ACTIONS[name])
        else:
            yield (*above, name)


@cache
def _statuses() -> dict[tuple[str, ...], set[bool]]:
    """Of each command in a transcript, whether it was ever done, and whether it ever failed."""
    commands = list(_commands(cli))
    ends: dict[tuple[str, ...], set[bool]] = {}
    for file in FILES:
        for block in BLOCK.findall(file.read_text("utf-8")):
            for use in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                first, *lines = use.splitlines()
                words = shlex.split(first)[1:]
                has_succeeded = not any(re.fullmatch(r"=> \d+", line) for line in lines)
                for command in commands:
                    if words[: len(command)] == list(command):
                        ends.setdefault(command, set()).add(has_succeeded)
    return ends


@pytest.mark.parametrize("command", list(_commands(cli)), ids=" ".join)
def test_every_command_is_used_well_and_badly(command: tuple[str, ...]) -> None:
    assert _statuses().get(command, set()) >= ({False} if command[0] in ENDLESS else {False, True})
