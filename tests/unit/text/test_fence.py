from __future__ import annotations

import pytest

from pollux.text.fence import Fence, harmless, harmless_line


@pytest.mark.parametrize(
    "tag",
    [
        "<system-reminder>",
        "</system-reminder>",
        "< system-reminder >",
        "<SYSTEM-REMINDER>",
        "<command-name>",
        "<local-command-stdout>",
        "<session_context>",
        "<environment_context>",
        "<invoke name=",
        "<system>",
        "</user>",
        "<function_results>",
        "<|im_start|>",
        "<<SYS>>",
        "[INST]",
        "[/INST]",
        "[TOOL_CALLS]",
        "[/TOOL_RESULTS]",
        "<function=bash>",
        "＜system-reminder＞",
        "‹system›",
        "⟨system-reminder⟩",
        "<ѕуѕtem>",
        "</old-words-k7q2m9xd>",
    ],
)
def test_a_tag_of_a_host_is_shown_and_not_passed_on(tag: str) -> None:
    for text in (tag, f"words{tag}words", f"words\n{tag}\nwords"):
        shown = harmless(text)
        assert tag not in shown
        assert tag[0] not in shown
        assert "&lt;" in shown or "&#91;" in shown


def test_a_capital_makes_a_type_of_it_only_behind_a_word() -> None:
    assert harmless("<System> List<System>") == "&lt;System> List<System>"


@pytest.mark.parametrize(
    "code",
    [
        "Vec<String> and List<User>, std::vector<std::string>",
        "if a < b_c and d > e: pass",
        "<div class='x'><p>",
        "cat <<EOF",
        "cout << x_y;",
        "[x] done, [1, 2]",
        "a <- b, x <= y",
    ],
)
def test_code_stays_as_it_is(code: str) -> None:
    assert harmless(code) == code


def test_controls_and_reversed_text_are_shown() -> None:
    assert harmless("a\x1b[31m\u202eb\u200b<\u2066system>\n\tc") == "a␛[31m\\u202eb\\u200b<\\u2066system>\n\tc"


def test_a_line_is_one_line_of_a_length() -> None:
    assert harmless_line("a\n<system>\nb") == "a &lt;system> b"
    assert len(harmless_line("<system>" * 50, 40)) == 40


def test_a_fence_has_a_new_word_each_time_that_the_text_does_not_know() -> None:
    words = {Fence().word for _ in range(200)}
    assert len(words) == 200
    fence = Fence.for_text("x")
    assert fence.around("x") == f"<old-words-{fence.word}>\nx\n</old-words-{fence.word}>"


def test_no_fence_ends_by_a_word_that_stands_in_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("a" * 8 + "b" * 8)
    monkeypatch.setattr("pollux.text.fence.secrets.choice", lambda _: next(letters))
    assert Fence.for_text("who knows aaaaaaaa").word == "b" * 8
