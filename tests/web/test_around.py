"""What stands around a conversation, in a real browser: sub-agents, usage of each message, exports, commands, keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pollux.export.service import Exporter
from pollux.registry import writer
from pollux.writers.base import Options
from pollux.writers.html.messages import message_names
from tests.web.paths import FIRST
from tests.web.serving import SAMPLE_KEY, Served
from tests.web.tab import Tab

Open = Callable[..., Tab]
LOADED = "document.getElementById('state') !== null && document.readyState === 'complete'"


def test_a_sub_agent_stands_in_place_and_is_a_page_of_its_own(served: Served, tab: Open) -> None:
    here = tab(served, f"/s/{FIRST}")
    here.wait(LOADED)
    child = served.web.library.index.relatives(FIRST)[0].key
    here.press("e")  # opens everything
    here.wait("document.querySelectorAll('.child article').length > 1")
    inside = here.ask("document.querySelector('.child .prose').textContent.trim().slice(0, 40)")
    assert inside
    here.page.click("text=1 related session")
    here.page.click(f'.relatives a[href="/s/{child}"]')
    here.wait(f"location.pathname === {json.dumps(f'/s/{child}')}")
    here.wait(LOADED)
    assert inside in here.ask("document.querySelector('main').textContent")
    here.leave()


def test_every_message_tells_what_it_used_and_where_it_stands(served: Served, tab: Open) -> None:
    here = tab(served, f"/s/{SAMPLE_KEY}")
    here.wait(LOADED)
    assert not here.page.is_visible(".used >> nth=0")
    here.press("t")
    session = served.web.reading.session(served.web.reading.entry(SAMPLE_KEY))
    seen = 0
    for name, message in zip(message_names(session.messages), session.messages, strict=True):
        used = f"document.getElementById({json.dumps(name)})?.querySelector(':scope > .used')?.textContent"
        if message.origin is None or (told := here.ask(used)) is None:  # a part of another message
            continue
        seen += 1
        assert f"line {message.origin.line} of {session.files[0]}" in told
        assert ("tokens" in told) == (message.usage is not None)
    assert seen > len(session.messages) / 2
    here.leave()


def test_an_export_is_downloaded_as_it_is_written(served: Served, tab: Open, tmp_path: Path) -> None:
    here = tab(served, f"/s/{SAMPLE_KEY}")
    here.wait(LOADED)
    here.page.click("summary:has-text('Export')")
    with here.page.expect_download() as coming:
        here.page.click(".formats a:text-is('markdown')")
    file = tmp_path / "saved"
    coming.value.save_as(file)
    pieces: list[str] = []
    library = served.web.library
    Exporter(library, writer("markdown"), Options()).write(library.session(SAMPLE_KEY), pieces.append)
    assert file.read_text("utf-8") == "".join(pieces)
    assert coming.value.suggested_filename.startswith("gemini-aa6812ea")
    here.leave()


def test_commands_that_go_on_are_copied(served: Served, tab: Open) -> None:
    here = tab(served, f"/s/{SAMPLE_KEY}")
    here.wait(LOADED)
    here.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served.address)
    here.page.click("summary:has-text('Resume')")
    line = here.page.inner_text(".menu[open] .command-line code >> nth=0")
    assert line.startswith("pollux ")
    here.page.click(".menu[open] .copy >> nth=0")
    here.wait("document.querySelector('.menu[open] .copy').textContent", "Copied")
    assert here.ask("navigator.clipboard.readText()") == line
    assert here.page.is_visible("text=pollux handoff")
    here.leave()


def test_the_keyboard_alone_reaches_every_control(served: Served, tab: Open) -> None:
    """Tab goes through all that a mouse can press, in the order of the page, and what has the focus is seen."""
    for path in ("/", f"/s/{SAMPLE_KEY}", "/stats", f"/record?key={SAMPLE_KEY}&line=5"):
        here = tab(served, path)
        here.wait("document.readyState", "complete")
        controls = here.ask(
            "[...document.querySelectorAll('a[href], button, input, select, summary, textarea')]"
            ".filter((one) => one.tabIndex >= 0 && one.checkVisibility({visibilityProperty: true}) && !one.closest("
            "'dialog, template, main') && one.type !== 'hidden').length"
        )
        seen = set()
        for _ in range(controls + 5):
            here.press("Tab")
            seen.add(
                here.ask(
                    "(() => { const one = document.activeElement; if (one.closest('main, dialog') || one === "
                    "document.body) return null; window.every ??= [...document.querySelectorAll('*')]; "
                    "return window.every.indexOf(one) })()"
                )
            )
            outlined = here.ask(
                "document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle"
                " !== 'none' || document.activeElement.matches('main, article')"
            )
            assert outlined, path
        reached = len(seen - {None})
        assert reached >= min(controls, 20), (path, reached, controls)
        here.leave()
