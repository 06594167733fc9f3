"""Secrets given to a program: in a command, or in its arguments one by one, `["--password", "…"]`."""

from __future__ import annotations

import re

from pollux.transforms.redact.rule import Rule
from pollux.transforms.redact.values import chosen, unlike_a_word

LIST = r"""\\*["']\s{0,20},\s{0,20}(?=\\*["'])|\s?\n\s{0,20}-\s{1,3}"""
"""What separates the arguments of a list, in JSON, in code and in YAML."""

_OF = "(?:[a-z0-9]{1,20}-){0,3}"
_NAMES = "password|passwd|pass|passphrase|pwd|token|secret|(?:api|access|auth|client|private|secret|account|master)-key"
_USER = r"""\\*["']?[^\s:"'\\,]{1,64}+:"""
_PATTERN = re.compile(
    rf"(?:--{_OF}(?:{_NAMES})(?:{LIST}|[\s=:]{{1,3}}+)"
    rf"|(?P<user>(?<![\w-])-u|--{_OF}user(?![\w-]))(?:(?P<listed>{LIST})|[\s=]{{0,3}}+){_USER}"
    rf"|(?P<short>(?<![\w-])-p)(?P<apart>{LIST}|\s{{0,3}}+))"
    r"""\\*["']?(?P<secret>(?!-)[^\s"'`\\,;|&)]{3,200})"""
)
_BEFORE = 300
_TAKES_A_USER = re.compile(r"\b(?:curl|wget|https?|xh)\b")
_TAKES_A_PASSWORD = re.compile(r"\b(?:sshpass|mongo\w{0,20}|login)\b")
_TAKES_IT_CLOSE = re.compile(r"\b(?:mysql|mariadb)\w{0,20}\b")
_LEAST = 6


def program(found: re.Match[str], names: re.Pattern[str]) -> bool:
    """Does one of these programs stand before, in the same command?"""
    text = found.string[max(0, found.start() - _BEFORE) : found.start()]
    begun = max(text.rfind(mark) for mark in "\n|;&") + 1
    return names.search(text, begun) is not None


def _given(found: re.Match[str]) -> bool:
    secret = found["secret"]
    plain = len(secret) < _LEAST or not unlike_a_word(secret)
    if (plain and not found["user"]) or not chosen(secret):
        return False
    if found["user"] and program(found, _TAKES_A_USER):
        return True
    if plain:
        return False
    if found["short"]:
        return program(found, _TAKES_A_PASSWORD) or (not found["apart"] and program(found, _TAKES_IT_CLOSE))
    return not found["user"] or bool(found["listed"])


OPTION = Rule(
    name="option",
    what="passwords and tokens given to a program: `--password …`, `--token …`, `mysql -p…`, `curl -u name:…`, also as "
    'arguments in a list: `["--password", "…"]`',
    letters=("-token", "-secret", "-key", "-u", "-p"),
    before=re.compile(r"-(?:-[a-z0-9-]{1,60})?\Z"),
    pattern=_PATTERN,
    example="deploy --password kaffee7Rosen",
    check=_given,
)
