"""Which session a reviewer worked for, where its own file does not say so (up to 0.135).

The other file tells when a review began and ended. In between, releases from 0.100 on write the turn that stands in the
reviewer's file, too; all of them show the reviewer's prompt.
"""

from __future__ import annotations

from pollux.sources.codex.forks.asked import SLACK
from pollux.sources.codex.forks.part import Part
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.format.content import words_of


def asked_by(reviewer: Part, threads: Threads) -> tuple[str, str] | None:
    """The session that asked for a review, and how we know; None where no file tells."""
    begun = reviewer.started
    if begun is None:
        return None
    around = {file.path: place for place, file in enumerate(threads.around(reviewer.file, begun))}
    turns = {turn for _, turn in reviewer.books.turns}
    same = [review for review in threads.reviews.with_turn(turns) if review.path in around]
    if same:
        return min(same, key=lambda review: around[review.path]).session, "its turn stands there in a review"
    prompts = {words_of(entry.parts) for entry in reviewer.walk.entries if entry.sure}
    matches = [
        (review.began, review.session)
        for review in threads.reviews.with_prompt(prompts)
        if review.path in around and review.began - SLACK <= begun <= review.ended + SLACK
    ]
    return (max(matches)[1], "its prompt is shown there in a review") if matches else None
