"""A position as text: what parses back, and one clear line for what does not."""

from __future__ import annotations

import pytest

from qv_env import Game
from qv_env.deals import Deal
from qv_env.game.position import parse_position, position_text
from tests import positions


def text(*, without: str = "", **lines: str) -> str:
    """Return the position of a fresh deal with some lines changed."""
    parts = dict(line.partition(":")[::2] for line in Game(21).position.splitlines())
    parts |= lines
    return "\n".join(f"{name}: {rest}" for name, rest in parts.items() if name != without)


def test_case_blanks_and_order_do_not_matter() -> None:
    lines = Game(21).position.splitlines()
    shuffled = "\n\n".join(f"  {line.lower()}  " for line in reversed(lines))
    assert Game(shuffled) == Game(21)


@pytest.mark.parametrize("name", ["early", "late", "won", "fresh"])
def test_every_byte_of_a_state_comes_back(name: str) -> None:
    state = positions.all_kinds()[name]
    parsed, deal = parse_position(position_text(state, None))
    assert parsed.tobytes() == state.tobytes()
    assert deal is None


def test_the_text_is_as_documented() -> None:
    lines = Game(21).position.splitlines()
    assert lines[:4] == ["deal: FT1-N-AAAAAAV", "score: 0", "moves: 0", "t1: JH QD TH KD"]
    assert lines[12:15] == ["t10: JS 8H 5S 6H", "w:", "f1:"]
    assert lines[-1].startswith("stock: 5D 4S 6H")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (text(without="w"), "the position has no line for w"),
        (text(without="score"), "the position has no line for score"),
        (text() + "\nw:", "w stands there twice"),
        (text() + "\nx1: AS", "not a line of a position: 'x1: AS'; expected a name of deal,"),
        (text() + "\nAS", "not a line of a position: 'AS'"),
        (text(score="7"), "score: expected a multiple of 5 in [0, 65535], got '7'"),
        (text(score="-5"), "score: expected a multiple of 5 in [0, 65535], got '-5'"),
        (text(moves="70000"), "moves: expected a whole number in [0, 65535], got '70000'"),
        (text(moves="many"), "moves: expected a whole number in [0, 65535], got 'many'"),
        (text(t1="JH QD TH KX"), "t1: card 4: not a card: 'KX'"),
        (text(t1="JH QD TH"), "each card exists 2 times; got KD 1 times"),
        (text(t1="JH QD TH KD AS"), "t1: AS cannot lie on KD; only the lowest 4 cards"),
        (text(t1="JH QD TH KD QD"), "each card exists 2 times; got QD 3 times"),
        (text(f1="AS 2S"), "f1: a foundation is written as its top card alone"),
        (text(f1="AH"), "f1: AH is not of the foundation's suit"),
        (text(f1="AS"), "each card exists 2 times; got AS 3 times"),
        (text(w="AS"), "stock and waste hold at most 64 cards together, got 65"),
        (text(deal="FT1-N-AAAAAAW"), "stock: these are not the last cards of the deal FT1-N-"),
        (text(deal="FT1"), "wrong prefix in deal code 'FT1'"),
        (":", "not a line of a position: ':'"),
    ],
)
def test_what_is_no_position(changed: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^") as caught:
        Game(changed)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_column_can_be_as_long_as_the_longest_in_play() -> None:
    state = positions.crowded()
    column = "5S 4D 6C KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H AH"
    assert state["heights"][0] == len(column.split())
    rest = Deal.from_number(0).text.split()
    for card in column.split():
        rest.remove(card)
    columns = {f"t{c}": rest[3 * c : 3 * c + 3] for c in range(2, 10)}
    used = [card for cards in columns.values() for card in cards]
    for card in used:
        rest.remove(card)
    lines = {"score": "0", "moves": "0", "t1": column, "t10": "", "w": ""}
    lines |= {name: " ".join(cards) for name, cards in columns.items()}
    lines |= {f"f{n}": "" for n in range(1, 9)} | {"stock": " ".join(rest)}
    game = Game("\n".join(f"{name}: {cards}" for name, cards in lines.items()))
    assert len(game.columns[0]) == 16
    assert game.targets("t10") == ()
