"""Is this a secret, or a word that stands where one would? What has no letters of its own must look like chance."""

from __future__ import annotations

import base64
import binascii
import re

_WORDY = r"[A-Za-z]*+(?:[-_./:@ ]++[A-Za-z]*+)*+\d*+\Z"
_REFERENCE = re.compile(
    r"[<{\[]|[$@]+[({_]|%\(|%[a-z]\b|%\w+%|\.\.\.|…|\$[A-Z0-9_]+\Z|\$\w+(?:\[|->|::)"
    r"|(?:os|process|env|self|this|config|settings|args|var|secrets?|local)\."
    rf"|[$(*&!]+(?:\w*[(]|{_WORDY})"
)
_PRETENCE = re.compile(
    rf"(?:my[-_]|x{{3}}|sample|fake|insert|enter|todo|test){_WORDY}"
    r"|(?:pass(?:word|wd|phrase)?|secret|token|key|null|none|true|false|undefined|string|required|optional"
    r"|unset|hidden|disabled|enabled|default|unknown|value|auto|user(?:name)?|pwd|admin|root|guest|foo|bar|baz|hunter)\Z",
    re.IGNORECASE,
)
_PRETENCES = ("your", "example", "placeholder", "changeme", "change-me", "change_me", "dummy", "redacted")
_THE_END = ("-here", "_here", "EXAMPLE", "EXAMPLEKEY")
_SAME = re.compile(r"(.)\1{3,}")
_WORDS = re.compile(r"[A-Za-z]*+(?:[-_./:@ ][A-Za-z]*+)*+\d{0,3}")
_NUMBER = re.compile(r"[-+]?[\d.,_:]+[A-Za-z%]{0,2}")
UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_PLACE = re.compile(r"[a-z][a-z0-9+.-]*://|~?/|\.{1,2}/|[A-Za-z]:\\")
_CODE = re.compile(r"[()\[\]{}<>;|`]|[-=]>|==|::|\?\.|&&")
_SHORT_HEX = re.compile(r"[0-9a-f]{1,31}|[0-9A-F]{1,31}")
_TURN = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_AMONG_LETTERS = re.compile(r"[A-Za-z]\d++[A-Za-z]|\d[A-Za-z]++\d")
_UNLIKE_A_WORD = re.compile(r"[0-9!@#$%^&*+?]")
_DIGIT = re.compile("[0-9]")
_MARK = re.compile("[!@#^~]")
_NAMES_WITH_DIGITS = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:sha|md|base|b|utf[-_]?|oauth|argon|bcrypt|http|s|ec|x|ipv|v|p|pkcs|u?int"
    r"|float|i|k|web|log|py|e|aes|rsa|ed|win|mp|h|tls|ssl|node|es)\d{1,5}(?:[ensm](?![a-z]))?"
)
"""Words of the trade that have digits: `sha256_of`, `oauth2Flow`, `k8s`."""

_NAME_IN_CODE = re.compile(r"[A-Za-z_$][\w$]*+(?:\??\.[A-Za-z_$][\w$]*+)*+")
_NOUN_IN_CODE = re.compile(
    "pass|pwd|user|hash|value|input|field|token|secret|key|name|code|text|form|config|data|arg|param|env|type|string",
    re.IGNORECASE,
)
_ENOUGH = 120
_LEAST = 6
_ARMOUR = re.compile(r"[A-Za-z0-9+/=]{16,}")
_ARMOURED = 40
_HEADERS = 800


def chosen(value: str) -> bool:
    """Could somebody have chosen this as a password? Not where it only says where one is, or what one is like.

    A long value is judged by how it begins.
    """
    value = value[:_ENOUGH]
    letters = len(set(value))
    return (
        letters > 3
        and _REFERENCE.match(value) is None
        and _PRETENCE.match(value) is None
        and _NUMBER.fullmatch(value) is None
        and _PLACE.match(value) is None
        and UUID.fullmatch(value) is None
        and not _pretends(value)
        and (2 * letters > len(value) + 2 or 2 * sum(len(row[0]) for row in _SAME.finditer(value)) < len(value))
    )


def _pretends(value: str) -> bool:
    """Is this what a manual has in place of a password? Such words may stand in the middle of a real one."""
    lowered = value.lower()
    found = [word for word in _PRETENCES if word in lowered]
    for word in found:
        lowered = lowered.replace(word, "")
    return (bool(found) and _AMONG_LETTERS.search(lowered) is None) or value.endswith(_THE_END)


def unlike_a_word(value: str) -> bool:
    """Is there something in it that words do not have?"""
    return _UNLIKE_A_WORD.search(value) is not None


def random(value: str) -> bool:
    """Was this made by chance? Letters and digits take turns in it, which they do in no word."""
    value = value[:_ENOUGH]
    return (
        _DIGIT.search(value) is not None
        and _WORDS.fullmatch(value) is None
        and len(_TURN.findall(value)) >= 2
        and _SHORT_HEX.fullmatch(value) is None
        and _CODE.search(value) is None
        and chosen(value)
    )


def literal(value: str) -> bool:
    """Is this a password that stands in quotes, in code? A text for people has spaces, and a word has no digits."""
    return " " not in value and _DIGIT.search(value[:_ENOUGH]) is not None and chosen(value)


def unquoted(value: str) -> bool:
    """Is this a password that stands without quotes, where code would have the name of something, or a call?"""
    value = value[:_ENOUGH]
    if len(value) < _LEAST or _DIGIT.search(value) is None or _CODE.search(value) is not None:
        return False
    rest = _NAMES_WITH_DIGITS.sub("", value)
    if _AMONG_LETTERS.search(rest) is None and (_DIGIT.search(rest) is None or _MARK.search(rest) is None):
        return False
    return chosen(value) and not (_NAME_IN_CODE.fullmatch(value) and _NOUN_IN_CODE.search(value))


def credentials(value: str) -> bool:
    """Is this a user's name and password, as a header has them in base64?"""
    try:
        said = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    name, colon, password = said.partition(":")
    return bool(name and colon and password) and said.isprintable()


def key_material(body: str) -> bool:
    """Do these lines hold a key, whatever an editor, a diff or a listing puts before each? A manual's do not."""
    rows = (row[0] for row in _ARMOUR.finditer(body[:_HEADERS]))
    return sum(len(row) for row in rows if _by_chance(row)) >= _ARMOURED


def _by_chance(row: str) -> bool:
    """Are there small letters, capitals and digits in it?"""
    return not row.islower() and not row.isupper() and any(map(str.isdigit, row)) and any(map(str.isalpha, row))
