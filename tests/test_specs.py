"""Agents with options: words become values, and whatever is wrong is told in a line."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from agents.greedy import GreedyAgent
from agents.loading import load
from agents.specs import agent_options, split_spec


class Searcher:
    def __init__(
        self,
        *,
        nodes: Annotated[int, Field(ge=1)] = 300,
        seconds: float | None = None,
        careful: bool = False,
        order: Literal["best", "breadth"] = "best",
        title: str = "searcher",
    ) -> None:
        del nodes, seconds, careful, order, title


class Needy:
    def __init__(self, size: int) -> None:
        self.size = size


def options(text: str) -> dict[str, Any]:
    return agent_options(Searcher, split_spec(text).words, name="searcher")


def test_options_left_out_have_their_defaults() -> None:
    assert options("searcher") == {
        "nodes": 300,
        "seconds": None,
        "careful": False,
        "order": "best",
        "title": "searcher",
    }


def test_words_become_values_of_the_kind_that_is_annotated() -> None:
    given = options("searcher:nodes=20, seconds=1.5,careful=yes,order=breadth,title=7")
    assert given == {
        "nodes": 20,
        "seconds": 1.5,
        "careful": True,
        "order": "breadth",
        "title": "7",
    }
    assert options("searcher:seconds=none")["seconds"] is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("searcher:ndoes=1", r"no option 'ndoes'; did you mean nodes\? Its options: nodes=300, se"),
        ("searcher:xyzzy=1", r"no option 'xyzzy'\. Its options: nodes=300"),
        ("searcher:nodes=many", "option nodes cannot be 'many': Input should be a valid integer"),
        ("searcher:nodes=0", "option nodes cannot be '0': Input should be greater than or equal"),
        ("searcher:nodes=none", "option nodes cannot be 'none'"),
        ("searcher:order=worst", "option order cannot be 'worst': Input should be 'best' or 'br"),
        ("searcher:nodes=1,nodes=2", "option nodes is given twice"),
        ("searcher:nodes=", "'nodes=' is no option; expected key=value"),
        ("searcher:nodes=1,", "'' is no option; expected key=value"),
    ],
)
def test_wrong_options_are_told(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        options(text)


def test_an_option_without_default_is_needed() -> None:
    with pytest.raises(ValueError, match="agent needy needs its option size: needy:size=VALUE"):
        agent_options(Needy, {}, name="needy")
    assert agent_options(Needy, {"size": "3"}, name="needy") == {"size": 3}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("greedy:depth=2", "agent greedy has no options, and so none called 'depth'"),
        ("greedy:fast", "options are written greedy:key=value"),
        ("gredy:depth=2", "unknown agent 'gredy'; did you mean greedy?"),
        (".:depth=2", "a trained model takes no options"),
    ],
)
def test_agents_without_options_take_none(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why.replace("?", r"\?")):
        load(text)


def test_a_class_takes_options_too() -> None:
    module, kind = GreedyAgent.__module__, GreedyAgent.__name__
    assert isinstance(load(f"{module}:{kind}").agent, GreedyAgent)
    with pytest.raises(ValueError, match="has no options"):
        load(f"{module}:{kind}:depth=2")
