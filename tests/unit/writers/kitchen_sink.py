"""One session that holds everything the model can hold, with the nastiest content we could think of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pollux.model import (
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Link,
    Message,
    Notice,
    Origin,
    Part,
    Role,
    Session,
    Severity,
    Status,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)

START = datetime(2026, 11, 15, 23, 58, 1, 123_000, tzinfo=UTC)

NASTY_PROMPT = """\
# A heading of mine
Underlined twice
================
Look at `<b>this</b>` and at <b>that</b>, **please**.

</details></summary><script>alert(1)</script>

- a list with a fence inside

  ````
  ``` <details>
  ````

[ref]: https://example.com
[odd]: <https://example.com> "title `"

An arrow \\<- and a < b. Mail <ada@example.com>, see <https://example.com/?a=1>.

```python
print("<never closed>")
## You · this is code"""

NASTY_REPLY = """\
Colours: \x1b[31mred\x1b[0m, bell \x07, C1 \x9b, return \r, DEL \x7f, half \ud83d.\r
状态架构设计 👩‍🚀 e\u0301

> quoted
> <!-- never closed

<!-- nor is this
## You"""

OUTPUT = "\n".join(f"line {n} of the output" for n in range(1, 121))


def message(number: int, role: Role, author: Author, *parts: Part, fate: Fate = Fate.LIVE, **more: object) -> Message:
    fields: dict[str, object] = {
        "at": START + timedelta(seconds=20 * number),
        "origin": Origin(file="/home/ada/.gemini/tmp/w/chats/session-1.jsonl", line=number),
        **more,
    }
    return Message(id=f"m{number}", role=role, author=author, parts=parts, fate=fate, **fields)  # type: ignore[arg-type]


def call(name: str, given: object, status: Status, output: str | None = None, **more: object) -> ToolCall:
    return ToolCall(
        id=f"{name}-1",
        name=name,
        canonical=name,
        tool_kind="other",
        input=given,
        status=status,
        output=output,
        **more,  # type: ignore[arg-type]
    )


CALLS = (
    call("read_file", {"file_path": "src/`odd`.py", "limit": 5}, Status.OK, "```\n</details>\n## You\n````\n"),
    call("run_shell_command", {"command": "make \\\n  test", "description": "x"}, Status.ERROR, OUTPUT, exit_code=2),
    call("grep_search", {"pattern": "a|b", "path": "src", "include": "*.py"}, Status.OK, "\x1b[1mhit\x1b[0m\n"),
    call("replace", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, Status.CANCELLED, "I said *no*."),
    call("write_file", {"file_path": "n.md", "content": "# Notes\n\n```\nopen"}, Status.OK, "long " * 400),
    call("write_todos", {"todos": [{"description": "one"}, {"description": "two"}]}, Status.ERROR, "Not found."),
    call("invoke_agent", {"agent_name": "scout", "prompt": "Look *around*"}, Status.OK, "", child="gemini:child-1"),
    call("mcp__odd_*name*", None, Status.UNFINISHED),
    call("screenshot", ["a", 1], Status.OK, attachments=(Attachment(media_type="image/png", data="aGVsbG8="),)),
    call("web_fetch", "plain text\ngiven", Status.OK, at=START),
)

SYSTEM, USER, ASSISTANT = Role.SYSTEM, Role.USER, Role.ASSISTANT
HUMAN, MODEL, CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT

MESSAGES = (
    message(0, USER, CLIENT, Text(text="<session_context>\nmade by the client\n</session_context>")),
    message(1, USER, HUMAN, Text(text="An earlier question"), fate=Fate.REWOUND),
    message(2, ASSISTANT, MODEL, Text(text="An earlier answer"), fate=Fate.REWOUND),
    message(3, USER, HUMAN, Text(text="Folded away"), fate=Fate.COMPRESSED),
    message(4, USER, CLIENT, SummaryPart(text="<state_snapshot>\n  ```\n</state_snapshot>"), Text(text="Carry on.")),
    message(5, ASSISTANT, CLIENT, Text(text="Got it. Thanks for the context!")),
    message(6, USER, HUMAN, Text(text="Stopped by me"), fate=Fate.CANCELLED),
    message(7, USER, HUMAN, Text(text="Never answered"), fate=Fate.FAILED),
    message(8, SYSTEM, CLIENT, Text(text="[API Error: *quota* <b>exceeded</b>]"), extra={"level": "error"}),
    message(9, SYSTEM, CLIENT, Text(text='{\n  "error": "```"\n}'), extra={"level": "error"}, fate=Fate.FAILED),
    message(10, SYSTEM, CLIENT, Text(text="You are up to date."), extra={"level": "info"}),
    message(11, SYSTEM, CLIENT, Text(text="Careful."), extra={"level": "warning"}),
    message(12, SYSTEM, CLIENT, extra={"level": "info"}),
    message(13, SYSTEM, HUMAN, Text(text="/chat save `trip`")),
    message(14, USER, HUMAN, Text(text="Asked in another session"), inherited=True, at=None),
    message(
        15,
        USER,
        HUMAN,
        Text(text=NASTY_PROMPT),
        FileReference(path="docs/a `b`.md", text="# Doc\n```\nopen"),
        FileReference(path="bytes\udcff.bin"),
        Attachment(media_type="image/png", data="iVBORw0KGgo="),
        Attachment(media_type="application/pdf", uri="https://example.com/a b.pdf"),
        Context(source="hook", text="<hook_context>added</hook_context>"),
        at=None,
    ),
    message(
        16,
        ASSISTANT,
        MODEL,
        Thinking(subject="Looking <around>", text="I will\n\n```\nthink"),
        Thinking(text="More thoughts."),
        Text(text=NASTY_REPLY),
        *CALLS[:5],
        model="gemini-2.5-pro",
        usage=Usage(input=1234, cached=1000, output=56, reasoning=7, requests=1, exact=True),
        extra={"level": ["not a level"]},
    ),
    message(17, USER, CLIENT, ToolResult(call="read_file-1", name="read_file")),
    message(18, ASSISTANT, MODEL, *CALLS[5:], Text(text="- ends with a list"), model="gemini-2.5-pro", usage=Usage()),
    message(19, ASSISTANT, MODEL, Text(text="    begins indented\n\n  \n"), Text(text=" \n"), model="gemini-2.5-pro"),
    message(20, ASSISTANT, MODEL, Text(text="x" * 3000), Unknown(raw={"odd": [1, None]}), model="gemini-2.5-flash"),
    message(21, USER, CLIENT, ToolResult(call="gone", name="lost_tool", output="a result nobody asked for")),
    message(22, ASSISTANT, MODEL),
    message(23, USER, MODEL, Text(text="A task that the model wrote")),
    message(24, USER, HUMAN, Text(text="")),
)

SESSION = Session(
    agent="gemini",
    id="kitchen-sink",
    title="The *kitchen* sink\n# <b>with</b> everything_in `it #",
    project="/home/ada/code/we`ather",
    project_evidence="guess",
    started=START,
    ended=START + timedelta(minutes=20),
    messages=MESSAGES,
    links=(Link(kind="continues", target="gemini:before", evidence="its first message says so"),),
    notices=(Notice(code="line.torn", text="A line is torn.", severity=Severity.ERROR, count=2),),
    files=("/home/ada/.gemini/tmp/w/chats/session-1.jsonl",),
    exact=False,
    extra={"projectHash": "ab" * 32},
)
