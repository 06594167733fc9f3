"""The Markdown of models, as `pollux show` lays it out."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.cli.program import Pollux
from tests.cli.test_terminal import in_terminal
from tests.unit.draw.transcript.test_markdown import COLOUR, TEXT


def session(pollux: Pollux, prompt: str, reply: str) -> Path:
    at = "2026-11-02T02:00:00.000Z"
    asked = {"id": "p", "timestamp": at, "type": "user", "content": prompt}
    said = {"id": "r", "timestamp": at, "type": "gemini", "content": reply, "model": "m"}
    held = {"sessionId": "mdmdmdmd", "projectHash": "0" * 64, "messages": [asked, said]}
    return pollux.file("p/chats/session-2026-11-02T01-59-mdmdmdmd.json", json.dumps(held))


def test_a_terminal_shows_it_laid_out_and_a_pipe_as_it_was_written(empty: Pollux) -> None:
    session(empty, "Is **this** bold?", TEXT)
    seen = in_terminal(empty, "show", "mdmdmdmd", COLUMNS="80")
    assert "\x1b[1mweek\x1b[0m" in seen
    assert "Is **this** bold?" in seen  # a person's words stay as they were typed
    assert "**week**" in in_terminal(empty, "show", "mdmdmdmd", "--plain", COLUMNS="80")
    piped = empty("show", "mdmdmdmd").stdout
    assert "**week**" in piped
    assert "| `a.py` |" in piped
    bare = in_terminal(empty, "show", "mdmdmdmd", NO_COLOR="1", COLUMNS="80")
    assert "\x1b" not in bare
    assert "**week**" in bare
    assert "│" in bare


def test_nothing_steers_the_terminal(empty: Pollux) -> None:
    evil = (
        "**\x1b]0;title\x07** `\x1b[2J` [a](\x1b[31mb) \u202e\n\n| \x1b[1m |\n|--|\n| \x9b31m |\n\n```py\n\x1b[5m\n```"
    )
    session(empty, "x", evil)
    seen = COLOUR.sub("", in_terminal(empty, "show", "mdmdmdmd", COLUMNS="80"))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", seen.replace("\r", ""))
    assert "title" in seen
