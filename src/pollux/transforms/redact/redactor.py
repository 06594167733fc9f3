"""Takes secrets out of sessions, and says where they were."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from pollux.model import Message, Session, Value
from pollux.transforms.base64s import rewrite_data_urls
from pollux.transforms.redact.cookies import COOKIE
from pollux.transforms.redact.deobfuscated import as_read
from pollux.transforms.redact.find import PLACEHOLDER, Finder, Span
from pollux.transforms.redact.named_secrets import NAMED
from pollux.transforms.redact.options import OPTION
from pollux.transforms.redact.own_names import EMAIL, WORD, HomeFolders, words_rule
from pollux.transforms.redact.rule import Rule
from pollux.transforms.redact.rules import KEYS, SHAPES
from pollux.transforms.texts import rewrite_texts

RULES: tuple[Rule, ...] = (*KEYS, *SHAPES, COOKIE, OPTION, NAMED)
"""The rules that always apply, in order of precedence."""

V = TypeVar("V", bound=Value)

_SPACE = re.compile(r"\\[nrt]|[\s\\]+")
_HEAD = 12
_SUSPICIOUS = re.compile('secret|token|pass|pwd|credential|key|authorization|cookie|"-', re.IGNORECASE)
"""The text before a secret that could not be recognised without it matches this."""


class RedactionOptions(Value, frozen=True, kw_only=True):
    """What is taken out besides the secrets that rules find: the user's words, homes, names, e-mail addresses."""

    words: tuple[str, ...] = ()
    emails: bool = False
    home: str | None = None
    users: tuple[str, ...] = ()


class Finding(Value, frozen=True, kw_only=True):
    """A kind of secret in one field of a message, or of the session itself.

    `head` is the beginning that all such secrets share, `short_message` a short id of the message.
    """

    key: str
    message: str | None
    field: str
    rule: str
    count: int
    head: str | None
    short_message: str | None = None


_LONGEST_NAME = 64


