"""Prepares text for the index, so that words are found as people search for them.

The index only splits text at everything that is neither letter nor digit. This module gives letters with several
spellings one form, without capitals and accents, separates the characters of scripts without spaces, and appends the
parts of `parseHTMLDocument`. It processes every text of a history, so it looks at bytes, and treats each of the few
different characters beyond ASCII once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from pollux.index.search.prepare.camel_case import BETWEEN, camel_parts
from pollux.index.search.prepare.unspaced import JOINT, is_own_word, separate
from pollux.text.folding import fold, fold_marks, has_marks
from pollux.text.surrogates import replace_surrogates

if TYPE_CHECKING:
    import tantivy

_ASCII = bytes(range(0x80))
_BLANKED = _ASCII.lower() + b" " * 0x80
"""Makes ASCII letters small, and everything beyond ASCII blank."""

_FEW = 40
"""So many characters are replaced one after the other; more at once."""


class PreparedText(NamedTuple):
    """A text as a person reads it, in UTF-8, and the words of it as the index needs them."""

    data: bytes
    words: str


def prepare(text: str) -> PreparedText:
    """Prepare a text for the index."""
    text, data = encoded(text)
    words = _fold_words(text, data)
    if parts := prepare_parts(camel_parts(data)):
        words = f"{words}{BETWEEN}{parts}"
    return PreparedText(data, words)


def prepare_parts(parts: str) -> str:
    """The parts of camelCase words, in the form that `prepare` gives the words."""
    return parts if parts.isascii() else BETWEEN.join(map(clean, parts.split(BETWEEN)))


def clean(text: str) -> str:
    """A text to search for, in the form that `prepare` gives the words."""
    return _fold_words(*encoded(text))


def normalize_name(text: str) -> str:
    """A name or a path, which stays whole: well-formed, with composed accents."""
    return text if text.isascii() else normalize("NFC", well_formed(text))


def well_formed(text: str) -> str:
    """The text without lone surrogates, and without joints of its own."""
    return encoded(text)[0]


def encoded(text: str) -> tuple[str, bytes]:
    """The well-formed text, and its bytes."""
    if JOINT in text:
        text = text.replace(JOINT, " ")
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = replace_surrogates(text)
        return text, text.encode()


def _fold_words(text: str, data: bytes) -> str:
    """The text in the form in which words are compared; `data` is the text in UTF-8."""
    if text.isascii():
        return text.lower()
    letters = _beyond_ascii(data)
    if not any(map(_matters, letters)):
        return data.translate(_BLANKED).decode()
    if has_marks(letters):
        data = fold_marks(text, letters).encode()
        letters = _beyond_ascii(data)
    words = _replace(data.lower().decode(), {letter: form for letter in letters if (form := _form(letter)) != letter})
    return separate(words) if any(map(_has_own_word, letters)) else words


def _beyond_ascii(data: bytes) -> set[str]:
    """The different characters of a text that are not ASCII."""
    return set(data.translate(None, _ASCII).decode())


def _replace(text: str, forms: dict[str, str]) -> str:
    if len(forms) > _FEW:
        return text.translate({ord(letter): form for letter, form in forms.items()})
    for letter, form in forms.items():
        text = text.replace(letter, form)
    return text


@cache
def _matters(letter: str) -> bool:
    """Is a character more than a gap between words, as an arrow or a frame's line is?"""
    return has_marks(letter) or _form(letter) != letter or bool(_ascii_form().analyze(letter))


@cache
def _has_own_word(letter: str) -> bool:
    return any(map(is_own_word, _form(letter)))


@cache
def _form(letter: str) -> str:
    """The form in which a character is compared: folded, and where tantivy knows a similar ASCII letter, that one."""
    return "".join("".join(_ascii_form().analyze(piece)) or piece for piece in fold(letter))


@cache
def _ascii_form() -> tantivy.TextAnalyzer:
    import tantivy  # only needed where words are written or searched for

    # Accents are removed first: a Turkish İ becomes I, and then i.
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.ascii_fold())
    return builder.filter(tantivy.Filter.lowercase()).build()
