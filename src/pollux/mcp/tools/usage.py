"""`session_usage`: the tokens that a session used. Prices come from a package that can use networks: they stay out."""

from __future__ import annotations

from collections.abc import Iterator

from pollux.errors import RequestError
from pollux.mcp.answer import answer
from pollux.mcp.arguments import Arguments
from pollux.mcp.desk import Desk, key_of
from pollux.model import Session, Usage
from pollux.model.usage import add

_MOST = 20
_UNSURE = {True: "", False: " The files hold less than was used.", None: " Whether that is all is not known."}


def call(desk: Desk, arguments: Arguments) -> str:
    """The figures of a session. Raises `RequestError`."""
    name = arguments.text("key")
    if name is None:
        raise RequestError("`key` is empty.")
    key = key_of(name).name.partition("#")[0]
    found = desk.view.read(key)
    session = found.session
    own = session.usage
    is_open = desk.view.hidden().keys.isdisjoint(desk.library.index.family(session.key))
    family = desk.library.usage.family(session) if is_open else None
    lines = [
        f"The session itself: {_figures(own)}.{_UNSURE[own.exact]}",
        f"With its sub-agents: {_figures(family)}." if family is not None else "",
        *desk.remarks(),
    ]
    return answer("\n".join(filter(None, lines)), "\n".join(_by_model(desk, session)))


def _by_model(desk: Desk, session: Session) -> Iterator[str]:
    """The figures of each model."""
    by_model: dict[str, list[Usage]] = {}
    for message in session.messages:
        if message.usage is not None and not message.inherited:
            by_model.setdefault(message.model or "unknown model", []).append(message.usage)
    for model, used in list(by_model.items())[:_MOST]:
        yield f"{desk.line(model, 80)}: {_figures(add(used, exact=None))}"
    if len(by_model) > _MOST:
        yield f"and {len(by_model) - _MOST:,} other models"


def _figures(usage: Usage) -> str:
    names = ("input", "cached", "output", "reasoning", "requests")
    figures = {name: getattr(usage, name) for name in names}
    words = [f"{name} {'not recorded' if value is None else format(value, ',')}" for name, value in figures.items()]
    total = "not recorded" if usage.total is None else f"{usage.total:,}"
    return f"tokens {total} ({', '.join(words)})"
