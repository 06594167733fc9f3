"""Secrets in the options of a program: in a command, or in a list of arguments, `["--password", "…"]`."""

from __future__ import annotations

import re

from pollux.transforms.redact.plausibility import could_be_password, unlike_word
from pollux.transforms.redact.rule import Rule

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
_TAKES_A_PASSWORD_WITHOUT_SPACE = re.compile(r"\b(?:mysql|mariadb)\w{0,20}\b")
_SHORTEST = 6


def follows_program(match: re.Match[str], names: re.Pattern[str]) -> bool:
    """Does one of these programs precede the match in the same command?"""
    text = match.string[max(0, match.start() - _BEFORE) : match.start()]
    command = max(text.rfind(mark) for mark in "\n|;&") + 1
    return names.search(text, command) is not None


def _is_option_secret(match: re.Match[str]) -> bool:
    secret = match["secret"]
    plain = len(secret) < _SHORTEST or not unlike_word(secret)
    if (plain and not match["user"]) or not could_be_password(secret):
        return False
    if match["user"] and follows_program(match, _TAKES_A_USER):
        return True
    if plain:
        return False
    if match["short"]:
        return follows_program(match, _TAKES_A_PASSWORD) or (
            not match["apart"] and follows_program(match, _TAKES_A_PASSWORD_WITHOUT_SPACE)
        )
    return not match["user"] or bool(match["listed"])


OPTION = Rule(
    name="option",
    what="passwords and tokens given to a program: `--password …`, `--token …`, `mysql -p…`, `curl -u name:…`, also as "
    'arguments in a list: `["--password", "…"]`',
    letters=("-token", "-secret", "-key", "-u", "-p"),
    before=re.compile(r"-(?:-[a-z0-9-]{1,60})?\Z"),
    pattern=_PATTERN,
    example="deploy --password kaffee7Rosen",
    check=_is_option_secret,
)
