"""Playing each of some deals once with an agent.

The numbers, times apart, depend on the agent, the deals and the seed; not on how many games are
played side by side, on the number of threads, or on the order of the deals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agents.agent import Actions, Agent, Rows, check_env_kwargs
from agents.chance import game_seed
from qv_env import QuaranteVoleursVectorEnv
from qv_env.actions import ACTIONS, NUM_ACTIONS, action_text
from qv_env.deals import Deal
from qv_env.sizes import FULL

DEFAULT_BATCH: Final = 256

_WARM_UP_DEAL: Final = 0  # of the train split
_DECIMALS_OF_SECONDS: Final = 6

IS_WASTE_PLAY: Final = np.array(
    [action.source == FULL.waste_pile and action.destination < FULL.columns for action in ACTIONS]
)
"""Whether an action moves a card from the waste to a column, bool of shape ``(269,)``."""

Progress = Callable[[int], None]


class AgentError(Exception):
    """An agent did what no agent may do; the message is one line that says what and where."""


class Game(NamedTuple):
    """One deal as an agent played it.

    Attributes:
        deal: The deal's code.
        won: Whether all cards reached the foundations.
        truncated: Whether the game was cut off at the step limit.
        score: The app's score at the end.
        foundation_cards: Cards on the foundations at the end, 0 to 104.
        foundations: Foundations that are complete at the end, 0 to 8.
        waste_plays: Cards that went from the waste to a column, each worth 5 points.
        plies: Actions made, draws among them.
        seconds: Time the agent took to choose them: its share of the calls that it was part of.
        cpu_seconds: The same in processor time of the whole process, all its threads together.
        counts: What the agent counted of its work for the game; see `agents.agent.Agent`.
        actions: The actions in order.
    """

    deal: str
    won: bool
    truncated: bool
    score: int
    foundation_cards: int
    foundations: int
    waste_plays: int
    plies: int
    seconds: float
    cpu_seconds: float
    counts: Mapping[str, int]
    actions: tuple[int, ...]

    def untimed(self) -> Game:
        """Return the game without its times: what is the same whenever it is played."""
        return self._replace(seconds=0.0, cpu_seconds=0.0)


def play_deals(
    agent: Agent,
    deals: Sequence[Deal],
    *,
    seed: int = 0,
    batch: int = DEFAULT_BATCH,
    threads: int = 1,
    warm: bool = False,
    progress: Progress | None = None,
) -> list[Game]:
    """Let an agent play each deal once, and return the games in the order of the deals.

    Args:
        agent: Who plays.
        deals: What to play; at least one.
        seed: Fixes all chance in the agent's choices, together with each deal.
        batch: Most games played side by side.
        threads: Threads that step the games.
        warm: Whether `warm_up` has been called for the agent, so that it need not be done here.
        progress: Called with the number of games that have just ended.

    Raises:
        AgentError: The agent chose an illegal action, or something that is no action.
        ValueError: There are no deals, or a setting is wrong.
    """
    if not deals:
        raise ValueError("there are no deals to play")
    check_env_kwargs(agent)
    if not warm:
        warm_up(agent)
    table = _Table(agent, deals, batch=min(batch, len(deals)), threads=threads)
    seeds = np.array([game_seed(seed, deal.code) for deal in deals], np.uint64)
    with table.timing(np.flatnonzero(table.live)):
        agent.reset(seeds[table.playing])
    while table.live.any():
        with table.timing(np.flatnonzero(table.live)):
            actions = agent.act(table.observations, table.masks)
        ended = table.step(_checked(actions, table, agent.name))
        if len(ended):
            begun = table.deal_next(ended)
            if len(begun):
                with table.timing(begun):
                    agent.reset(seeds[table.playing[begun]], begun)
            if progress is not None:
                progress(len(ended))
    return [game for game in table.games if game is not None]


def warm_up(agent: Agent) -> None:
    """Have an agent act once on a train deal, so that no game is charged for compilation."""
    env = QuaranteVoleursVectorEnv(1, **agent.env_kwargs)
    observations, infos = env.reset(options={"deal": _WARM_UP_DEAL})
    agent.reset(np.array([game_seed(0, infos["deal"][0])], np.uint64))
    agent.act(observations, infos["action_mask"])


class _Table:
    """Rows of games that are dealt from a list until it is used up.

    Attributes:
        observations: As the agent sees them, one row a game.
        masks: The action masks, int8 of shape ``(rows, 269)``.
        playing: Which deal of the list lies in each row.
        live: Which rows hold a running game.
        games: The games that have ended, by deal; None before.
    """

    def __init__(self, agent: Agent, deals: Sequence[Deal], *, batch: int, threads: int) -> None:
        self._env = QuaranteVoleursVectorEnv(
            batch, num_threads=threads, autoreset_mode=AutoresetMode.DISABLED, **agent.env_kwargs
        )
        self._agent = agent
        self._deals = deals
        self._next = batch
        self.games: list[Game | None] = [None] * len(deals)
        self.playing = np.arange(batch)
        self.live = np.ones(batch, np.bool_)
        self._plies = np.zeros(batch, np.int64)
        self._seconds = np.zeros((2, batch))  # of the clock, of the processor
        self._actions = np.zeros((batch, self._env.settings.max_episode_steps), np.int16)
        self.observations, infos = self._env.reset(options={"deal": list(deals[:batch])})
        self.masks: NDArray[np.int8] = infos["action_mask"]

    def where(self, row: int) -> str:
        """Return which deal and ply a row is at, for messages."""
        return f"deal {self._deals[self.playing[row]].code}, ply {self._plies[row] + 1}"

    @contextmanager
    def timing(self, rows: Rows) -> Iterator[None]:
        """Divide the time that the block takes among the games of some rows."""
        start = time.perf_counter(), time.process_time()
        yield
        end = time.perf_counter(), time.process_time()
        self._seconds[:, rows] += np.subtract(end, start)[:, None] / len(rows)

    def step(self, actions: Actions) -> Rows:
        """Make an action in every running game, and return the rows whose games have ended."""
        last_observations, last_masks = self.observations, self.masks
        actions = np.where(self.live, actions, 0)
        self.observations, _, terminated, truncated, infos = self._env.step(actions)
        self.masks = infos["action_mask"]
        self._refuse(actions, infos)
        playing = np.flatnonzero(self.live)
        self._actions[playing, self._plies[playing]] = actions[playing]
        idle = ~self.live
        if idle.any():
            self.observations = np.where(idle[:, None], last_observations, self.observations)
            self.masks = np.where(idle[:, None], last_masks, self.masks)
        self._plies += 1
        done = terminated | truncated
        ended = np.flatnonzero(done & self.live)
        for row in ended.tolist():
            self.games[self.playing[row]] = self._game(row, infos, truncated=truncated[row])
        self.live[ended] = False
        self._restart_idle(done & idle)
        return ended

    def deal_next(self, ended: Rows) -> Rows:
        """Deal the next deals to rows whose games have ended, and return the rows that got one."""
        begun = ended[: len(self._deals) - self._next]
        self.playing[begun] = np.arange(self._next, self._next + len(begun))
        self._next += len(begun)
        self.live[begun] = True
        self._plies[begun] = 0
        self._seconds[:, begun] = 0
        # The environment steps all rows or none, so that rows without a deal play their last one
        # again, unseen.
        observations, infos = self._reset(ended)
        fresh = np.isin(np.arange(len(self.live)), begun)[:, None]
        self.observations = np.where(fresh, observations, self.observations)
        self.masks = np.where(fresh, infos["action_mask"], self.masks)
        return begun

    def _restart_idle(self, done: NDArray[np.bool_]) -> None:
        if done.any():
            self._reset(np.flatnonzero(done))

    def _reset(self, rows: Rows) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        chosen = np.zeros(len(self.live), np.bool_)
        chosen[rows] = True
        deals = [self._deals[self.playing[i]] if chosen[i] else None for i in range(len(chosen))]
        return self._env.reset(options={"deal": deals, "reset_mask": chosen})

    def _game(self, row: int, infos: Mapping[str, Any], *, truncated: bool) -> Game:
        plies = int(self._plies[row])
        actions = self._actions[row, :plies]
        seconds, cpu_seconds = self._seconds[:, row].round(_DECIMALS_OF_SECONDS).tolist()
        heights = self._env.states["foundations"][row]
        counts: Mapping[str, NDArray[Any]] = getattr(self._agent, "counts", {})
        return Game(
            deal=self._deals[self.playing[row]].code,
            won=bool(infos["is_success"][row]),
            truncated=bool(truncated),
            score=int(infos["score"][row]),
            foundation_cards=int(infos["foundation_cards"][row]),
            foundations=int(np.count_nonzero(heights == FULL.ranks)),
            waste_plays=int(np.count_nonzero(IS_WASTE_PLAY[actions])),
            plies=plies,
            seconds=seconds,
            cpu_seconds=cpu_seconds,
            counts={name: int(count[row]) for name, count in counts.items()},
            actions=tuple(actions.tolist()),
        )

    def _refuse(self, actions: Actions, infos: Mapping[str, Any]) -> None:
        refused = np.flatnonzero(infos.get("_refused", False) & self.live)
        for row in refused[:1]:
            raise AgentError(
                f"agent {self._agent.name} chose {action_text(int(actions[row]))} "
                f"({self.where(row)}): {infos['refused'][row]}"
            )


def _checked(actions: Any, table: _Table, agent_name: str) -> Actions:
    """Return an agent's actions as int64, or raise an `AgentError` where they are none."""
    array = np.asarray(actions)
    if array.shape != table.live.shape or not np.issubdtype(array.dtype, np.integer):
        raise AgentError(
            f"agent {agent_name} must return whole numbers of shape {table.live.shape}; "
            f"got {array.dtype} of shape {array.shape}"
        )
    wrong = np.flatnonzero(((array < 0) | (array >= NUM_ACTIONS)) & table.live)
    for row in wrong[:1]:
        raise AgentError(
            f"agent {agent_name} chose {array[row]} ({table.where(row)}), which is no action: "
            f"actions lie in [0, {NUM_ACTIONS - 1}]"
        )
    return array.astype(np.int64)
