"""Proximal policy optimization on the native vector environment, all of it in this file.

    python examples/ppo.py --plies 2_000_000

A place to begin from with an algorithm of your own: games are stepped in one compiled call, masks
come with the infos, and games that end begin anew in the same step. It needs PyTorch and NumPy, and
none of the other packages of the extra [train]. In an hour on one core it learns less than
`configs/ppo.yaml` in minutes; it is here to be read.

Source: Schulman and others, "Proximal policy optimization algorithms", 2017; masks after Huang and
Ontañón, "A closer look at invalid action masking in policy gradient algorithms", 2020.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional

from qv_env import QuaranteVoleursVectorEnv

MASKED_LOGIT = -1e8


@dataclass(frozen=True)
class Settings:
    """What can be chosen on the command line; see `parse_arguments` for the words."""

    plies: int = 1_000_000
    games: int = 256
    steps: int = 64
    epochs: int = 3
    batch: int = 2048
    learning_rate: float = 1e-3
    discount: float = 0.999
    trace: float = 0.95  # lambda of generalized advantage estimation
    clip: float = 0.2
    entropy: float = 0.02
    value: float = 0.5
    reward_scale: float = 0.1
    seed: int = 0


class Net(nn.Module):
    """Logits of all actions and a value, of `features` observations.

    Args:
        bounds: The highest value of each entry, which it is scaled by.
        actions: Number of actions.
    """

    def __init__(self, bounds: Tensor, actions: int) -> None:
        super().__init__()
        self.register_buffer("scale", bounds.rsqrt())
        self.trunk = nn.Sequential(nn.Linear(len(bounds), 128), nn.ReLU())
        self.policy = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, actions))
        self.value = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits ``(n, actions)``, masked, and values ``(n,)``."""
        features = self.trunk(observations * self.scale)
        logits = self.policy(features).masked_fill(~masks, MASKED_LOGIT)
        return logits, self.value(features)[:, 0]


class Rollout:
    """Room for some plies of all games, each array of shape ``(steps, games, ...)``."""

    def __init__(self, settings: Settings, width: int, actions: int) -> None:
        shape = settings.steps, settings.games
        self.observations = torch.zeros(*shape, width)
        self.masks = torch.zeros(*shape, actions, dtype=torch.bool)
        self.actions = torch.zeros(shape, dtype=torch.long)
        self.log_probs, self.values = torch.zeros(shape), torch.zeros(shape)
        self.rewards, self.ends = torch.zeros(shape), torch.zeros(shape)
        self.advantages = torch.zeros(shape)

    def weigh(self, last_values: Tensor, discount: float, trace: float) -> None:
        """Work out the advantages: how much better it went than was expected."""
        following, advantage = last_values, torch.zeros_like(last_values)
        for t in reversed(range(len(self.rewards))):
            goes_on = 1 - self.ends[t]
            surprise = self.rewards[t] + discount * following * goes_on - self.values[t]
            advantage = surprise + discount * trace * goes_on * advantage
            self.advantages[t], following = advantage, self.values[t]


