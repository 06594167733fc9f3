"""Secrets that have no letters of their own and are told by their name: `DB_PASSWORD=…`, `"api_key": "…"`."""

from __future__ import annotations

import re
import string

from pollux.transforms.redact.rule import Rule
from pollux.transforms.redact.values import UUID, chosen, literal, random, unlike_a_word, unquoted

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
_LEAST = 6
_LEAST_BY_CHANCE = 12

# In quotes: to the same quote, with as many backslashes before it as the first one. `\"` in it belongs to it.
_IN_QUOTES = (
    r"""(?:[^"'`\\\n]++|(?!(?P=quote))["'`]"""
    r"""|(?(back)(?!(?P=back)(?P=quote))\\++(?![nr])(?P=quote)?|\\[^\nnr]))++(?=(?(back)(?P=back))(?P=quote))"""
)
# Without quotes: to a space, a quote, or what begins the next of several settings.
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


def _named(found: re.Match[str]) -> bool:
    """Does the name mean it, and is the value one?

    In a file of settings whatever stands behind such a name is a secret, in quotes also several words, and a UUID. In
    data it is one where it is no mere word, in code where it looks like chance. A password may be short.
    """
    value = found["secret"] if found["quote"] else found["secret"].rstrip(");]}")
    if len(value) < _LEAST:
        return False
    start = found.start()
    if found["name"][:3].lower() == "key" and not _KEY_OF.search(found.string, max(0, start - _LONGEST_KEY_OF), start):
        return False
    before = found.string[max(0, start - _LONGEST_NAME) : start]
    if found["is"] == ">":
        return _TAG.search(before) is not None and _of_a_name(found, value)
    if not _as_in_settings(found, before):
        return _of_a_name(found, value)
    if "=" not in found["is"]:
        return chosen(value) and unlike_a_word(value)
    return chosen(value) or UUID.fullmatch(value) is not None


def _of_a_name(found: re.Match[str], value: str) -> bool:
    """Is this a secret, in data or in code?"""
    if _PASSWORD.match(found["name"]):
        if found["quote"] is None:
            if found["name"][:6].lower() != "secret" and unquoted(value) and not _working_directory(found, value):
                return True
        elif _is_data(found):
            return " " not in value and chosen(value) and unlike_a_word(value)
        elif literal(value):
            return True
    first = value.partition(" ")[0]
    return len(first) >= _LEAST_BY_CHANCE and random(first)


def _working_directory(found: re.Match[str], value: str) -> bool:
    return found["name"].lower() == "pwd" and "/" in value


def _as_in_settings(found: re.Match[str], before: str) -> bool:
    """Does it stand as in a `.env` file, or as a variable given to a program?"""
    if "=" in found["is"] and (found["is"][:1].isspace() or found["is"][-1:].isspace()):
        return False
    rest = before.rstrip(_LETTERS_OF_A_NAME)
    first = before[len(rest) :].lstrip("-")
    if rest.endswith("\\") and first[:1] in ("n", "r", "t"):
        rest, first = f"{rest}{first[0]}", first[1:]
    if _ENV_NAME.fullmatch(first + found["name"]) is None:
        return False
    line = rest.rstrip()
    gap = rest[len(line) :]
    return not line or "\n" in gap or "\t" in gap or line[-1] in _BEGINS or _BEFORE_A_SETTING.search(rest) is not None


def _is_data(found: re.Match[str]) -> bool:
    """Are both in quotes, the name and the value, as in JSON?"""
    return found["is"].lstrip("\\").startswith(_QUOTES) and found["quote"] in _QUOTES


NAMED = Rule(
    name="setting",
    what="values of settings whose name says that they are secret: `…SECRET`, `…TOKEN`, `…PASSWORD`, `…API_KEY`, …",
    letters=("secret", "token", "pass", "pwd", "credential", "key"),
    pattern=_PATTERN,
    example="DB_PASSWORD=kaffee7Rosen",
    any_case=True,
    reach=300,
    check=_named,
)
