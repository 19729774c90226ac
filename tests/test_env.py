"""The single environment against Gymnasium's rules and its own documentation."""

from __future__ import annotations

import random
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import qv_env
from qv_env import QuaranteVoleursEnv, parse_action
from qv_env.cards import parse_cards
from tests import play, reference

KEYWORDS: list[dict[str, Any]] = [
    {},
    {"observation": "features"},
    {"stock": "open"},
    {"mask": "canonical", "takebacks": False},
    {"reward": "win", "illegal": "terminate"},
]

SHUFFLE_LIMIT = 150  # plies; in the sorted deal a card can go to and fro from ply 114 on


def all_cards(state: Any) -> list[int]:
    """Return the codes of all cards of a state, wherever they lie."""
    cards = [
        code for name in ("columns", "waste", "stock") for code in state[name].ravel().tolist()
    ]
    up = [1 + 13 * (f % 4) + k for f, h in enumerate(state["foundations"]) for k in range(h)]
    return [code for code in cards if code] + up


def up_or_draw(env: QuaranteVoleursEnv) -> int:
    """Return a move to a foundation, or else the draw."""
    legal = np.flatnonzero(env.action_masks()).tolist()
    return next((a for a in legal if qv_env.ACTIONS[a].destination > 10), 0)


def there_and_back(env: QuaranteVoleursEnv) -> tuple[int, int] | None:
    """Return two moves of which each takes back the other, if a card can go to and fro."""
    by_piles = {(a.source, a.destination): a.number for a in qv_env.ACTIONS}
    for action in np.flatnonzero(env.action_masks()).tolist():
        back = by_piles.get((qv_env.ACTIONS[action].destination, qv_env.ACTIONS[action].source))
        if back is not None:
            twin = env.clone()
            twin.step(action)
            if twin.action_masks()[back]:
                return action, back
    return None


def sorted_deal() -> str:
    """Return a deal that wins itself: every card can go up as soon as it shows."""
    return "".join(play.mixed_deal(0, reference.FULL, 0.0))


