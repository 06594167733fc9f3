"""Searching: what programs get, what reaches the terminal, and what click must not take for an option."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pollux.cli.commands.search import PLACES, SORTS
from pollux.library.library import PLACES as KINDS, Sort
from tests.cli.program import Pollux
from tests.cli.session_text import EVIL, harmless, session
from tests.cli.test_terminal import COLOUR, in_terminal

CONTRACT = {"key", "message_id", "role", "author", "at", "project", "title", "snippet", "score"}


def test_the_choices_are_the_librarys() -> None:
    assert set(PLACES) == set(KINDS)
    assert list(Sort) == SORTS


def test_hits_for_programs(pollux: Pollux) -> None:
    result = pollux("search", "humidity", "--in", "prompts", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    (hit,) = json.loads(result.stdout)
    assert set(hit) >= CONTRACT
    assert hit["at"] == "2026-11-15T05:57:09.653Z"
    assert hit["score"] > 0
    document = json.loads(pollux("show", hit["key"], "--json").stdout)
    (message,) = [one for one in document["messages"] if one["id"] == hit["message_id"]]
    assert (message["role"], message["author"], message["at"]) == (hit["role"], hit["author"], hit["at"])
    start, end = hit["spans"][0]
    assert hit["snippet"][start:end] == "humidity"


def test_every_kind_of_session_is_searched(pollux: Pollux) -> None:
    kinds = {hit["session_kind"] for hit in json.loads(pollux("search", "conversion", "--json").stdout)}
    assert "subagent" in kinds
    assert pollux("search", "conversion", "--all", "--json").stdout == pollux("search", "conversion", "--json").stdout


@pytest.mark.parametrize("word", ["-report", "-humidity", "-nothing", "-x", "-天"])
def test_a_word_to_leave_out_is_no_option(pollux: Pollux, word: str) -> None:
    quoted = pollux("search", f"humidity {word}", "--json")
    assert quoted.returncode in (0, 1)
    assert pollux("search", "humidity", word, "--json").stdout == quoted.stdout
    assert pollux("search", "--json", "--", "humidity", word).stdout == quoted.stdout


def test_limits(pollux: Pollux) -> None:
    hits = json.loads(pollux("search", "weather", "--json", "--limit", "5").stdout)
    assert len(hits) == 5
    each = json.loads(pollux("search", "weather", "--json", "--limit", "100", "--each", "1").stdout)
    assert len({hit["key"] for hit in each}) == len(each) > 5


def test_no_control_character_gets_out(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-evil.json", session("evil\x1b[1m", EVIL, EVIL))
    for query in ("hello", "evil", "nothing-like-\x1b[2J", '"\x1b[2J'):
        result = empty("search", query)
        assert harmless(result.stdout)
        assert harmless(result.stderr)
        screen = in_terminal(empty, "search", query)
        assert harmless(COLOUR.sub("", screen))
        assert "\x1b[31m red" not in screen


def test_a_terminal_is_told_how_to_read_on(pollux: Pollux) -> None:
    screen = in_terminal(pollux, "search", "humidity")
    assert "\x1b[33m\x1b[1mhumidity" in screen
    assert "To read on: pollux show 26f2b7db --at adebdfd3" in screen
    assert "To read on" not in pollux("search", "humidity").stderr


def test_only_the_mistyped_word_is_meant_otherwise(pollux: Pollux) -> None:
    result = pollux("search", "humdity", "humditymeter*", "in:prompts", "--exact")
    assert "Did you mean: humidity humditymeter* in:prompts" in result.stderr


def test_a_search_that_finds_nothing_is_widened_and_says_so(pollux: Pollux) -> None:
    result = pollux("search", "humdity", "in:prompts")
    assert (result.returncode, "humidity column" in result.stdout) == (0, True)
    assert result.stderr == (
        "No exact match. Searched for humdity as humidity. --exact searches only for what you typed.\n"
    )
    result = pollux("search", "humdity", "--in", "prompts", "--json")
    assert {hit["widened"] for hit in json.loads(result.stdout)} == {True}
    assert "humdity as humidity" in json.loads(result.stderr)["warning"]
    assert pollux("search", "humdity", "--exact", "--json").stdout == "[]\n"
    assert pollux("search", "humdity", "--exact").returncode == 1
    exact = pollux("search", "humidity", "--json")
    assert ({hit["widened"] for hit in json.loads(exact.stdout)}, exact.stderr) == ({False}, "")


def test_a_phrase_becomes_words_near_one_another(pollux: Pollux) -> None:
    result = pollux("search", '"column humidity"', "--in", "prompts")
    assert (result.returncode, "column humidity as words near one another" in result.stderr) == (0, True)


def test_a_filter_that_nothing_answers_to(pollux: Pollux) -> None:
    result = pollux("search", "humidity project:wether")
    assert (result.returncode, "Did you mean: project:weather?" in result.stderr) == (1, True)
    result = pollux("search", "humidity", "--branch", "main", "--json")
    assert (result.returncode, result.stdout) == (1, "[]\n")
    assert "No branch matches 'main'." in json.loads(result.stderr)["warning"]


def test_branches(empty: Pollux) -> None:
    def line(branch: str, session: str, number: int) -> str:
        at = f"2026-11-15T05:00:0{number}.000Z"
        record = {"role": "user", "content": f"hello {number}"}
        parent = f"{session}-{number - 1}" if number else None
        answer = {
            "type": "user",
            "uuid": f"{session}-{number}",
            "parentUuid": parent,
            "sessionId": session,
            "message": record,
        }
        return json.dumps({**answer, "cwd": "/home/ada/p", "version": "2.1.0", "gitBranch": branch, "timestamp": at})

    folder = empty.home / ".claude" / "projects" / "-home-ada-p"
    folder.mkdir(parents=True)
    ids = {one: f"{one * 8}-1111-4111-8111-111111111111" for one in "ab"}
    (folder / f"{ids['a']}.jsonl").write_text(
        line("main", ids["a"], 0) + "\n" + line("feature/Retry", ids["a"], 1) + "\n"
    )
    (folder / f"{ids['b']}.jsonl").write_text(line("main", ids["b"], 0) + "\n")

    def found(*arguments: str) -> list[str]:
        return sorted({one["key"][7] for one in json.loads(empty(*arguments, "--json").stdout)})

    for name, keys in {"main": ["a", "b"], "retry": ["a"], "feature/retry": ["a"], "feature/*": ["a"], "x": []}.items():
        assert found("list", "--branch", name) == keys
        assert found("list", f"branch:{name}") == keys
        assert found("search", f"branch:{name}") == keys
        assert found("search", "hello", "--branch", name) == keys
    document = json.loads(empty("show", ids["a"], "--json").stdout)
    assert document["facts"]["branch"] == ["main", "feature/Retry"]
    assert "branch main and 1 more" in empty("show", ids["a"]).stdout
    assert "Did you mean: branch:main?" in empty("list", "branch:mian").stderr


def test_letters_are_one_however_they_are_written(empty: Pollux) -> None:
    texts = {
        "greek": "η οδός εδώ",
        "turkish": "İSTANBUL",
        "hebrew": "שָׁלוֹם",
        "wide": "Ｐｏｌｌｕｘ",
        "apart": "cafe\u0301",
    }
    for id, text in texts.items():
        empty.file(f"p/chats/session-2026-11-15T05-00-{id}.json", session(id, text))
    typed = {"greek": "ΟΔΟΣ", "turkish": "istanbul", "hebrew": "שלום", "wide": "pollux", "apart": "CAFÉ"}
    for id, word in typed.items():
        hit, *_ = json.loads(empty("search", word, "--json", "--exact").stdout)
        assert hit["key"] == f"gemini:{id}"
        assert hit["snippet"][slice(*hit["spans"][0])] in texts[id]
        assert [one["id"] for one in json.loads(empty("list", word, "--json").stdout)] == [id]
    assert [hit["key"] for hit in json.loads(empty("search", "--regex", "οδόΣ|CAFÉ".lower(), "--json").stdout)]
    (hit, *_) = json.loads(empty("search", "--regex", "café", "--json").stdout)
    assert hit["key"] == "gemini:apart"


def test_an_agent_nobody_knows(pollux: Pollux) -> None:
    for query in (["humidity"], ["--regex", "humidity"]):
        result = pollux("search", *query, "--agent", "hal")
        assert result.returncode == 2
        known = "gemini, claude, codex, copilot, opencode, qwen"
        assert result.stderr == f"pollux: No agent is called 'hal'.\nKnown: {known}.\n"


def test_without_any_session(empty: Pollux) -> None:
    result = empty("search", "anything")
    assert result.returncode == 1
    assert result.stderr.startswith("No sessions were found.")
    assert empty("search", "anything", "--json").stdout == "[]\n"


def test_the_sample_is_searched(empty: Pollux) -> None:
    result = empty("--sample", "search", "beans")
    assert result.returncode == 0
    assert "second packet of the same beans" in result.stdout
    assert not (empty.folder / "xdg" / "cache").exists()


# ---------------------------------------------------------------------- patterns


def test_a_pattern_finds_what_no_word_does(pollux: Pollux) -> None:
    (hit, *_) = json.loads(pollux("search", "--regex", r"to_f\(\w+\), hum", "--json").stdout)
    assert set(hit) >= CONTRACT
    start, end = hit["spans"][0]
    assert hit["snippet"][start:end] == "to_f(celsius), hum"
    assert pollux("search", "--regex", "HUMIDITY COLUMN").returncode == 1
    assert pollux("search", "--regex", r"\Whumidity column").returncode == 0


def test_a_pattern_may_begin_like_an_option(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-sign.json", session("sign", "a self-made ~/-odd"))
    for pattern in (["--regex", "-made"], ["--regex=-made"], ["--regex", "-o"]):
        hits = json.loads(empty("search", *pattern, "--json").stdout)
        assert {hit["snippet"][slice(*hit["spans"][0])] for hit in hits} == {pattern[-1].removeprefix("--regex=")}


def test_a_pattern_heeds_the_options(pollux: Pollux) -> None:
    def found(*options: str) -> list[dict[str, object]]:
        hits: list[dict[str, object]] = json.loads(pollux("search", "--regex", "humid", "--json", *options).stdout)
        return hits

    assert {hit["kind"] for hit in found("--in", "prompts")} == {"prompt"}
    assert len(found("--limit", "2")) == 2
    assert found("--project", "notes") == []
    assert found("--since", "2026-11-15T23:00") == []
    assert len({hit["key"] for hit in found("--each", "1")}) == len(found("--each", "1")) > 1
    assert {hit["short_id"] for hit in found("--in", "prompts")} == {"26f2b7db"}


def test_a_long_output_is_scanned_whole(empty: Pollux) -> None:
    text = "x " * 200_000 + "needle-7" + " y" * 200_000
    empty.file("p/chats/session-2026-11-15T05-00-long.json", session("long", text))
    (hit, _) = json.loads(empty("search", "--regex", r"needle-\d", "--json").stdout)
    assert "needle-7" in hit["snippet"]


def test_a_limit_is_no_word_to_leave_out(pollux: Pollux) -> None:
    output = [pollux("search", "weather", "--json", *limit).stdout for limit in (["-n", "2"], ["-n2"], ["--limit=2"])]
    assert len(json.loads(output[0])) == 2
    assert len(set(output)) == 1


@pytest.mark.parametrize("arguments", [("-foo",), ("--", "-foo")])
def test_a_query_is_shown_as_it_was_typed(pollux: Pollux, arguments: tuple[str, ...]) -> None:
    assert pollux("search", *arguments).stderr.splitlines()[1:] == ["  -foo", "  ^"]


@pytest.mark.parametrize(
    ("text", "typed", "told"),
    [
        ("Wo sind die Häuser?", "Haus", "Haus as Häuser."),
        ("Zwei Katzen schlafen.", "Katze", "Katze as Katzen."),
        ("Le CAFÉ est fermé.", "cafes", "cafes as CAFÉ."),
        ("Une idée étrange.", "etrnage", "etrnage as étrange."),
        ("Die Übersetzung fehlt.", "Ubrset*", "Ubrset* as Überset*."),
    ],
)
def test_other_forms_are_told_as_they_are_written(tmp_path: Path, text: str, typed: str, told: str) -> None:
    pollux = Pollux(tmp_path)
    pollux.file("p/chats/session-2026-11-15T05-00-abcd.json", session("abcd", text))
    assert f"Searched for {told}" in pollux("search", typed).stderr
