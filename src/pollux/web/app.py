"""The routes: which address gives which page. Everything here is asked of the library, in a thread."""

from __future__ import annotations

import contextlib
import os
import traceback
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from pollux.answers.problems import remarks
from pollux.errors import NotFound, PolluxError, RequestError, StoreError, UnknownName, Unreadable
from pollux.web.access import Access
from pollux.web.asking import Asker, Question
from pollux.web.conversation import Conversations, Wanted
from pollux.web.door import answer_door
from pollux.web.downloads import download, index_json, session_json
from pollux.web.gate import FORM, TICKET
from pollux.web.kept_pages import KeptPages
from pollux.web.live import Hub
from pollux.web.marking import edit_of
from pollux.web.pages.first_run import first_run_page
from pollux.web.pages.layout import PLACES, session_address
from pollux.web.pages.problem import problem_page
from pollux.web.pages.session import LIVE
from pollux.web.pages.sessions import answer_markup, sessions_page
from pollux.web.reading import Reading
from pollux.web.replies import problem_document
from pollux.web.reports.asked import Asked
from pollux.web.reports.routes import FILES, REPORTS, Report
from pollux.web.terms import has_moving_times
from pollux.web.threads import Threads

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from pollux.library.library import Library

Endpoint = Callable[["Request"], Awaitable[Response]]
READERS = 2
"""So many threads read sessions, and so many make reports.

Lists and searches have others: however many large sessions and long reports are made, these go on.
"""

UNREAD = "Pollux-Unread-Files"
"""The header that says how many files are not in an answer yet."""

_SUFFIXES = (".json", ".html")
"""How the addresses end of the twin of a session, and of a file name in its site."""

CHUNK = 1 << 16
"""So many characters of a page are made before they are sent."""


