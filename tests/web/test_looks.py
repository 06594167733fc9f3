"""What a page looks like: each thing in its place, nothing cut, at any width and on paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest

from pollux.model import Fate, Message, Session, Status, Text
from tests.unit.writers.kitchen_sink import ASSISTANT, HUMAN, MODEL, USER, call, message
from tests.web.browser_page import BrowserPage, page_of

Visit = Callable[..., BrowserPage]
OPEN = "for (const details of document.querySelectorAll('.call')) details.open = true"


def page(*messages: Message) -> str:
    return page_of(Session(agent="a", id="p", messages=messages))


@pytest.mark.parametrize("width", [1200, 360])
def test_every_argument_stands_beside_its_name(width: int, visit: Visit) -> None:
    """Also one that is empty, one that is long, and one whose name is."""
    record = {"first": "", "second": "x" * 190, "a_name_" * 9: "y", "last": ""}
    watched = visit(page(message(1, ASSISTANT, MODEL, call("look", record, Status.OK))), width=width)
    watched.ask(OPEN)
    tops = watched.ask(
        "[...document.querySelectorAll('.arguments :is(dt, dd)')].map((e) => e.getBoundingClientRect().top)"
    )
    assert len(tops) == 8
    assert all(abs(name - value) <= 6 for name, value in zip(tops[::2], tops[1::2], strict=True))
    assert tops[::2] == sorted(set(tops[::2]))
    assert watched.page.locator(".arguments dd").all_inner_texts() == ["empty", "x" * 190, "y", "empty"]


# Where a word stands in the window: its left and its right end.
ENDS = """(word) => {
  const walk = document.createTreeWalker(document.querySelector("article:last-of-type"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const at = walk.currentNode.data.indexOf(word);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walk.currentNode, at);
    range.setEnd(walk.currentNode, at + word.length);
    const { left, right } = range.getBoundingClientRect();
    return [left, right];
  }
}"""


def test_words_from_right_to_left_begin_on_the_right(visit: Visit) -> None:
    """An Arabic prompt and reply, with English in them; English lines stay where they are."""
    words = "مرحبا، أصلح src/main.py قبل الغد"
    prompt, reply = (
        f"{words}\nplain",
        f"{words}\n\n- بند src/list.py أول\n\n| عمود | ثان |\n|--|--|\n| a | b |\n\nplain",
    )
    query, answer = message(1, USER, HUMAN, Text(text=prompt)), message(1, ASSISTANT, MODEL, Text(text=reply))
    typed, watched = visit(page(query)), visit(page(answer))
    for one in (typed, watched):
        first, inner, last, plain = (
            one.page.evaluate(ENDS, word) for word in ("مرحبا", "src/main.py", "الغد", "plain")
        )
        assert first[0] > inner[1] > inner[0] > last[1]
        assert plain[0] < last[0]
    bullet, column, second = (watched.page.evaluate(ENDS, word) for word in ("بند", "عمود", "ثان"))
    assert bullet[0] > watched.page.evaluate(ENDS, "src/list.py")[1]
    assert column[0] > second[1]
    assert watched.ask("getComputedStyle(document.querySelector('.prose ul')).direction") == "rtl"


def test_a_long_word_in_a_table_leaves_room_for_the_others(visit: Visit) -> None:
    rows = ("| where | what |", "|--|--:|", f"| /{'x' * 120} | {'some words ' * 8}|", "| short | fine |")
    watched = visit(page(message(1, ASSISTANT, MODEL, Text(text="\n".join(rows)))))
    assert watched.ask("document.querySelector('.wide').scrollWidth <= document.querySelector('.wide').clientWidth")
    assert watched.ask("document.querySelector('tbody tr').offsetHeight") < 160
    assert watched.ask("getComputedStyle(document.querySelector('tbody td + td')).textAlign") == "right"
    watched.page.set_viewport_size({"width": 360, "height": 800})
    assert watched.ask("document.querySelector('tbody td + td').offsetWidth") >= 180


@pytest.mark.parametrize(("width", "media"), [(1200, "screen"), (360, "screen"), (800, "print")])
def test_a_message_that_goes_on_tells_its_fate_everywhere_and_its_time_where_there_is_room(
    width: int, media: Literal["screen", "print"], visit: Visit
) -> None:
    """On a phone the time would cover the words of a message that is touched."""
    fates = (Fate.LIVE, Fate.LIVE, Fate.FAILED)
    messages = [message(n, ASSISTANT, MODEL, Text(text="so"), fate=fate) for n, fate in enumerate(fates)]
    watched = visit(page(*messages), width=width)
    watched.page.emulate_media(media=media)
    watched.page.locator("article").nth(1).hover()
    assert watched.page.locator(".badge").is_visible()
    assert watched.page.locator("article:nth-of-type(2) > .goes-on").is_visible() == (width == 1200)


@pytest.mark.parametrize("width", [1200, 360])
def test_how_a_call_ended_is_seen_however_much_was_asked(width: int, visit: Visit) -> None:
    calls = [
        call("run", {"command": "make test " * 50}, Status.ERROR, exit_code=1),
        call("a_long_name_" * 20, {"command": "make test " * 50}, Status.CANCELLED),
        call("edit", {"file_path": "/deep" * 60, "old_string": "a", "new_string": "b"}, Status.OK, "done"),
    ]
    watched = visit(page(message(1, ASSISTANT, MODEL, *calls)), width=width)
    lines = watched.page.locator(".call > summary")
    assert all(line["height"] < 32 for line in [lines.nth(n).bounding_box() for n in range(3)] if line)
    for n, words in enumerate(("failed, exit code 1", "cancelled", "+1 −1")):
        ending = lines.nth(n).locator(".ending, .sizes")
        assert ending.inner_text() == words
        assert ending.evaluate("(e) => e.scrollWidth <= e.clientWidth && e.getBoundingClientRect().right <= innerWidth")


def test_paper_is_white_and_as_wide_as_the_words(visit: Visit) -> None:
    """Whatever theme was chosen: a page that is too wide would be printed smaller, a dark one in pale letters."""
    watched = visit(page(message(1, USER, HUMAN, Text(text="a prompt")), message(2, ASSISTANT, MODEL, Text(text="so"))))
    watched.press("d", "d")
    assert watched.page.locator("#theme").inner_text() == "Theme: dark"
    watched.page.emulate_media(media="print")
    assert watched.ask("document.documentElement.scrollWidth <= innerWidth")
    assert watched.ask("getComputedStyle(document.body).color") == "rgb(36, 38, 43)"


def test_a_phone_shows_long_lines_of_output_whole(visit: Visit) -> None:
    messages = message(1, ASSISTANT, MODEL, call("run", {"command": "make " * 50}, Status.ERROR, "no such thing " * 50))
    watched = visit(page(messages), width=360)
    watched.ask(OPEN)
    assert watched.ask("[...document.querySelectorAll('pre')].map((e) => e.scrollWidth <= e.clientWidth)") == [True] * 2


def test_a_step_to_do_hangs_beside_its_mark(visit: Visit) -> None:
    steps = [{"content": f"STEP {'words ' * 60}END", "status": "completed"}]
    watched = visit(page(message(1, ASSISTANT, MODEL, call("plan", {"todos": steps}, Status.OK))))
    watched.ask(OPEN)
    mark, lines = watched.ask(
        """(() => {
          const range = document.createRange();
          const mark = document.querySelector(".steps .mark");
          range.selectNodeContents(mark.parentNode);
          range.setStartAfter(mark);
          return [mark.getBoundingClientRect().right, [...range.getClientRects()].map((line) => line.left)];
        })()"""
    )
    assert len(lines) > 3
    assert min(lines) >= mark - 1


def test_the_search_is_as_wide_as_the_bar(visit: Visit) -> None:
    watched = visit(page(message(1, USER, HUMAN, Text(text="a prompt"))), width=360)
    field, buttons = (watched.page.locator(one).bounding_box() for one in (".bar input", ".bar > span"))
    assert field is not None
    assert buttons is not None
    assert field["x"] + field["width"] == buttons["x"] + buttons["width"]


SEEN = """(() => {
  const [found] = CSS.highlights.get("found-now") ?? [];
  if (!found) return false;
  const [word, block] = [found.getBoundingClientRect(), found.startContainer.parentElement.closest("pre, .message")];
  const around = block.getBoundingClientRect();
  const top = Math.max(around.top, document.querySelector(".bar").offsetHeight);
  const bottom = Math.min(around.bottom, innerHeight);
  return word.top >= top && word.bottom <= bottom && word.left >= around.left && word.right <= around.right;
})()"""


@pytest.mark.parametrize("width", [1200, 360])
def test_a_match_is_brought_into_sight(width: int, visit: Visit) -> None:
    """From the first of many lines to the last, in the middle of one that is very long, and in a long paragraph."""
    lines = "\n".join(f"line {n} of many" for n in range(5000))
    outputs = (lines, f"{'y' * 30_000} the needle {'y' * 30_000}", "x " * 40_000)
    prose = Text(text=f"{'so many words ' * 900} the pin {'so many words ' * 900}")
    messages = [message(n, ASSISTANT, MODEL, call("run", {}, Status.OK, output)) for n, output in enumerate(outputs)]
    watched = visit(page(*messages, message(9, ASSISTANT, MODEL, prose)), width=width)
    for words in ("line 0 of", "line 4999 of", "line 2711 of", "the needle", "the pin"):
        watched.page.locator("#find").fill(words)
        watched.wait("[...(CSS.highlights.get('found-now') ?? [])].join()", words)
        watched.page.wait_for_timeout(200)
        assert watched.ask(SEEN), words


def test_a_long_output_does_not_move_while_it_is_scrolled(visit: Visit) -> None:
    lines = "\n".join(f"line {n}" for n in range(5100))
    watched = visit(page(message(1, ASSISTANT, MODEL, call("run", {}, Status.OK, lines))))
    watched.ask(OPEN)
    heights = []
    for place in (0, 0.3, 0.7, 1):
        watched.ask(
            f"document.querySelector('.screen').scrollTop = {place} * document.querySelector('.screen').scrollHeight"
        )
        watched.page.wait_for_timeout(100)
        heights.append(watched.ask("document.querySelector('.screen').scrollHeight"))
    assert max(heights) - min(heights) < 0.01 * heights[0]


def test_prompts_on_paper_stand_apart_from_what_was_said_before(visit: Visit) -> None:
    messages = (message(1, ASSISTANT, MODEL, Text(text="so")), message(2, USER, HUMAN, Text(text="a prompt")))
    watched = visit(page(*messages))
    watched.page.emulate_media(media="print")
    before, prompt = (watched.page.locator("article").nth(n).bounding_box() for n in (0, 1))
    assert before is not None
    assert prompt is not None
    assert prompt["y"] - before["y"] - before["height"] >= 12


def test_a_call_that_is_opened_stays_where_it_is(visit: Visit) -> None:
    watched = visit(page(message(1, ASSISTANT, MODEL, call("run", {"command": "make"}, Status.OK, "done"))))
    ends = (
        "[document.querySelector('.call > summary').offsetHeight, "
        "...[...document.querySelectorAll('.call > summary > *')].map((e) => e.getBoundingClientRect().left)]"
    )
    closed = watched.ask(ends)
    watched.ask(OPEN)
    assert watched.ask(ends) == pytest.approx(closed, abs=1)


def test_the_index_keeps_the_prompt_that_is_read_in_sight(visit: Visit) -> None:
    messages = (message(n, USER, HUMAN, Text(text=f"prompt {n}")) for n in range(120))
    watched = visit(page(*messages), at="#m-m100")
    watched.wait("document.querySelector('.index [aria-current]')?.textContent", "prompt 100")
    watched.wait(
        """(() => {
          const link = document.querySelector(".index [aria-current]").getBoundingClientRect();
          const side = document.querySelector(".side").getBoundingClientRect();
          return link.top >= side.top && link.bottom <= Math.min(side.bottom, innerHeight);
        })()"""
    )


def test_the_end_is_the_end_however_much_was_not_laid_out(visit: Visit) -> None:
    watched = visit(page(*(message(n, USER, HUMAN, Text(text=f"prompt {n}")) for n in range(120))))
    watched.press("End")
    watched.page.wait_for_timeout(500)
    assert watched.ask("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
    assert 0 < watched.ask("[...document.querySelectorAll('article')].at(-1).getBoundingClientRect().bottom") <= 800
