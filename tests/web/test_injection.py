"""Content can never become markup: no payload, in no field, runs or loads anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.web.browser_page import BrowserPage, page_of
from tests.web.payloads import PAYLOADS, with_payload

# What only content could have brought into the page, and addresses that only content could have.
FOREIGN = """() => {
  const kinds = "iframe, object, embed, svg, math, form, base, link, textarea, body style, body meta, body title";
  const odd = [...document.querySelectorAll("*")].filter((element) => element.matches(kinds)
    || [...element.attributes].some((attribute) => /^on|^style$|^srcdoc$/.test(attribute.name)));
  const links = [...document.links].filter((a) =>
    !/^(https?:|mailto:)/.test(a.href) && !a.getAttribute("href").startsWith("#"));
  const pictures = [...document.images].filter((i) => !/^data:image\\/(png|jpeg|gif|webp|avif);/.test(i.src));
  const found = [...odd, ...links, ...pictures, ...[...document.scripts].slice(1)];
  return found.map((element) => element.outerHTML.slice(0, 200));
}"""


OVER = "for (const element of document.querySelectorAll('main *')) element.dispatchEvent(new MouseEvent('mouseover'))"


@pytest.mark.parametrize("first", range(0, len(PAYLOADS), 7))
def test_a_payload_in_every_field_does_nothing(first: int, visit: Callable[..., BrowserPage]) -> None:
    watched: BrowserPage | None = None
    for payload in PAYLOADS[first : first + 7]:
        page = page_of(with_payload(payload))
        if watched is None:
            watched = visit(page)
        else:
            watched.file.write_text(page, "utf-8")
            watched.go()
        watched.press("e", "t")  # everything unfolded, so that what was inert is now part of the page
        assert watched.ask("document.querySelectorAll('template').length") == 0
        assert watched.ask("document.querySelectorAll('article').length") > 20
        assert watched.ask(FOREIGN) == [], payload
        watched.ask(OVER)
        assert watched.alarms == [], payload


def test_the_alarm_works(visit: Callable[..., BrowserPage]) -> None:
    """A page that does run its content is noticed."""
    watched = visit("<!doctype html><body><script>pwned(1)</script><img src='http://evil.example/x.png'>")
    watched.page.wait_for_timeout(50)
    assert watched.alarms == [1]
    assert any("evil.example" in url for url in watched.asked)
    watched.alarms.clear()
    watched.asked.clear()
    watched.said.clear()
