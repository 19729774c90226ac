"""Our own rows: kernel, environments, adapter, deal, clone, planner's expansion, frames."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt
from rendering import DEAL, random_replay

from agents.sb3_vec_env import QuaranteVoleursSB3VecEnv
from qv_env import engine, task
from qv_env.actions import NUM_ACTIONS
from qv_env.deals import Deal
from qv_env.jit import separate_kernel
from qv_env.mask import canonical_key, write_mask
from qv_env.render import FRAME_SHAPE, render_rgb
from qv_env.settings import Settings
from speed.answering import run_for
from speed.playing import playing, random_agent
from speed.rows import Row

Stepper = Callable[[], float]

ENV: Final = "qv_env:QuaranteVoleurs-v0"
SIZES: Final = (1, 16, 256, 1024, 4096, 16384)
GROWTH_SIZES: Final = (4, 64, 65536)  # beside those of SIZES
THREADS: Final = (1, 2)
FEATURE_SIZES: Final = (1, 256, 1024, 4096)
KERNEL_SIZES: Final = (1024, 4096)
SB3_GAMES: Final = 256
FRAME_PLIES: Final = 300
_MANY: Final = 1000
_clock = time.perf_counter


def our_rows() -> Iterator[Row]:
    """Yield all rows of our own; each compiles what it needs when it is made."""
    for games in KERNEL_SIZES:
        yield _row(f"kernel_{games}", "kernel alone", games, functools.partial(bare, games))
    for threads, games in itertools.product(THREADS, SIZES):
        yield _vector(games, threads=threads)
    for games in GROWTH_SIZES:
        yield _vector(games)
    for games in FEATURE_SIZES:
        yield _vector(games, observation="features")
    yield _row("single", "single env", 1, single)
    yield _row("sb3", "stable-baselines3 adapter", SB3_GAMES, sb3)
    yield _row("deal", "deal", _MANY, dealing)
    yield _row("clone", "clone of a single env", 1, cloning)
    yield _row("expansion", "planner's expansion: apply, canonical key, undo", 1, expansion)
    yield _row("frame", "RGB frame {1} x {0}".format(*FRAME_SHAPE), 1, frames)


def _row(key: str, name: str, games: int, make: Callable[[], Stepper], threads: int = 1) -> Row:
    step: Stepper | None = None

    def measure(seconds: float) -> tuple[int, float]:
        nonlocal step
        step = step or make()
        calls, spent = run_for(step, seconds)
        return calls * games, spent

    return Row(key=key, group="ours", name=name, games=games, threads=str(threads), measure=measure)


def _vector(games: int, *, threads: int = 1, observation: str = "cards") -> Row:
    make = functools.partial(vector, games, threads=threads, observation=observation)
    key = f"vector_{observation}_{games}_{threads}"
    return _row(key, f"vector env, {observation}", games, make, threads)


def vector(games: int, **keywords: Any) -> Stepper:
    """Return a function that steps a native vector environment, arrays of its own every step."""
    threads = keywords.pop("threads")
    envs: Any = gymnasium.make_vec(ENV, num_envs=games, num_threads=threads, **keywords)
    agent = random_agent(games)
    observations, infos = envs.reset(seed=0)
    masks = infos["action_mask"]

    def step() -> float:
        nonlocal observations, masks
        actions = agent.act(observations, masks)
        begin = _clock()
        observations, _, _, _, infos = envs.step(actions)
        seconds = _clock() - begin
        masks = infos["action_mask"]
        return seconds

    return step


def bare(games: int) -> Stepper:
    """Return a function that steps games without any of Gymnasium's interface."""
    batch, outputs, agent = playing(games)

    def step() -> float:
        actions = agent.act(outputs.observations, outputs.masks)
        begin = _clock()
        batch.step(actions, outputs)
        return _clock() - begin

    return step


def single() -> Stepper:
    """Return a function that steps one game as ``gymnasium.make`` gives it; resets count."""
    env: Any = gymnasium.make(ENV)
    agent = random_agent(1)
    observation, info = env.reset(seed=0)

    def step() -> float:
        nonlocal observation, info
        action = int(agent.act(observation[None], info["action_mask"][None])[0])
        begin = _clock()
        observation, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            observation, info = env.reset()
        return _clock() - begin

    return step


def sb3() -> Stepper:
    """Return a function that steps the adapter for stable-baselines3."""
    envs = QuaranteVoleursSB3VecEnv(SB3_GAMES)
    envs.seed(0)
    agent = random_agent(SB3_GAMES)
    observations = envs.reset()

    def step() -> float:
        nonlocal observations
        actions = agent.act(observations, envs.action_masks().view(np.int8))
        begin = _clock()
        stepped, _, _, _ = envs.step(actions)
        seconds = _clock() - begin
        observations = np.asarray(stepped)
        return seconds

    return step


def dealing() -> Stepper:
    """Return a function that shuffles and lays out games, mask included."""
    tasks, settings = np.zeros(_MANY, task.TASK), Settings().record()
    rows = np.arange(_MANY)

    def step() -> float:
        numbers = rows.copy()
        begin = _clock()
        task.start_tasks(tasks, None, settings, rows, numbers)
        return _clock() - begin

    return step


def cloning() -> Stepper:
    """Return a function that clones a single environment."""
    env: Any = gymnasium.make(ENV).unwrapped
    env.reset(seed=0)

    def step() -> float:
        begin = _clock()
        env.clone()
        return _clock() - begin

    return step


def expansion() -> Stepper:
    """Return a function that expands, on average, one child of a position of random play."""
    replay = random_replay(Deal.from_code(DEAL), plies=FRAME_PLIES)
    states = itertools.cycle(replay.states.copy())
    children = len(replay.states) / _expand_all(replay.states.copy())

    def step() -> float:
        state = next(states)
        begin = _clock()
        _expand(state)
        return (_clock() - begin) * children

    return step


@separate_kernel
def _expand(state: Any) -> Any:
    """Visit every child of a position and return a digest of their keys."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    write_mask(state, mask)
    digest = np.uint64(0)
    for action in range(mask.shape[0]):
        if mask[action]:
            change = engine.apply(state, action)
            digest ^= canonical_key(state)
            engine.undo(state, action, change)
    return digest


def _expand_all(states: Any) -> int:
    """Expand every position and return the number of children of all."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    children = 0
    for state in states:
        write_mask(state, mask)
        children += int(mask.sum())
        _expand(state)
    return children


def frames() -> Stepper:
    """Return a function that draws a position into an array that is there already."""
    replay = random_replay(Deal.from_code(DEAL), plies=FRAME_PLIES)
    states = itertools.cycle(replay.states)
    frame: npt.NDArray[np.uint8] = np.empty(FRAME_SHAPE, np.uint8)

    def step() -> float:
        state = next(states)
        begin = _clock()
        render_rgb(state, deal=DEAL, out=frame)
        return _clock() - begin

    return step