class AnyText(Convertor[str]):
    """A part of an address that may hold whatever the name of a file may: slashes, and even ends of lines."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        """The text itself."""
        return value

    def to_string(self, value: str) -> str:
        """The text itself."""
        return value


register_url_convertor("text", AnyText())


class Web:
    """The web UI over a library."""

    def __init__(self, library: Library, access: Access, *, is_sample: bool = False) -> None:
        self.library = library
        self.access = access
        self.hub = Hub(library)
        self.reading = Reading(library)
        self._is_sample = is_sample
        self._asker = Asker(library)
        self._conversations = Conversations(library, self.reading, access.form_token, is_sample=is_sample)
        self._pages = KeptPages(library)
        self._threads = Threads()
        self._readers = Threads(READERS)
        self._reporters = Threads(READERS)

    def routes(self) -> ASGIApp:
        """All addresses."""
        get: list[tuple[str, Endpoint]] = [
            ("/", self._sessions),
            ("/index.json", self._index_json),
            ("/events", self._events),
            ("/export/{format}/{key:text}", self._export),
            ("/s/{key:text}", self._session),
        ]
        post: list[tuple[str, Endpoint]] = [
            (TICKET, self._ticket),
            ("/mark/{key:text}", self._mark),
            ("/read", self._read_everything),
            ("/read/{key:text}", self._read),
        ]
        for path, report in REPORTS.items():
            get += [(f"{path}.json", self._report(report)), (path, self._report(report))]
        get += [(path, self._report(report)) for path, report in FILES.items()]
        routes = [Route(path, self._safe(endpoint), methods=["GET"]) for path, endpoint in get]
        routes += [Route(path, self._safe(endpoint), methods=["POST"]) for path, endpoint in post]
        nothing = self._safe(self._nothing)
        app = Starlette(routes=routes, exception_handlers={404: _handler(nothing), 405: _handler(nothing)})
        app.router.redirect_slashes = False  # it would lead to the scheme of this server, not to that of a tunnel
        return app

    def warm_up(self) -> None:
        """Make the list, and the page of the newest session: whoever asks first need not wait for imports."""
        with contextlib.suppress(PolluxError):
            self._asker.ask(Question())
            for entry in self.library.list(limit=1):
                deque(self._conversations.page(Wanted(entry.summary.key)), maxlen=0)

    # ------------------------------------------------------------------ pages

    async def _sessions(self, request: Request) -> Response:
        question, is_fragment = _question(request), "fragment" in request.query_params

        def page(said: tuple[str, ...]) -> tuple[str, bool]:
            answer = self._asker.ask(question)
            if not answer.rows and not question.query and not self.library.count():
                return first_run_page(self.library), False
            make = answer_markup if is_fragment else sessions_page
            return "\n".join(make(answer, self.access.form_token, list(said))), not has_moving_times(question.query)

        def work() -> bytes:
            self.hub.look_once()
            said = tuple(remarks(self.library))
            if self._is_sample:
                said = ("This is the bundled sample, not your own history. Marks are not kept.", *said)
            return self._pages.get((question, is_fragment, said), lambda: page(said))

        return HTMLResponse(await self._threads.run(work))

    async def _index_json(self, request: Request) -> Response:
        question = _question(request)
        return await self._threads.run(lambda: index_json(self.library, self._asker.ask(question)))

    async def _session(self, request: Request) -> Response:
        key = request.path_params["key"]
        wanted = Wanted(key, request.query_params.get("view") == LIVE)
        # An id may itself end like that.
        if key.endswith(_SUFFIXES) and not await self._readers.run(lambda: self.reading.has(key)):
            if key.endswith(".json"):
                wanted = wanted._replace(key=key.removesuffix(".json"))
                return await self._readers.run(lambda: session_json(self.library, self.reading, wanted))
            wanted = _part(wanted)
        if (version := request.query_params.get("since")) is not None:
            return JSONResponse(await self._readers.run(lambda: self._conversations.growth(wanted, version)))
        if "tools" in request.query_params:
            return HTMLResponse(await self._readers.run(lambda: self._conversations.tools(wanted)))
        first, rest = await self._readers.run(lambda: self._begun(wanted))
        return StreamingResponse(self._stream(first, rest), media_type="text/html; charset=utf-8")

    def _begun(self, wanted: Wanted) -> tuple[str, Iterator[str]]:
        """The first piece of a page, and the others: what is wrong is known when the first one is made."""
        self.hub.look_once()
        pieces = self._conversations.page(wanted)
        return next(pieces), pieces

    async def _stream(self, first: str, rest: Iterator[str]) -> AsyncIterator[str]:
        """A page in chunks. A slow browser holds no thread up: none works between two chunks."""
        yield first
        while chunk := await self._readers.run(lambda: _chunk(rest)):
            yield chunk

    async def _export(self, request: Request) -> Response:
        name, key = request.path_params["format"], request.path_params["key"]
        live_only = request.query_params.get("view") == LIVE
        return await self._readers.run(lambda: download(self.library, self.reading, name, Wanted(key, live_only)))

    def _report(self, report: Report) -> Endpoint:
        """A page beside the sessions, or its twin."""

        async def answer(request: Request) -> Response:
            path = request.url.path
            is_json, home = path.endswith(".json"), str(self.library.user_home)
            asked = Asked(
                path.removesuffix(".json"), request.path_params, request.query_params, home, is_json, self._is_sample
            )

            def work() -> Response:
                self.hub.look_once()
                return report(self.library, asked)

            return await self._reporters.run(work)

        return answer

    async def _events(self, _: Request) -> Response:
        return StreamingResponse(self.hub.listen(), media_type="text/event-stream")

    async def _nothing(self, request: Request) -> Response:
        if request.method == "GET" and (meant := request.url.path.rstrip("/")) in PLACES:
            return RedirectResponse(meant, 307)
        raise NotFound(f"There is no page {request.url.path!r}.", "All sessions are on the first page.")

    # ------------------------------------------------------------------ writes

    async def _mark(self, request: Request) -> Response:
        key = request.path_params["key"]
        fields: dict[str, list[str]] = request.scope[FORM]

        def work() -> None:
            self._require_own()
            target, edit = edit_of(self.reading.entry(key), fields, self.reading.session)
            self.library.marks.change([target], edit)

        threads = self._readers if "message" in fields else self._threads  # then the session is read
        await threads.run(work)
        self.hub.tell([key])
        return RedirectResponse(session_address(key), 303)

    async def _read(self, request: Request) -> Response:
        key = request.path_params["key"]
        if not self._is_sample:
            await self._readers.run(lambda: self._conversations.read(key))
        return RedirectResponse(session_address(key), 303)

    async def _read_everything(self, _: Request) -> Response:
        self._require_own()
        await self._threads.run(self.library.marks.read_everything)
        self.hub.tell(["*"])
        return RedirectResponse("/", 303)

    async def _ticket(self, request: Request) -> Response:
        return answer_door(self.access, request.headers, await request.body())

    def _require_own(self) -> None:
        if self._is_sample:
            raise RequestError(
                "The sample keeps no marks.", "Start `pollux web` without --sample to mark your own sessions."
            )

    # ------------------------------------------------------------------ what goes wrong

    def _safe(self, endpoint: Endpoint) -> Endpoint:
        """The endpoint, with a page for everything that may go wrong in it, and a header for what is not read yet."""

        async def safe(request: Request) -> Response:
            try:
                reply = await endpoint(request)
            except PolluxError as error:
                return _problem(request, _status(error), str(error), error.hint)
            except Exception as error:  # noqa: BLE001 (nobody gets a traceback)
                if os.environ.get("POLLUX_DEBUG", "") not in ("", "0"):
                    traceback.print_exception(error)
                what = f"Something went wrong inside pollux ({type(error).__name__})."
                return _problem(request, 500, what, "POLLUX_DEBUG=1 shows where. Please report it.")
            if unread := self.library.index.unread_files:
                reply.headers[UNREAD] = str(unread)
            return reply

        return safe


def _problem(request: Request, status: int, sentence: str, hint: str | None) -> Response:
    if request.url.path.endswith(".json"):
        return Response(problem_document(sentence, hint), status, media_type="application/json")
    return HTMLResponse(problem_page(status, sentence, hint, home=True), status)


def _status(error: PolluxError) -> int:
    if isinstance(error, NotFound | UnknownName | Unreadable):
        return 404
    return 400 if isinstance(error, RequestError) else 503 if isinstance(error, StoreError) else 500


def _handler(endpoint: Endpoint) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(request: Request, _: Exception) -> Response:
        return await endpoint(request)

    return handle


def _question(request: Request) -> Question:
    """The question in an address. Raises `RequestError` where it makes no sense."""
    given = request.query_params
    page = given.get("page", "1")
    if not page.isascii() or not page.isdigit() or not 0 < int(page[:9]) < 10**8:
        raise RequestError(f"page cannot be {page[:40]!r}.", "The first page is 1.")
    return Question(given.get("q", ""), int(page[:9]), given.get("all") == "1", given.get("typing") == "1")


def _part(wanted: Wanted) -> Wanted:
    """The part of a large session that a file name of its site stands for: `KEY.part-2.html`."""
    plain = wanted.key.removesuffix(".html")
    if plain == wanted.key:
        return wanted
    key, part, number = plain.rpartition(".part-")
    if part and number.isascii() and number.isdigit() and 1 < int(number[:6]) < 10**5:
        return wanted._replace(key=key, part=int(number) - 1)
    return wanted._replace(key=plain)


def _chunk(pieces: Iterator[str]) -> str:
    """The next pieces: until there are enough, or one says that what there is can be sent."""
    chunk: list[str] = []
    length = 0
    for piece in pieces:
        chunk.append(piece)
        length += len(piece)
        if length > CHUNK or (not piece and length):
            break
    return "".join(chunk)
