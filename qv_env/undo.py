"""The task with undo: action 269 takes the last operation back, as in the app.

Stepping with undo has a kernel of its own around those of `qv_env.task`, so that environments
without it neither pay for histories nor compile this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qv_env import engine, task
from qv_env.features import set_up_tables
from qv_env.history import UNDO, remember, undo_last
from qv_env.jit import kernel
from qv_env.mask import drop_take_backs, write_mask
from qv_env.refusals import NOTHING_TO_UNDO


@kernel
def refusal(game_task: Any, history: Any, settings: Any, action: int) -> int:
    """Return why the environment refuses an action, `UNDO` among them, or `engine.LEGAL`."""
    if action == UNDO:
        return engine.LEGAL if history["count"] > 0 else NOTHING_TO_UNDO
    return task.refusal(game_task, settings, action)


@kernel
def first_refused(tasks: Any, histories: Any, settings: Any, actions: Any) -> int:
    """Return the index of the first task whose action is refused, or -1."""
    for i in range(tasks.shape[0]):
        if not tasks[i]["finished"]:
            code = refusal(tasks[i], histories[i], settings[0], actions[i])
            if code != engine.LEGAL:
                return i
    return -1


@kernel
def step_tasks(
    tasks: Any,
    raw: Any,
    tables: Any,
    settings: Any,
    actions: Any,
    outputs: Any,
    totals: Any,
    histories: Any,
) -> None:
    """Step all tasks; see `qv_env.task.step_range`, whose masks are one entry longer here.

    Args:
        tasks: Record array of type `TASK`, shape ``(n,)``.
        raw: The same memory as bytes.
        tables: As in `qv_env.task`.
        settings: Record array of type `SETTINGS`, shape ``(1,)``.
        actions: int64 of shape ``(n,)``.
        outputs: As in `step_range`; masks are int8 of shape ``(n, 270)``.
        totals: Record array of type `TOTALS`; the first is added to.
        histories: Record array of type `HISTORY`, shape ``(n,)``.
    """
    observations, masks, rewards, numbers, flags, refused = outputs
    rules = settings[0]
    for i in range(tasks.shape[0]):
        now, history = tasks[i], histories[i]
        flags[task.BEGUN, i] = now["finished"]
        if now["finished"]:
            task.next_episode(tasks, tables, rules, i)
            history["count"] = 0
            rewards[i] = 0.0
            flags[task.TERMINATED, i] = False
            flags[task.TRUNCATED, i] = False
            refused[i] = engine.LEGAL
        else:
            refused[i] = _step(tasks, tables, history, rules, actions[i], i, rewards, flags)
            totals[0]["refused"] += refused[i] != engine.LEGAL
            if now["finished"]:
                task.add_to_totals(now, totals[0], flags, i)
        task.show(tasks, raw, tables, rules, i, observations, masks)
        task.report(now, i, numbers, flags)
        masks[i, UNDO] = history["count"] > 0


@kernel
def _step(
    tasks: Any,
    tables: Any,
    history: Any,
    settings: Any,
    action: int,
    i: int,
    rewards: Any,
    flags: Any,
) -> int:
    """Advance the episode of game ``i`` by one ply; return the refusal code of the action."""
    now = tasks[i]
    game = now["game"]
    before = np.int64(game["score"])
    if action == UNDO:
        code = refusal(now, history, settings, action)
        if code == engine.LEGAL:
            undo_last(game, history)
            _open_mask(now, settings)
            if tables is not None:
                set_up_tables(game, tables[i])
        change = np.float64(np.int64(game["score"]) - before)
        rewards[i] = 0.0 if settings["win_reward"] else change
        now["total_reward"] += rewards[i]
        now["plies_left"] -= 1
        now["plies"] += 1
        flags[task.TERMINATED, i] = code != engine.LEGAL and settings["terminate_illegal"]
        if flags[task.TERMINATED, i]:
            task.close_mask(now["mask"])
    else:
        code = task.step_task(tasks, tables, settings, action, i, rewards, flags)
        if code == engine.LEGAL:
            remember(history, action, np.int64(game["score"]) - before)
            if flags[task.TERMINATED, i] and not engine.is_won(game):
                # No move is left, but the undo is.
                flags[task.TERMINATED, i] = False
                _open_mask(now, settings)
    flags[task.TRUNCATED, i] = now["plies_left"] == 0 and not flags[task.TERMINATED, i]
    now["finished"] = flags[task.TERMINATED, i] or flags[task.TRUNCATED, i]
    if flags[task.TERMINATED, i]:
        history["count"] = 0
    return code


@kernel
def _open_mask(now: Any, settings: Any) -> None:
    """Write the mask of a running game from scratch."""
    write_mask(now["game"], now["mask"])
    if not settings["takebacks"]:
        drop_take_backs(now["game"], now["mask"])
