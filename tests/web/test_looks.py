"""What a page looks like: each thing in its place, nothing cut, at any width and on paper."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pollux.model import Message, Session, Status
from tests.unit.writers.kitchen_sink import ASSISTANT, MODEL, call, message
from tests.web.watching import Watched, page_of

Visit = Callable[..., Watched]
OPEN = "for (const details of document.querySelectorAll('.call')) details.open = true"


def page(*messages: Message) -> str:
    return page_of(Session(agent="a", id="p", messages=messages))


@pytest.mark.parametrize("width", [1200, 360])
def test_every_argument_stands_beside_its_name(width: int, visit: Visit) -> None:
    """Also one that is empty, one that is long, and one whose name is."""
    given = {"first": "", "second": "x" * 190, "a_name_" * 9: "y", "last": ""}
    watched = visit(page(message(1, ASSISTANT, MODEL, call("look", given, Status.OK))), width=width)
    watched.ask(OPEN)
    tops = watched.ask(
        "[...document.querySelectorAll('.arguments :is(dt, dd)')].map((e) => e.getBoundingClientRect().top)"
    )
    assert len(tops) == 8
    assert all(abs(name - value) <= 6 for name, value in zip(tops[::2], tops[1::2], strict=True))
    assert tops[::2] == sorted(set(tops[::2]))
    assert watched.page.locator(".arguments dd").all_inner_texts() == ["empty", "x" * 190, "y", "empty"]