class Training:
    """The games, the network and its optimizer."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.envs = QuaranteVoleursVectorEnv(
            settings.games,
            observation="features",
            mask="canonical",
            takebacks=False,
            max_episode_steps=200,
            autoreset_mode="SameStep",
        )
        space = self.envs.single_observation_space
        actions = int(self.envs.single_action_space.n)
        self.net = Net(torch.as_tensor(space.high, dtype=torch.float32), actions)
        self.optimizer = torch.optim.Adam(
            self.net.parameters(), lr=settings.learning_rate, eps=1e-5
        )
        self.rollout = Rollout(settings, len(space.high), actions)
        # Seeds s and s + 1 would share all deals but one: a generator spreads them.
        seeds = np.random.default_rng(settings.seed).integers(2**62, size=settings.games)
        self.observations, infos = self.envs.reset(seed=seeds.tolist())
        self.masks = infos["action_mask"]
        self.plies = 0

    @torch.no_grad()
    def play(self) -> None:
        """Fill the rollout."""
        rollout, settings = self.rollout, self.settings
        for t in range(settings.steps):
            observations, masks = self._tensors()
            logits, values = self.net(observations, masks)
            distribution = Categorical(logits=logits, validate_args=False)
            actions = distribution.sample()
            rollout.observations[t], rollout.masks[t] = observations, masks
            rollout.actions[t], rollout.values[t] = actions, values
            rollout.log_probs[t] = distribution.log_prob(actions)
            step = self.envs.step(actions.numpy())
            self.observations, rewards, terminated, truncated, infos = step
            self.masks = infos["action_mask"]
            rewards = rewards * settings.reward_scale
            if truncated.any():
                # A game that was cut off would have gone on: what it was worth counts as earned.
                rewards[truncated] += settings.discount * self._values_of_cut(truncated, infos)
            rollout.rewards[t] = torch.as_tensor(rewards)
            rollout.ends[t] = torch.as_tensor(terminated | truncated)
            self.plies += settings.games
        _, last_values = self.net(*self._tensors())
        rollout.weigh(last_values, settings.discount, settings.trace)

    def _tensors(self) -> tuple[Tensor, Tensor]:
        observations = torch.as_tensor(self.observations, dtype=torch.float32)
        return observations, torch.as_tensor(self.masks != 0)

    def _values_of_cut(self, truncated: np.ndarray, infos: dict[str, np.ndarray]) -> np.ndarray:
        last = np.stack(infos["final_obs"][truncated].tolist()).astype(np.float32)
        everything = torch.ones(len(last), self.masks.shape[1], dtype=torch.bool)
        return self.net(torch.as_tensor(last), everything)[1].numpy()

    def learn(self) -> float:
        """Learn from the rollout, and return the mean entropy of the policy."""
        settings, rollout = self.settings, self.rollout
        flat = {name: array.flatten(0, 1) for name, array in vars(rollout).items()}
        returns = flat["advantages"] + flat["values"]
        entropies = []
        for _ in range(settings.epochs):
            for rows in torch.randperm(len(returns)).split(settings.batch):
                logits, values = self.net(flat["observations"][rows], flat["masks"][rows])
                distribution = Categorical(logits=logits, validate_args=False)
                log_probs = distribution.log_prob(flat["actions"][rows])
                advantages = flat["advantages"][rows]
                advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
                ratio = (log_probs - flat["log_probs"][rows]).exp()
                clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
                value_loss = functional.mse_loss(values, returns[rows])
                entropy = distribution.entropy().mean()
                loss = policy_loss + settings.value * value_loss - settings.entropy * entropy
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.optimizer.step()
                entropies.append(entropy.item())
        return float(np.mean(entropies))

    def run(self) -> float:
        """Train to the end, and return the mean score of the games that ended last."""
        start, score = time.perf_counter(), 0.0
        while self.plies < self.settings.plies:
            share = 1 - self.plies / self.settings.plies
            self.optimizer.param_groups[0]["lr"] = self.settings.learning_rate * share
            self.play()
            entropy = self.learn()
            totals = self.envs.episode_totals()
            if totals["episodes"]:
                score = totals["score"] / totals["episodes"]
                won = totals["wins"] / totals["episodes"]
                speed = self.plies / (time.perf_counter() - start)
                print(
                    f"ply {self.plies:,}: score {score:.0f}, won {won:.2%}, "
                    f"entropy {entropy:.2f}, {speed:,.0f} plies/s"
                )
                self.envs.clear_episode_totals()
        return score


def parse_arguments(words: list[str] | None = None) -> Settings:
    """Return the settings of a command line: ``--reward-scale 0.1`` for ``reward_scale``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, default in vars(Settings()).items():
        kind = type(default)
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=default)
    return Settings(**vars(parser.parse_args(words)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    Training(parse_arguments()).run()
