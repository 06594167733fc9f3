"""`search_sessions`: what was said about something, the agent's own project first."""

from __future__ import annotations

from collections.abc import Iterator

from pollux.errors import RequestError
from pollux.index.search.passages import PassageKind
from pollux.library.for_agents.search import AgentHits, AgentRequest, kinds_with
from pollux.library.for_agents.texts import EXTRAS, HITS, SEARCH, USUAL
from pollux.library.library import Hit
from pollux.mcp.answer import answer, fitting, invocation, room
from pollux.mcp.arguments import Arguments
from pollux.mcp.desk import Desk, is_being_written, project, when
from pollux.model import Fate
from pollux.text.fence import harmless
from pollux.text.figures import KINDS, plural

SNIPPET = 300
_TITLE = 90
_DEEPEST = 200
"""So many hits can be looked through; who wants more should ask more precisely."""
_PLAIN = (PassageKind.PROMPT, PassageKind.REPLY)


def call(desk: Desk, arguments: Arguments) -> str:
    """The hits of a query. Raises `RequestError`."""
    query = arguments.text("query")
    if query is None:
        raise RequestError("`query` is empty.")
    skip, extra = _skip(arguments.text("cursor")), arguments.texts("with")
    key = arguments.text("key")
    within = desk.session_key(key) if key is not None else None
    here = desk.here
    request = AgentRequest(
        text=query,
        here=here,
        within=within,
        kinds=kinds_with(extra),
        skip=skip,
        limit=arguments.number("limit", HITS, least=1),
    )
    own = desk.own(arguments.texts("without")) - {within}
    found = desk.view.search(request, own, redact=desk.redact)
    if not found.hits:
        return _nothing(desk, found, request, own, extra)
    given = {**arguments.given, "cursor": "999"}
    blocks = list(_blocks(desk, found))
    lead = [_extent(found, here, skip, len(blocks)), *_substitutes(desk, found), *desk.remarks()]
    head = " ".join(lead)
    usage = 'To read around a hit: read_session {"key": "…"} with the citation at its beginning.'
    shown = fitting(blocks, room(USUAL, head, usage, invocation(SEARCH, given)))
    more = len(shown) < len(blocks) or (found.more and skip + len(shown) < _DEEPEST)
    go_on = f"More hits: {invocation(SEARCH, given | {'cursor': str(skip + len(shown))})}" if more else ""
    return answer(head, "\n".join(shown), usage, go_on)


def _skip(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 4):
        raise RequestError("This `cursor` was not given by an answer.")
    return min(int(cursor), _DEEPEST)


def _extent(found: AgentHits, here: str | None, skip: int, count: int) -> str:
    """How much there is, and what is shown of it."""
    shown = f"Hits {skip + 1} to {skip + count}"
    near, far = found.sessions_here, found.sessions_elsewhere
    if near is None or far is None:
        return f"{shown}."
    total = plural(near + far, "session matches", "sessions match")
    if here is None:
        return f"{total}. {shown}."
    first = ", this project first" if near and far else ""
    return f"{total}: {near:,} in this project, {far:,} elsewhere. {shown}{first}."


def _substitutes(desk: Desk, found: AgentHits) -> Iterator[str]:
    """What was searched for, where nothing has all words."""
    if found.looser is not None:
        words = [desk.line(word, 40) for word in found.looser.words]
        needed = "" if found.looser.needed == len(words) else f" {found.looser.needed} of"
        yield f"No message has all words; these have{needed}: {', '.join(words)}."
    if found.result.widened:
        typed = ", ".join(desk.line(one.typed, 40) for one in found.result.widened)
        yield f"Nothing has exactly these words; other forms or spellings were found for: {typed}."


def _blocks(desk: Desk, found: AgentHits) -> Iterator[str]:
    """Each hit: its citation and its facts on one line, then its words."""
    entries = {entry.summary.key: entry for entry in desk.view.entries(dict.fromkeys(hit.key for hit in found.hits))}
    told: set[str] = set()
    for hit in found.hits:
        entry = entries.get(hit.key)
        fate = found.fates.get((hit.key, hit.message_id), Fate.LIVE)
        facts = [
            when(hit.at),
            desk.line(project(hit.project), 60),
            _speaker(hit),
            *([KINDS[hit.session_kind]] if hit.session_kind in KINDS else []),
            *([str(fate)] if fate is not Fate.LIVE else []),
            *(["kept, gone from the agent"] if entry is not None and entry.summary.kept else []),
            *(["being written now"] if entry is not None and is_being_written(entry.summary.ended) else []),
        ]
        if hit.key not in told:
            told.add(hit.key)
            facts += _about_session(desk, hit, found)
        # Secrets were taken out of the whole passage, before this line was chosen.
        words = harmless(hit.snippet)
        words = words if len(words) <= SNIPPET else words[: SNIPPET - 1] + "…"
        yield f"{citation(hit, found.states.get(hit.key))} · {' · '.join(facts)}\n  {words}"


def _about_session(desk: Desk, hit: Hit, found: AgentHits) -> Iterator[str]:
    """The title of a session, and how many more of its messages match."""
    title = hit.shown_title
    if title and hit.kind is not PassageKind.TITLE:
        yield f'"{desk.line(title, _TITLE)}"'
    shown = sum(one.key == hit.key for one in found.hits)
    if (rest := found.counts.get(hit.key, 0) - shown) > 0:
        yield f"{plural(rest, 'more hit')} in it"


def citation(hit: Hit, state: str | None) -> str:
    """The name of a hit for every command, with the state of its session."""
    agent = hit.key.partition(":")[0]
    return harmless(f"{agent}:{hit.short_id}#{hit.short_message_id}{'@' + state if state else ''}")


def _speaker(hit: Hit) -> str:
    return str(hit.author) if hit.kind in _PLAIN else f"{hit.author}, {hit.kind}"


def _nothing(desk: Desk, found: AgentHits, request: AgentRequest, own: set[str], extra: tuple[str, ...]) -> str:
    """Say that nothing was found, and where there would be something."""
    if request.skip:
        return "There are no more hits."
    head = " ".join(["Nothing was found.", *desk.remarks()])
    hints = "\n".join(desk.line(hint, 200) for hint in found.result.hints)
    left = [word for word in EXTRAS if word not in extra]
    if left and found.result.hits == ():
        wider = desk.view.search(request._replace(kinds=kinds_with(EXTRAS), limit=1), own, redact=desk.redact)
        if wider.hits:
            sessions = (wider.sessions_here or 0) + (wider.sessions_elsewhere or 0)
            where = f" in {plural(sessions, 'session')}" if sessions else ""
            again = invocation(SEARCH, {"query": request.text, "with": list(EXTRAS)})
            return answer(
                f"Nobody said this, but it occurs in tool results, thinking or context{where}. Try: {again}", hints
            )
    return answer(head, hints, "Try fewer or other words, or list_sessions.")
