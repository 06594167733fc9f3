"""What the text index keeps of a passage: its fields, how their words are told apart, and what a passage is worth."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache

import tantivy

from pollux.index.search.passages import Facts, Passage, PassageKind
from pollux.index.search.words import clean, name, plain
from pollux.model import FACTS
from pollux.text.folding import fold

KINDS = tuple(PassageKind)

# The names carry a number: an index made with other words than these must not be opened as if they were the same.
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
"""What no passage is worth more than, unless it is a title or the human's own words."""
_COPY = 0.9
_FIRST_YEAR = datetime(2023, 1, 1, tzinfo=UTC)
_HALF_LIFE = timedelta(days=730)
_MOST_HALVES = 5.0


@cache
def schema() -> tantivy.Schema:
    """The fields of a passage, and `generation` for the one document that says how far the index goes.

    `own` has the words of `text` once more, where a human typed them: few, so that they are found at once. `shown` is
    the text as it was written, where its letters are folded in `text`.
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
    builder.add_bytes_field("shown", stored=True)
    return builder.build()


def register(index: tantivy.Index) -> None:
    """Tell an index how the words of its fields are told apart."""
    index.register_tokenizer(_WORDS, _words())
    index.register_tokenizer(_PATHS, _paths())


@cache
def _words() -> tantivy.TextAnalyzer:
    return _folding(tantivy.Tokenizer.simple())


@cache
def _paths() -> tantivy.TextAnalyzer:
    return _folding(tantivy.Tokenizer.whitespace())


def _folding(tokenizer: tantivy.Tokenizer) -> tantivy.TextAnalyzer:
    # Accents go first: a Turkish İ becomes I, and then i.
    builder = tantivy.TextAnalyzerBuilder(tokenizer).filter(tantivy.Filter.ascii_fold())
    return builder.filter(tantivy.Filter.lowercase()).build()


def tokens(text: str) -> list[str]:
    """The words of a text as the index knows them."""
    return _words().analyze(clean(text))


def path_tokens(path: str) -> list[str]:
    """The folders and the name of a path as the index knows them."""
    return _paths().analyze(_folders(path))


def _folders(path: str) -> str:
    """A path with a space between its folders, and none within."""
    return re.sub(r"[/\\]+", " ", re.sub(r"\s", "\u00a0", path if path.isascii() else fold(name(path))))


def document(number: int, facts: Facts, passage: Passage) -> tantivy.Document:
    """A passage as the index takes it."""
    made = tantivy.Document()
    made.add_unsigned("session", number)
    made.add_unsigned("message", passage.message)
    made.add_unsigned("kind", _KIND_NUMBERS[passage.kind])
    made.add_float("weight", weight(passage))
    made.add_text("agent", facts.agent)
    made.add_text("session_kind", facts.kind)
    if passage.at is not None:
        made.add_integer("at", microseconds(passage.at))
    if facts.project:
        made.add_text("project", name(facts.project))
    if facts.project_hash:
        made.add_text("project", f"#{facts.project_hash}")
    if passage.model:
        made.add_text("model", fold(name(passage.model)))
    failed = None if passage.failed is None else "yes" if passage.failed else "no"
    for field, value in (("role", passage.role), ("author", passage.author), ("failed", failed)):
        if value is not None:
            made.add_text(field, value)
    if passage.exit_code is not None:
        made.add_text("exit", str(passage.exit_code))
    made.add_text("fate", passage.fate)
    for fact, values in facts.others.items():
        _add_each(made, fact, (fold(name(value)) for value in values))
    _add_each(made, "tool", (fold(name(tool)) for tool in passage.tools))
    _add_each(made, "file", (_folders(path) for path in passage.files))
    for field in ("text", "own") if passage.kind in OWN_WORDS else ("text",):
        made.add_text(field, passage.body)
        if passage.parts:
            made.add_text(field, passage.parts)
    if passage.shown is not None:
        made.add_bytes("shown", passage.shown.encode())
    return made


def shown(kept: tantivy.Document) -> str:
    """The text of a passage as a person reads it."""
    original = kept.get_first("shown")
    return plain(kept["text"][0]) if original is None else bytes(original).decode()


_KIND_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def _add_each(made: tantivy.Document, field: str, values: Iterable[str]) -> None:
    for value in values:
        made.add_text(field, value)


def kind_numbers(kinds: Iterable[PassageKind]) -> list[int]:
    """The numbers under which the index keeps these kinds."""
    return [_KIND_NUMBERS[kind] for kind in kinds]


def microseconds(moment: datetime) -> int:
    """A moment as the index keeps it."""
    return (moment - EPOCH) // _INSTANT


def weight(passage: Passage) -> float:
    """What the index multiplies a passage's relevance by, as it wants to be told.

    The human's words count more than a tool's, and two years halve what a passage is worth. Halving goes by the
    calendar, so the order of any two passages is the same whenever somebody asks. tantivy takes `log2(2 + value)`.
    """
    worth = _WORTH.get(passage.kind, 1.0) * (_COPY if passage.copied else 1.0)
    return kept_factor(worth * youth(passage.at))


def youth(at: datetime | None) -> float:
    """What the time in which something was said multiplies its worth by: at least 1."""
    halves = 0.0 if at is None else (at - _FIRST_YEAR) / _HALF_LIFE
    return math.exp2(min(max(halves, 0.0), _MOST_HALVES))


def kept_factor(factor: float) -> float:
    """A factor as the index wants to be told."""
    return math.exp2(max(factor, 1.0)) - 2.0


def factor_of(kept: float) -> float:
    """A factor that was kept so."""
    return math.log2(2.0 + kept)
