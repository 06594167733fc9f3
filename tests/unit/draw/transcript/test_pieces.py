"""Pieces of a transcript, drawn one by one, are the transcript."""

from __future__ import annotations

import pytest

from pollux.draw.canvas import Canvas
from pollux.draw.transcript.blocks import BRIEF, FULL, Show
from pollux.draw.transcript.messages import Reader
from pollux.draw.transcript.pieces import piece_lines, pieces
from pollux.library.library import Filter, Library
from pollux.library.sample import sample_environment
from pollux.model import Session
from pollux.writers.transcript import walk


@pytest.fixture(scope="module")
def sessions() -> list[Session]:
    environ, cwd = sample_environment()
    with Library(environ, cwd, hunt=False) as library:
        return list(library.sessions(Filter(everything=True)))


@pytest.mark.parametrize("show", [BRIEF, FULL], ids=["brief", "full"])
@pytest.mark.parametrize("columns", [60, None])
def test_pieces_are_the_transcript(sessions: list[Session], show: Show, columns: int | None) -> None:
    canvas = Canvas(columns, markdown=True)
    for session in sessions:
        reader = Reader(canvas, show)
        whole = [*reader.lines(walk(session.messages)), *reader.rest()]
        drawn = [piece_lines(canvas, session.messages, piece, show) for piece in pieces(session.messages, show)]
        assert [line for lines in drawn for line in lines] == whole, session.key


def test_every_message_is_in_one_piece(sessions: list[Session]) -> None:
    for session in sessions:
        found = pieces(session.messages, BRIEF)
        assert [number for piece in found for number in range(piece.start, piece.end)] == [
            *range(len(session.messages))
        ]


def test_tools_and_thinking_can_be_left_out(sessions: list[Session]) -> None:
    show = Show(tools="off", thinking=False)
    for session in sessions:
        for piece in pieces(session.messages, show):
            lines = piece_lines(Canvas(80), session.messages, piece, show)
            assert not [line for line in lines if line.lstrip().startswith(("✓", "✗", "thinking"))]


def test_an_edit_is_shown_as_a_difference(sessions: list[Session]) -> None:
    show = Show(tools="full", diffs=True)
    lines = [
        line
        for session in sessions
        for piece in pieces(session.messages, show)
        for line in piece_lines(Canvas(100), session.messages, piece, show)
    ]
    assert any(line.startswith("      +") for line in lines)
    assert any(line.startswith("      -") for line in lines)


def test_a_long_text_is_cut_and_says_so(sessions: list[Session]) -> None:
    show = Show(most=10)
    lines = [
        line
        for session in sessions
        for piece in pieces(session.messages, show)
        for line in piece_lines(Canvas(80), session.messages, piece, show)
    ]
    assert any("more characters" in line for line in lines)


@pytest.mark.parametrize("show", [BRIEF, FULL], ids=["brief", "full"])
def test_a_conversation_that_grows_is_divided_as_if_it_had_always_been_so_long(
    sessions: list[Session], show: Show
) -> None:
    for session in sessions:
        found = pieces(session.messages[:1], show)
        for end in range(1, len(session.messages) + 1):
            found = pieces(session.messages[:end], show, found)
        assert found == pieces(session.messages, show)


@pytest.mark.parametrize("show", [BRIEF, FULL, Show(tools="off"), Show(tools="off", thinking=True)])
def test_a_piece_knows_without_being_drawn_whether_anything_is_seen(sessions: list[Session], show: Show) -> None:
    canvas, empty = Canvas(80, markdown=True), 0
    for session in sessions:
        for piece in pieces(session.messages, show):
            if piece.is_empty:
                empty += 1
                assert piece_lines(canvas, session.messages, piece, show) == [], (session.key, piece.start)
    assert empty or show.tools != "off"
