"""No file that matches is rejected by its bytes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pollux.index.search.direct.prefilter import FileLetters
from pollux.index.search.direct.word_count import CountedText
from pollux.index.search.passages import passage_texts, title_of
from pollux.index.search.prepare.camel_case import GAP
from pollux.library.library import Library
from tests.unit.index.search.small_sessions import CORPUS


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Retry", "retry"),
        ("café", "cafe"),
        ("ca\u0301fe", "cafe"),
        ("soft\u00adhyphen", "softhyphen"),
        ("ﬁnance", "finance"),
        ("Ｐｏｌｌｕｘ", "pollux"),
        ("İstanbul", "istanbul"),
        ("\u212a", "k"),
        ("𝐛𝐨𝐥𝐝", "bold"),
        ("架构", "架"),
        ("книга", "книга"),
        ("100000.0", "100000"),
    ],
)
@pytest.mark.parametrize("escaped", [False, True])
def test_words_in_json(text: str, word: str, *, escaped: bool) -> None:
    assert FileLetters(json.dumps({"text": text}, ensure_ascii=escaped).encode()).may_have(word)


@pytest.mark.parametrize(
    "data",
    [
        rb'{"text": "\u0072etry"}',
        rb'{"text": "r\u0065try"}',
        b"caf\xe9 in another encoding",
        "retry".encode("utf-16"),
    ],
)
def test_what_nobody_can_know_may_match(data: bytes) -> None:
    assert FileLetters(data).may_have("retry")


@pytest.mark.parametrize("text", ["retro", "re try", "— „x“ → ✓", "架构", "\u001b[0m", "kümmel", "café"])
@pytest.mark.parametrize("escaped", [False, True])
def test_a_file_without_the_word_is_rejected(text: str, *, escaped: bool) -> None:
    assert not FileLetters(json.dumps(text, ensure_ascii=escaped).encode()).may_have("retry")


def test_added_words() -> None:
    assert FileLetters(b"{}", "shell_exec Café").may_have("cafe")
    assert FileLetters(b"{}", "shell_exec").may_have("exec")


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_every_word_of_the_corpus(agent: str) -> None:
    judged, missing = 0, []
    for home in sorted(CORPUS.glob(f"{agent}/*/home")):
        places = {"HOME": str(home), "XDG_CACHE_HOME": os.devnull, "XDG_DATA_HOME": os.devnull}
        for source, bundle in Library(places, home, hunt=False)._files.bundles():
            reading = source.read(bundle)
            files = bundle.word_files(reading.dependencies)
            if files is None:
                continue
            titles = "\n".join(name for s in reading.sessions for name in (s.title or "", *s.facts.get("name", ())))
            data = b"\n".join(Path(path).read_bytes() for path in files.paths)
            letters = FileLetters(data, f"{files.added}\n{titles}")
            texts = [text for s in reading.sessions for m in s.messages for _, text in passage_texts(m)]
            texts += [title[1] for s in reading.sessions if (title := title_of(s)) is not None]
            words = {word for text in map(CountedText, texts) for word in (*text.words, *text.part_words)}
            missing += [(home.parent.name, bundle.id, word) for word in words - {GAP} if not letters.may_have(word)]
            judged += 1
    assert judged > 50
    assert not missing
