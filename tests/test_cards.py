"""Cards: codes, suits, ranks and text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qv_env import cards
from tests import reference

CODES = st.integers(1, cards.CARD_TYPES)


def test_there_are_52_cards_each_twice() -> None:
    assert (cards.SUITS, cards.RANKS, cards.COPIES) == (4, 13, 2)
    assert (cards.CARD_TYPES, cards.DECK_SIZE) == (52, 104)


def test_codes_run_suit_by_suit_from_the_ace() -> None:
    texts = [cards.card_text(code) for code in range(1, 53)]
    assert texts == reference.FULL.deck[:52]
    assert texts[:3] == ["AS", "2S", "3S"]
    assert [texts[12], texts[13], texts[26], texts[39], texts[51]] == ["KS", "AH", "AD", "AC", "KC"]


@given(CODES)
def test_suit_and_rank_make_the_code_again(code: int) -> None:
    assert cards.card_code(cards.card_suit(code), cards.card_rank(code)) == code


@given(CODES)
def test_the_next_lower_code_is_the_next_lower_card_of_the_suit(code: int) -> None:
    if cards.card_rank(code) > 1:
        assert cards.card_suit(code - 1) == cards.card_suit(code)
        assert cards.card_rank(code - 1) == cards.card_rank(code) - 1


@given(CODES, st.sampled_from(["{}", " {}", "{}\n", "\t {} "]))
def test_text_of_a_card_parses_back(code: int, blanks: str) -> None:
    text = cards.card_text(code)
    assert len(text) == 2
    assert cards.parse_card(blanks.format(text)) == code
    assert cards.parse_card(blanks.format(text.lower())) == code


@given(st.lists(CODES), st.sampled_from(["", " ", "\n", "  "]))
def test_text_of_many_cards_parses_back(codes: list[int], blank: str) -> None:
    text = cards.cards_text(codes)
    assert cards.parse_cards(text) == codes
    assert cards.parse_cards(text.replace(" ", blank)) == codes


def test_suits_have_a_letter_and_a_name_each() -> None:
    initials = "".join(name[0].upper() for name in cards.SUIT_NAMES)
    assert cards.SUIT_LETTERS == initials == reference.SUITS
    assert cards.RANK_LETTERS == reference.RANKS


@pytest.mark.parametrize("text", ["", "A", "ASS", "1S", "10S", "AX", "SA", "A S", "\uff21s"])
def test_a_wrong_card_is_named_in_the_error(text: str) -> None:
    with pytest.raises(ValueError, match=rf"not a card: {re.escape(repr(text))}; expected a rank"):
        cards.parse_card(text)


def test_the_error_in_a_list_of_cards_says_which_one() -> None:
    with pytest.raises(ValueError, match=r"^card 3: not a card: 'XX'; expected"):
        cards.parse_cards("AS 2S XX 4S")
    with pytest.raises(ValueError, match=r"^card 2: not a card: 'T'; expected"):
        cards.parse_cards("AS T")


@pytest.mark.parametrize("code", [-1, 0, 53, 255])
def test_a_code_out_of_range_is_an_error(code: int) -> None:
    for function in (cards.card_suit, cards.card_rank, cards.card_text):
        with pytest.raises(ValueError, match=rf"must lie in \[1, 52\], got {code}"):
            function(code)


@pytest.mark.parametrize(
    ("suit", "rank", "message"),
    [
        (-1, 1, r"suit must lie in \[0, 3\], got -1"),
        (4, 1, r"suit must lie in \[0, 3\], got 4"),
        (0, 0, r"rank must lie in \[1, 13\], got 0"),
        (0, 14, r"rank must lie in \[1, 13\], got 14"),
    ],
)
def test_a_suit_or_rank_out_of_range_is_an_error(suit: int, rank: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cards.card_code(suit, rank)
