"""The game as a decision problem: episodes, rewards, endings and what the agent is shown.

A *task* is one record of type `TASK`: a game, its legal mask, and where its deals come from. Its
first bytes are the `cards` observation, so that stepping the game updates the observation too.

The environments, single and vector, are thin shells around `step_tasks` and `start_tasks`.

Kernels take ``tables``, a record array of type `qv_env.features.TABLES` with one record a game,
where features are observed, and None otherwise. Numba compiles the two apart and leaves all that
stands behind ``tables is not None`` out of the second.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np

from qv_env import engine
from qv_env.actions import ACTIONS, NUM_ACTIONS
from qv_env.cards import DECK_SIZE
from qv_env.features import follow_move, set_up_tables, write_from_tables
from qv_env.jit import kernel, parallel_kernel
from qv_env.mask import any_set, drop_take_backs, keep_canonical, take_back_count, update_mask
from qv_env.mask import write_mask as write_legal_mask
from qv_env.refusals import NOT_AN_ACTION, TAKE_BACKS_OFF
from qv_env.shuffle import episode_deal, fill_deck, shuffle

EXPLICIT_DEAL: Final = -1
STREAM_DEAL: Final = -1

_SPARE_BYTES: Final = 6
TASK: Final = np.dtype(
    [
        ("plies_left", np.uint16),
        ("game", engine.STATE),
        ("mask", np.int8, (NUM_ACTIONS,)),
        ("finished", np.bool_),
        # Fills the hole that alignment would leave, whose bytes copies do not keep.
        ("spare", np.uint8, (_SPARE_BYTES,)),
        ("deal_number", np.int64),
        ("seed", np.uint64),
        ("episode", np.uint64),
        ("plies", np.int64),
        ("total_reward", np.float64),
    ],
    align=True,
)

# Looking the piles of an action up is cheaper than working them out.
_SOURCES: Final = np.array([action.source for action in ACTIONS], np.uint8)
_DESTINATIONS: Final = np.array([action.destination for action in ACTIONS], np.uint8)

_PLIES_BYTES: Final = 2
CARDS_BYTES: Final = _PLIES_BYTES + engine.PUBLIC_BYTES
OPEN_CARDS_BYTES: Final = _PLIES_BYTES + engine.OPEN_BYTES

# What a step reports of each game, beside observation, mask and reward.
SCORE, MOVES, FOUNDATION_CARDS, DEAL_NUMBER = range(4)
NUMBERS: Final = 4
TERMINATED, TRUNCATED, IS_SUCCESS, BEGUN = range(4)
FLAGS: Final = 4

# Sums over the episodes that have ended.
TOTALS: Final = np.dtype(
    [
        ("episodes", np.int64),
        ("wins", np.int64),
        ("truncations", np.int64),
        ("score", np.int64),
        ("foundation_cards", np.int64),
        ("plies", np.int64),
        ("reward", np.float64),
        ("refused", np.int64),
    ]
)


@kernel
def deal_number_to(task: Any, number: Any) -> None:
    """Deal a numbered game into a task, without touching its episode."""
    cards = np.empty(DECK_SIZE, np.uint8)
    fill_deck(cards)
    shuffle(np.uint64(number), cards, 0)
    engine.deal(task["game"], cards)
    task["deal_number"] = number


@kernel
def begin_episode(tasks: Any, tables: Any, settings: Any, i: int) -> None:
    """Start an episode on the cards that lie in the game of task ``i``."""
    task = tasks[i]
    task["plies_left"] = settings["max_episode_steps"]
    task["plies"] = 0
    task["total_reward"] = 0.0
    task["finished"] = False
    write_legal_mask(task["game"], task["mask"])
    if not settings["takebacks"]:
        drop_take_backs(task["game"], task["mask"])
    if tables is not None:
        set_up_tables(task["game"], tables[i])


@kernel
def next_episode(tasks: Any, tables: Any, settings: Any, i: int) -> None:
    """Deal the next game of the stream of task ``i`` and start an episode on it."""
    task = tasks[i]
    number = episode_deal(
        task["seed"], task["episode"], settings["first_deal"], settings["deal_count"]
    )
    task["episode"] += np.uint64(1)
    deal_number_to(task, number)
    begin_episode(tasks, tables, settings, i)


@kernel
def start_tasks(tasks: Any, tables: Any, settings: Any, rows: Any, numbers: Any) -> None:
    """Start an episode in some tasks.

    Args:
        tasks: Record array of type `TASK`.
        tables: See the module.
        settings: Record array of type `SETTINGS`, shape ``(1,)``.
        rows: Which tasks, int64 of shape ``(k,)``.
        numbers: Deal numbers, int64 of shape ``(k,)``, or `STREAM_DEAL` where the next deal of
            the task's own stream is taken. Either counts as one episode of the stream.
    """
    for k in range(rows.shape[0]):
        row = rows[k]
        if numbers[k] == STREAM_DEAL:
            next_episode(tasks, tables, settings[0], row)
        else:
            tasks[row]["episode"] += np.uint64(1)
            deal_number_to(tasks[row], numbers[k])
            begin_episode(tasks, tables, settings[0], row)


@kernel
def lay_out(tasks: Any, tables: Any, settings: Any, row: int, cards: Any, number: int) -> None:
    """Put a given deal in the place of the one that a task has just been started with."""
    task = tasks[row]
    engine.deal(task["game"], cards)
    task["deal_number"] = number
    begin_episode(tasks, tables, settings[0], row)


@kernel
def refusal(task: Any, settings: Any, action: int) -> int:
    """Return why the environment refuses an action, or `engine.LEGAL`."""
    if action < 0 or action >= NUM_ACTIONS:
        return NOT_AN_ACTION
    game = task["game"]
    code = engine.refusal(game, action)
    takes_back = action >= NUM_ACTIONS - take_back_count(game)
    if code == engine.LEGAL and takes_back and not settings["takebacks"]:
        return TAKE_BACKS_OFF
    return code


@kernel
def first_refused(tasks: Any, settings: Any, actions: Any) -> int:
    """Return the index of the first task whose action is refused, or -1."""
    for i in range(tasks.shape[0]):
        if not tasks[i]["finished"] and refusal(tasks[i], settings[0], actions[i]) != engine.LEGAL:
            return i
    return -1


@kernel
def play(tasks: Any, tables: Any, settings: Any, i: int, action: int) -> int:
    """Make a legal action in game ``i``, keep mask and tables up to date.

    Returns:
        The score's change.
    """
    game, mask = tasks[i]["game"], tasks[i]["mask"]
    source, destination = int(_SOURCES[action]), int(_DESTINATIONS[action])
    change = engine.move(game, source, destination)
    update_mask(game, mask, source, destination)
    if not settings["takebacks"]:
        drop_take_backs(game, mask)
    if tables is not None:
        follow_move(game, tables[i], source, destination)
    return change


@kernel
def step_task(
    tasks: Any, tables: Any, settings: Any, action: int, i: int, rewards: Any, flags: Any
) -> int:
    """Advance the episode of game ``i`` by one ply; write its reward and flags.

    Returns:
        The refusal code of the action, `engine.LEGAL` where it was made.
    """
    task = tasks[i]
    game = task["game"]
    change = 0
    code = engine.LEGAL
    # The mask of a running game is the legal one, whatever mask the agent is shown.
    if 0 <= action < NUM_ACTIONS and task["mask"][action]:
        change = play(tasks, tables, settings, i, action)
    else:
        code = refusal(task, settings, action)
    task["plies_left"] -= 1
    task["plies"] += 1
    won = engine.is_won(game)
    terminated = (
        won
        or (code != engine.LEGAL and settings["terminate_illegal"])
        or (game["stock_count"] == 0 and not any_set(task["mask"]))
    )
    rewards[i] = np.float64(won) if settings["win_reward"] else np.float64(change)
    task["total_reward"] += rewards[i]
    flags[TERMINATED, i] = terminated
    flags[TRUNCATED, i] = task["plies_left"] == 0 and not terminated
    task["finished"] = flags[TERMINATED, i] or flags[TRUNCATED, i]
    if terminated:
        close_mask(task["mask"])
    return code


@kernel
def close_mask(mask: Any) -> None:
    """Leave only action 0, a placeholder: the game has ended, and no action does anything."""
    for action in range(mask.shape[0]):
        mask[action] = action == 0


@kernel
def add_to_totals(task: Any, totals: Any, flags: Any, i: int) -> None:
    """Count the episode of game ``i``, which has just ended."""
    game = task["game"]
    totals["episodes"] += 1
    totals["wins"] += engine.is_won(game)
    totals["truncations"] += flags[TRUNCATED, i]
    totals["score"] += game["score"]
    totals["foundation_cards"] += engine.foundation_cards(game)
    totals["plies"] += task["plies"]
    totals["reward"] += task["total_reward"]


@kernel
def show(
    tasks: Any, raw: Any, tables: Any, settings: Any, i: int, observations: Any, masks: Any
) -> None:
    """Write observation and mask of game ``i``.

    Args:
        tasks: Record array of type `TASK`.
        raw: The same memory as bytes, shape ``(n, TASK.itemsize)``.
        tables: See the module.
        settings: Settings record.
        i: Row to write.
        observations: uint8; as many bytes a row as the observation has.
        masks: int8 of shape ``(n, 269)``.
    """
    task = tasks[i]
    if tables is not None:
        write_from_tables(task["game"], tables[i], task["plies_left"], observations[i])
    else:
        for k in range(observations.shape[1]):
            observations[i, k] = raw[i, k]
    mask = task["mask"]
    for action in range(NUM_ACTIONS):
        masks[i, action] = mask[action]
    # A finished task's mask is a placeholder already, or is that of a position still alive.
    if settings["canonical"]:
        keep_canonical(task["game"], masks[i])


@kernel
def report(task: Any, i: int, numbers: Any, flags: Any) -> None:
    """Write score, moves, foundation cards, deal number and success of game ``i``."""
    game = task["game"]
    cards_up = engine.foundation_cards(game)
    numbers[SCORE, i] = game["score"]
    numbers[MOVES, i] = game["moves"]
    numbers[FOUNDATION_CARDS, i] = cards_up
    numbers[DEAL_NUMBER, i] = task["deal_number"]
    flags[IS_SUCCESS, i] = cards_up == DECK_SIZE


@kernel
def show_tasks(tasks: Any, raw: Any, tables: Any, settings: Any, rows: Any, outputs: Any) -> None:
    """Write observation, mask and report of some games, without stepping."""
    observations, masks, _, numbers, flags, _ = outputs
    for row in rows:
        show(tasks, raw, tables, settings[0], row, observations, masks)
        report(tasks[row], row, numbers, flags)


@kernel
def step_range(
    tasks: Any,
    raw: Any,
    tables: Any,
    settings: Any,
    actions: Any,
    outputs: Any,
    totals: Any,
    span: Any,
) -> None:
    """Step the tasks of a range; a finished one begins its next episode instead.

    Args:
        tasks: Record array of type `TASK`, shape ``(n,)``.
        raw: The same memory as bytes, shape ``(n, TASK.itemsize)``.
        tables: See the module.
        settings: Record array of type `SETTINGS`, shape ``(1,)``.
        actions: int64 of shape ``(n,)``; any value is accepted.
        outputs: Observations, masks, rewards (float64), numbers (int64, ``(4, n)``), flags (bool,
            ``(4, n)``) and refusal codes (uint8), all with one entry a game.
        totals: Record of type `TOTALS` to add to.
        span: First task and the one after the last.
    """
    observations, masks, rewards, numbers, flags, refused = outputs
    rules = settings[0]
    for i in range(span[0], span[1]):
        begins = tasks[i]["finished"]
        flags[BEGUN, i] = begins
        if begins:
            next_episode(tasks, tables, rules, i)
            rewards[i] = 0.0
            flags[TERMINATED, i] = False
            flags[TRUNCATED, i] = False
            refused[i] = engine.LEGAL
        else:
            refused[i] = step_task(tasks, tables, rules, actions[i], i, rewards, flags)
            totals["refused"] += refused[i] != engine.LEGAL
            if tasks[i]["finished"]:
                add_to_totals(tasks[i], totals, flags, i)
        show(tasks, raw, tables, rules, i, observations, masks)
        report(tasks[i], i, numbers, flags)


@kernel
def step_tasks(
    tasks: Any, raw: Any, tables: Any, settings: Any, actions: Any, outputs: Any, totals: Any
) -> None:
    """Step all tasks on the calling thread; see `step_range`."""
    span = (0, tasks.shape[0])
    step_range(tasks, raw, tables, settings, actions, outputs, totals[0], span)


@parallel_kernel
def step_tasks_parallel(
    tasks: Any, raw: Any, tables: Any, settings: Any, actions: Any, outputs: Any, totals: Any
) -> None:
    """Step all tasks in as many equal parts as ``totals`` has records, on Numba's threads."""
    parts = totals.shape[0]
    count = tasks.shape[0]
    for part in numba.prange(parts):
        span = (count * part // parts, count * (part + 1) // parts)
        step_range(tasks, raw, tables, settings, actions, outputs, totals[part], span)
