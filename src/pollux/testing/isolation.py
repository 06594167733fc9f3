"""The rest of the home: damage to one file does not change the sessions of other files."""

from __future__ import annotations

from pollux.model import Session
from pollux.testing.bench import Failure, raised
from pollux.testing.chooser import Chooser
from pollux.testing.homes import Home, Stage

_DAMAGES = ("emptied", "cut in the middle", "one byte short", "full of garbage")


def others_served(home: Home, chooser: Chooser) -> list[Failure]:
    """Damage every file of the home in turn, and read the whole home each time.

    A session may depend on other files, as a fork on its parent's: then its reading names them.
    """
    failures: list[Failure] = []
    with Stage(home, home.files) as stage:
        before: dict[str, tuple[Session, frozenset[str]]] = {}
        for bundle in list(stage.bundles()):
            reading = stage.source.read(bundle)
            for session in reading.sessions:
                before[session.key] = (session, frozenset(stage.relative([*session.files, *reading.related_files])))
        for file in chooser.of(home.files):
            unrelated = [session for session, files in before.values() if not files & home.family(file)]
            raw = (home.path / file).read_bytes()
            for damage, damaged in zip(_DAMAGES, _damaged(raw), strict=True):
                stage.put(file, damaged)
                try:
                    after = {session.key: session for session in stage.sessions()}
                except Exception as error:  # noqa: BLE001 (no error may happen here)
                    failures.append(Failure(home=home.name, file=file, done=damage, happened=raised(error)))
                    continue
                if changed := [
                    session.key for session in unrelated if not _is_complete(session, after.get(session.key))
                ]:
                    happened = f"other sessions changed: {changed[:4]}"
                    failures.append(Failure(home=home.name, file=file, done=damage, happened=happened))
            stage.put(file, raw)
    return failures


def _damaged(raw: bytes) -> tuple[bytes, ...]:
    return b"", raw[: len(raw) // 2], raw[:-1], b"\xff\x00{[\x1b]\n" * 50


def _is_complete(before: Session, after: Session | None) -> bool:
    """Does the session still have every message?"""
    if after is None:
        return False
    remaining = {message.id: message for message in after.messages}
    return all(message.id in remaining and remaining[message.id].parts == message.parts for message in before.messages)
