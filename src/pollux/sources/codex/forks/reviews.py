"""Which session a reviewer worked for, if its own file does not say so (up to 0.135).

The file of that session says when a review began and ended. In between, releases from 0.100 on write the same turn as
the reviewer's file, and all releases show the reviewer's prompt.
"""

from __future__ import annotations

from pollux.sources.codex.forks.review_index import SLACK
from pollux.sources.codex.forks.rollout import Rollout
from pollux.sources.codex.forks.threads import Threads
from pollux.sources.codex.format.content import words_of


def session_of_review(reviewer: Rollout, threads: Threads) -> tuple[str, str] | None:
    """The session that asked for a review, and the evidence; None if no file says so."""
    started = reviewer.started
    if started is None:
        return None
    places = {file.path: place for place, file in enumerate(threads.around(reviewer.file, started))}
    turns = {turn for _, turn in reviewer.state.turns}
    same = [review for review in threads.reviews.with_turn(turns) if review.path in places]
    if same:
        return min(same, key=lambda review: places[review.path]).session, "its turn stands there in a review"
    prompts = {words_of(entry.parts) for entry in reviewer.replay.entries if entry.sure}
    matches = [
        (review.began, review.session)
        for review in threads.reviews.with_prompt(prompts)
        if review.path in places and review.began - SLACK <= started <= review.ended + SLACK
    ]
    return (max(matches)[1], "its prompt is shown there in a review") if matches else None
