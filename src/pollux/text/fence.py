"""A fence around old words, so that an agent that reads them takes them as data, never as orders.

The fence is two lines with a word that is made by chance for each answer: what was stored before cannot know it, and so
cannot end the fence. Inside, control characters are visible, and a tag by which a host or a model marks its own
messages, such as `<system-reminder>` or `<|im_start|>`, is shown as text: `&lt;system-reminder>`.
"""

from __future__ import annotations

import re
import secrets

from pollux.text.escape import one_line, visible

_NAME = "old-words"
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none looks like another
_LENGTH = 8

_PLAIN = (
    "system|developer|user|human|assistant|model|agent|ai|bot|tool|tools|function|functions|invoke|parameter|parameters|"
    "instruction|instructions|context|environment|prompt|message|thinking|think|reasoning|scratchpad|reminder|"
    "important|admin|root|policy|rules|skill|skills|hook|memory|command|result|output|error|warning|"
    "bos|eos|s|sys|inst|pad|unk"
)
"""Names without a hyphen that hosts and models use for tags, and that code hardly does."""

_OPENING = "[<\N{FULLWIDTH LESS-THAN SIGN}\N{SMALL LESS-THAN SIGN}\u2039\u2329\u276c\u276e\u3008\u27e8]"
"""What looks like the beginning of a tag."""

_END = r"(?:[\s/>=\N{FULLWIDTH GREATER-THAN SIGN}\N{SMALL GREATER-THAN SIGN}\u203a\u232a\u276d\u276f\u3009\u27e9]|\Z)"
_TAG = re.compile(
    rf"{_OPENING}(?:(?=[/!]{{0,2}}(?:"
    r"[^\W\d_][\w.]{0,60}(?:[-_]|:(?!:))"  # a name of several words: system-reminder, session_context, x:invoke
    rf"|(?:{_PLAIN}|{_PLAIN.upper()}){_END}"
    r"|[A-Za-z]{0,20}[^\x00-\x7f\W]"  # letters that only look Latin
    r"|\||<sys>>|<SYS>>"  # <|im_start|>, <<SYS>>
    rf"))|(?<!\w.)(?=[/!]?(?i:{_PLAIN}){_END})"  # <System>, but not List<User>
    r"|(?=[\s/!]{1,6}[^\W\d_][\w.:-]{0,60}\s{0,4}>))"  # < system-reminder >
    r"|\[(?=/?(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|USER|ASSISTANT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)


def harmless(text: str) -> str:
    """The text with line feeds and tabs as its only controls, and without tags that a host would take for its own."""
    return _TAG.sub(_shown, visible(text))


def harmless_line(text: str, length: int | None = None) -> str:
    """The same on one line, cut with an ellipsis where it is longer than `length`."""
    line = harmless(one_line(text, length))
    return line if length is None or len(line) <= length else line[: length - 1].rstrip() + "…"


def _shown(match: re.Match[str]) -> str:
    return "&#91;" if match[0] == "[" else "&lt;"


class Fence:
    """Two lines around old words. `word` is made for this answer."""

    def __init__(self, word: str | None = None) -> None:
        self.word = word or "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))

    @classmethod
    def for_text(cls, text: str) -> Fence:
        """A fence whose word does not occur in this text."""
        while (fence := cls()).word in text:
            pass
        return fence

    @property
    def begin(self) -> str:
        """The line before the old words."""
        return f"<{_NAME}-{self.word}>"

    @property
    def end(self) -> str:
        """The line after them."""
        return f"</{_NAME}-{self.word}>"

    def around(self, text: str) -> str:
        """The text between the two lines. It must be `harmless` already, if it is not our own."""
        return f"{self.begin}\n{text}\n{self.end}"
