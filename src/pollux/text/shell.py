"""Words for a shell: what a person copies and pastes means one word each, and nothing in it runs."""

from __future__ import annotations

import shlex

from pollux.text.escape import visible

_FEW = {"\\": r"\\", "'": r"\'", "\n": r"\n", "\t": r"\t"}


def shell_word(text: str) -> str:
    r"""The text as one word. What no terminal should get is written as `$'\x1b'`, which bash, zsh and ksh know."""
    if text.isprintable() and visible(text) == text:
        return shlex.quote(text)
    return f"$'{''.join(map(_escaped, text))}'"


def name_word(short: str, key: str) -> str:
    """A session's short id as a word; one that looks like an option gives way to the key."""
    return shell_word(key if short.startswith("-") else short)


def shell_line(*words: str) -> str:
    """A command line."""
    return " ".join(map(shell_word, words))


def _escaped(character: str) -> str:
    if character in _FEW:
        return _FEW[character]
    if character.isprintable() and visible(character) == character:
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
