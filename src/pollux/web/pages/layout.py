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
    scripts=("theme.js", "copy.js", "live.js", "list.js"),
    package=_HERE,
)
SESSION = Assets(
    styles=(*PAGE.styles, "web.css", "session.css"),
    scripts=(*PAGE.scripts, "copy.js", "live.js", "session.js"),
    package=_HERE,
)
PLAIN = Assets(styles=("page.css", "web.css"), scripts=("theme.js", "copy.js"), package=_HERE)

_PAGES = (LIST, SESSION, PLAIN)
_SCRIPTS = " ".join(f"'{hash_of(one.script)}'" for one in _PAGES)
_STYLES = " ".join(f"'{hash_of(one.style)}'" for one in _PAGES)
POLICY = (
    f"default-src 'none'; script-src {_SCRIPTS}; style-src {_STYLES}; img-src data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""Only our own scripts and styles run, nothing is loaded from anywhere, and forms go to this server alone."""


def session_address(key: str, anchor: str = "", **parameters: str | None) -> str:
    """The address of a session's page."""
    chosen = {name: value for name, value in parameters.items() if value is not None}
    query = f"?{urlencode(chosen)}" if chosen else ""
    return f"/s/{quote(key, safe=':')}{query}{f'#{quote(anchor)}' if anchor else ''}"


def list_address(query: str = "", page: int = 1, suffix: str = "") -> str:
    """The address of a list."""
    parameters = {**({"q": query} if query else {}), **({"page": str(page)} if page > 1 else {})}
    return f"/{suffix}?{urlencode(parameters, errors='surrogatepass')}" if parameters else f"/{suffix}"


def agent_mark(agent: str) -> Html:
    """An agent's name with a shape and a colour of its own."""
    names = source_names()
    number = names.index(agent) if agent in names else len(SHAPES) - 1
    shape = tag("span", SHAPES[number % len(SHAPES)], class_=f"shape a{number % len(SHAPES)}", aria_hidden="true")
    return tag("span", shape, " ", one_line(agent), class_="agent")


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
