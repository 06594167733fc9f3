"""What all pages share: styles and scripts, the policy that allows only these, the bar, and small pieces of markup."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from pollux.draw.rows import SHAPES
from pollux.registry import source_names
from pollux.text.escape import one_line
from pollux.writers.html.assets import Assets, hash_of
from pollux.writers.html.markup import Html, tag
from pollux.writers.html.page import PAGE

_HERE = "pollux.web.assets"
LIST = Assets(
    styles=("page.css", "web.css", "list.css"),
    scripts=("theme.js", "copy.js", "live.js", "palette.js", "list.js"),
    package=_HERE,
)
SESSION = Assets(
    styles=(*PAGE.styles, "web.css", "session.css"),
    scripts=(*PAGE.scripts, "copy.js", "live.js", "palette.js", "session.js"),
    package=_HERE,
)
PLAIN = Assets(styles=("page.css", "web.css"), scripts=("theme.js", "copy.js"), package=_HERE)
REPORT = Assets(
    styles=("page.css", "content.css", "site.css", "web.css", "list.css", "report.css"),
    scripts=("theme.js", "copy.js", "palette.js", "report.js"),
    package=_HERE,
)

_PAGES = (LIST, SESSION, PLAIN, REPORT)
_SCRIPTS = " ".join(f"'{hash_of(one.script)}'" for one in _PAGES)
_STYLES = " ".join(f"'{hash_of(one.style)}'" for one in _PAGES)
POLICY = (
    f"default-src 'none'; script-src {_SCRIPTS}; style-src {_STYLES}; img-src data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""Only our own scripts and styles run, nothing is loaded from anywhere, and forms go to this server alone."""


PLACES = {
    "/": "Sessions",
    "/edits": "Edits",
    "/stats": "Stats",
    "/timeline": "Timeline",
    "/projects": "Projects",
    "/friction": "Friction",
    "/archive": "Archive",
    "/doctor": "Doctor",
}
"""The pages that the bar leads to."""


def session_address(key: str, anchor: str = "", **parameters: str | None) -> str:
    """The address of a session's page."""
    chosen = {name: value for name, value in parameters.items() if value is not None}
    query = f"?{urlencode(chosen)}" if chosen else ""
    return f"/s/{quote(key, safe=':')}{query}{f'#{quote(anchor)}' if anchor else ''}"


def list_address(query: str = "", page: int = 1, suffix: str = "", *, everything: bool = False) -> str:
    """The address of a list; `everything`: also of what is no session of its own."""
    named = {"q": query, "page": str(page) if page > 1 else "", "all": "1" if everything else ""}
    parameters = {name: value for name, value in named.items() if value}
    return f"/{suffix}?{urlencode(parameters, errors='surrogatepass')}" if parameters else f"/{suffix}"


def agent_mark(agent: str) -> Html:
    """An agent's name with a shape and a colour of its own."""
    names = source_names()
    number = names.index(agent) if agent in names else len(SHAPES) - 1
    shape = tag("span", SHAPES[number % len(SHAPES)], class_=f"shape a{number % len(SHAPES)}", aria_hidden="true")
    return tag("span", shape, " ", one_line(agent), class_="agent")


def ways(current: str = "") -> Html:
    """The pages. `current` is the address of the one that is shown, or that it belongs to."""
    links = (tag("a", words, href=to, aria_current="page" if to == current else None) for to, words in PLACES.items())
    return tag("nav", *links, aria_label="Pages of pollux", class_="places")


def search_bar(current: str, text: str = "") -> Html:
    """What stays at the top: the pages, the search in all sessions, and the buttons."""
    field = tag(
        "input",
        type="search",
        id="find",
        name="q",
        value=text,
        placeholder="Search everything that was said and done",
        aria_label="Search all sessions",
        autocomplete="off",
        spellcheck="false",
        autocapitalize="none",
    )
    search = tag("form", field, tag("output", id="found", aria_live="polite"), action="/", method="get", id="search")
    keys = tag("button", "?", type="button", id="keys", title="Keys (?)")
    brand = tag("a", "pollux", href="/", class_="brand")
    return tag("header", brand, ways(current), tag("search", search), tag("span", theme_button(), keys), class_="bar")


def theme_button() -> Html:
    """Changes between light and dark."""
    return tag("button", "Theme", type="button", id="theme", title="Light, dark, or as the system (d)")


def command(line: str, words: str = "Copy") -> Html:
    """A command to copy. It stays readable where nothing can be copied."""
    return tag("span", tag("code", line), tag("button", words, type="button", class_="copy"), class_="command-line")


def form(action: str, token: str, *inner: Html, class_: str = "") -> Html:
    """A form that writes."""
    secret = tag("input", type="hidden", name="token", value=token)
    return tag("form", secret, *inner, action=action, method="post", class_=class_ or None)
