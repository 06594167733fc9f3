"""Secrets that have no letters of their own and are told by their name: `DB_PASSWORD=…`, `"api_key": "…"`."""

from __future__ import annotations

import re

from pollux.transforms.redact.rule import Rule
from pollux.transforms.redact.values import UUID, chosen, no_name, random, unlike_a_word

_REST = r"(?:(?i:_?key|_?value|_base|_prod|_dev|_staging|_live|_hash|_salt|_?\d{1,3})){0,3}"
_KINDS = r"(?i:secret|token|passw(?:or)?d|passphrase|pwd|credentials?|key)"
_KEY_OF = re.compile(
    r"(?:api|access|private|auth|encryption|signing|secret|master|account|service)[_-]?\Z", re.IGNORECASE
)
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_NAME_BEFORE = re.compile(r"(?:(?<=\\[nrt])|(?<![A-Za-z0-9_.\\-]))[A-Za-z0-9_.-]*\Z")
_BEGINS_A_LINE = re.compile(r"(?:\A|[\n\"'`,;{(>|]|\\n|(?:export|ENV|ARG|set|env|-e|--env)\s)\s*\Z")
_ALONE_BEFORE = re.compile(r"(?:\A|[\n\"'`]|\\n)[ \t]*\Z")
_ALONE_BEHIND = re.compile(r"\\*[\"'`]?[ \t]*(?:\Z|[\r\n\"'`]|\\[nr])")
_PASSWORD = re.compile(r"passw(?:or)?d|passphrase|pwd|secret", re.IGNORECASE)
_QUOTES = ("'", '"')
_LONGEST_NAME = 60

_PATTERN = re.compile(
    rf"(?P<name>{_KINDS}{_REST})"
    r"""(?P<is>\\*["'`]?\]?\s{0,3}(?::=|=>|[:=])\s{0,3})"""
    r"""\\*["'`]?(?P<secret>(?<=["'`])[^\n"'`\\]{6,400}(?=\\*["'`])|[^\s"'`,\\]{6,400})"""
)


def _named(found: re.Match[str]) -> bool:
    """Does the name mean it, and is the value one?

    In a file of settings whatever stands behind such a name is a secret, in quotes also several words, and a UUID. In
    data it is one where it is no mere word, in code where it looks like chance. A password in data may be short, and so
    may one that has a line to itself, as in `my.cnf`.
    """
    value = found["secret"].rstrip(");]}")
    before = found.string[max(0, found.start() - _LONGEST_NAME) : found.start()]
    if found["name"][:3].lower() == "key" and _KEY_OF.search(before) is None:
        return False
    if not _as_in_settings(found, before):
        if _PASSWORD.match(found["name"]) and _is_data(found):
            return " " not in value and chosen(value) and unlike_a_word(value)
        first = value.partition(" ")[0]
        if _PASSWORD.match(found["name"]) and _has_a_line(found, before):
            return no_name(value)
        return len(first) >= 12 and random(first)
    if "=" not in found["is"]:
        return chosen(value) and unlike_a_word(value)
    return chosen(value) or UUID.fullmatch(value) is not None


def _as_in_settings(found: re.Match[str], before: str) -> bool:
    """Does it stand as in a `.env` file, or as a variable given to a program?"""
    begun = _NAME_BEFORE.search(before)
    begins = begun is not None and _BEGINS_A_LINE.search(before[: begun.start()]) is not None
    name = (begun[0] if begun is not None else "") + found["name"]
    tight = "=" not in found["is"] or not (found["is"][:1].isspace() or found["is"][-1:].isspace())
    return tight and begins and _ENV_NAME.fullmatch(name) is not None


def _has_a_line(found: re.Match[str], before: str) -> bool:
    """Is there nothing else in its line, or in its text: `password=…`, `spring.datasource.password=…`?"""
    begun = _NAME_BEFORE.search(before)
    begins = begun is not None and _ALONE_BEFORE.search(before[: begun.start()]) is not None
    return found["is"] == "=" and begins and _ALONE_BEHIND.match(found.string, found.end()) is not None


def _is_data(found: re.Match[str]) -> bool:
    """Are both in quotes, the name and the value, as in JSON?"""
    return found["is"].lstrip("\\").startswith(_QUOTES) and found.string[found.start("secret") - 1] in _QUOTES


NAMED = Rule(
    name="setting",
    what="values of settings whose name says that they are secret: `…SECRET`, `…TOKEN`, `…PASSWORD`, `…API_KEY`, …",
    letters=("secret", "token", "pass", "pwd", "credential", "key"),
    pattern=_PATTERN,
    example="DB_PASSWORD=kaffee7Rosen",
    any_case=True,
    check=_named,
)
