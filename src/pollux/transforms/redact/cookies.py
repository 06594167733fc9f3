"""Cookies that log somebody in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pollux.transforms.redact.options import LIST, follows_program
from pollux.transforms.redact.plausibility import UUID, could_be_password, looks_random, unlike_word
from pollux.transforms.redact.rule import Rule

_QUOTE = r"""\\*["'`]?"""
_NAME = r"[\w.$%-]{1,80}+"
_PAIR = rf"""{_NAME}=[^\s;,"'`\\]{{1,4000}}+"""
_PAIRS = rf"{_PAIR}(?:;\s?{_PAIR}){{0,60}}+"
_OBJECT = r"\{[^{}]{1,900}+\}|\[[^\[\]]{1,900}+\]"
_VALUE = r"""[^\s"'`\\]{6,4000}+"""
_IS = rf"{_QUOTE}\]?\s{{0,3}}(?::=|=>|[:=])\s{{0,3}}"
_PATTERN = re.compile(
    rf"(?:(?i:cookies?){_IS}(?=[{{\[]|{_QUOTE}{_NAME}=){_QUOTE}"  # Cookie: a=…, cookies = {"a": "…"}
    rf"|(?<=--)cookie(?:{LIST}|[\s=]{{1,3}}+){_QUOTE}"
    rf"|(?P<short>(?<![\w-])-b)(?:(?P<listed>{LIST})|\s{{0,3}}+){_QUOTE}"
    rf"|(?P<alone>(?i:cookies?){_IS}\{{\s{{0,20}}{_QUOTE}(?P<name>{_NAME}){_QUOTE}\s{{0,3}}:\s{{0,3}}{_QUOTE}"
    rf"|(?i:cookie)\(\s?{_QUOTE}(?P<set>{_NAME}){_QUOTE},\s?{_QUOTE}"  # setCookie("a", "…")
    r"|(?P<jar>\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,80}\t)))"  # a file of cookies, as browsers and curl write it
    rf"(?P<secret>(?(alone){_VALUE}|(?:{_OBJECT}|{_PAIRS})))"
)
_CURL = re.compile(r"\bcurl\b")
_IDENTIFYING = re.compile(
    r"sess|sid\Z|auth|token|jwt|csrf|xsrf|remember|login|user|secret|key|\Avalue\Z", re.IGNORECASE
)
_FIELD = re.compile(rf"""({_NAME}){_QUOTE}\s{{0,3}}:\s{{0,3}}\\*["'`]({_VALUE})""")
_LEAST = 6
_RANDOM = 12


def _identifies(name: str, value: str) -> bool:
    """Does a cookie identify somebody? Most do not: they hold a colour scheme, for example."""
    if len(value) < _LEAST:
        return False
    if _IDENTIFYING.search(name) is not None:
        return UUID.fullmatch(value) is not None or (could_be_password(value) and unlike_word(value))
    return len(value) >= _RANDOM and looks_random(value)


def _cookies(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    """The names and values of the cookies in a match."""
    secret = match["secret"]
    if name := match["name"] or match["set"]:
        yield name, secret
    elif secret[0] in "{[":
        yield from _FIELD.findall(secret)
        secret = re.sub(r"""[{}\[\]"'`,]""", ";", secret)
    for pair in secret.split(";"):
        name, _, value = pair.strip().partition("=")
        yield name, value


def _is_cookie(match: re.Match[str]) -> bool:
    if match["jar"]:
        return True
    if match["short"] and not match["listed"] and not follows_program(match, _CURL):
        return False
    return any(_identifies(name, value) for name, value in _cookies(match))


COOKIE = Rule(
    name="cookie",
    what="cookies that say who somebody is: in headers, `curl -b …`, data, code and files of cookies",
    letters=("cookie", "-b", "\ttrue\t", "\tfalse\t"),
    pattern=_PATTERN,
    example="Cookie: theme=dark; sessionid=kaffee7Rosen",
    any_case=True,
    reach=1_000,
    check=_is_cookie,
)
