"""Making episodes and checking them, by playing them through the engine and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import qv_env
from qv_env import engine
from qv_env.actions import ACTIONS
from qv_env.deals import Deal, parse_deal
from qv_env.episodes.episode import Ending, Episode, EpisodeSettings, Policy
from qv_env.history import UNDO
from qv_env.legal import can_move
from qv_env.refusals import TAKE_BACKS_OFF, UNDO_OFF, refusal_text
from qv_env.replay import Replay, ReplayError
from qv_env.sizes import FULL


def make_episode(
    deal: Deal | str | int,
    actions: Sequence[int],
    *,
    agent: str | None = None,
    seed: int | None = None,
    settings: EpisodeSettings | None = None,
    policy: Policy | None = None,
) -> Episode:
    """Return the episode of some actions, with the scores and rewards that the engine gives them.

    Args:
        deal: What was played: a deal, its code or number, or 104 cards as text.
        actions: What was done, in [0, 268], or 269 for an undo.
        agent: Who played.
        seed: The seed of the agent's choices.
        settings: The task; None for the environment's defaults.
        policy: What the player thought at each ply.

    Raises:
        ReplayError: An action is illegal where it is made; its message names ply and rule.
        ValueError: The deal or the policy is wrong.

    >>> episode = make_episode("FT1-N-AAAAAAV", [0, 0, 0], agent="me")
    >>> episode.ending, episode.scores
    ('unfinished', (0, 0, 0))
    """
    settings = settings or EpisodeSettings()
    dealt = parse_deal(deal)
    replay = _replay(dealt, actions, settings)
    return Episode(
        library_version=qv_env.__version__,
        deal=dealt.code,
        agent=agent,
        seed=seed,
        settings=settings,
        actions=replay.actions,
        rewards=_rewards(replay, settings),
        scores=_scores(replay),
        ending=_ending(replay, settings),
        policy=policy,
    )


def verify(episode: Episode) -> Replay:
    """Play an episode through the engine, compare what is written, and return its replay.

    Raises:
        ReplayError: An action is refused, or a score or reward is another one; the message says
            at which ply, and ``ply`` holds it.
        ValueError: The ending is another one.
    """
    replay = _replay(parse_deal(episode.deal), episode.actions, episode.settings)
    scores, rewards = _scores(replay), _rewards(replay, episode.settings)
    for k, action in enumerate(replay.actions):
        if episode.scores[k] != scores[k]:
            reason = f"the score is {scores[k]} here, the file says {episode.scores[k]}"
            raise ReplayError(k + 1, action, reason)
        if episode.rewards[k] != rewards[k]:
            reason = f"the reward is {rewards[k]} here, the file says {episode.rewards[k]}"
            raise ReplayError(k + 1, action, reason)
    ending = _ending(replay, episode.settings)
    if ending != episode.ending:
        raise ValueError(
            f"after ply {len(replay.actions)} the game is {ending}, the file says {episode.ending}"
        )
    return replay


def _replay(deal: Deal, actions: Sequence[int], settings: EpisodeSettings) -> Replay:
    """Play actions that a task allows; see `verify` for what it raises."""
    start = engine.new_state()
    engine.deal(start, deal.cards)
    for ply, action in enumerate(actions, start=1):
        reason = _task_refusal(ply, action, settings)
        if reason:
            # What the rules say, here or earlier, comes before what this task says.
            Replay.play(start, actions[:ply])
            raise ReplayError(ply, action, reason)
    return Replay.play(start, actions, deal=deal.name)


def _task_refusal(ply: int, action: int, settings: EpisodeSettings) -> str:
    """Return why a task allows an action at no position, or nothing."""
    limit = settings.max_episode_steps
    if limit is not None and ply > limit:
        return f"The episode is limited to {limit} plies (max_episode_steps)."
    if action == UNDO and not settings.undo:
        return refusal_text(UNDO_OFF)
    if not settings.takebacks and _takes_back(action):
        return refusal_text(TAKE_BACKS_OFF)
    return ""


def _takes_back(action: int) -> bool:
    return action < len(ACTIONS) and FULL.waste_pile < ACTIONS[action].source < FULL.stock_pile


def _scores(replay: Replay) -> tuple[int, ...]:
    return tuple(replay.states["score"][1:].tolist())


def _rewards(replay: Replay, settings: EpisodeSettings) -> tuple[int, ...]:
    if settings.reward == "win":
        return tuple(int(engine.is_won(state)) for state in replay.states[1:])
    scores = (0, *_scores(replay))
    return tuple(after - before for before, after in itertools.pairwise(scores))


def _ending(replay: Replay, settings: EpisodeSettings) -> Ending:
    last: Any = replay.states[-1]
    if engine.is_won(last):
        return "won"
    if not can_move(last, takebacks=settings.takebacks):
        return "stuck"
    return "truncated" if len(replay.actions) == settings.max_episode_steps else "unfinished"
