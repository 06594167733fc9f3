from __future__ import annotations

from pathlib import Path

import pytest

from pollux.errors import RequestError
from pollux.system.config import Config, Price, Tier, load


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_no_file_is_the_usual_settings(file: Path) -> None:
    assert load(file) == Config()


def test_prices(file: Path) -> None:
    file.write_text('[prices."my-model"]\ninput = 3\noutput = 15.5\ntiers = [{ above = 200000, input = 6 }]\n')
    tier = Tier(above=200_000, input=6)
    assert load(file) == Config(prices={"my-model": Price(input=3, output=15.5, tiers=(tier,))})


def test_two_tiers_cannot_begin_at_the_same_size(file: Path) -> None:
    tiers = "[{ above = 9, input = 6 }, { above = 9, input = 7 }]"
    file.write_text(f'[prices."my-model"]\ninput = 3\noutput = 15\ntiers = {tiers}\n')
    with pytest.raises(RequestError, match="Two `tiers` have the same `above`"):
        load(file)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[prices."x"]\ninput = 3\n', '`output` is missing in `prices."x"`.'),
        ('[prices."x"]\ninput = "3"\noutput = 3\n', '`prices."x".input` must be a number, not a text.'),
        ('[prices.a]\ninput = 1\noutput = 1\n[prices."b.c"]\ninput = 1\n', 'in `prices."b.c"`.'),
        ("[redact]\nwords = [3]\n", "`redact.words[0]` must be a text, not a whole number."),
        ('[redact]\nwords = [""]\n', "`redact.words[0]` must be a text that is not empty."),
        ("redact = 3\n", "`redact` must be a table, not a whole number."),
        ("[redact]\nemails = 3\n", "`redact.emails` must be true or false, not a whole number."),
        ("[redact]\nwrds = []\n", "there is no setting `wrds` in `redact`."),
        ('[prices."x"]\ninput = -3\noutput = 3\n', '`prices."x".input` must be a number >= 0.'),
        ('[prices."x"]\ninput = inf\noutput = 3\n', "must be a number <= 1000000."),
        ('[prices."x"]\ninput = nan\noutput = 3\n', "prices"),
        ('[prices."x"]\ninput = 3\noutput = 3\noutptu = 3\n', 'there is no setting `outptu` in `prices."x"`.'),
        ("[pricess]\n", "there is no setting `pricess`."),
        ("prices = \n", "not TOML"),
    ],
)
def test_one_sentence_says_what_is_wrong_in_which_file(file: Path, text: str, sentence: str) -> None:
    file.write_text(text)
    with pytest.raises(RequestError) as error:
        load(file)
    assert str(file) in str(error.value)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "page"),
    [('[sync]\nbackground = "no"', "cache"), ("[lake]\nlevel = 3", "lake"), ("[prices.x]\ninput = 'a'", "usage")],
)
def test_a_hint_names_the_page_with_an_example(file: Path, text: str, page: str) -> None:
    file.write_text(text)
    with pytest.raises(RequestError) as wrong:
        load(file)
    assert wrong.value.hint == f"docs/{page}.md shows an example."


def test_a_file_that_cannot_be_read(file: Path) -> None:
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(RequestError, match="not UTF-8"):
        load(file)
    file.unlink()
    file.mkdir()
    with pytest.raises(RequestError, match="cannot be read"):
        load(file)
