"""What was asked and answered: the prompts in order, in the human's words, and the last reply to each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pollux.library.brief.told_calls import STANDING
from pollux.library.brief.values import WORDS, Importance, Item, Section
from pollux.model import Attachment, Author, Fate, FileReference, Message, Session, is_prompt, is_reply
from pollux.text.figures import plural

FATES = {
    Fate.REWOUND: "taken back",
    Fate.COMPRESSED: "compressed",
    Fate.CANCELLED: "cancelled",
    Fate.FAILED: "the request failed",
}
"""What became of a message, in words."""


class Turn(NamedTuple):
    """A prompt that was not taken back, and all messages up to the next such prompt, with their places.

    What stands before the first prompt is a turn without one.
    """

    prompt: int | None
    messages: list[tuple[int, Message]]

    @property
    def reply(self) -> tuple[int, Message] | None:
        """The last that the model said in words."""
        return next(((place, one) for place, one in reversed(self.messages) if is_reply(one)), None)


def turns(session: Session) -> list[Turn]:
    """The turns that stand, in order."""
    found: list[Turn] = []
    for place, message in enumerate(session.messages):
        if message.fate not in STANDING:
            continue
        if is_prompt(message):
            found.append(Turn(place, []))
        elif not found:
            found.append(Turn(None, []))
        if not is_prompt(message):
            found[-1].messages.append((place, message))
    return found


def course(session: Session) -> Iterator[Item]:
    """The prompts, and the replies that ended their turns. The last reply belongs to where the session stands."""
    prompts = [place for place, message in enumerate(session.messages) if is_prompt(message)]
    standing = [place for place in prompts if session.messages[place].fate in STANDING]
    for place in prompts:
        if session.messages[place].fate is not Fate.REWOUND:
            yield _prompt(session, place, is_frame=place in (*standing[:1], *standing[-1:]))
    for turn in turns(session)[:-1]:
        if (reply := turn.reply) is not None:
            yield _reply(*reply)


def _prompt(session: Session, place: int, *, is_frame: bool) -> Item:
    message = session.messages[place]
    words = [FATES[message.fate]] if message.fate in FATES else []
    if message.inherited:
        words.append("from the session that this one continues")
    files = sum(isinstance(part, FileReference) for part in message.parts)
    pictures = sum(isinstance(part, Attachment) for part in message.parts)
    words += [f"with {plural(files, 'file')}"] if files else []
    words += [f"with {plural(pictures, 'attachment')}"] if pictures else []
    return Item(
        section=Section.COURSE,
        what="asked" if message.author is Author.HUMAN else "task",
        text=message.text,
        note=", ".join(words),
        importance=Importance.FRAME if is_frame else Importance.PROMPT,
        places=(place,),
        covers=((place, WORDS),),
        least=160,
        at=message.at,
        fate=message.fate,
    )


def _reply(place: int, message: Message) -> Item:
    return Item(
        section=Section.COURSE,
        what="replied",
        text=message.text,
        note=FATES.get(message.fate, ""),
        importance=Importance.REPLY,
        places=(place,),
        covers=((place, WORDS),),
        at=message.at,
        fate=message.fate,
    )