@pytest.mark.parametrize("keywords", KEYWORDS)
def test_the_environment_checkers_have_nothing_to_say(keywords: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mode in ("ansi", "rgb_array"):
            check_env(gymnasium.make("QuaranteVoleurs-v0", render_mode=mode, **keywords).unwrapped)


def test_registration_is_idempotent_and_needs_no_import_with_a_prefix() -> None:
    qv_env.register_envs()
    assert isinstance(gymnasium.make("qv_env:QuaranteVoleurs-v0").unwrapped, QuaranteVoleursEnv)


def test_the_entry_point_registers() -> None:
    from importlib.metadata import entry_points

    (entry,) = [e for e in entry_points(group="gymnasium.envs") if e.dist.name == "qv-env"]  # type: ignore[union-attr]
    assert entry.load() is qv_env.register_envs


def test_the_wrapped_environment_matches_the_bare_one() -> None:
    bare, made = QuaranteVoleursEnv(), gymnasium.make("QuaranteVoleurs-v0", max_episode_steps=1000)
    for options in (None, {"deal": "FT1-N-AAAAAAV"}):
        one, one_info = bare.reset(seed=4, options=options)
        other, other_info = made.reset(seed=4, options=options)
        assert np.array_equal(one, other)
        assert one_info["deal"] == other_info["deal"]
    for _ in range(30):
        one, other = bare.step(0), made.step(0)  # type: ignore[assignment]
        assert np.array_equal(one[0], other[0])
        assert one[1:4] == other[1:4]


def test_info_holds_what_the_docs_say_and_no_more() -> None:
    env = QuaranteVoleursEnv()
    _, info = env.reset(seed=21)
    mask = info.pop("action_mask")
    assert (mask.dtype, mask.shape) == (np.int8, (269,))
    assert info == {
        "deal": "FT1-N-AAAAAAV",
        "score": 0,
        "moves": 0,
        "foundation_cards": 0,
        "is_success": False,
    }
    assert [type(value) for value in info.values()] == [str, int, int, int, bool]
    assert env.action_masks().dtype == np.bool_
    assert np.array_equal(env.action_masks(), mask)
    assert env.action_space.sample(mask) in np.flatnonzero(mask)


@pytest.mark.parametrize("keywords", KEYWORDS[:4])
def test_unmasked_actions_never_corrupt_a_state(keywords: dict[str, Any]) -> None:
    env = QuaranteVoleursEnv(max_episode_steps=400, **keywords)
    rng = random.Random(1)
    _, info = env.reset(seed=1)
    deck = sorted(list(range(1, 53)) * 2)
    for ply in range(25_000):
        action = rng.randrange(269)
        allowed = bool(info["action_mask"][action]) or keywords.get("mask") == "canonical"
        before = env.state.tobytes()
        observation, reward, terminated, truncated, info = env.step(action)
        if "refused" in info:
            assert env.state.tobytes() == before
            assert reward == 0
            assert not allowed or keywords.get("mask") == "canonical"
        else:
            assert allowed
        if ply % 50 == 0:
            assert observation in env.observation_space
            assert sorted(all_cards(env.state)) == deck
        assert terminated or info["action_mask"].any()
        if terminated or truncated:
            _, info = env.reset()


@pytest.mark.parametrize(
    ("move", "rule"),
    [
        ("t1>t2", "A column is built in one suit."),
        ("f1>t1", "There is no card to move there."),
        ("w>t1", "There is no card to move there."),
        ("t1>f1", "A foundation takes only cards of its own suit."),
        ("t1>f3", "A foundation is built upwards from the ace, without gaps."),
    ],
)
def test_an_illegal_action_costs_a_ply_and_names_the_rule(move: str, rule: str) -> None:
    env = QuaranteVoleursEnv()
    observation, _ = env.reset(seed=21)
    after, reward, terminated, truncated, info = env.step(parse_action(move))
    assert info["refused"] == rule
    assert (reward, terminated, truncated, info["moves"]) == (0.0, False, False, 0)
    before_left, left = (qv_env.read_observation(o)["plies_left"] for o in (observation, after))
    assert left == before_left - 1 == 999
    assert np.array_equal(after[2:], observation[2:])
    assert "refused" not in env.step(0)[4]


def test_illegal_actions_can_raise() -> None:
    env = QuaranteVoleursEnv(illegal="raise")
    env.reset(seed=21)
    before = env.get_state()["batch"]["tasks"].tobytes()
    with pytest.raises(ValueError, match=r"illegal action 1 \(t1>t2\): A column is built in one"):
        env.step(1)
    with pytest.raises(ValueError, match="There is no such action"):
        env.step(269)
    assert env.get_state()["batch"]["tasks"].tobytes() == before


def test_illegal_actions_can_terminate() -> None:
    env = QuaranteVoleursEnv(illegal="terminate")
    env.reset(seed=21)
    _, reward, terminated, truncated, info = env.step(1)
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert "refused" in info
    with pytest.raises(ResetNeeded):
        env.step(0)


def test_actions_outside_the_table_are_refused() -> None:
    env = QuaranteVoleursEnv()
    env.reset(seed=21)
    for action in (-1, 269, 10**6):
        assert env.step(action)[4]["refused"].startswith("There is no such action")


def test_take_backs_can_be_switched_off() -> None:
    free, strict = QuaranteVoleursEnv(), QuaranteVoleursEnv(takebacks=False)
    for env in (free, strict):
        env.reset(options={"deal": sorted_deal()})
    while not free.action_masks()[189:].any():
        action = up_or_draw(free)
        free.step(action)
        strict.step(action)
    assert np.array_equal(free.action_masks()[:189], strict.action_masks()[:189])
    assert not strict.action_masks()[189:].any()
    take_back = 189 + int(free.action_masks()[189:].argmax())
    assert "takebacks=False" in strict.step(take_back)[4]["refused"]
    assert "refused" not in free.step(take_back)[4]


@pytest.mark.parametrize("reward", ["score", "win"])
def test_a_won_game_terminates_and_succeeds(reward: str) -> None:
    env = QuaranteVoleursEnv(reward=reward)
    env.reset(options={"deal": sorted_deal()})
    total, info, terminated, truncated = 0.0, {}, False, False
    while not (terminated or truncated):
        _, gain, terminated, truncated, info = env.step(up_or_draw(env))
        total += gain
    assert (terminated, truncated, info["is_success"]) == (True, False, True)
    assert info["foundation_cards"] == 104
    assert total == (1.0 if reward == "win" else info["score"])
    assert info["score"] == 1040
    assert info["action_mask"].tolist() == [1] + [0] * 268


def test_a_win_on_the_last_ply_is_not_truncated() -> None:
    free = QuaranteVoleursEnv()
    free.reset(options={"deal": sorted_deal()})
    plies, terminated = 0, False
    while not terminated:
        terminated, plies = free.step(up_or_draw(free))[2], plies + 1
    for limit, ending in ((plies, (True, False)), (plies - 1, (False, True))):
        env = QuaranteVoleursEnv(max_episode_steps=limit)
        env.reset(options={"deal": sorted_deal()})
        for _ in range(limit):
            _, _, *ended, _ = env.step(up_or_draw(env))
        assert tuple(ended) == ending


def test_a_stuck_game_terminates() -> None:
    env = QuaranteVoleursEnv()
    _, info = env.reset(seed=0)
    for _ in range(64):
        assert info["action_mask"].any()
        _, _, terminated, truncated, info = env.step(0)
        if terminated:
            break
    rng = random.Random(0)
    while not (terminated or truncated):
        choice = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        _, _, terminated, truncated, info = env.step(choice)
    assert (terminated, truncated, info["is_success"]) == (True, False, False)
    assert info["action_mask"].tolist() == [1] + [0] * 268


def test_an_endless_shuffle_of_one_card_is_truncated() -> None:
    env = QuaranteVoleursEnv(max_episode_steps=SHUFFLE_LIMIT)
    env.reset(options={"deal": sorted_deal()})
    pair = None
    for ply in range(1, SHUFFLE_LIMIT + 1):
        pair = pair or there_and_back(env)
        action = up_or_draw(env) if pair is None else pair[0]
        pair = pair and pair[::-1]
        _, _, terminated, truncated, info = env.step(action)
        assert "refused" not in info
        assert (terminated, truncated) == (False, ply == SHUFFLE_LIMIT)
    assert pair is not None


@pytest.mark.parametrize("limit", [1, 30])
def test_the_step_limit_means_the_same_everywhere(limit: int) -> None:
    name = "QuaranteVoleurs-v0"
    envs = [
        QuaranteVoleursEnv(max_episode_steps=limit),
        gymnasium.make(name, max_episode_steps=limit),
        gymnasium.wrappers.TimeLimit(QuaranteVoleursEnv(), limit),
        gymnasium.wrappers.TimeLimit(QuaranteVoleursEnv(max_episode_steps=2000), limit),
    ]
    for env in envs:
        observation, _ = env.reset(seed=0)
        assert qv_env.read_observation(observation)["plies_left"] == limit
        ended = [env.step(0)[3] for _ in range(limit)]
        assert ended == [False] * (limit - 1) + [True]
    for mode in ("sync", "vector_entry_point"):
        vector = gymnasium.make_vec(name, 2, vectorization_mode=mode, max_episode_steps=limit)
        observations, _ = vector.reset(seed=0)
        assert (qv_env.read_observation(observations)["plies_left"] == limit).all()
        ends = [vector.step(np.zeros(2, np.int64))[3].all() for _ in range(limit)]
        assert ends == [False] * (limit - 1) + [True]


def test_a_longer_limit_than_the_default_reaches_the_environment() -> None:
    env = gymnasium.make("QuaranteVoleurs-v0", max_episode_steps=3000)
    assert qv_env.read_observation(env.reset(seed=0)[0])["plies_left"] == 3000
    with pytest.raises(ValueError, match=r"\[1, 65535\], got 70000"):
        gymnasium.make("QuaranteVoleurs-v0", max_episode_steps=70_000).reset()


def test_an_open_stock_shows_the_cards_to_come() -> None:
    env = QuaranteVoleursEnv(stock="open")
    observation, _ = env.reset(seed=21)
    stock = qv_env.read_observation(observation)["stock"]
    assert stock.tolist() == qv_env.Deal.from_number(21).cards[40:].tolist()
    shown = qv_env.read_observation(env.step(0)[0])
    assert shown["waste"][0] == stock[0]
    assert shown["stock"][0] == 0
    assert shown["stock"][1:].tolist() == stock[1:].tolist()


def test_a_hidden_stock_leaves_no_trace_in_what_the_agent_gets() -> None:
    cards = parse_cards(qv_env.Deal.from_number(21).text)
    other = cards[:40] + cards[40:][::-1]
    for observation in ("cards", "features"):
        env = QuaranteVoleursEnv(observation=observation)
        deals = [qv_env.Deal(tuple(order)) for order in (cards, other)]
        (one, one_info), (two, two_info) = [env.reset(options={"deal": deal}) for deal in deals]
        assert np.array_equal(one, two)
        assert np.array_equal(one_info["action_mask"], two_info["action_mask"])


def test_unknown_options_and_early_steps_are_errors() -> None:
    env = QuaranteVoleursEnv()
    for call in (lambda: env.step(0), env.action_masks):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    with pytest.raises(ValueError, match="unknown reset option 'deals'; known: deal"):
        env.reset(options={"deals": 3})
    with pytest.raises(ValueError, match="wrong prefix"):
        env.reset(options={"deal": "XX"})


def test_rendering_changes_nothing() -> None:
    for mode in ("ansi", "rgb_array"):
        env = QuaranteVoleursEnv(render_mode=mode)
        env.reset(seed=21)
        before = env.get_state()
        env.render()
        after = env.get_state()
        assert before["batch"]["tasks"].tobytes() == after["batch"]["tasks"].tobytes()
        assert before["np_random"].bit_generator.state == after["np_random"].bit_generator.state


def test_a_window_opens_and_closes() -> None:
    env = QuaranteVoleursEnv(render_mode="human")
    env.reset(seed=21)
    env.step(0)
    assert env.clone().deal == env.deal
    env.close()
    env.close()
