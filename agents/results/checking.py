"""Checking a results file: its wins are replayed, its figures are computed anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.deal_lists import parse_deals
from agents.evaluate import IS_WASTE_PLAY, Game
from agents.oracle import Outcome, oracle, replay_by_oracle
from agents.results.result import FORMAT, Result, measured
from qv_env import engine
from qv_env.deals import Deal
from qv_env.replay import Replay
from qv_env.settings import Settings

_RELATIVE_ERROR: Final = 1e-9  # of means and intervals, which other versions may sum otherwise

_Player = Callable[[str, Sequence[int]], Outcome]


def is_result(path: Path) -> bool:
    """Return whether a file says that it is a results file; what cannot be read says nothing."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("format") == FORMAT


def check_result(result: Result) -> list[str]:
    """Replay every win, by the engine and where it is at hand by the oracle; check the figures.

    Returns:
        By what the wins were replayed: ``engine`` and perhaps ``oracle``.

    Raises:
        ValueError: A win breaks the rules or is not as the file says, or a figure is another one;
            the message is one line.
    """
    codes = [deal.code for deal in parse_deals([result.deals])]
    if [game.deal for game in result.rows] != codes:
        raise ValueError(f"the games are not those of {result.deals}, in order")
    players: dict[str, _Player] = {"engine": replay_by_engine}
    rules = oracle()
    if rules is not None:
        players["oracle"] = lambda code, actions: replay_by_oracle(rules, code, actions)
    for game in result.rows:
        if game.won:
            for name, player in players.items():
                _check_win(game, player, name)
    _check_figures(result)
    return list(players)


def replay_by_engine(code: str, actions: Sequence[int]) -> Outcome:
    """Play the actions of a game by the engine.

    Raises:
        ValueError: An action is illegal where it is made; the message names the ply and the rule.
    """
    state = engine.new_state()
    engine.deal(state, Deal.from_code(code).cards)
    last: Any = Replay.play(state, actions).states[-1]
    waste_plays = int(np.count_nonzero(IS_WASTE_PLAY[list(actions)]))
    won, cards = bool(engine.is_won(last)), int(engine.foundation_cards(last))
    return Outcome(won, int(last["score"]), cards, waste_plays)


def _check_win(game: Game, player: _Player, name: str) -> None:
    try:
        outcome = player(game.deal, game.actions)
    except ValueError as error:
        raise ValueError(f"{game.deal}, by the {name}: {error}") from None
    expected = Outcome(game.won, game.score, game.foundation_cards, game.waste_plays)
    if outcome != expected or len(game.actions) != game.plies:
        raise ValueError(
            f"{game.deal}, by the {name}: the file says {expected} after {game.plies} plies, "
            f"it is {outcome} after {len(game.actions)}"
        )
    if game.plies > Settings.max_episode_steps:
        raise ValueError(f"{game.deal}: {game.plies} plies are more than a game may have")


def _check_figures(result: Result) -> None:
    training = {
        "steps": result.budget.training_steps,
        "hours": result.budget.training_hours,
    }
    for name, value in measured(result.rows, training).items():
        found = getattr(result, name)
        found = found.model_dump() if hasattr(found, "model_dump") else found
        if not _alike(value, found):
            raise ValueError(f"{name} is not what the games give: {found!r}, expected {value!r}")


def _alike(expected: Any, found: Any) -> bool:
    """Return whether two JSON values are the same but for the last digits of their numbers."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            _alike(expected[key], found[key]) for key in expected
        )
    if isinstance(expected, float) and isinstance(found, float):
        return abs(expected - found) <= _RELATIVE_ERROR * max(abs(expected), abs(found))
    return bool(expected == found)
