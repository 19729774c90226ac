"""Networks for observations that are rows of small whole numbers with known bounds."""

from __future__ import annotations

from typing import Any, Final, cast

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

DEFAULT_WIDTH: Final = 128


class ScaledTrunk(BaseFeaturesExtractor):
    """One wide layer that policy and value share, over entries scaled by their upper bounds.

    The first layer costs nearly all of the arithmetic of a small network on wide observations, so
    it is worth sharing. Entries are divided by the square roots of their bounds: left as they are,
    counts would drown the zeros and ones; divided by the bounds, a card more or less would not
    count.

    Args:
        observation_space: A ``Box`` whose upper bounds are positive.
        features_dim: Width of the layer.
    """

    def __init__(self, observation_space: spaces.Box, features_dim: int = DEFAULT_WIDTH) -> None:
        super().__init__(observation_space, features_dim)
        bounds = torch.as_tensor(observation_space.high, dtype=torch.float32)
        self.register_buffer("scale", bounds.rsqrt())
        self.layer = nn.Linear(int(bounds.numel()), features_dim)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the features, float32 ``(n, features_dim)``, of observations ``(n, length)``."""
        scale = cast(Any, self.scale)
        return torch.relu(self.layer(observations * scale))
