"""A network for this game: it reads `cards` observations and treats suits and columns alike.

It passes messages between the 52 kinds of cards and the columns. Kinds of neighbouring ranks of one
suit speak with each other, because nothing else can be built on anything in this game; a column
hears of the cards that lie in it, from the top down; a card hears of the columns in which its
copies lie. What comes out are embeddings of all sources and destinations of moves, for a head that
scores their pairs (`agents.training.card_policy`), and one of the whole table.
"""

from __future__ import annotations

from typing import Final

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn
from torch.nn import functional

from agents.training.card_layout import (
    CARD_FACTS,
    COLUMN_FACTS,
    COLUMNS,
    FOUNDATIONS,
    SEEN_FROM_TOP,
    SEEN_OF_WASTE,
    TABLE_FACTS,
    Layout,
    read_layout,
)
from qv_env import CARDS_DTYPE
from qv_env.cards import RANKS, SUITS

SOURCES: Final = COLUMNS + 1 + FOUNDATIONS  # columns, the waste, foundations
DESTINATIONS: Final = COLUMNS + FOUNDATIONS


def rows_of(table: Tensor, index: Tensor) -> Tensor:
    """Return rows of a table, ``(*index.shape, width)``; the table is ``(n, rows, width)``."""
    return functional.embedding(index, table.flatten(0, 1))


class RankMixer(nn.Module):
    """Adds to each kind of card what its two neighbours in rank and the whole table say.

    Args:
        width: Width of a card's embedding.
        table: Width of the table's.
    """

    def __init__(self, width: int, table: int) -> None:
        super().__init__()
        self.neighbours = nn.Linear(3 * width, width)
        self.table = nn.Linear(table, width, bias=False)

    def forward(self, cards: Tensor, table: Tensor) -> Tensor:
        """Return new embeddings ``(n, 52, width)`` of cards, given the table's."""
        suits = cards.reshape(-1, SUITS, RANKS, cards.shape[2])
        around = functional.pad(suits, (0, 0, 1, 1))
        triples = torch.cat([around[:, :, :-2], suits, around[:, :, 2:]], 3).flatten(1, 2)
        hidden = self.neighbours(triples) + self.table(table)[:, None]
        return cards + torch.relu_(hidden)


class ColumnReader(nn.Module):
    """Makes an embedding of each column of those of its cards from the top down.

    Args:
        card: Width of a card's embedding.
        width: Width of a column's.
        known: Width of what is known of a column beside.
    """

    def __init__(self, card: int, width: int, known: int) -> None:
        super().__init__()
        self.cards = nn.Linear(SEEN_FROM_TOP * card, width)
        self.known = nn.Linear(known, width, bias=False)
        self.out = nn.Linear(width, width)

    def forward(self, by_code: Tensor, layout: Layout, known: Tensor) -> Tensor:
        """Return embeddings ``(n, 10, width)``, given cards ``(n, 53, card)`` by code."""
        seen = rows_of(by_code, layout.from_top).flatten(2)
        read: Tensor = self.out(torch.relu_(self.cards(seen) + self.known(known)))
        return read


class CardNetwork(BaseFeaturesExtractor):
    """Embeddings of all sources and destinations of moves, and of the table, in one row.

    The features are, one after another, ``SOURCES`` times ``width``, ``DESTINATIONS`` times
    ``width``, and ``table_width`` numbers.

    Args:
        observation_space: That of `cards` observations with a hidden stock.
        card_width: Width of the embedding of a kind of card.
        column_width: Width of the embedding of a column.
        table_width: Width of the embedding of the table.
        width: Width of the embeddings of sources and destinations.
        rounds: How often cards and columns hear of each other.

    Raises:
        ValueError: The observations are of another kind.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        card_width: int = 32,
        column_width: int = 64,
        table_width: int = 128,
        width: int = 32,
        rounds: int = 2,
    ) -> None:
        if observation_space.shape != (CARDS_DTYPE.itemsize,):
            raise ValueError(
                "CardNetwork reads observation: cards with stock: hidden, of shape "
                f"({CARDS_DTYPE.itemsize},); got {observation_space.shape}"
            )
        super().__init__(observation_space, (SOURCES + DESTINATIONS) * width + table_width)
        self.width, self.table_width = width, table_width
        self.facts = nn.Linear(CARD_FACTS, card_width)
        self.ranks = nn.Parameter(torch.zeros(RANKS, card_width))
        self.table_facts = nn.Linear(TABLE_FACTS, table_width)
        self.mixers = nn.ModuleList(RankMixer(card_width, table_width) for _ in range(rounds))
        self.readers = nn.ModuleList(
            ColumnReader(card_width, column_width, COLUMN_FACTS + (column_width if k else 0))
            for k in range(rounds)
        )
        pooled = 2 * column_width + card_width * (1 + SEEN_OF_WASTE)
        self.tables = nn.ModuleList(
            nn.Linear(pooled + table_width, table_width) for _ in range(rounds)
        )
        self.tell = nn.ModuleList(
            nn.Linear(column_width, card_width, bias=False) for _ in range(rounds - 1)
        )
        self.column_ends = nn.Linear(column_width + card_width, 2 * width)
        self.waste_end = nn.Linear(SEEN_OF_WASTE * card_width, width)
        self.foundation_ends = nn.Linear(2 * card_width, 2 * width)
        self.table_end = nn.Linear(table_width, 2 * width)

    def forward(self, observations: Tensor) -> Tensor:
        """Return the features, float32 ``(n, features_dim)``, of observations ``(n, 248)``."""
        layout = read_layout(observations)
        table = torch.relu(self.table_facts(layout.table))
        cards = torch.relu(self.facts(layout.cards) + self.ranks.repeat(SUITS, 1))
        columns = layout.columns
        for k, reader in enumerate(self.readers):
            if k:
                cards = cards + self._heard(k - 1, columns, layout)
            cards = self.mixers[k](cards, table)
            by_code = functional.pad(cards, (0, 0, 1, 0))
            extra = torch.cat([layout.columns, columns], 2) if k else layout.columns
            read = reader(by_code, layout, extra)
            columns = columns + read if k else read
            waste = rows_of(by_code, layout.waste).flatten(1)
            pooled = [columns.mean(1), columns.amax(1), cards.mean(1), waste, table]
            table = table + torch.relu(self.tables[k](torch.cat(pooled, 1)))
        return self._ends(layout, by_code, columns, waste, table)

    def _heard(self, k: int, columns: Tensor, layout: Layout) -> Tensor:
        """Return what cards hear of the columns in which their copies lie, ``(n, 52, card)``."""
        told = functional.pad(self.tell[k](columns), (0, 0, 0, 1))
        return rows_of(told, layout.column_of).sum(2)

    def _ends(
        self, layout: Layout, by_code: Tensor, columns: Tensor, waste: Tensor, table: Tensor
    ) -> Tensor:
        """Return the features: what moves can begin and end with."""
        tops = rows_of(by_code, layout.from_top[:, :, 0])
        of_columns = self.column_ends(torch.cat([columns, tops], 2))
        of_foundations = self.foundation_ends(rows_of(by_code, layout.foundations).flatten(2))
        of_table = self.table_end(table)[:, None]
        column_source, column_goal = (of_columns + of_table).chunk(2, 2)
        foundation_source, foundation_goal = (of_foundations + of_table).chunk(2, 2)
        waste_source = self.waste_end(waste)[:, None] + of_table[..., : self.width]
        ends = [column_source, waste_source, foundation_source, column_goal, foundation_goal]
        return torch.cat([torch.relu(torch.cat(ends, 1)).flatten(1), table], 1)
