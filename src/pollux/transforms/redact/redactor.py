"""Takes secrets out of sessions, and tells where they stood."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from pollux.model import Message, Session, Value
from pollux.transforms.base64s import in_addresses
from pollux.transforms.redact.cookies import COOKIE
from pollux.transforms.redact.find import PLACEHOLDER, Finder, Span
from pollux.transforms.redact.named import NAMED
from pollux.transforms.redact.options import OPTION
from pollux.transforms.redact.own import EMAIL, WORD, Homes, words_rule
from pollux.transforms.redact.rule import Rule
from pollux.transforms.redact.rules import KEYS, SHAPES
from pollux.transforms.redact.view import bare
from pollux.transforms.texts import rewritten

RULES: tuple[Rule, ...] = (*KEYS, *SHAPES, COOKIE, OPTION, NAMED)
"""The rules that always hold, in order of precedence."""

V = TypeVar("V", bound=Value)

_SPACE = re.compile(r"\\[nrt]|[\s\\]+")
_HEAD = 12
_SUSPICIOUS = re.compile('secret|token|pass|pwd|credential|key|authorization|cookie|"-', re.IGNORECASE)
"""What must stand before a text that would not be known for a secret without it."""


class Private(Value, frozen=True, kw_only=True):
    """What is to be taken out beside what the rules know: the user's words, homes and names, e-mail addresses."""

    words: tuple[str, ...] = ()
    emails: bool = False
    home: str | None = None
    users: tuple[str, ...] = ()


class Finding(Value, frozen=True, kw_only=True):
    """A kind of secret in one field of a message, or of the session itself.

    `head` is how all such secrets begin, `short_message` what suffices to name the message.
    """

    key: str
    message: str | None
    field: str
    rule: str
    count: int
    head: str | None
    short_message: str | None = None


_NAME = 64


