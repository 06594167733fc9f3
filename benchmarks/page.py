"""One large session as a page: written, opened, scrolled and searched in a browser.

python -m benchmarks.page [MEGABYTES]

The yardstick of writing is escaping the same text. That of opening is a page of the same size which a browser only has
to parse: all of it is text in one `<template>`. (As one `<pre>` it would not have opened after half a minute.)
"""

from __future__ import annotations

import html
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Browser, sync_playwright

from benchmarks.yardsticks import beside
from pollux.model import Author, Message, Role, Session, Status, Text, ToolCall
from pollux.writers.base import Options
from pollux.writers.html import WRITER

PYTHON = '''\
def report(city: str, degrees: float) -> str:
    """What a person reads."""
    return f"{city}: {degrees} °C"
'''
REPLY = f"""I have looked at **{{n}}** of them.

- one
- two

```python
{PYTHON}```

| a | b |
|---|---|
| 1 | 2 |
"""
SEARCH = """async () => {
  const input = document.getElementById("find"), output = document.getElementById("found");
  input.value = "the very last line";
  const start = performance.now();
  input.dispatchEvent(new Event("input"));
  while (!output.textContent) await new Promise((resolve) => setTimeout(resolve, 5));
  return [output.textContent, performance.now() - start - 200];
}"""
SCROLL = """async () => {
  const gaps = [];
  let before = performance.now();
  for (let step = 0; step < 60; step++) {
    scrollTo({top: document.documentElement.scrollHeight / 2 + step * innerHeight, behavior: "instant"});
    await new Promise(requestAnimationFrame);
    gaps.push(performance.now() - before);
    before = performance.now();
  }
  gaps.sort((a, b) => a - b);
  return [gaps[30], gaps[59]];
}"""


def large(megabytes: int) -> Session:
    """Prompts, replies with code, and outputs of all sizes: mostly small, some of a megabyte."""
    messages: list[Message] = []
    size, number = 0, 0
    while size < megabytes * 1_000_000:
        lines = 20_000 if number % 200 == 199 else 400 if number % 10 == 9 else 30
        output = "\n".join(f"{n:6} a line of what the program printed, {number}" for n in range(lines))
        given = {"file_path": f"src/m{number}.py", "old_string": PYTHON, "new_string": PYTHON.replace("city", "town")}
        ok = Status.OK
        run = {"command": "make test"}
        calls = (
            ToolCall(
                id="a", name="Edit", canonical="file_edit", tool_kind="edit", input=given, status=ok, output="done"
            ),
            ToolCall(
                id="b", name="Bash", canonical="shell_exec", tool_kind="execute", input=run, status=ok, output=output
            ),
        )
        parts = (Text(text=REPLY.replace("{n}", str(number))), *calls)
        messages += [
            Message(id=f"u{number}", role=Role.USER, author=Author.HUMAN, parts=(Text(text=f"And number {number}?"),)),
            Message(id=f"a{number}", role=Role.ASSISTANT, author=Author.MODEL, parts=parts),
        ]
        size += len(output) + 700
        number += 1
    last = Message(id="z", role=Role.ASSISTANT, author=Author.MODEL, parts=(Text(text="This is the very last line."),))
    return Session(agent="bench", id="large", messages=(*messages, last))


def main() -> None:
    session = large(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
    plain = msgspec.json.encode(session).decode()
    pieces: list[str] = []

    def ours() -> None:
        pieces.clear()
        WRITER.write(session, pieces.append, Options())

    figures: dict[str, Any] = {"session MB": len(plain) / 1e6, "messages": len(session.messages)}
    written = beside(ours, lambda: html.escape(plain), 3)
    figures |= {"write s": written["pollux_s"], "write ratio": written["ratio"]}
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page, bare = Path(folder) / "page.html", Path(folder) / "bare.html"
        page.write_text("".join(pieces), "utf-8")
        figures["page MB"] = page.stat().st_size / 1e6
        text = html.escape("".join(pieces))[: page.stat().st_size]
        bare.write_text(f"<!doctype html><meta charset=utf-8><template>{text}</template>", "utf-8")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        theirs, mine = (min(_opened(browser, file) for _ in range(3)) for file in (bare, page))
        figures |= {"open s": mine, "open ratio": mine / theirs}
        figures |= _used(browser, page)
        browser.close()
    print(json.dumps({name: round(value, 3) if isinstance(value, float) else value for name, value in figures.items()}))


def _opened(browser: Browser, file: Path) -> float:
    """Seconds until a page is loaded and has been painted once."""
    tab = browser.new_page()
    start = time.perf_counter()
    tab.goto(file.as_uri())
    tab.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    taken = time.perf_counter() - start
    tab.close()
    return taken


def _used(browser: Browser, file: Path) -> dict[str, Any]:
    tab = browser.new_page()
    tab.goto(file.as_uri())
    middle, worst = tab.evaluate(SCROLL)
    found, search = tab.evaluate(SEARCH)
    assert found == "1 of 1", found
    elements = tab.evaluate("document.querySelectorAll('*').length")
    tab.close()
    return {"frame ms": middle, "worst frame ms": worst, "search ms": search, "elements": elements}


if __name__ == "__main__":
    main()
