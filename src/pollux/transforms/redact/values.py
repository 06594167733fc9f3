"""Is this a secret, or a word that stands where one would? What has no letters of its own must look like chance."""

from __future__ import annotations

import base64
import binascii
import re

_REFERENCE = re.compile(r"[$<{%(\[*]|\.\.\.|…|(?:os|process|env|self|config|settings|args|var|secrets?|local)\.")
_PRETENCE_ANYWHERE = re.compile(
    r"your|example|placeholder|change[-_]?me|dummy|redacted|(.)\1{5}|[-_]here\Z", re.IGNORECASE
)
_PRETENCE = re.compile(
    r"my[-_]|x{3}|sample|fake|insert|enter|todo|test|(?:pass(?:word|wd|phrase)?|secret|token|key|null|none|true|false|undefined|string|required|optional"
    r"|unset|hidden|disabled|enabled|default|unknown|value|auto|user(?:name)?|pwd|admin|root|guest|foo|bar|baz|hunter)\Z",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[A-Za-z]*(?:[-_./:@ ][A-Za-z]*)*\d{0,3}")
_NUMBER = re.compile(r"[-+]?[\d.,_:]+[A-Za-z%]{0,2}")
UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_PLACE = re.compile(r"[a-z][a-z0-9+.-]*://|~?/|\.{1,2}/|[A-Za-z]:\\")
_CODE = re.compile(r"[()\[\]{}<>;|`]|->|=>|==|::")
_SHORT_HEX = re.compile(r"[0-9a-f]{1,31}|[0-9A-F]{1,31}")
_TURN = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_UNLIKE_A_WORD = re.compile(r"[0-9!@#$%^&*+?]")
_ENOUGH = 120
_ESCAPE = re.compile(r"\\[nrt]")


def chosen(value: str) -> bool:
    """Could somebody have chosen this as a password? Not where it only says where one is, or what one is like.

    A long value is judged by how it begins.
    """
    value = value[:_ENOUGH]
    return (
        _REFERENCE.match(value) is None
        and _PRETENCE.match(value) is None
        and _PRETENCE_ANYWHERE.search(value) is None
        and _NUMBER.fullmatch(value) is None
        and _PLACE.match(value) is None
        and UUID.fullmatch(value) is None
        and len(set(value)) > 3
    )


def unlike_a_word(value: str) -> bool:
    """Is there something in it that words do not have?"""
    return _UNLIKE_A_WORD.search(value) is not None


def no_name(value: str) -> bool:
    """Is this neither code, nor a word or a name with a number behind it?"""
    value = value[:_ENOUGH]
    return (
        chosen(value)
        and unlike_a_word(value)
        and _CODE.search(value) is None
        and _WORDS.fullmatch(value) is None
        and _SHORT_HEX.fullmatch(value) is None
    )


def random(value: str) -> bool:
    """Was this made by chance? Letters and digits take turns in it, which they do in no word."""
    return no_name(value) and len(_TURN.findall(value[:_ENOUGH])) >= 2


def credentials(value: str) -> bool:
    """Is this a user's name and password, as a header has them in base64?"""
    try:
        said = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    name, colon, password = said.partition(":")
    return bool(name and colon and password) and said.isprintable()


def key_material(body: str) -> bool:
    """Do these lines hold a key? A manual's `-----BEGIN …` does not."""
    lines = _ESCAPE.sub("\n", body).split("\n")
    return sum(len(line) for line in map(_armoured, lines)) >= 40


def _armoured(line: str) -> str:
    """The line of a key, without what an editor, a diff or a listing puts before it."""
    last = line.strip().strip("\"'\\,+ ").rsplit(" ", 1)[-1].rsplit("\t", 1)[-1].lstrip("|>→+ ")
    return last if re.fullmatch(r"[A-Za-z0-9+/=]{4,}", last) else ""
