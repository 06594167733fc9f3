"""Code cut into words of a kind, for its colours, in a time that grows with its length and no faster.

Pygments looks ahead, at every place and with many patterns. On odd text some of them look as far as the text goes, and
the time grows with the square or the cube of its length. So code that no person would write has no colours: very long
lines, endless blanks, words without any punctuation, comments that begin again and again. Of a language that was not
tried with the worst of texts, only short pieces have colours.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST = 60_000
"""Characters of code that has colours."""

SHORT = 1_000
"""Characters of code in a language that is not among those below."""

LINE = 1_000
"""Characters of its longest line."""

RUN = 400
"""Characters in a row that are nothing but blanks, or nothing but words."""

OPEN = 50
"""Comments that begin and do not end."""

_LINES = re.compile(r"[^\n]+")
_BLANKS = re.compile(r"\s+")
_WORDS = re.compile(r"[\w.\[\]$<>?\s]+")

WORDY = frozenset({"csharp", "java"})
"""Languages that look for a method in any row of words."""

TRIED = WORDY | {
    "awk",
    "bash",
    "c",
    "clojure",
    "cmake",
    "console",
    "cpp",
    "css",
    "dart",
    "diff",
    "docker",
    "elixir",
    "go",
    "graphql",
    "haskell",
    "html",
    "ini",
    "javascript",
    "json",
    "jsx",
    "kotlin",
    "lua",
    "make",
    "nginx",
    "objective-c",
    "perl",
    "php",
    "powershell",
    "protobuf",
    "python",
    "ruby",
    "rust",
    "scala",
    "scss",
    "splus",
    "sql",
    "swift",
    "toml",
    "tsx",
    "typescript",
    "xml",
    "yaml",
    "zig",
}
"""Languages that take no text badly but the odd ones, by the name that Pygments gives them first."""


def lexed(text: str, language: str, file: str = "", most: int = LONGEST) -> list[tuple[Any, str]] | None:
    """The words of a code and their kinds, by the name of its language or of its file; None where it has no colours."""
    lexer = _lexer(language.lower(), "") if language else _lexer("", file.rpartition("/")[2].lower()) if file else None
    if lexer is None or len(text) > most or not _fits(text, lexer.aliases[0] if lexer.aliases else ""):
        return None
    return list(lexer.get_tokens(text))


def _fits(text: str, language: str) -> bool:
    if language not in TRIED:
        return len(text) <= SHORT
    if _longest(_LINES, text) > LINE or _longest(_BLANKS, text) > RUN or text.count("/*") - text.count("*/") > OPEN:
        return False
    return language not in WORDY or _longest(_WORDS, text) <= RUN


def _longest(pattern: re.Pattern[str], text: str) -> int:
    return max(map(len, pattern.findall(text)), default=0)


@cache
def _lexer(language: str, file: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language) if language else get_lexer_for_filename(file)
    except ClassNotFound:
        return None
    # The text stays as it is: no line is trimmed, none is added.
    lexer.stripnl = lexer.ensurenl = False
    return lexer
