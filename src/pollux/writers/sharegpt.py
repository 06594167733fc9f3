"""Conversations as ShareGPT has them: who said what in plain text, one session a line.

The format knows no tool calls. They are put into the text between tags, as the Hermes models had them in training and
as most programs that read this format expect them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from pollux.model import Role, Session
from pollux.writers.base import NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.chat import WHY, Chat, Turn
from pollux.writers.json import encode
from pollux.writers.loss import FACTS, LossCounter

SPEAKERS = {Role.SYSTEM: "system", Role.USER: "human", Role.ASSISTANT: "gpt"}


class ShareGPT:
    """`{"conversations": […]}` and a newline; a session in which nothing is said has no line."""

    name = "sharegpt"
    suffix = ".sharegpt.jsonl"
    purpose = "conversations in plain text, one line a session, for training"
    supported_options = ("thinking",)

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """Write the conversation as the agent would resume it; who speaks twice in a row speaks once."""
        tally = LossCounter(WHY)
        tally.drop(FACTS)
        turns = Chat(session, options, tally, thinking=options.thinking, pictures=False).turns()
        between = '{"conversations":['
        for speaker, turns_of_one in groupby(_said(turns, tally), key=itemgetter(0)):
            out(between + encode({"from": speaker, "value": "\n\n".join(text for _, text in turns_of_one)}))
            between = ","
        out("]}\n" if between == "," else "")
        return tally.report()


def _said(turns: Iterator[Turn], tally: LossCounter) -> Iterator[tuple[str, str]]:
    for turn in turns:
        tally.drop(FACTS)
        objects = (encode({"name": call.name, "arguments": call.arguments}) for call in turn.calls)
        thought = f"<think>\n{turn.thinking}\n</think>" if turn.thinking else ""
        calls = (f"<tool_call>\n{call}\n</tool_call>" for call in objects)
        yield SPEAKERS[turn.role], "\n".join(filter(None, (thought, turn.text, *calls)))
        for call in turn.calls:
            yield "tool", f"<tool_response>\n{call.answer}\n</tool_response>"


WRITER = ShareGPT()