class Redactor:
    """Replaces every secret by a name and a number: a secret has the same number in all texts of one redactor.

    Secrets are numbered in the order in which they come, or in which `learn` got them before.
    """

    def __init__(self, private: RedactionOptions | None = None, *, salt: bytes = b"") -> None:
        self.private = private or RedactionOptions()
        own = words_rule(self.private.words)
        rules = [*([own] if own is not None else ()), *RULES, *([EMAIL] if self.private.emails else ())]
        self._finder = Finder(rules)
        self._homes = HomeFolders(self.private.home, self.private.users)
        self._salt = salt or secrets.token_bytes(16)
        self._numbers: dict[str, dict[bytes, int]] = {}

    def __call__(self, session: Session) -> Session:
        """The session without its secrets."""
        homes = self._homes.with_owners_of([*([session.project] if session.project else ()), *session.files])
        seen: dict[str, str] = {}
        head = self._redact(msgspec.structs.replace(session, messages=()), homes, seen)
        return msgspec.structs.replace(head, messages=tuple(self._redact(m, homes, seen) for m in session.messages))

    def _redact(self, value: V, homes: HomeFolders, seen: dict[str, str]) -> V:
        """The value without its secrets. `seen` maps short texts of the session to the same texts without theirs."""
        all_text = _join_texts(value)
        finder = self._finder_for(all_text)
        if finder is None and not homes.may_occur_in(all_text):
            return value

        def visit(text: str, _: str, lead: str) -> str:
            if not lead and text in seen:
                return seen[text]
            clean = homes.hide(self._redact_text(text, lead, finder))
            if not lead and len(text) <= _LONGEST_NAME:
                seen[text] = clean
            return clean

        return rewrite_texts(value, visit)

    def text(self, text: str) -> str:
        """A text by itself, as the name of a file, without its secrets."""
        return rewrite_data_urls(self._homes.hide(self._redact_text(text, "", self._finder)), self.text)

    def findings(self, session: Session) -> Iterator[Finding]:
        """The secrets in a session, field by field, in order. Homes and names are not findings.

        An id that is a secret itself is redacted, too.
        """
        key = self._redact_text(session.key, "", self._finder)
        for value, finder in self._values(session):
            counts: dict[tuple[str, str, str | None], int] = {}
            for text, field, span in _secrets(value, finder):
                place = (field, span.rule.name, _head(text[span.start : span.end], span.rule))
                counts[place] = counts.get(place, 0) + 1
            message = self._redact_text(value.id, "", finder) if isinstance(value, Message) else None
            for (field, rule, head), count in counts.items():
                yield Finding(key=key, message=message, field=field, rule=rule, count=count, head=head)

    def survey(self, session: Session) -> list[tuple[str, bytes]]:
        """The secrets of a session in order, each as the name of its rule and a digest."""
        hits = (hit for value, finder in self._values(session) for hit in _secrets(value, finder))
        return list(dict.fromkeys((span.rule.name, self._digest(text, span)) for text, _, span in hits))

    def learn(self, survey: Iterable[tuple[str, bytes]]) -> None:
        """Number the secrets of a survey, after those that are known already."""
        for rule, digest in survey:
            numbers = self._numbers.setdefault(rule, {})
            numbers.setdefault(digest, len(numbers) + 1)

    def _values(self, session: Session) -> Iterator[tuple[Session | Message, Finder | None]]:
        """The session without its messages, then each message, with a finder of the rules that match in it."""
        head = msgspec.structs.replace(session, messages=())
        yield head, self._finder_for(_join_texts(head))
        for message in session.messages:
            yield message, self._finder_for(_join_texts(message))

    def _finder_for(self, joined: str) -> Finder | None:
        """A finder with the rules that find something in these texts."""
        names = self._finder.names(joined)
        return self._finder.only(names) if names else None

    @property
    def counts(self) -> dict[str, int]:
        """How many different secrets there were, by the names of their rules."""
        return {rule: len(numbers) for rule, numbers in self._numbers.items()}

    @property
    def count(self) -> int:
        """How many different secrets there were."""
        return sum(self.counts.values())

    def _redact_text(self, text: str, lead: str, finder: Finder | None) -> str:
        pieces, end = list[str](), 0
        for span in _spans(text, lead, finder):
            self.learn([(span.rule.name, digest := self._digest(text, span))])
            pieces += (
                text[end : span.start],
                f"{PLACEHOLDER}{span.rule.name}#{self._numbers[span.rule.name][digest]}]",
            )
            end = span.end
        return "".join([*pieces, text[end:]]) if pieces else text

    def _digest(self, text: str, span: Span) -> bytes:
        """A digest of a secret: the same for any line breaks in it, and for any case of a user's word."""
        secret = _SPACE.sub("", as_read(text[span.start : span.end]))
        normal = secret.lower() if span.rule.name == WORD else secret
        return hashlib.blake2b(normal.encode("utf-8", "surrogatepass"), digest_size=16, key=self._salt).digest()


def _join_texts(value: Value) -> str:
    """All texts of a value, joined: one search through many short texts is much faster than many searches."""
    texts: list[str] = []

    def visit(text: str, _field: str, lead: str) -> str:
        texts.append(lead + text)
        return text

    rewrite_texts(value, visit)
    return "\n\0\n".join(dict.fromkeys(texts))


def _secrets(value: Session | Message, finder: Finder | None) -> list[tuple[str, str, Span]]:
    """Every secret in a value: its text, its field, and its place in the text."""
    hits: list[tuple[str, str, Span]] = []

    def visit(text: str, field: str, lead: str) -> str:
        hits.extend((text, field, span) for span in _spans(text, lead, finder))
        return text

    if finder is not None:
        rewrite_texts(value, visit)
    return hits


def _spans(text: str, lead: str, finder: Finder | None) -> list[Span]:
    """The places of secrets, also of those that only the text before reveals."""
    if finder is None:
        return []
    if not lead or _SUSPICIOUS.search(lead) is None:
        return finder.find(text)
    spans = finder.find(lead + text)
    shifted = (Span(start=span.start - len(lead), end=span.end - len(lead), rule=span.rule) for span in spans)
    return [span for span in shifted if span.start >= 0]


def _head(secret: str, rule: Rule) -> str | None:
    """The beginning that all secrets of this kind share, without any letter of this one."""
    beginning = next((letters for letters in rule.letters if not rule.any_case and secret.startswith(letters)), None)
    return None if beginning is None or rule.name in (EMAIL.name, WORD) else f"{beginning[:_HEAD]}…"
