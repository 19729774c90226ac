"""Stepping many games: first all of a block act, then each is settled and shown.

Kernels take ``tasks``, ``tables`` and ``settings`` as in `qv_env.task`, and ``outputs`` as
`step_range` describes them.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np

from qv_env import engine
from qv_env.cards import DECK_SIZE
from qv_env.jit import array_kernel, kernel, parallel_kernel
from qv_env.task import (
    BEGUN,
    IS_SUCCESS,
    TERMINATED,
    TRUNCATED,
    add_to_totals,
    finish_mask,
    may_make,
    next_episode,
    play,
    refusal,
    report,
    show,
    write_open_mask,
)

# Games that act before the first of them is settled. A processor waits where it reads many bytes
# at once of which some have just been written one by one; a few games later it does not.
_BLOCK: Final = np.uint64(16)


@kernel
def act(
    tasks: Any,
    tables: Any,
    settings: Any,
    action: int,
    i: int,
    rewards: Any,
    flags: Any,
    refused: Any,
    cards: Any,
) -> bool:
    """Make the action of game ``i``, or start its next episode if the last one has ended.

    Written are ``flags[BEGUN]``, the refusal code, and as reward the score's change. What the
    game is like after it is for `settle` to say.

    Returns:
        Whether the action was refused or an episode begun, which most steps are without.
    """
    task = tasks[i]
    game = task["game"]
    begins = task["finished"]
    change = 0
    code = engine.LEGAL
    if begins:
        next_episode(tasks, tables, settings, i, cards)
    elif may_make(game, settings, action):
        change = play(tasks, tables, i, action)
    else:
        code = refusal(task, settings, action)
    if not begins:
        count_ply(task)
    flags[BEGUN, i] = begins
    refused[i] = code
    rewards[i] = change
    return begins or code != engine.LEGAL


@kernel
def count_ply(task: Any) -> None:
    """Count a ply that has been made."""
    task["plies_left"] -= 1
    task["plies"] += 1


@kernel
def settle(
    task: Any,
    settings: Any,
    i: int,
    operations: int,
    mask: Any,
    rewards: Any,
    flags: Any,
    refused: Any,
    totals: Any,
) -> None:
    """Work out mask, reward and ending of game ``i``, after `act` and `report`.

    Args:
        task: Record of type `TASK`.
        settings: Settings record.
        i: Entry of the arrays.
        operations: How many operations the agent could take back.
        mask: The game's row, int8 of shape ``(269,)``.
        rewards: float64 of shape ``(n,)``, which holds the score's change.
        flags: bool of shape ``(4, n)``.
        refused: Refusal codes, uint8 of shape ``(n,)``.
        totals: Record of type `TOTALS` to add to.
    """
    game = task["game"]
    movable = write_open_mask(game, settings, mask)
    won = flags[IS_SUCCESS, i]
    illegal = refused[i] != engine.LEGAL
    terminated = (
        won or (illegal and settings["terminate_illegal"]) or not (movable or operations > 0)
    )
    truncated = task["plies_left"] == 0 and not terminated
    if settings["win_reward"]:
        rewards[i] = won
    task["total_reward"] += rewards[i]
    task["terminated"] = terminated
    task["finished"] = terminated or truncated
    flags[TERMINATED, i] = terminated
    flags[TRUNCATED, i] = truncated
    totals["refused"] += illegal
    if terminated or truncated:
        add_to_totals(task, totals, flags, i)
    finish_mask(task, settings, mask)


@kernel
def step_range(
    tasks: Any,
    tables: Any,
    settings: Any,
    actions: Any,
    outputs: Any,
    totals: Any,
    span: Any,
    cards: Any,
) -> int:
    """Step the tasks of a range; a finished one begins its next episode instead.

    Args:
        tasks: Record array of type `TASK`, shape ``(n,)``.
        tables: See the module.
        settings: Record array of type `SETTINGS`, shape ``(1,)``.
        actions: int64 of shape ``(n,)``; any value is accepted.
        outputs: Observations, masks, rewards (float64), numbers (int64, ``(4, n)``), flags (bool,
            ``(4, n)``) and refusal codes (uint8), all with one entry a game.
        totals: Record of type `TOTALS` to add to.
        span: First task and the one after the last.
        cards: uint8 of shape ``(104,)`` to shuffle the cards of a new game in.

    Returns:
        How many games refused their action or began an episode.
    """
    observations, masks, rewards, numbers, flags, refused = outputs
    rules = settings[0]
    # Numba lets indices count from the end unless their type has no sign.
    end = np.uint64(span[1])
    events = 0
    for first in range(np.uint64(span[0]), end, _BLOCK):
        last = min(first + _BLOCK, end)
        for i in range(first, last):
            events += act(tasks, tables, rules, actions[i], i, rewards, flags, refused, cards)
        for i in range(first, last):
            report(tasks[i], i, numbers, flags)
            settle(tasks[i], rules, i, 0, masks[i], rewards, flags, refused, totals)
            show(tasks, tables, i, observations)
    return events


@array_kernel
def step_tasks(
    tasks: Any, tables: Any, settings: Any, actions: Any, outputs: Any, totals: Any
) -> int:
    """Step all tasks on the calling thread; see `step_range`."""
    span = (0, tasks.shape[0])
    cards = np.empty(DECK_SIZE, np.uint8)
    return step_range(tasks, tables, settings, actions, outputs, totals[0], span, cards)


@parallel_kernel
def step_tasks_parallel(
    tasks: Any, tables: Any, settings: Any, actions: Any, outputs: Any, totals: Any
) -> int:
    """Step all tasks in as many equal parts as ``totals`` has records, on Numba's threads."""
    parts = totals.shape[0]
    count = tasks.shape[0]
    events = 0
    for part in numba.prange(parts):
        span = (count * part // parts, count * (part + 1) // parts)
        cards = np.empty(DECK_SIZE, np.uint8)
        events += step_range(tasks, tables, settings, actions, outputs, totals[part], span, cards)
    return events
