"""Evaluation of a model in training, by the same code as ``qv evaluate``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from rich.table import Table

from agents.agent import ENV_KEYWORDS, Agent
from agents.comparison import compare
from agents.deal_lists import parse_deals
from agents.episode import play_episode
from agents.evaluate import play_deals
from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from agents.report import comparison_json, comparison_tables
from agents.sb3_agent import Sb3Agent
from agents.training.config import Config
from agents.training.curves import write_learning_curve
from agents.training.run_folder import RunFolder, write_json, write_text
from qv_env.episodes import episode_text

# All evaluations of a run share it, so that they differ by the policy only.
_SEED: Final = 0


def training_agent(model: Any, config: Config, name: str) -> Sb3Agent:
    """Return an agent that plays as a model does at this moment."""
    env = config.env.model_dump()
    env_kwargs = {key: env[key] for key in ENV_KEYWORDS}
    return Sb3Agent(
        model,
        name,
        env_kwargs,
        deterministic=config.deterministic,
        temperature=config.temperature,
    )


def quick_figures(model: Any, config: Config) -> dict[str, float]:
    """Return mean score, share of games won, foundation cards and plies on `Config.eval_deals`."""
    agent = training_agent(model, config, "model")
    games = play_deals(agent, parse_deals([config.eval_deals]), seed=_SEED)
    return {
        "score": float(np.mean([game.score for game in games])),
        "win_rate": float(np.mean([game.won for game in games])),
        "foundation_cards": float(np.mean([game.foundation_cards for game in games])),
        "plies": float(np.mean([game.plies for game in games])),
    }


def evaluate_and_draw(
    run: RunFolder,
    model: Any,
    config: Config,
    say: Callable[[str], None],
    show: Callable[[Sequence[Table]], None],
) -> None:
    """Compare a trained model with the random and the greedy agent on `Config.final_deals`.

    Writes the trained model's game of the first deal as an episode file, draws the learning curve,
    writes the evaluation, which marks the run as finished, and at last shows the tables: whatever
    becomes of them, the work is done.

    Args:
        run: The run.
        model: Its trained model.
        config: Its config.
        say: Prints a line.
        show: Prints tables.
    """
    deals = parse_deals([config.final_deals])
    name = run.path.resolve().name
    agents: list[Agent] = [training_agent(model, config, name)]
    # Agents that see the stock's order are never ranked with those that do not.
    if config.env.stock == "hidden":
        agents = [RandomAgent(), GreedyAgent(), *agents]
    say(f"Evaluating on deals {config.final_deals}, {len(deals)} in all")
    results = compare(agents, deals, seed=_SEED)
    write_text(run.episode, episode_text(play_episode(agents[-1], deals[0], seed=_SEED)))
    scores = {result.name: result.figures["score"].value for result in results}
    trained = results[-1]
    figures = {name: trained.figures[name].value for name in ("score", "win_rate")}
    scores.pop(trained.name)
    write_learning_curve(run, figures["score"], figures["win_rate"], scores)
    words = [word for spec in (*scores, str(run.path)) for word in ("--agent", spec)]
    command = shlex.join(["qv", "evaluate", *words, "--deals", config.final_deals])
    report = comparison_json(results, command=command, seed=_SEED, deals=[config.final_deals])
    write_json(run.evaluation, report)
    title = f"Deals {config.final_deals}, {len(deals)} in all"
    show(comparison_tables(results, title=title))
