"""The promises of every source, tried on every file of every home (`pollux.testing`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.testing import Case, cases
from tests.properties.claude import CLAUDE
from tests.properties.codex import CODEX
from tests.properties.copilot import COPILOT
from tests.properties.gemini import GEMINI
from tests.properties.opencode import sampled_cases
from tests.properties.qwen import QWEN

CORPUS = Path(__file__).parent.parent / "corpus"
# Larger files are tried in a sample of places: all of each would take the suite too long. `make test-exhaustive` does.
SMALL = 512


@pytest.mark.parametrize("case", cases(GEMINI, CORPUS / "gemini", small=SMALL), ids=str)
def test_gemini(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("case", cases(CLAUDE, CORPUS / "claude", small=SMALL), ids=str)
def test_claude(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("case", cases(CODEX, CORPUS / "codex", small=SMALL), ids=str)
def test_codex(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("case", cases(COPILOT, CORPUS / "copilot", small=64), ids=str)
def test_copilot(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("case", sampled_cases(CORPUS / "opencode", SMALL), ids=str)
def test_opencode(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("case", cases(QWEN, CORPUS / "qwen", small=SMALL), ids=str)
def test_qwen(case: Case) -> None:
    case.check()
