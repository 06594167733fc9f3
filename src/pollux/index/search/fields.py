"""The fields of a passage in the index, how their words are separated, and the weight of a passage."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache

import tantivy

from pollux.index.search.passages import Facts, Passage, PassageKind
from pollux.index.search.prepare_text import clean, normalize_name, plain
from pollux.model import FACTS
from pollux.text.folding import fold

KINDS = tuple(PassageKind)

# The names carry a version: an index with other tokenizers must not be opened as if they were the same.
_WORDS = "pollux-words-3"
_PATHS = "pollux-paths-2"

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
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

    `own` repeats the words of `text` where a human typed them: they are few, so searching them is fast. `shown` is the
    text as it was written, if its letters are folded in `text`.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("generation", stored=True, indexed=True)
    builder.add_text_field("marker", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("session", indexed=True, fast=True)
    builder.add_unsigned_field("message", fast=True)
    builder.add_unsigned_field("kind", indexed=True, fast=True)
    builder.add_integer_field("at", fast=True)
    builder.add_float_field("weight", fast=True)
    for field in ("agent", "session_kind", "project", "model", "role", "author", "tool", "failed", "exit", "fate"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    for fact in FACTS:
        builder.add_text_field(fact, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("file", tokenizer_name=_PATHS, index_option="position")
    builder.add_text_field("text", stored=True, tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field("own", tokenizer_name=_WORDS, index_option="basic")
    builder.add_bytes_field("shown_text", stored=True)
    return builder.build()


def register(index: tantivy.Index) -> None:
    """Register the tokenizers of the fields at an index."""
    index.register_tokenizer(_WORDS, _words())
    index.register_tokenizer(_PATHS, _paths())


@cache
def _words() -> tantivy.TextAnalyzer:
    return _folding(tantivy.Tokenizer.simple())


@cache
def _paths() -> tantivy.TextAnalyzer:
    return _folding(tantivy.Tokenizer.whitespace())


def _folding(tokenizer: tantivy.Tokenizer) -> tantivy.TextAnalyzer:
    # Accents are removed first: a Turkish İ becomes I, and then i.
    builder = tantivy.TextAnalyzerBuilder(tokenizer).filter(tantivy.Filter.ascii_fold())
    return builder.filter(tantivy.Filter.lowercase()).build()


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


def to_document(number: int, facts: Facts, passage: Passage) -> tantivy.Document:
    """A passage as a document of the index."""
    document = tantivy.Document()
    document.add_unsigned("session", number)
    document.add_unsigned("message", passage.message)
    document.add_unsigned("kind", _KIND_NUMBERS[passage.kind])
    document.add_float("weight", weight(passage))
    document.add_text("agent", facts.agent)
    document.add_text("session_kind", facts.kind)
    if passage.at is not None:
        document.add_integer("at", microseconds(passage.at))
    if facts.project:
        document.add_text("project", normalize_name(facts.project))
    if facts.project_hash:
        document.add_text("project", f"#{facts.project_hash}")
    if passage.model:
        document.add_text("model", fold(normalize_name(passage.model)))
    failed = None if passage.failed is None else "yes" if passage.failed else "no"
    for field, value in (("role", passage.role), ("author", passage.author), ("failed", failed)):
        if value is not None:
            document.add_text(field, value)
    if passage.exit_code is not None:
        document.add_text("exit", str(passage.exit_code))
    document.add_text("fate", passage.fate)
    for fact, values in facts.others.items():
        _add_each(document, fact, (fold(normalize_name(value)) for value in values))
    _add_each(document, "tool", (fold(normalize_name(tool)) for tool in passage.tools))
    _add_each(document, "file", (_folders(path) for path in passage.files))
    for field in ("text", "own") if passage.kind in OWN_WORDS else ("text",):
        document.add_text(field, passage.body)
        if passage.parts:
            document.add_text(field, passage.parts)
    if passage.shown is not None:
        document.add_bytes("shown_text", passage.shown.encode())
    return document


def shown_text(document: tantivy.Document) -> str:
    """The text of a passage as a person reads it."""
    original = document.get_first("shown_text")
    return plain(document["text"][0]) if original is None else bytes(original).decode()


_KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def _add_each(document: tantivy.Document, field: str, values: Iterable[str]) -> None:
    for value in values:
        document.add_text(field, value)


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


def encode_factor(value: float) -> float:
    """A factor, encoded for the index."""
    return math.exp2(max(value, 1.0)) - 2.0


def decode_factor(value: float) -> float:
    """A factor, decoded from the index."""
    return math.log2(2.0 + value)
