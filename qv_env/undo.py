"""The task with undo: action 269 takes the last operation back, as in the app.

Stepping with undo has a kernel of its own around those of `qv_env.task`, so that environments
without it neither pay for histories nor compile this.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qv_env import engine, stepping, task
from qv_env.actions import NUM_ACTIONS
from qv_env.cards import DECK_SIZE
from qv_env.features import set_up_tables
from qv_env.history import UNDO, remember, undo_last
from qv_env.jit import array_kernel, kernel
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


@array_kernel
def step_tasks(
    tasks: Any,
    tables: Any,
    settings: Any,
    actions: Any,
    outputs: Any,
    totals: Any,
    histories: Any,
) -> int:
    """Step all tasks; see `qv_env.stepping.step_range`, whose masks are one entry longer here.

    Args:
        tasks: Record array of type `TASK`, shape ``(n,)``.
        tables: As in `qv_env.task`.
        settings: Record array of type `SETTINGS`, shape ``(1,)``.
        actions: int64 of shape ``(n,)``.
        outputs: As in `step_range`; masks are int8 of shape ``(n, 270)``.
        totals: Record array of type `TOTALS`; the first is added to.
        histories: Record array of type `HISTORY`, shape ``(n,)``.
    """
    observations, masks, rewards, numbers, flags, refused = outputs
    rules = settings[0]
    cards = np.empty(DECK_SIZE, np.uint8)
    events = 0
    for i in range(tasks.shape[0]):
        now, history = tasks[i], histories[i]
        if actions[i] == UNDO and not now["finished"]:
            _take_back(tasks, tables, history, i, rewards, flags, refused)
        else:
            _act(tasks, tables, history, rules, actions[i], i, rewards, flags, refused, cards)
        task.report(now, i, numbers, flags)
        events += flags[task.BEGUN, i] or refused[i] != engine.LEGAL
        operations = int(history["count"])
        mask = masks[i, :NUM_ACTIONS]
        stepping.settle(now, rules, i, operations, mask, rewards, flags, refused, totals[0])
        if now["terminated"]:
            history["count"] = 0
        task.show(tasks, tables, i, observations)
        masks[i, UNDO] = history["count"] > 0
    return events


@kernel
def _act(
    tasks: Any,
    tables: Any,
    history: Any,
    settings: Any,
    action: int,
    i: int,
    rewards: Any,
    flags: Any,
    refused: Any,
    cards: Any,
) -> None:
    """Like `stepping.act`, which it calls; keeps the history of game ``i``."""
    stepping.act(tasks, tables, settings, action, i, rewards, flags, refused, cards)
    if flags[task.BEGUN, i]:
        history["count"] = 0
    elif refused[i] == engine.LEGAL:
        remember(history, action, np.int64(rewards[i]))


@kernel
def _take_back(
    tasks: Any, tables: Any, history: Any, i: int, rewards: Any, flags: Any, refused: Any
) -> None:
    """Undo the last operation of game ``i``, in the place of an action."""
    game = tasks[i]["game"]
    before = np.int64(game["score"])
    refused[i] = NOTHING_TO_UNDO
    if history["count"] > 0:
        refused[i] = engine.LEGAL
        undo_last(game, history)
        if tables is not None:
            set_up_tables(game, tables[i])
    rewards[i] = np.int64(game["score"]) - before
    flags[task.BEGUN, i] = False
    stepping.count_ply(tasks[i])
