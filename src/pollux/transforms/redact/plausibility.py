"""Is a value a secret, or a word in its place? A secret without letters of its own must look random."""

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
_PLACEHOLDER = re.compile(
    rf"(?:my[-_]|x{{3}}|sample|fake|insert|enter|todo|test){_WORDY}"
    r"|(?:pass(?:word|wd|phrase)?|secret|token|key|null|none|true|false|undefined|string|required|optional"
    r"|unset|hidden|disabled|enabled|default|unknown|value|auto|user(?:name)?|pwd|admin|root|guest|foo|bar|baz|hunter)\Z",
    re.IGNORECASE,
)
_PLACEHOLDER_WORDS = ("your", "example", "placeholder", "changeme", "change-me", "change_me", "dummy", "redacted")
_PLACEHOLDER_ENDS = ("-here", "_here", "EXAMPLE", "EXAMPLEKEY")
_REPEATED = re.compile(r"(.)\1{3,}")
_WORDS = re.compile(r"[A-Za-z]*+(?:[-_./:@ ][A-Za-z]*+)*+\d{0,3}")
_NUMBER = re.compile(r"[-+]?[\d.,_:]+[A-Za-z%]{0,2}")
UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_PLACE = re.compile(r"[a-z][a-z0-9+.-]*://|~?/|\.{1,2}/|[A-Za-z]:\\")
_CODE = re.compile(r"[()\[\]{}<>;|`]|[-=]>|==|::|\?\.|&&")
_SHORT_HEX = re.compile(r"[0-9a-f]{1,31}|[0-9A-F]{1,31}")
_ALTERNATION = re.compile(r"[A-Za-z]\d|\d[A-Za-z]")
_AMONG_LETTERS = re.compile(r"[A-Za-z]\d++[A-Za-z]|\d[A-Za-z]++\d")
_UNLIKE_A_WORD = re.compile(r"[0-9!@#$%^&*+?]")
_DIGIT = re.compile("[0-9]")
_MARK = re.compile("[!@#^~]")
_NAMES_WITH_DIGITS = re.compile(
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:sha|md|base|b|utf[-_]?|oauth|argon|bcrypt|http|s|ec|x|ipv|v|p|pkcs|u?int"
    r"|float|i|k|web|log|py|e|aes|rsa|ed|win|mp|h|tls|ssl|node|es)\d{1,5}(?:[ensm](?![a-z]))?"
)
"""Technical words with digits: `sha256_of`, `oauth2Flow`, `k8s`."""

_NAME_IN_CODE = re.compile(r"[A-Za-z_$][\w$]*+(?:\??\.[A-Za-z_$][\w$]*+)*+")
_NOUN_IN_CODE = re.compile(
    "pass|pwd|user|hash|value|input|field|token|secret|key|name|code|text|form|config|data|arg|param|env|type|string",
    re.IGNORECASE,
)
_BEGINNING = 120
_SHORTEST = 6
_ARMOUR = re.compile(r"[A-Za-z0-9+/=]{16,}")
_SHORTEST_KEY = 40
_HEADERS = 800


def could_be_password(value: str) -> bool:
    """Could this be a password? Not if it only refers to one, or describes one.

    A long value is judged by its beginning.
    """
    value = value[:_BEGINNING]
    letters = len(set(value))
    return (
        letters > 3
        and _REFERENCE.match(value) is None
        and _PLACEHOLDER.match(value) is None
        and _NUMBER.fullmatch(value) is None
        and _PLACE.match(value) is None
        and UUID.fullmatch(value) is None
        and not _is_placeholder(value)
        and (2 * letters > len(value) + 2 or 2 * sum(len(row[0]) for row in _REPEATED.finditer(value)) < len(value))
    )


def _is_placeholder(value: str) -> bool:
    """Is this a placeholder of a manual? A real password may contain such a word, too."""
    lowered = value.lower()
    words = [word for word in _PLACEHOLDER_WORDS if word in lowered]
    for word in words:
        lowered = lowered.replace(word, "")
    return (bool(words) and _AMONG_LETTERS.search(lowered) is None) or value.endswith(_PLACEHOLDER_ENDS)


def unlike_word(value: str) -> bool:
    """Does a value have characters that words do not have?"""
    return _UNLIKE_A_WORD.search(value) is not None


def looks_random(value: str) -> bool:
    """Does a value look random? Its letters and digits alternate, as they do in no word."""
    value = value[:_BEGINNING]
    return (
        _DIGIT.search(value) is not None
        and _WORDS.fullmatch(value) is None
        and len(_ALTERNATION.findall(value)) >= 2
        and _SHORT_HEX.fullmatch(value) is None
        and _CODE.search(value) is None
        and could_be_password(value)
    )


def is_quoted_password(value: str) -> bool:
    """Is this a password in quotes, in code? A text for people has spaces, and a word has no digits."""
    return " " not in value and _DIGIT.search(value[:_BEGINNING]) is not None and could_be_password(value)


def is_unquoted_password(value: str) -> bool:
    """Is this a password without quotes, where code would have a name or a call?"""
    value = value[:_BEGINNING]
    if len(value) < _SHORTEST or _DIGIT.search(value) is None or _CODE.search(value) is not None:
        return False
    rest = _NAMES_WITH_DIGITS.sub("", value)
    if _AMONG_LETTERS.search(rest) is None and (_DIGIT.search(rest) is None or _MARK.search(rest) is None):
        return False
    return could_be_password(value) and not (_NAME_IN_CODE.fullmatch(value) and _NOUN_IN_CODE.search(value))


def is_basic_credentials(value: str) -> bool:
    """Is this a user's name and password in base64, as in a header?"""
    try:
        pair = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return False
    name, colon, password = pair.partition(":")
    return bool(name and colon and password) and pair.isprintable()


def has_key_material(body: str) -> bool:
    """Do these lines hold a real key, unlike a manual's? An editor, a diff or a listing may prefix each line."""
    rows = (row[0] for row in _ARMOUR.finditer(body[:_HEADERS]))
    return sum(len(row) for row in rows if _is_mixed(row)) >= _SHORTEST_KEY


def _is_mixed(row: str) -> bool:
    """Does a row have lower case, upper case and digits?"""
    return not row.islower() and not row.isupper() and any(map(str.isdigit, row)) and any(map(str.isalpha, row))
