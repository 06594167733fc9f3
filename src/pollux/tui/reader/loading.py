"""Reads a session in a thread, and notices when its files change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pollux.errors import EmptyCache, NotFound, PolluxError, UnknownName
from pollux.library.file_stamps import FileStamp, file_stamps

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.model import Session

Stamps = tuple[FileStamp | None, ...]


class Loaded(NamedTuple):
    """A session as it was read, or why it could not be; and the state of its files before.

    `is_there` is false if no session is called like this.
    """

    session: Session | None
    problem: str
    stamps: Stamps
    is_there: bool = True


def load_session(library: Library, key: str) -> Loaded:
    """Read a session. The state of its files is that before the reading, so that no change is missed."""
    try:
        files = [file for entry in library.index.entries([key]) for file in entry.summary.files]
        before = file_stamps(files)
        session = library.session(key)
    except (NotFound, UnknownName) as error:
        return Loaded(None, " ".join(filter(None, [str(error), error.hint])), (), is_there=False)
    except EmptyCache as error:  # its hint is about an option
        return Loaded(None, f"{error} F5 reads the sessions again.", ())
    except PolluxError as error:
        return Loaded(None, " ".join(filter(None, [str(error), error.hint])), ())
    except OSError as error:
        return Loaded(None, f"The session cannot be read: {error.strerror or error}.", ())
    return Loaded(session, "", before if [*session.files] == files else file_stamps(session.files))


def what_changed(before: Session, after: Session) -> str:
    """What became of a session while it was open.

    What comes or goes may also change the fates of the messages before it, and a log may still have a lost prompt.
    """
    old, new = len(before.messages), len(after.messages)
    said = {message.id: message.parts for message in before.messages}
    is_same = [said[message.id] == message.parts for message in after.messages if message.id in said]
    if old == new and before.messages == after.messages:
        return ""
    if old == new or not any(is_same) or not all(is_same):
        return "The session was rewritten."
    if new > old:
        return f"{new - old:,} new message{'s' if new - old > 1 else ''}."
    return f"The file was cut: {old - new:,} fewer message{'s' if old - new > 1 else ''}."


def what_became_of(before: Session, loaded: Loaded) -> str:
    """Why a session that was read cannot be read again."""
    is_gone = not any(file_stamps(before.files))
    sentence = f"Its files {'are gone' if is_gone else 'do not hold it any more'}: this is what was in them."
    return sentence if not loaded.is_there else f"{sentence} {loaded.problem}"
