"""Rounds of expert iteration: play, fit the value; teach, fit the ranking; and again, stronger.

Files of a run's folder, beside ``config.yaml``:

```
outcomes-R/      shards of the games that round R's value network learned from
lessons-R/       shards of the decisions that a teacher rated in round R
learned-R.npz    both networks after round R: ``--agent planner:weights=FILE``
figures.json     how well the networks foretell deals held out, round by round
```
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from agents.expert.config import ExpertConfig
from agents.expert.lessons import lessons, outcomes
from agents.expert.ranking_fit import fit_ranking
from agents.expert.shards import Shards, make_shards
from agents.expert.value_fit import fit_value
from agents.search import value
from agents.search.network import read_net, write_net
from agents.search.player import CHOICES, new_player
from agents.training.run_folder import write_json

_GAMES_A_SHARD = {"outcomes": 500, "lessons": 25}


class Iteration:
    """Expert iteration in a folder; what is there already is not made again.

    Args:
        folder: Where the files are kept.
        config: What to do.
        console: Where to report.
    """

    def __init__(self, folder: Path, config: ExpertConfig, console: Console) -> None:
        self._folder, self._config, self._console = folder, config, console
        self._figures_file = folder / "figures.json"

    @property
    def finished(self) -> bool:
        """Whether all rounds are done."""
        return self._learned(self._config.rounds).is_file()

    def run(self) -> None:
        """Play and fit what is left.

        Raises:
            TrainingError: A loss is no number any more.
            OSError: A file cannot be written.
        """
        torch.set_num_threads(self._config.processes)
        for round_number in range(1, self._config.rounds + 1):
            if self._learned(round_number).is_file():
                continue
            draft = self._folder / f".learned-{round_number}.npz"
            draft.unlink(missing_ok=True)
            figures = {"round": round_number, **self._fit_value(round_number, draft)}
            figures |= self._fit_ranking(round_number, draft)
            self._note(figures)
            draft.replace(self._learned(round_number))
        self._report()

    def _fit_value(self, round_number: int, draft: Path) -> dict[str, float]:
        config = self._config.outcomes
        player = new_player(learned=self._player_file(round_number), nodes=config.nodes)
        shards = self._shards("outcomes", config.games, round_number)
        self._make(shards, outcomes, player)
        net, figures = fit_value(shards.read(), self._config.value, self._config.seed)
        write_net(draft, "value", net)
        return {f"value_{name}": number for name, number in figures.items()}

    def _fit_ranking(self, round_number: int, draft: Path) -> dict[str, float]:
        config = self._config.teacher
        player = new_player(
            learned=self._player_file(round_number),
            nodes=config.nodes,
            playout_nodes=config.playout_nodes,
            candidates=CHOICES,
            worlds=config.worlds,
            horizon=config.horizon,
        )
        player["value"] = read_net(draft, "value", value.NET)
        self._make(self._shards("lessons", config.games, round_number), lessons, player)
        known = [
            self._shards("lessons", config.games, earlier).read()
            for earlier in range(1, round_number + 1)
        ]
        net, figures = fit_ranking(np.concatenate(known), self._config.ranking, self._config.seed)
        write_net(draft, "ranking", net)
        return {f"ranking_{name}": number for name, number in figures.items()}

    def _player_file(self, round_number: int) -> Path | None:
        """Return the networks that a round begins with; None for the hand-tuned evaluation."""
        return self._learned(round_number - 1) if round_number > 1 else None

    def _learned(self, round_number: int) -> Path:
        return self._folder / f"learned-{round_number}.npz"

    def _shards(self, name: str, games: int, round_number: int) -> Shards:
        seed = (self._config.seed, round_number, len(name))
        return Shards(
            self._folder / f"{name}-{round_number}", games, min(games, _GAMES_A_SHARD[name]), seed
        )

    def _make(self, shards: Shards, play: Any, player: Any) -> None:
        title = shards.folder.name.capitalize()
        make_shards(shards, play, player, processes=self._config.processes, title=title)

    def _note(self, figures: dict[str, float]) -> None:
        write_json(self._figures_file, [*self._figures(), figures])

    def _figures(self) -> list[dict[str, float]]:
        if not self._figures_file.is_file():
            return []
        known: list[dict[str, float]] = json.loads(self._figures_file.read_text(encoding="utf-8"))
        return known

    def _report(self) -> None:
        rounds = self._figures()
        table = Table("on deals held out", *(f"round {int(row['round'])}" for row in rounds))
        for name in rounds[0]:
            if name != "round":
                table.add_row(name.replace("_", " "), *(f"{row[name]:.4g}" for row in rounds))
        self._console.print(table)
        last = self._learned(self._config.rounds)
        self._console.print(f"Try it: qv evaluate --agent planner:weights={last} --deals dev:200")
