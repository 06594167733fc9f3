"""The tools: their budgets, their cursors, what they leave out and count, and what they refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from pollux.library.for_agents.texts import LARGEST, TOOLS, USUAL, USUAL_TOOLS
from pollux.mcp.tools.pieces import pieces
from tests.mcp.conftest import Tools, World, called, replied, result, said
from tests.program import run

GO_ON = re.compile(
    r"(?:More hits|To come: .*?|[\d,]+ more|[\d,]+ more turns?|The next turn|Before that): (\w+) (\{.*\})$"
)
HIT = re.compile(r"^(claude:\w+#[\w-]+@\d+-[0-9a-f]{4}) · ", re.MULTILINE)


def _pages(tools: Tools, tool: str, /, **arguments: Any) -> Iterator[str]:
    """An answer and all that follow it, each by the arguments that the one before gave."""
    for _ in range(400):
        text = tools(tool, **arguments)
        yield text
        last = GO_ON.search(text.splitlines()[-1])
        if last is None or "next turn" in last[0]:
            return
        tool, arguments = last[1], json.loads(last[2])
    pytest.fail("it never ends")


# ------------------------------------------------------------------------------------------ what is offered


def test_no_tool_writes() -> None:
    """The promise of docs/agents.md: whoever adds to this list must read it."""
    assert list(TOOLS) == ["search_sessions", "read_session", "list_sessions", "session_usage"]
    assert USUAL_TOOLS == ("search_sessions", "read_session", "list_sessions")
    for tool in TOOLS.values():
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }


def test_schemas_are_flat() -> None:
    for tool in TOOLS.values():
        schema = tool["inputSchema"]
        assert set(schema) <= {"type", "properties", "required"}
        for about in schema["properties"].values():
            assert about["type"] in ("string", "integer", "array")
            assert set(about) <= {"type", "description", "maximum", "items"}
            if about["type"] == "array":
                assert about["items"]["type"] == "string"
        assert len(tool["name"]) < 40


# ------------------------------------------------------------------------------------------ search


def test_a_hit_has_what_reading_needs(world: World, tools: Tools) -> None:
    world.session(1, said("Why are the tides of Port Lune late?"), replied("Because the zone is wrong."))
    text = tools("search_sessions", query="zone")
    assert re.search(
        r"^claude:00000001#msg_\w+@2-[0-9a-f]{4} · 2026-11-11 08:01 · harbour · model · "
        r'"Why are the tides of Port Lune late\?"\n  Because the zone is wrong\.$',
        text,
        re.MULTILINE,
    )
    (citation,) = HIT.findall(text)
    read = tools("read_session", key=citation)
    assert "Why are the tides" in read
    assert "Because the zone is wrong." in read


def test_a_citation_is_a_name_for_show(world: World, tools: Tools) -> None:
    world.session(1, said("Why are the tides late?"), replied("Because the zone is wrong."))
    (citation,) = HIT.findall(tools("search_sessions", query="zone"))
    for name in (citation, citation.partition("@")[0]):
        shown = run("show", name, env=world.environ | {"COLUMNS": "100"}, cwd=world.home)
        assert shown.returncode == 0
        assert "▶" in shown.stdout
        assert shown.stderr == ""


def test_a_citation_tells_later_what_became_of_the_session(world: World, tools: Tools) -> None:
    key = world.session(1, said("Why are the tides late?"))
    (citation,) = HIT.findall(tools("search_sessions", query="tides"))
    assert "after it was cited" not in tools("read_session", key=citation)
    world.session(1, said("Why are the tides late?"), replied("Because."))
    went_on = "This session went on after it was cited: it had 1 messages then, and has 2 now."
    assert went_on in tools("read_session", key=citation)
    assert went_on in run("show", citation, env=world.environ, cwd=world.home).stderr
    world.session(1, said("Why are the tides early?"), replied("Because."))
    (citation,) = HIT.findall(tools("search_sessions", query="early"))
    world.session(1, said("Why are the tides on time?"), replied("Because."))
    assert "were changed after it was cited" in tools("read_session", key=citation)
    file = next((world.home / ".claude").rglob(f"{key.partition(':')[2]}.jsonl"))
    file.unlink()
    gone = tools.result("read_session", key=citation)
    assert gone["isError"]
    assert "is gone" in gone["content"][0]["text"]


def test_the_project_of_the_caller_comes_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    here = world.folder / "harbour"
    (here / "src").mkdir(parents=True)
    for number in range(1, 5):
        world.session(number, said("pelican pelican pelican"), project="/elsewhere/zoo")
    world.session(9, said("A long text in which one pelican occurs somewhere, and not more."), project=str(here))
    for folder in (here, here / "src"):
        tools = Tools(world, monkeypatch, folder)
        text = tools("search_sessions", query="pelican")
        assert "5 sessions match: 1 in this project, 4 elsewhere. Hits 1 to 5, this project first." in text
        assert HIT.findall(text)[0].startswith("claude:00000009")
        tools.toolbox.close()
    tools = Tools(world, monkeypatch, world.home)
    assert "5 sessions match. Hits 1 to 5." in tools("search_sessions", query="pelican")
    tools.toolbox.close()


def test_hits_are_few_and_short_and_all_can_be_had(world: World, tools: Tools) -> None:
    for number in range(1, 13):
        world.session(number, *[said(f"pelican {number} {place} {'word ' * 200}") for place in range(6)])
    seen: list[str] = []
    for text in _pages(tools, "search_sessions", query="pelican"):
        hits = HIT.findall(text)
        assert 0 < len(hits) <= 10
        assert len(text) <= USUAL
        assert all(len(line) <= 302 for line in text.splitlines() if line.startswith("  "))
        seen += hits
    assert len(seen) == len(set(seen)) == 12 * 3
    assert "3 more hits in it" in tools("search_sessions", query="pelican")
    assert len(HIT.findall(tools("search_sessions", query="pelican", key=seen[0]))) == 6
    within = [
        hit for text in _pages(tools, "search_sessions", query="pelican", key="00000003") for hit in HIT.findall(text)
    ]
    assert len(within) == 6


@pytest.mark.parametrize("limit", [0, -5, 10**30, 4.0])
def test_any_limit_is_taken_for_one_that_is_allowed(world: World, tools: Tools, limit: float) -> None:
    world.session(1, *[said(f"pelican {place}") for place in range(30)])
    hits = HIT.findall(tools("search_sessions", query="pelican", key="00000001", limit=limit))
    assert len(hits) == {0: 1, -5: 1, 4.0: 4}.get(limit, 10)


def test_what_was_said_comes_unasked_and_all_else_on_request(world: World, tools: Tools) -> None:
    world.session(
        1,
        said("Look at the gulls."),
        replied({"type": "thinking", "thinking": "A walrus thought."}, "I do.", called("Bash", {"command": "ls"})),
        result("a pelican and a walrus"),
    )
    text = tools("search_sessions", query="pelican")
    assert "Nobody said this" in text
    assert '"with": ["results", "thinking", "context"]' in text
    assert "a pelican" not in text
    assert "a pelican" in tools("search_sessions", query="pelican", **{"with": ["results"]})
    assert "walrus thought" in tools("search_sessions", query="walrus", **{"with": ["thinking"]})
    assert "a pelican" in tools("search_sessions", query="pelican in:tools")
    assert "tool:bash" not in tools("search_sessions", query="tool:bash")


def test_a_question_need_not_have_every_word(world: World, tools: Tools) -> None:
    world.session(1, said("The parser crashed on empty lines."), replied("Fixed the parser: it skips empty lines now."))
    world.session(2, said("Paint the pier."), replied("Done last week."))
    text = tools("search_sessions", query="how did we fix the parser crash last time?")
    assert "parser crashed" in text
    assert "these have" in text
    assert "Paint" not in text
    assert "other forms or spellings" in tools("search_sessions", query="parserr")


def test_the_fate_of_a_hit_is_told(world: World, tools: Tools) -> None:
    first = said("Paint the pelican.")
    branch = {**said("Paint the walrus."), "parentUuid": "00010000-1111-4111-8111-111111111111"}
    world.session(1, first, replied("Red?"), said("The first way of the pelican."), branch)
    text = tools("search_sessions", query='"first way"')
    assert " · rewound" in text


def test_the_agents_own_session_is_left_out(world: World, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = world.session(1, said("What about the pelican?"))
    world.session(2, said("The pelican is fine."))
    assert "2 sessions match" in tools("search_sessions", query="pelican")
    assert "1 session matches" in tools("search_sessions", query="pelican", without=["claude:00000001"])
    assert "1 session," in tools("list_sessions", without=["00000001", "unknown"])
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", mine.partition(":")[2])
    assert "1 session matches" in tools("search_sessions", query="pelican")
    assert "1 session," in tools("list_sessions")
    assert "What about" in tools("read_session", key=mine)


def test_a_session_that_is_being_written_is_marked(world: World, tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    world.session(1, said("pelican"))
    monkeypatch.setenv("POLLUX_NOW", "2026-11-11T08:01:00Z")
    for text in (
        tools("search_sessions", query="pelican"),
        tools("list_sessions"),
        tools("read_session", key="00000001"),
    ):
        assert "being written now" in text


def test_the_arguments_that_go_on_are_exact(world: World, tools: Tools) -> None:
    world.session(1, *[said(f"pelican {place}") for place in range(9)])
    query = 'pelican OR "<system-reminder>" OR \u202e架构\x07'
    text = tools("search_sessions", query=query, key="00000001", limit=2)
    found = GO_ON.search(text.splitlines()[-1])
    assert found is not None
    assert json.loads(found[2]) == {"query": query, "key": "00000001", "limit": 2, "cursor": "2"}
    assert "<system-reminder>" not in text
    assert "\u202e" not in text


# ------------------------------------------------------------------------------------------ read


def _long(world: World, turns: int = 12) -> str:
    records: list[dict[str, Any]] = []
    for turn in range(turns):
        records += [
            said(f"Prompt {turn}: {'please ' * 40}"),
            replied(
                {"type": "thinking", "thinking": f"thought {turn} " * 20},
                f"Reply {turn}: {'certainly ' * (400 if turn == 3 else 40)}",
                called("Bash", {"command": f"ls {turn}", "description": "x" * 300}, f"toolu_{turn}"),
            ),
            result(f"result {turn} " * 500, f"toolu_{turn}"),
        ]
    return world.session(1, *records)


@pytest.mark.parametrize("extra", [[], ["results"], ["thinking", "context"], ["results", "thinking", "context"]])
@pytest.mark.parametrize("size", [2_000, 6_000, 24_000])
def test_pages_together_hold_all_and_count_what_they_leave_out(
    world: World, tools: Tools, extra: list[str], size: int
) -> None:
    key = _long(world)
    session = world.library().session(key)
    whole = [piece for message in session.messages for piece in pieces(message)]
    counted = 0
    words = ""
    cursor = f"0.0.0-{len(session.messages)}"
    for text in _pages(tools, "read_session", key=key, cursor=cursor, characters=size, **{"with": extra}):
        assert len(text) <= size
        (account,) = re.findall(r"^Messages .*$", text, re.MULTILINE)
        shown, _, left = account.partition("Left out:")
        counted += sum(
            int(count.replace(",", ""))
            for count in re.findall(r"(?<=[:,] )([\d,]+) (?!of)", shown.partition("Shown")[2])
        )
        counted += sum(int(count.replace(",", "")) for count in re.findall(r"([\d,]+) of ", left))
        body = text.partition("<old-words-")[2].partition("\n")[2].partition("\n</old-words-")[0]
        words += "".join(line for line in body.splitlines() if line.startswith("  ")).replace(" […]", "")
    assert counted == len(whole)
    wanted = "".join(piece.text for piece in whole if piece.kind in ("said", "tool call", "file", *extra))
    assert re.sub(r"\s", "", words) == re.sub(r"\s", "", wanted)


def test_a_message_is_read_with_its_whole_turn(world: World, tools: Tools) -> None:
    key = _long(world)
    text = tools("read_session", key=key, at="00010009", characters=LARGEST)
    assert "Prompt 3:" in text
    assert "Reply 3:" in text
    assert "Prompt 2:" not in text
    assert "Prompt 4:" not in text
    text = tools("read_session", key=key, at="00010009", before=1, after=1, characters=LARGEST)
    assert all(f"Prompt {turn}:" in text for turn in (2, 3, 4))
    assert "Prompt 5:" not in text


def test_the_message_that_is_asked_for_is_always_shown(world: World, tools: Tools) -> None:
    key = _long(world)
    text = tools("read_session", key=key, at="00010009", before=3, characters=1_500, **{"with": ["results"]})
    assert "Prompt 3:" in text
    assert "Before that: read_session" in text


def test_a_long_session_is_read_in_short_first(world: World, tools: Tools) -> None:
    key = _long(world, turns=80)
    brief = tools("read_session", key=key)
    assert len(brief) <= USUAL
    assert "This is its brief." in brief
    assert "Reply 79:" in brief
    (go_on,) = re.findall(r"^All turns, one by one: read_session (\{.*\})$", brief, re.MULTILINE)
    texts = list(_pages(tools, "read_session", **json.loads(go_on)))
    assert len(texts) > 1
    assert all(len(text) <= USUAL for text in texts)
    both = "\n".join(texts)
    assert all(f"Prompt {turn}:" in both and f"Reply {turn}:" in both for turn in range(80))
    assert "result 1" not in both


def test_a_tool_call_is_one_line(world: World, tools: Tools) -> None:
    world.session(1, said("Go"), replied(called("Bash", {"command": "one\ntwo\nthree " + "x" * 2_000})), result("out"))
    text = tools("read_session", key="00000001")
    (line,) = [line for line in text.splitlines() if "→" in line]
    assert len(line) < 320
    assert line.endswith("· ok")
    assert "out" not in text.replace("without", "").replace("Left out", "").replace("about", "")


@pytest.mark.parametrize(
    "key",
    [
        "../../.ssh/id_rsa",
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "claude:../../x",
        "..\\..\\x",
        "./README.md",
        ".claude.json",
        "file:///etc/passwd",
        "secret.txt",
        "link",
        "last",
        "",
        " ",
        "#",
        "claude:",
        "claude:#",
        "\x00",
        "%2e%2e%2fetc",
        "x" * 3_000,
    ],
)
def test_a_key_is_never_a_path(world: World, tools: Tools, key: str) -> None:
    world.session(1, said("tides"))
    (world.home / "secret.txt").write_text('{"type":"user","message":{"content":"TOPSECRET"}}', "utf-8")
    (world.home / "link").symlink_to(world.home / "secret.txt")
    for tool, arguments in (
        ("read_session", {"key": key}),
        ("search_sessions", {"query": "tides", "key": key.strip() or "#"}),
        ("session_usage", {"key": key}),
    ):
        answer = tools.result(tool, **arguments)
        assert answer["isError"], (tool, answer)
        text = answer["content"][0]["text"]
        assert "TOPSECRET" not in text
        assert "root:" not in text
        assert len(text) < 1_200


# ------------------------------------------------------------------------------------------ list


def test_sessions_are_listed_page_by_page(world: World, tools: Tools) -> None:
    for number in range(1, 41):
        world.session(number, said(f"Session {number} {'about tides ' * 30}"))
    texts = list(_pages(tools, "list_sessions"))
    assert all(len(text) <= USUAL for text in texts)
    keys = re.findall(r"^claude:(\w{8})@", "\n".join(texts), re.MULTILINE)
    assert len(keys) == len(set(keys)) == 40


def test_a_list_can_be_narrowed(world: World, tools: Tools) -> None:
    world.session(1, said("tides"), project="/work/harbour")
    world.session(2, said("beans"), project="/work/seed bank")
    assert "1 session," in tools("list_sessions", query="beans")
    assert "1 session," in tools("list_sessions", query='project:"seed bank"')
    assert "00000001" in tools("list_sessions", query="project:harbour since:2026-11-01")
    assert "There is no such session" in tools("list_sessions", query="project:.")
    assert tools.result("list_sessions", query="since:whenever")["isError"]


# ------------------------------------------------------------------------------------------ bad arguments


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        ("search_sessions", {}, "needs the argument `query`"),
        ("search_sessions", {"query": ""}, "`query` is empty"),
        ("search_sessions", {"query": "   "}, "`query` is empty"),
        ("search_sessions", {"query": None}, "needs the argument `query`"),
        ("search_sessions", {"query": ["x"]}, "`query` must be a text"),
        ("search_sessions", {"query": "x" * 5_000}, "at most 2,000 characters"),
        ("search_sessions", {"query": '"'}, ""),
        ("search_sessions", {"query": "((("}, ""),
        ("search_sessions", {"query": "-only"}, "needs something to find"),
        ("search_sessions", {"query": "agent:nobody"}, ""),
        ("search_sessions", {"query": "x", "limit": "many"}, "`limit` must be a whole number"),
        ("search_sessions", {"query": "x", "limit": True}, "`limit` must be a whole number"),
        ("search_sessions", {"query": "x", "limit": 1.5}, "`limit` must be a whole number"),
        ("search_sessions", {"query": "x", "cursor": "abc"}, "`cursor` was not given by an answer"),
        ("search_sessions", {"query": "x", "cursor": "-1"}, "`cursor` was not given by an answer"),
        ("search_sessions", {"query": "x", "cursor": "٣"}, "`cursor` was not given by an answer"),
        ("search_sessions", {"query": "x", "with": "results"}, "`with` must be a list of texts"),
        ("search_sessions", {"query": "x", "with": [1]}, "`with` must be a list of texts"),
        ("search_sessions", {"query": "x", "with": ["result"]}, "`with` cannot have 'result'"),
        ("search_sessions", {"query": "x", "without": ["x"] * 1_000}, "`without` is too long"),
        ("search_sessions", {"query": "x", "queri": "x"}, "has no argument 'queri'"),
        ("read_session", {"key": "00000001", "at": "nothing"}, "No message is called 'nothing'"),
        ("read_session", {"key": "00000001", "cursor": "9.9"}, "`cursor` was not given by an answer"),
        ("list_sessions", {"cursor": "x"}, "`cursor` was not given by an answer"),
    ],
)
def test_bad_arguments_get_a_sentence(
    world: World, tools: Tools, tool: str, arguments: dict[str, Any], sentence: str
) -> None:
    world.session(1, said("tides"))
    answer = tools.result(tool, **arguments)
    text = answer["content"][0]["text"]
    if sentence:
        assert answer["isError"]
        assert sentence in text
    assert "inside pollux" not in text
    assert len(text) < 1_500


@pytest.mark.parametrize(
    "query",
    [
        "project:" + "*a" * 40 + "b",
        "file:" + "**/*a*" * 40 + "z",
        "model:" + "*?" * 60,
        " OR ".join(f"w{number}*" for number in range(300)),
        "(" * 60 + "x" + ")" * 60,
        '"' + "a " * 900 + '"',
        "a* " * 600,
        "\\" * 500 + "(a+)+$",
        "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    ],
)
def test_patterns_that_explode_do_not(world: World, tools: Tools, query: str) -> None:
    world.session(1, said("a" * 5_000), said("tides"), project="/work/" + "a" * 200)
    answer = tools.result("search_sessions", query=query)
    text = answer["content"][0]["text"]
    assert "inside pollux" not in text
    assert len(text) <= USUAL
    assert "tides" in tools("search_sessions", query="tides")


def test_positions_beyond_the_end_are_empty(world: World, tools: Tools) -> None:
    world.session(1, said("tides"))
    for cursor in ("9999999.9999999.999999999-9999999", "0.5.0-1", "0.0.99999-1", "9999999"):
        answer = tools.result("read_session", key="00000001", cursor=cursor)
        assert "inside pollux" not in answer["content"][0]["text"]
    assert "no more hits" in tools("search_sessions", query="tides", cursor="150")
    assert "no more sessions" in tools("list_sessions", cursor="150")


def test_a_call_that_would_take_too_long_answers_with_what_there_is(
    world: World, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [world.session(number, said("pelican")) for number in range(1, 6)]
    monkeypatch.setattr("pollux.mcp.toolbox._PATIENCE", -1.0)
    for tool, arguments, left in (("search_sessions", {"query": "pelican"}, 4), ("list_sessions", {}, 3)):
        answer = tools.result(tool, **arguments)
        assert not answer["isError"]
        assert f"Not all sessions are read yet ({left} files to go)" in answer["content"][0]["text"]
    assert "Not all sessions are read yet (2 files to go)" in tools("session_usage", key=keys[-1])
    monkeypatch.setattr("pollux.mcp.toolbox._PATIENCE", 60.0)
    assert "5 sessions match" in tools("search_sessions", query="pelican")
    assert "Not all" not in tools("list_sessions")


def test_a_session_that_only_the_archive_has_says_so(world: World, tools: Tools) -> None:
    key = world.session(1, said("pelican"), replied("yes"))
    for command in (["archive", "on"], ["archive", "run"]):
        assert run(*command, env=world.environ, cwd=world.home).returncode == 0
    citation = HIT.findall(tools("search_sessions", query="pelican"))[0]
    next((world.home / ".claude").rglob(f"{key.partition(':')[2]}.jsonl")).unlink()
    assert "kept, gone from the agent" in tools("search_sessions", query="pelican")
    assert "kept, gone from the agent" in tools("list_sessions")
    read = tools("read_session", key=citation)
    assert "Its agent has deleted it; this is the copy that pollux kept." in read
    assert "after it was cited" not in read


@pytest.mark.parametrize("cursor", ["\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}", "9999999", "9" * 30])
def test_a_cursor_that_no_answer_gave_is_a_clear_sentence(world: World, tools: Tools, cursor: str) -> None:
    key = world.session(7, said("How late are the tides?"), replied("An hour."))
    known = ("This `cursor` was not given by an answer.", "There are no more turns.")
    assert tools("read_session", key=key, cursor=cursor) in known
