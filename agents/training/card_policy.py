"""A policy that scores moves by pairs of what they begin and end with."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from agents.training.card_network import DESTINATIONS, SOURCES, CardNetwork
from agents.training.policies import LeanMaskablePolicy
from qv_env.engine import destination_of, new_state, source_of
from qv_env.sizes import FULL


def action_pairs() -> Tensor:
    """Return, for all actions but the draw, the place of its pair: source times destinations."""
    state = new_state()
    pairs = []
    for action in range(1, FULL.actions):
        source, goal = source_of(state, action), destination_of(state, action)
        # Piles count the waste between columns and foundations; it is no destination.
        pairs.append(source * DESTINATIONS + goal - (goal > FULL.waste_pile))
    return torch.tensor(pairs)


class PairHead(nn.Module):
    """Scores each move by the embeddings of its source and its destination, and the draw.

    Args:
        width: Width of the embeddings of sources and destinations.
        table_width: Width of the table's embedding.
    """

    def __init__(self, width: int, table_width: int) -> None:
        super().__init__()
        self.width, self.table_width = width, table_width
        self.keys = nn.Linear(width, width)
        self.source = nn.Linear(width, 1)
        self.goal = nn.Linear(width, 1)
        self.draw = nn.Linear(table_width, 1)
        self.register_buffer("pairs", action_pairs(), persistent=False)

    def forward(self, features: Tensor) -> Tensor:
        """Return logits ``(n, 269)`` of features as `CardNetwork` gives them."""
        ends = (SOURCES + DESTINATIONS) * self.width
        moves = features[:, :ends].reshape(len(features), -1, self.width)
        sources, goals = moves[:, :SOURCES], moves[:, SOURCES:]
        scores = self.keys(sources) @ goals.transpose(1, 2) / math.sqrt(self.width)
        scores = scores + self.source(sources) + self.goal(goals).transpose(1, 2)
        pairs: Any = self.pairs
        draw = self.draw(features[:, ends:])
        return torch.cat([draw, scores.flatten(1).index_select(1, pairs)], 1)


class TableView(nn.Module):
    """Hands all features to the policy's head and the table's embedding to the value's.

    Args:
        features_dim: Width of all features.
        table_width: Width of the table's embedding, with which features end.
        value_width: Width of the hidden layer of the value.
    """

    def __init__(self, features_dim: int, table_width: int, value_width: int) -> None:
        super().__init__()
        self.latent_dim_pi, self.latent_dim_vf = features_dim, value_width
        self.table_width = table_width
        self.value_net = nn.Sequential(nn.Linear(table_width, value_width), nn.ReLU())

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the policy's head and the value's head read."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        """Return what the policy's head reads."""
        return features

    def forward_critic(self, features: Tensor) -> Tensor:
        """Return what the value's head reads."""
        hidden: Tensor = self.value_net(features[:, -self.table_width :])
        return hidden


class CardPolicy(LeanMaskablePolicy):
    """A policy of MaskablePPO over `CardNetwork`; takes ``cards`` observations.

    Args:
        arguments: As sb3-contrib gives them.
        keywords: The same. ``features_extractor_kwargs`` are those of `CardNetwork`, and
            ``net_arch`` may hold one number, the width of the value's hidden layer.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        keywords.setdefault("features_extractor_class", CardNetwork)
        keywords.setdefault("net_arch", [64])
        # Made for deep stacks of plain layers; with residual ones all grows with each round.
        keywords.setdefault("ortho_init", False)
        super().__init__(*arguments, **keywords)

    def _build_mlp_extractor(self) -> None:
        network = self._network()
        self.mlp_extractor: Any = TableView(
            network.features_dim, network.table_width, self._value_width()
        )

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        network = self._network()
        self.action_net = PairHead(network.width, network.table_width)
        # That of the base class knows the head that has just been replaced.
        kind: Any = self.optimizer_class
        self.optimizer = kind(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def _network(self) -> CardNetwork:
        network = self.features_extractor
        if not isinstance(network, CardNetwork):
            raise TypeError(
                f"CardPolicy needs a features_extractor_class derived from CardNetwork, "
                f"got {type(network).__name__}"
            )
        return network

    def _value_width(self) -> int:
        widths: Any = self.net_arch
        if not isinstance(widths, list) or len(widths) != 1 or not isinstance(widths[0], int):
            raise ValueError(
                f"net_arch of CardPolicy holds one number, the width of the value's hidden "
                f"layer; got {widths!r}"
            )
        return int(widths[0])
