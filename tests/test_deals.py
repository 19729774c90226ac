"""Deal numbers, codes, explicit deals and splits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qv_env
from qv_env.cards import cards_text, parse_cards
from qv_env.deals import DEALS, SPLITS, Deal, deal_code, deal_number, parse_deal, split_numbers
from tests import reference

EXAMPLE = Path(__file__).parent / "data" / "example_tableau.txt"
NUMBERS = st.integers(0, DEALS - 1)


@given(NUMBERS)
def test_a_code_names_its_number(number: int) -> None:
    code = deal_code(number)
    assert code == reference.code_of(number)
    assert deal_number(code) == number
    assert deal_number(f"  {code.lower()}\n") == number


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("FT2-N-AAAAAAA", "wrong prefix"),
        ("AAAAAAA", "wrong prefix"),
        ("", "wrong prefix"),
        ("FT1-N-AAAAAA", "got 6"),
        ("FT1-N-AAAAAAAA", "got 8"),
        ("FT1-N-AAAA1AA", "wrong letter '1'"),
        ("FT1-N-AAAA AA", "wrong letter ' '"),
        ("FT1-N-AAAAAAÄ", "wrong letter 'Ä'"),
    ],
)
def test_a_wrong_code_is_told_what_is_wrong(code: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        deal_number(code)
    with pytest.raises(ValueError, match=complaint):
        parse_deal(code)


@pytest.mark.parametrize("number", [-1, DEALS])
def test_a_number_out_of_range_is_an_error(number: int) -> None:
    for function in (deal_code, Deal.from_number, parse_deal):
        with pytest.raises(ValueError, match=f"got {number}"):
            function(number)


@pytest.mark.parametrize("value", [1.5, True, None, [1]])
def test_other_types_are_no_deals(value: object) -> None:
    with pytest.raises(TypeError, match="a deal is a number, a code"):
        parse_deal(value)  # type: ignore[arg-type]


@given(NUMBERS)
def test_the_shuffle_is_the_specified_one(number: int) -> None:
    assert Deal.from_number(number).cards.tolist() == parse_cards(
        " ".join(reference.shuffled(number))
    )


@given(NUMBERS)
def test_an_explicit_deal_goes_through_text_and_back(number: int) -> None:
    deal = Deal.from_number(number)
    explicit = Deal.from_text(deal.text)
    assert explicit.order == deal.order
    assert explicit.number is None
    assert parse_deal(explicit.code).order == deal.order
    assert parse_deal(explicit) is explicit


def test_all_ways_to_name_a_deal_agree() -> None:
    deal = Deal.from_number(21)
    for value in (21, np.int64(21), np.uint8(21), "FT1-N-AAAAAAV", deal):
        assert parse_deal(value) == deal
    with pytest.raises(ValueError, match="read-only"):
        deal.cards[0] = 1


def test_an_explicit_deal_needs_each_card_twice() -> None:
    cards = Deal.from_number(0).text.split()
    with pytest.raises(ValueError, match="104 cards, got 105"):
        Deal.from_text(" ".join([*cards, "AS"]))
    with pytest.raises(ValueError, match="104 cards, got 103"):
        Deal.from_text(" ".join(cards[:-1]))
    one, other = cards[0], next(card for card in cards if card != cards[0])
    wrong = [other if card == one else card for card in cards]
    with pytest.raises(ValueError, match=rf"{one} 0 times") as error:
        Deal.from_text(" ".join(wrong))
    assert f"{other} 4 times" in str(error.value)
    with pytest.raises(ValueError, match=r"card 3: not a card: '1S'"):
        Deal.from_text("AS 2S 1S" + " 3S" * 101)


@given(st.integers(0, 2**64 - 1))
def test_a_known_tableau_keeps_its_columns(number: int) -> None:
    tableau = EXAMPLE.read_text()
    deal = Deal.from_tableau(tableau, number)
    assert cards_text(deal.order[:40]).split() == tableau.split()
    assert set(Counter(deal.order).values()) == {2}
    assert deal.number is None


def test_the_number_decides_the_rest_of_a_tableau() -> None:
    tableau = EXAMPLE.read_text()
    orders = {Deal.from_tableau(tableau, number).order for number in range(20)}
    assert len(orders) == 20
    assert Deal.from_tableau(tableau, 3) == Deal.from_tableau(tableau, 3)


@pytest.mark.parametrize(
    ("tableau", "complaint"),
    [("AS 2S", "a tableau has 40 cards, got 2"), ("AS " * 40, "AS 40 times")],
)
def test_a_wrong_tableau_is_an_error(tableau: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Deal.from_tableau(tableau, 0)


def test_the_splits_are_those_of_the_first_letters() -> None:
    assert deal_code(split_numbers("test")[0]) == "FT1-N-ZZZAAAA"
    assert deal_code(split_numbers("test")[-1]) == "FT1-N-ZZZZZZZ"
    assert deal_code(split_numbers("dev")[0]) == "FT1-N-ZZYAAAA"
    assert deal_code(split_numbers("dev")[-1]) == "FT1-N-ZZYZZZZ"
    assert deal_code(split_numbers("train")[-1]) == "FT1-N-ZZXZZZZ"
    parts = [SPLITS[name] for name in ("train", "dev", "test")]
    assert sum(map(len, parts)) == len(split_numbers("all")) == DEALS
    with pytest.raises(ValueError, match=r"'tests'.*train, dev, test, all"):
        split_numbers("tests")


def test_the_package_offers_codes_at_the_top() -> None:
    assert qv_env.deal_number(qv_env.deal_code(21)) == 21


def test_a_deal_of_one_card_is_complained_of_in_a_short_line() -> None:
    with pytest.raises(ValueError, match="each card exists 2 times; got JH 104 times") as error:
        parse_deal("JH" * 104)
    assert str(error.value).endswith(" and 48 more wrong")
