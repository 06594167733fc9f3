"""The fields of a passage in the index, how their words are separated, and the weight of a passage."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache

import tantivy

from pollux.index.search.fact_terms import passage_facts
from pollux.index.search.passages import Passage, PassageKind
from pollux.index.search.prepare.prepare_text import clean, normalize_name
from pollux.index.search.prepare.stored_text import pack, unpack
from pollux.text.folding import fold

KINDS = tuple(PassageKind)

# The names carry a version: an index with other tokenizers must not be opened as if they were the same.
_WORDS = "pollux-words-4"
_PATHS = "pollux-paths-2"
_FACTS = "pollux-facts-1"

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
OLDEST = datetime.min.replace(tzinfo=UTC)
_INSTANT = timedelta(microseconds=1)

_WORTH = {
    PassageKind.TITLE: 3.0,
    PassageKind.PROMPT: 2.5,
    PassageKind.SUMMARY: 1.6,
    PassageKind.REPLY: 1.5,
    PassageKind.THINKING: 1.2,
}
OWN_WORDS = (PassageKind.TITLE, PassageKind.PROMPT)
OTHERS_WORTH = max(worth for kind, worth in _WORTH.items() if kind not in OWN_WORDS)
"""The largest worth of a passage that is neither a title nor the human's own words."""
_COPY = 0.9
_FIRST_YEAR = datetime(2023, 1, 1, tzinfo=UTC)
_HALF_LIFE = timedelta(days=730)
_MOST_HALVES = 5.0


@cache
def schema() -> tantivy.Schema:
    """The fields of a passage, and `generation` for the one document that holds the number of the last commit.

    `fact` has all facts that a search filters by, each as a term of its own: one field costs less than many. `own`
    repeats the words of `text` where a human typed them: they are few, so searching them is fast. `shown` is the text
    as it was written.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("generation", stored=True, indexed=True)
    builder.add_text_field("marker", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("session", indexed=True, fast=True)
    builder.add_unsigned_field("message", fast=True)
    builder.add_unsigned_field("kind", indexed=True, fast=True)
    builder.add_integer_field("at", fast=True)
    builder.add_float_field("weight", fast=True)
    builder.add_text_field("fact", tokenizer_name=_FACTS, index_option="basic")
    builder.add_text_field("file", tokenizer_name=_PATHS, index_option="position")
    builder.add_text_field("text", tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field("own", tokenizer_name=_WORDS, index_option="basic")
    builder.add_bytes_field("shown", stored=True)
    return builder.build()


def register(index: tantivy.Index) -> None:
    """Register the tokenizers of the fields at an index."""
    index.register_tokenizer(_WORDS, _words())
    index.register_tokenizer(_PATHS, _paths())
    index.register_tokenizer(_FACTS, _facts())


@cache
def _words() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build()


@cache
def _paths() -> tantivy.TextAnalyzer:
    # Accents are removed first: a Turkish İ becomes I, and then i.
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.ascii_fold())
    return builder.filter(tantivy.Filter.lowercase()).build()


@cache
def _facts() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()


def tokens(text: str) -> list[str]:
    """The words of a text as the index knows them."""
    return analyze(clean(text))


def analyze(prepared: str) -> list[str]:
    """The words of a text that is already prepared."""
    return _words().analyze(prepared)


def path_tokens(path: str) -> list[str]:
    """The folders and the name of a path as the index knows them."""
    return _paths().analyze(_folders(path))


def _folders(path: str) -> str:
    """A path with a space between its folders, and none inside them."""
    return re.sub(r"[/\\]+", " ", re.sub(r"\s", "\u00a0", path if path.isascii() else fold(normalize_name(path))))


def to_document(number: int, facts: str, passage: Passage) -> tantivy.Document:
    """A passage as a document of the index; `facts` are the `session_facts`."""
    document = tantivy.Document()
    document.add_unsigned("session", number)
    document.add_unsigned("message", passage.message)
    document.add_unsigned("kind", _KIND_NUMBERS[passage.kind])
    document.add_float("weight", weight(passage))
    if passage.at is not None:
        document.add_integer("at", microseconds(passage.at))
    document.add_text("fact", f"{facts} {passage_facts(passage)}")
    for path in passage.files:
        document.add_text("file", _folders(path))
    document.add_text("text", passage.words)
    if passage.kind in OWN_WORDS:
        document.add_text("own", passage.words)
    document.add_bytes("shown", pack(passage.data))
    return document


def shown_text(document: tantivy.Document) -> str:
    """The text of a passage as a person reads it."""
    return unpack(bytes(document.get_first("shown") or b""))


_KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def kind_numbers(kinds: Iterable[PassageKind]) -> list[int]:
    """The numbers of these kinds in the index."""
    return [_KIND_NUMBERS[kind] for kind in kinds]


def microseconds(moment: datetime) -> int:
    """A moment as the index keeps it."""
    return (moment - EPOCH) // _INSTANT


def weight(passage: Passage) -> float:
    """The factor of a passage's relevance, encoded for the index.

    The human's words count more than a tool's, and a passage loses half of its worth in two years. That goes by the
    calendar, so two passages have the same order at any time. tantivy takes `log2(2 + value)`.
    """
    return encode_factor(factor(passage.kind, passage.at, copied=passage.copied))


def factor(kind: PassageKind, at: datetime | None, *, copied: bool) -> float:
    """The factor of a passage's relevance: at least 1."""
    return max(_WORTH.get(kind, 1.0) * (_COPY if copied else 1.0) * recency(at), 1.0)


def recency(at: datetime | None) -> float:
    """The factor by which the time of a passage multiplies its worth: at least 1."""
    halves = 0.0 if at is None else (at - _FIRST_YEAR) / _HALF_LIFE
    return math.exp2(min(max(halves, 0.0), _MOST_HALVES))


def earliest(kind: PassageKind, least: float, *, copied: bool) -> datetime | None:
    """Since when a passage of a kind has at least this factor; None if none ever has. One without a time is oldest."""
    needed = least / (_WORTH.get(kind, 1.0) * (_COPY if copied else 1.0))
    if needed <= 1.0 or least <= 1.0:
        return OLDEST
    return _FIRST_YEAR + math.log2(needed) * _HALF_LIFE if needed <= math.exp2(_MOST_HALVES) else None


def encode_factor(value: float) -> float:
    """A factor, encoded for the index."""
    return math.exp2(max(value, 1.0)) - 2.0


def decode_factor(value: float) -> float:
    """A factor, decoded from the index."""
    return math.log2(2.0 + value)
