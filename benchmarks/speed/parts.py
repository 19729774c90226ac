"""Where a step's time goes: each of its parts alone, over the same games in the same positions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from qv_env import stepping, task
from qv_env.cards import DECK_SIZE
from qv_env.jit import kernel
from speed.answering import run_for
from speed.playing import playing
from speed.rows import Row

GAMES: Final = 1024


@kernel
def act_all(tasks: Any, rules: Any, actions: Any, outputs: Any, cards: Any) -> None:
    """Make every action, and deal where a game has ended."""
    _, _, rewards, _, flags, refused = outputs
    for i in range(np.uint64(tasks.shape[0])):
        stepping.act(tasks, None, rules[0], actions[i], i, rewards, flags, refused, cards)


@kernel
def deal_all(tasks: Any, rules: Any, cards: Any) -> None:
    """Deal where a game has ended."""
    for i in range(np.uint64(tasks.shape[0])):
        if tasks[i]["finished"]:
            task.next_episode(tasks, None, rules[0], i, cards)


@kernel
def report_all(tasks: Any, outputs: Any) -> None:
    """Write the numbers of every game."""
    _, _, _, numbers, flags, _ = outputs
    for i in range(np.uint64(tasks.shape[0])):
        task.report(tasks[i], i, numbers, flags)


@kernel
def mask_all(tasks: Any, rules: Any, outputs: Any) -> None:
    """Write every mask."""
    masks = outputs[1]
    for i in range(np.uint64(tasks.shape[0])):
        task.write_open_mask(tasks[i]["game"], rules[0], masks[i])


@kernel
def settle_all(tasks: Any, rules: Any, outputs: Any, totals: Any) -> None:
    """Write masks, rewards and endings."""
    _, masks, rewards, _, flags, refused = outputs
    for i in range(np.uint64(tasks.shape[0])):
        stepping.settle(tasks[i], rules[0], i, 0, masks[i], rewards, flags, refused, totals[0])


@kernel
def show_all(tasks: Any, outputs: Any) -> None:
    """Write every observation."""
    for i in range(np.uint64(tasks.shape[0])):
        task.show(tasks, None, i, outputs[0])


class Games(NamedTuple):
    """What the parts work on: the arrays of a batch, as its kernels take them."""

    tasks: Any
    rules: Any
    outputs: Any
    totals: Any
    cards: Any


class Part(NamedTuple):
    """A part of a step.

    Attributes:
        key: Name in the JSON file.
        name: What it is, for people.
        run: Does this part of the step of all games, given their actions.
        first: Whether it comes before the move.
    """

    key: str
    name: str
    run: Callable[[Games, Any], None]
    first: bool = False


PARTS: Final = (
    Part("part_act", "check and make the move, deal where a game has ended",
         lambda g, actions: act_all(g.tasks, g.rules, actions, g.outputs, g.cards), first=True),
    Part("part_deal", "– of it: deal where a game has ended",
         lambda g, _: deal_all(g.tasks, g.rules, g.cards), first=True),
    Part("part_report", "score, moves, foundation cards, deal number",
         lambda g, _: report_all(g.tasks, g.outputs)),
    Part("part_settle", "mask, reward, ending",
         lambda g, _: settle_all(g.tasks, g.rules, g.outputs, g.totals)),
    Part("part_mask", "– of it: mask", lambda g, _: mask_all(g.tasks, g.rules, g.outputs)),
    Part("part_show", "observation", lambda g, _: show_all(g.tasks, g.outputs)),
)  # fmt: skip


def part_rows() -> Iterator[Row]:
    """Yield a row for each part."""
    for part in PARTS:
        yield Row(key=part.key, group="part", name=part.name, games=GAMES, threads="1",
                  measure=_measure(part))  # fmt: skip


def _measure(part: Part) -> Callable[[float], tuple[int, float]]:
    step = functools.cache(lambda: _stepper(part))

    def measure(seconds: float) -> tuple[int, float]:
        calls, spent = run_for(step(), seconds)
        return calls * GAMES, spent

    return measure


def _stepper(part: Part) -> Callable[[], float]:
    """Return a function that steps the games and times one part of the step."""
    batch, outputs, agent = playing(GAMES)
    games = Games(
        batch.tasks,
        batch.settings.record(),
        tuple(outputs),
        np.zeros(1, task.TOTALS),
        np.empty(DECK_SIZE, np.uint8),
    )

    def timed(actions: Any) -> float:
        saved = batch.tasks.copy()
        begin = time.perf_counter()
        part.run(games, actions)
        seconds = time.perf_counter() - begin
        batch.tasks[:] = saved
        return seconds

    def step() -> float:
        actions = agent.act(outputs.observations, outputs.masks)
        if part.first:
            seconds = timed(actions)
            batch.step(actions, outputs)
        else:
            batch.step(actions, outputs)
            seconds = timed(actions)
        return seconds

    return step
