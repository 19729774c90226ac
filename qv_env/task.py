"""The game as a decision problem: episodes, rewards, endings and what the agent is shown.

A *task* is one record of type `TASK`: a game, its episode, and where its deals come from. Its
first bytes are the `cards` observation, so that stepping the game updates the observation too.

The environments, single and vector, are thin shells around `start_tasks` and the kernels of
`qv_env.stepping`.

Kernels take ``tables``, a record array of type `qv_env.features.TABLES` with one record a game,
where features are observed, and None otherwise. Numba compiles the two apart and leaves all that
stands behind ``tables is not None`` out of the second.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from qv_env import engine
from qv_env.actions import ACTIONS, NUM_ACTIONS
from qv_env.cards import DECK_SIZE
from qv_env.features import follow_move, set_up_tables, write_from_tables
from qv_env.jit import array_kernel, kernel
from qv_env.lanes import copy_record
from qv_env.mask import any_set, drop_take_backs, keep_canonical, take_back_count, write_mask
from qv_env.refusals import NOT_AN_ACTION, TAKE_BACKS_OFF
from qv_env.shuffle import episode_deal, fill_deck, shuffle

EXPLICIT_DEAL: Final = -1
STREAM_DEAL: Final = -1

_SPARE_BYTES: Final = 2
TASK: Final = np.dtype(
    [
        ("plies_left", np.uint16),
        ("game", engine.STATE),
        ("finished", np.bool_),
        ("terminated", np.bool_),
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
def deal_number_to(task: Any, number: Any, cards: Any) -> None:
    """Deal a numbered game into a task, without touching its episode.

    Args:
        task: Record of type `TASK`.
        number: The deal's number.
        cards: uint8 of shape ``(104,)`` to shuffle the cards in.
    """
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
    task["terminated"] = False
    if tables is not None:
        set_up_tables(task["game"], tables[i])


@kernel
def next_episode(tasks: Any, tables: Any, settings: Any, i: int, cards: Any) -> None:
    """Deal the next game of the stream of task ``i`` and start an episode on it."""
    task = tasks[i]
    number = episode_deal(
        task["seed"], task["episode"], settings["first_deal"], settings["deal_count"]
    )
    task["episode"] += np.uint64(1)
    deal_number_to(task, number, cards)
    begin_episode(tasks, tables, settings, i)


@array_kernel
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
    cards = np.empty(DECK_SIZE, np.uint8)
    for k in range(rows.shape[0]):
        row = rows[k]
        if numbers[k] == STREAM_DEAL:
            next_episode(tasks, tables, settings[0], row, cards)
        else:
            tasks[row]["episode"] += np.uint64(1)
            deal_number_to(tasks[row], numbers[k], cards)
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
def may_make(game: Any, settings: Any, action: int) -> bool:
    """Return whether the environment lets an action be made."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if action >= NUM_ACTIONS - take_back_count(game) and not settings["takebacks"]:
        return False
    return engine.fits(game, int(_SOURCES[action]), int(_DESTINATIONS[action]))


@kernel
def play(tasks: Any, tables: Any, i: int, action: int) -> int:
    """Make a legal action in game ``i`` and keep its tables up to date.

    Returns:
        The score's change.
    """
    game = tasks[i]["game"]
    source, destination = int(_SOURCES[action]), int(_DESTINATIONS[action])
    change = engine.move(game, source, destination)
    if tables is not None:
        follow_move(game, tables[i], source, destination)
    return change


@kernel
def write_open_mask(game: Any, settings: Any, mask: Any) -> bool:
    """Write what the environment lets a running game do, int8 of shape ``(269,)``.

    Returns:
        Whether that is anything.
    """
    movable = write_mask(game, mask)
    if settings["takebacks"]:
        return movable
    drop_take_backs(game, mask)
    return any_set(mask)


@kernel
def finish_mask(task: Any, settings: Any, mask: Any) -> None:
    """Turn what a game may do into the mask that its agent is shown."""
    if task["terminated"]:
        # Action 0 alone, a placeholder: no action does anything.
        for action in range(NUM_ACTIONS):
            mask[action] = action == 0
    elif settings["canonical"]:
        keep_canonical(task["game"], mask)


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
def show(tasks: Any, tables: Any, i: int, observations: Any) -> None:
    """Write the observation of game ``i``.

    Args:
        tasks: Record array of type `TASK`.
        tables: See the module.
        i: Row to write.
        observations: uint8; as many bytes a row as the observation has.
    """
    task = tasks[i]
    if tables is not None:
        write_from_tables(task["game"], tables[i], task["plies_left"], observations[i])
    elif observations.shape[1] == CARDS_BYTES:
        copy_record(task, CARDS_BYTES, observations[i])
    else:
        copy_record(task, OPEN_CARDS_BYTES, observations[i])


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
def show_tasks(tasks: Any, tables: Any, settings: Any, rows: Any, outputs: Any) -> None:
    """Write observation, mask and report of some games, without stepping."""
    observations, masks, _, numbers, flags, _ = outputs
    for row in rows:
        mask = masks[row, :NUM_ACTIONS]
        write_open_mask(tasks[row]["game"], settings[0], mask)
        finish_mask(tasks[row], settings[0], mask)
        show(tasks, tables, row, observations)
        report(tasks[row], row, numbers, flags)
