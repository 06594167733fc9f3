from __future__ import annotations

import shutil
import subprocess

import pytest

from pollux.text.shell import name_word, shell_line, shell_word

EVIL = [
    "a b;$(touch OWNED)",
    "it's",
    "esc\x1b]0;PWN\x07\nnl",
    "\u202eback",
    "half\udcff",
    "back\\slash\x9b",
    "",
    "*",
    "ü",
]


@pytest.mark.parametrize("text", EVIL)
def test_bash_takes_it_as_one_word(text: str) -> None:
    word = shell_word(text)
    assert word.isprintable()
    bash = shutil.which("bash")
    assert bash is not None
    done = subprocess.run([bash, "-c", f"printf %s {word}"], capture_output=True, check=True)
    assert done.stdout == text.encode("utf-8", "surrogateescape")


def test_a_line_and_a_name() -> None:
    assert shell_line("pollux", "show", "claude:a b") == "pollux show 'claude:a b'"
    assert name_word("6403bd4e", "gemini:6403bd4e-5b4f") == "6403bd4e"
    assert name_word("--danger", "claude:--dangerously") == "claude:--dangerously"
