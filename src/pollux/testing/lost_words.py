"""Nothing is lost: every word of every file that was read stands in the JSON of some session."""

from __future__ import annotations

from pollux.testing.bench import Failure
from pollux.testing.homes import Home, Stage, pieces
from pollux.testing.layout import Layout
from pollux.testing.words import words, written_words
from pollux.wire import display_path


def nothing_lost(home: Home) -> list[Failure]:
    """Search for the words of the whole, undamaged home."""
    failures: list[Failure] = []
    with Stage(home, home.files) as stage:
        known_words = frozenset().union(*(written_words(piece, deep=True) for piece in pieces(stage.sessions())))
        lines = {display_path(line.path): line for line in stage.doctor().files}
        for file in home.files:
            line = lines.get(stage.shown(file))
            if line is None or not line.sessions:
                continue
            raw = (home.path / file).read_bytes()
            if home.subject.unpacked is not None:
                raw = home.subject.unpacked(raw)
            layout = Layout(raw, home.subject.needed)
            needed = layout.words if layout.values else words(raw.decode("utf-8", "replace"))
            if missing := needed - known_words:
                failures.append(
                    Failure(home=home.name, file=file, done="read as it is", happened=f"lost {sorted(missing)[:12]}")
                )
    return failures
