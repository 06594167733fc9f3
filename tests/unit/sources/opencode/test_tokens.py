"""What the figures mean, by the release that wrote them."""

from __future__ import annotations

import pytest

from pollux.sources.opencode.format.schema import Cache, Tokens
from pollux.sources.opencode.format.tokens import release_of, usage_of
from pollux.wire import Notes


@pytest.mark.parametrize(
    ("version", "prompt", "output"),
    [
        ("0.5.29", 100, 8),
        ("1.2.6", 150, 8),
        ("1.3.16", 150, 16),
        ("0.0.0-dev-202601010000", 150, 16),
        ("local", 150, 16),
    ],
)
def test_a_build_without_a_number_is_a_new_one(version: str, prompt: int, output: int) -> None:
    tokens = Tokens(input=100, output=8, reasoning=8, cache=Cache(read=50, write=0))
    usage = usage_of(tokens, "openai", release_of(version), Notes())
    assert (usage.input, usage.output) == (prompt, output)
