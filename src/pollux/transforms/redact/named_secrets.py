"""Secrets without letters of their own, recognised by their name: `DB_PASSWORD=…`, `"api_key": "…"`."""

from __future__ import annotations

import re
import string

from pollux.transforms.redact.plausibility import (
    UUID,
    could_be_password,
    is_quoted_password,
    is_unquoted_password,
    looks_random,
    unlike_word,
)
from pollux.transforms.redact.rule import Rule

_REST = r"(?:(?i:_?key|_?value|_base|_prod|_dev|_staging|_live|_hash|_salt|_?\d{1,3})){0,3}"
_KINDS = r"(?i:secret|token|passw(?:or)?d|passphrase|pwd|credentials?|key)"
_KEY_OF = re.compile(
    r"(?:api|access|private|auth|encryption|signing|secret|master|account|service)[_-]?\Z", re.IGNORECASE
)
_LONGEST_KEY_OF = 12
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_LETTERS_OF_A_NAME = string.ascii_letters + string.digits + "_.-"
_BEGINS = frozenset("\0\"'`,;{(>|→│+")
_BEFORE_A_SETTING = re.compile(r"(?:\\n|\$(?i:env):|:\d{1,7}:|(?:export|ENV|ARG|set|env|-e|--env)\s)\s*\Z")
_PASSWORD = re.compile(r"passw(?:or)?d|passphrase|pwd|secret", re.IGNORECASE)
_TAG = re.compile(r"<[\w.:-]*\Z")
_QUOTES = ("'", '"')
_LONGEST_NAME = 60
_SHORTEST = 6
_SHORTEST_RANDOM = 12

# In quotes: up to the same quote, with as many backslashes before it as before the first quote. `\"` is part of it.
_IN_QUOTES = (
    r"""(?:[^"'`\\\n]++|(?!(?P=quote))["'`]"""
    r"""|(?(back)(?!(?P=back)(?P=quote))\\++(?![nr])(?P=quote)?|\\[^\nnr]))++(?=(?(back)(?P=back))(?P=quote))"""
)
# Without quotes: up to a space, a quote, or the beginning of the next setting.
_TO_ITS_END = (
    r"""(?:[^\s"'`,\\&;<]++|(?<=\w)[,'](?=\w)(?!\w{1,40}["'`]?\s{0,2}[=:])|&(?!\w{1,40}+=|&)"""
    r"""|(?<=\w);(?=\w)(?!\w{1,40}+\s?=)|<(?!/)|\\(?![nrtux0-9"'`\\]))++"""
)
_PATTERN = re.compile(
    rf"(?P<name>{_KINDS}{_REST})"
    r"""(?P<is>\\*["'`]?\]?\s{0,3}(?::=|=>|[:=])\s{0,3}|>)"""
    r"""(?:(?P<back>\\+)?(?P<quote>["'`])|\\*["'`]?)"""
    rf"(?P<secret>(?(quote){_IN_QUOTES}|{_TO_ITS_END}))"
)


def _is_named_secret(match: re.Match[str]) -> bool:
    """Is the name that of a secret, and can the value be one?

    In a file of settings, every value after such a name is a secret: also several words in quotes, and a UUID. In data
    the value must be more than a word, in code it must look random. A password may be short.
    """
    value = match["secret"] if match["quote"] else match["secret"].rstrip(");]}")
    if len(value) < _SHORTEST:
        return False
    start = match.start()
    if match["name"][:3].lower() == "key" and not _KEY_OF.search(match.string, max(0, start - _LONGEST_KEY_OF), start):
        return False
    before = match.string[max(0, start - _LONGEST_NAME) : start]
    if match["is"] == ">":
        return _TAG.search(before) is not None and _is_secret_in_data(match, value)
    if not _in_settings(match, before):
        return _is_secret_in_data(match, value)
    if "=" not in match["is"]:
        return could_be_password(value) and unlike_word(value)
    return could_be_password(value) or UUID.fullmatch(value) is not None


def _is_secret_in_data(match: re.Match[str], value: str) -> bool:
    """Is this value a secret in data or in code?"""
    if _PASSWORD.match(match["name"]):
        if match["quote"] is None:
            if (
                match["name"][:6].lower() != "secret"
                and is_unquoted_password(value)
                and not _working_directory(match, value)
            ):
                return True
        elif _is_data(match):
            return " " not in value and could_be_password(value) and unlike_word(value)
        elif is_quoted_password(value):
            return True
    first = value.partition(" ")[0]
    return len(first) >= _SHORTEST_RANDOM and looks_random(first)


def _working_directory(match: re.Match[str], value: str) -> bool:
    return match["name"].lower() == "pwd" and "/" in value


def _in_settings(match: re.Match[str], before: str) -> bool:
    """Does the name stand as in a `.env` file, or as a variable for a program?"""
    if "=" in match["is"] and (match["is"][:1].isspace() or match["is"][-1:].isspace()):
        return False
    rest = before.rstrip(_LETTERS_OF_A_NAME)
    first = before[len(rest) :].lstrip("-")
    if rest.endswith("\\") and first[:1] in ("n", "r", "t"):
        rest, first = f"{rest}{first[0]}", first[1:]
    if _ENV_NAME.fullmatch(first + match["name"]) is None:
        return False
    line = rest.rstrip()
    gap = rest[len(line) :]
    return not line or "\n" in gap or "\t" in gap or line[-1] in _BEGINS or _BEFORE_A_SETTING.search(rest) is not None


def _is_data(match: re.Match[str]) -> bool:
    """Are both in quotes, the name and the value, as in JSON?"""
    return match["is"].lstrip("\\").startswith(_QUOTES) and match["quote"] in _QUOTES


NAMED = Rule(
    name="setting",
    what="values of settings whose name says that they are secret: `…SECRET`, `…TOKEN`, `…PASSWORD`, `…API_KEY`, …",
    letters=("secret", "token", "pass", "pwd", "credential", "key"),
    pattern=_PATTERN,
    example="DB_PASSWORD=kaffee7Rosen",
    any_case=True,
    reach=300,
    check=_is_named_secret,
)