class Redactor:
    """Replaces every secret by a name and a number: the same secret has the same number in everything it is given.

    Secrets are numbered as they come, or as `learn` was told before.
    """

    def __init__(self, private: Private | None = None, *, salt: bytes = b"") -> None:
        self.private = private or Private()
        own = words_rule(self.private.words)
        rules = [*([own] if own is not None else ()), *RULES, *([EMAIL] if self.private.emails else ())]
        self._finder = Finder(rules)
        self._homes = Homes(self.private.home, self.private.users)
        self._salt = salt or secrets.token_bytes(16)
        self._numbers: dict[str, dict[bytes, int]] = {}

    def __call__(self, session: Session) -> Session:
        """The session without its secrets."""
        homes = self._homes.knowing([*([session.project] if session.project else ()), *session.files])
        seen: dict[str, str] = {}
        bare = self._hidden(msgspec.structs.replace(session, messages=()), homes, seen)
        return msgspec.structs.replace(bare, messages=tuple(self._hidden(m, homes, seen) for m in session.messages))

    def _hidden(self, value: V, homes: Homes, seen: dict[str, str]) -> V:
        """The value without its secrets. `seen` are the names that occurred so far in the session, without theirs."""
        joined = _joined(value)
        finder = self._finder_for(joined)
        if finder is None and not homes.stand_in(joined):
            return value

        def visit(text: str, _: str, lead: str) -> str:
            if not lead and text in seen:
                return seen[text]
            bare = homes.hidden(self._without(text, lead, finder))
            if not lead and len(text) <= _NAME:
                seen[text] = bare
            return bare

        return rewritten(value, visit)

    def text(self, text: str) -> str:
        """A text by itself, as the name of a file, without its secrets."""
        return in_addresses(self._homes.hidden(self._without(text, "", self._finder)), self.text)

    def findings(self, session: Session) -> Iterator[Finding]:
        """What is in a session, field by field, in order. Homes and names are no findings.

        An id that is itself a secret is not told.
        """
        key = self._without(session.key, "", self._finder)
        for value, finder in self._looked(session):
            counts: dict[tuple[str, str, str | None], int] = {}
            for text, field, span in _secrets(value, finder):
                place = (field, span.rule.name, _head(text[span.start : span.end], span.rule))
                counts[place] = counts.get(place, 0) + 1
            message = self._without(value.id, "", finder) if isinstance(value, Message) else None
            for (field, rule, head), count in counts.items():
                yield Finding(key=key, message=message, field=field, rule=rule, count=count, head=head)

    def survey(self, session: Session) -> list[tuple[str, bytes]]:
        """The secrets of a session as they come, each under its rule and unrecognisable."""
        found = (one for value, finder in self._looked(session) for one in _secrets(value, finder))
        return list(dict.fromkeys((span.rule.name, self._mark(text, span)) for text, _, span in found))

    def learn(self, surveyed: Iterable[tuple[str, bytes]]) -> None:
        """Number what a survey told, after what is known already."""
        for rule, mark in surveyed:
            known = self._numbers.setdefault(rule, {})
            known.setdefault(mark, len(known) + 1)

    def _looked(self, session: Session) -> Iterator[tuple[Session | Message, Finder | None]]:
        """The session without its messages, then each of these, with the rules that can find something in it."""
        bare = msgspec.structs.replace(session, messages=())
        yield bare, self._finder_for(_joined(bare))
        for message in session.messages:
            yield message, self._finder_for(_joined(message))

    def _finder_for(self, joined: str) -> Finder | None:
        """A finder with the rules that find something in these texts."""
        found = self._finder.names(joined)
        return self._finder.only(found) if found else None

    @property
    def count(self) -> int:
        """How many different secrets there were."""
        return sum(len(known) for known in self._numbers.values())

    def _without(self, text: str, lead: str, finder: Finder | None) -> str:
        pieces, end = list[str](), 0
        for span in _spans(text, lead, finder):
            self.learn([(span.rule.name, mark := self._mark(text, span))])
            pieces += (text[end : span.start], f"{PLACEHOLDER}{span.rule.name}#{self._numbers[span.rule.name][mark]}]")
            end = span.end
        return "".join([*pieces, text[end:]]) if pieces else text

    def _mark(self, text: str, span: Span) -> bytes:
        """What a secret is known by, however its lines are broken, and a word of the user's however it is written."""
        whole = _SPACE.sub("", bare(text[span.start : span.end]))
        told = whole.lower() if span.rule.name == WORD else whole
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16, key=self._salt).digest()


def _joined(value: Value) -> str:
    """All texts of a value: to look at many short ones together is much quicker than one by one."""
    texts: list[str] = []

    def visit(text: str, _field: str, lead: str) -> str:
        texts.append(lead + text)
        return text

    rewritten(value, visit)
    return "\n\0\n".join(dict.fromkeys(texts))


def _secrets(value: Session | Message, finder: Finder | None) -> list[tuple[str, str, Span]]:
    """Every secret in a value: the text and the field it stands in, and where."""
    found: list[tuple[str, str, Span]] = []

    def visit(text: str, field: str, lead: str) -> str:
        found.extend((text, field, span) for span in _spans(text, lead, finder))
        return text

    if finder is not None:
        rewritten(value, visit)
    return found


def _spans(text: str, lead: str, finder: Finder | None) -> list[Span]:
    """Where secrets are, also those that only what stands before the text tells."""
    if finder is None:
        return []
    if not lead or _SUSPICIOUS.search(lead) is None:
        return finder.find(text)
    found = finder.find(lead + text)
    moved = (Span(start=one.start - len(lead), end=one.end - len(lead), rule=one.rule) for one in found)
    return [one for one in moved if one.start >= 0]


def _head(secret: str, rule: Rule) -> str | None:
    """How all secrets of the kind begin: nothing of this one's own."""
    begun = next((each for each in rule.letters if not rule.any_case and secret.startswith(each)), None)
    return None if begun is None or rule.name in (EMAIL.name, WORD) else f"{begun[:_HEAD]}…"
