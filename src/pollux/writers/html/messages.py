"""Messages: who spoke and when, what was said, and what became of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from pollux.model import Author, Fate, Message, Role, Session, Usage, first_words
from pollux.text.escape import one_line
from pollux.writers.base import Options, WriterContext
from pollux.writers.facts import figures
from pollux.writers.html.blocks import markup
from pollux.writers.html.details import fold
from pollux.writers.html.links import session_link
from pollux.writers.html.markup import Html, end, escape, join, start, tag
from pollux.writers.html.page_filter import PageFilter
from pollux.writers.html.page_parts import address, page_parts
from pollux.writers.html.times import clock
from pollux.writers.loss import LossCounter
from pollux.writers.transcript import Block, Branch, Heading, Speaker, walk

STRETCH = 40
"""How many messages are laid out together."""

DEEPEST = 8
"""How deep sub-agents may be nested."""

_WORDS = 80
"""So many characters of a prompt stand in the index."""

_PLAIN = re.compile(r"[A-Za-z0-9._:-]{1,80}")
_KINDS = {
    Speaker.YOU: "human",
    Speaker.ASSISTANT: "model",
    Speaker.TASK: "task",
    Speaker.COMMAND: "system",
    Speaker.NOTICE: "system",
    Speaker.CLIENT: "client",
}
_FATES = {
    Fate.REWOUND: "taken back: the human went on from an earlier point",
    Fate.COMPRESSED: "folded into a summary: the agent remembers only that",
    Fate.CANCELLED: "stopped by the human",
    Fate.FAILED: "ended in an error",
}
_LINK = "Link to this message"
_BRANCHES = (Fate.REWOUND, Fate.COMPRESSED)


class Messages:
    """Turns the messages of one session into markup, piece by piece."""

    def __init__(
        self,
        session: Session,
        options: Options,
        context: WriterContext,
        tally: LossCounter,
        above: tuple[str, ...] = (),
    ) -> None:
        self._session = session
        self._options = options
        self._context = context
        self._tally = tally
        self._above = (*above, session.key)
        self._price = context.price(session)
        self._choice = PageFilter(options, tally)
        self._several = len({message.model for message in session.messages if message.model}) > 1
        self._names = message_names(session.messages, prefix=f"{session.id}/" if above else "")
        self._before: tuple[str, str | None] | None = None
        self.parts = page_parts(session, context)

    def cost(self, usage: Usage) -> str | None:
        """The cost of the session, which has this usage, without its sub-agents, as far as it is known."""
        own = [message for message in self._session.messages if message.usage is not None and not message.inherited]
        prices = [self._price(message) for message in own]
        known = [cost for cost, _ in prices if cost is not None]
        unpriced = sum(requests for _, requests in prices)
        return money(sum(known), at_least=is_too_low(usage, unpriced)) if known else None

    def index(self, part: int = 0) -> list[Html]:
        """A link to every prompt and every task, from one of the parts."""
        key, messages = self._session.key, self._session.messages
        pages = [address(self._context, key, part, there) for there in range(len(self.parts))]
        return [
            tag(
                "li",
                tag("a", words, href=f"{pages[there]}#{name}"),
                class_=str(message.fate),
            )
            for there, numbers in enumerate(self.parts)
            for message, name in ((messages[number], self._names[number]) for number in numbers)
            if message.role is Role.USER
            and message.author is not Author.CLIENT
            and not self._choice.is_left_out(message)
            if (words := first_words(one_line(message.text.strip(), 4 * _WORDS), _WORDS))
        ]

    def pieces(self, part: int | None = None) -> Iterator[Html]:
        """All messages, or those of a part. What a rewind or a summary removed stands together and can be folded."""
        numbers = range(len(self._names)) if part is None else self.parts[part]
        messages = self._session.messages[numbers.start : numbers.stop]
        names = self._names[numbers.start : numbers.stop]
        self._before = None
        opened = False
        for branch, run in groupby(walk(messages, self._choice), key=_branch):
            if branch is None:
                yield from self._run(run, names)
                continue
            if opened:
                yield end("details")
                self._before = None
            opened = branch.inherited or branch.fate is not None
            if opened:
                yield start("details", class_="branch", open=branch.fate is not Fate.REWOUND)
                yield tag("summary", *_branch_words(branch))
        if opened:
            yield end("details")

    def _run(self, blocks: Iterable[Block], names: Sequence[str]) -> Iterator[Html]:
        """Messages in stretches: a browser lays out those in sight, and does not even count the messages of others."""
        articles = self._articles(blocks, names)
        while stretch := list(islice(articles, STRETCH)):
            yield start("div", class_="stretch")
            yield from stretch
            yield end("div")

    def _articles(self, blocks: Iterable[Block], names: Sequence[str]) -> Iterator[Html]:
        heading: Heading | None = None
        body: list[Html] = []
        for block in blocks:
            if type(block) is not Heading:
                body.append(markup(block, self._child))
                continue
            if heading is not None:
                yield self._article(heading, names[heading.number], body)
            heading, body = block, []
        if heading is not None:
            yield self._article(heading, names[heading.number], body)

    def _article(self, heading: Heading, name: str, body: list[Html]) -> Html:
        message, fate = heading.message, heading.fate
        kind = _KINDS[heading.speaker]
        model = message.model if self._several else None
        goes_on = kind in ("model", "client") and (kind, model) == self._before
        self._before = (kind, model) if message.author is not Author.CLIENT else self._before
        link = tag("a", "#", href=f"#{name}", class_="link", title=_LINK, aria_label=_LINK)
        title = tag("h2", heading.speaker) if kind in ("human", "model", "task") and not goes_on else None
        by = tag("small", one_line(model), class_="by") if model and title is not None else None
        badge = None
        if fate is not None and (title is not None or fate not in _BRANCHES):
            badge = tag("span", str(fate), class_=f"badge {fate}", title=_FATES[fate])
        plain = "goes-on" if title is None else None
        header = tag("header", title, by, badge, clock(message.at), link, class_=plain)
        classes = " ".join(filter(None, ("message", kind, str(fate) if fate else "")))
        return tag("article", header, *body, self._used(message), id=name, class_=classes, tabindex="-1")

    def _used(self, message: Message) -> Html | None:
        """What a message cost and where it was read, shown on request."""
        facts = []
        if message.usage is not None and (used := figures(message.usage)) is not None:
            cost, unpriced = self._price(message)
            paid = f", {money(cost, at_least=is_too_low(message.usage, unpriced))}" if cost is not None else ""
            facts.append(f"{used} tokens{paid}")
        if message.model:
            facts.append(one_line(message.model))
        if (origin := message.origin) is not None:
            place = f"line {origin.line}" if origin.line is not None else f"item {origin.item}"
            place = place if origin.row is None else f"row {one_line(origin.row)}"
            facts.append(f"{place} of {one_line(origin.file)}")
        facts.append(f"id {one_line(message.id)}")
        return tag("p", " · ".join(facts), class_="used")

    def _child(self, key: str) -> Html:
        """The session that a call started: within the page where that can be, else the way to it."""
        if (address := session_link(self._context, self._above[0], key)) is not None:
            return tag("p", tag("a", "Open the sub-agent’s session", href=address), class_="child")
        session = self._context.child(key) if len(self._above) <= DEEPEST and key not in self._above else None
        if session is None:
            return tag("p", "The sub-agent’s session: ", tag("code", one_line(key)), class_="child")
        nested = Messages(session, self._options, self._context, self._tally, self._above)
        words = join([tag("b", "The sub-agent’s session"), " ", tag("code", one_line(key), class_="asked")])
        return fold(words, *nested.pieces(), class_="child")


def money(dollars: float, *, at_least: bool = False) -> str:
    """An amount for people; a message costs cents at most."""
    amount = f"${dollars:,.2f}" if dollars >= 1 else f"${dollars:.4f}"
    return f"at least {amount}" if at_least else amount


def is_too_low(usage: Usage, unpriced: int | None) -> bool:
    """Is a cost too low? It is where tokens are missing, and where requests have no price."""
    return usage.exact is False or bool(unpriced)


def _branch(block: Block) -> Branch | None:
    return block if type(block) is Branch else None


def _branch_words(branch: Branch) -> Iterator[Html]:
    if branch.inherited:
        yield tag("b", "Inherited")
        yield escape(" from the session this one was forked from, not counted here · ")
    if branch.fate is not None:
        yield tag("b", str(branch.fate).capitalize())
        yield escape(f", {_FATES[branch.fate]} · ")
    yield tag("small", f"{branch.count:,} {'message' if branch.count == 1 else 'messages'}")


def message_names(messages: Iterable[Message], prefix: str = "") -> list[str]:
    """An anchor for every message: its own id, so that a link to it lasts."""
    is_plain = _PLAIN.fullmatch
    ids = (prefix + message.id for message in messages)
    plain = [f"m-{id}" if is_plain(id) is not None else anchor(id) for id in ids]
    if len({*plain}) == len(plain):
        return plain
    seen: dict[str, int] = {}
    names = []
    for name in plain:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return names


def anchor(id: str) -> str:
    """The anchor of the message with an id, or of the first if several have it."""
    if _PLAIN.fullmatch(id) is None:
        id = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"m-{id}"
