"""Runs the Markdown files beside this one: each command in them must print what stands below it.

A block begins with `$ pollux …`; then come the lines of stdout, those of stderr with `2> ` before them, and `=> 3`
where the exit status is not 0. A line `home: VERSION` above names the home, `columns: 80` the width, `programs: less`
all programs there are beside pollux, which do nothing. `$HOME` stands for the home's path, `$FOLDER` for that of the
folder around it, `$BIN` for where pollux is installed.

POLLUX_UPDATE_TRANSCRIPTS=1 writes the files anew from what pollux prints. Read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.cli.running import Pollux

FILES = sorted(Path(__file__).parent.glob("*.md"))
BLOCK = re.compile(r"(?<=^```\n)(\$ .*?)(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ pollux ?(.*)$", re.MULTILINE)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_transcript(file: Path, tmp_path: Path) -> None:
    text = file.read_text("utf-8")
    version = re.search(r"^home: (\S+)$", text, re.MULTILINE)
    columns = re.search(r"^columns: (\d+)$", text, re.MULTILINE)
    pollux = Pollux(tmp_path, version[1] if version is not None else None)
    pollux.env["COLUMNS"] = columns[1] if columns is not None else "100"
    if (programs := re.search(r"^programs: (.+)$", text, re.MULTILINE)) is not None:
        pollux.env["PATH"] = str(_programs(tmp_path / "bin", programs[1].split()))
        del pollux.env["PYTHONPATH"]
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


def _block(pollux: Pollux, block: str) -> str:
    """The block as it would stand if pollux had just been run."""
    return "".join(_told(pollux, command[1]) for command in COMMAND.finditer(block))


def _told(pollux: Pollux, arguments: str) -> str:
    done = pollux(*shlex.split(arguments))
    lines = [f"$ pollux {arguments}".rstrip(), *done.stdout.splitlines()]
    lines += [f"2> {line}".rstrip() for line in done.stderr.splitlines()]
    if done.returncode != 0:
        lines.append(f"=> {done.returncode}")
    text = "\n".join(lines).replace(str(pollux.home), "$HOME").replace(str(pollux.folder), "$FOLDER")
    return text.replace(str(Path(sys.executable).parent), "$BIN") + "\n"
