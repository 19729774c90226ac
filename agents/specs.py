"""How an agent is written down: a name, and perhaps options, as in ``name:key=value,key=value``.

The options of an agent are the keyword arguments of its class. Their annotations say what values
they take, and pydantic turns the words of a person into these: ``int``, ``float``, ``bool``,
``str``, ``Literal``, each perhaps ``| None``, and ``Annotated`` with limits.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

_NONE: Final = "none"


class AgentSpec(NamedTuple):
    """The words of a person, taken apart.

    Attributes:
        name: What comes before the options: ``planner``, ``module:Class``, a path.
        words: The options as they are written, by key.
    """

    name: str
    words: Mapping[str, str]


def split_spec(text: str) -> AgentSpec:
    """Take the words of a person apart.

    >>> split_spec("planner:nodes=300,greedy=no")
    AgentSpec(name='planner', words={'nodes': '300', 'greedy': 'no'})
    >>> split_spec("my_agents:Best")
    AgentSpec(name='my_agents:Best', words={})

    Raises:
        ValueError: An option has no value or comes twice; the message is one line.
    """
    name, colon, tail = text.strip().rpartition(":")
    if not colon or "=" not in tail:
        return AgentSpec(text.strip(), {})
    words: dict[str, str] = {}
    for word in tail.split(","):
        key, equals, value = (part.strip() for part in word.partition("="))
        if not (key and equals and value):
            raise ValueError(f"agent {text!r}: {word!r} is no option; expected key=value")
        if key in words:
            raise ValueError(f"agent {text!r}: option {key} is given twice")
        words[key] = value
    return AgentSpec(name, words)


def with_option(text: str, key: str, word: str) -> str:
    """Return the words of a person with one more option.

    >>> with_option("planner", "nodes", "300"), with_option("planner:nodes=9", "weights", "none")
    ('planner:nodes=300', 'planner:nodes=9,weights=none')

    Raises:
        ValueError: See `split_spec`.
    """
    return f"{text.strip()}{',' if split_spec(text).words else ':'}{key}={word}"


def has_parameter(kind: type, key: str) -> bool:
    """Return whether an agent's class has an option."""
    return key in _parameters(kind)


def agent_options(kind: type, words: Mapping[str, str], *, name: str) -> dict[str, Any]:
    """Return every option of an agent's class with its value: the one asked for, or its default.

    Args:
        kind: The class.
        words: The options as they are written.
        name: What messages call the agent.

    Raises:
        ValueError: The agent has no such option, an option needs a value, or a value is wrong.
    """
    parameters = _parameters(kind)
    for key in words:
        if key not in parameters:
            raise ValueError(_why_unknown(key, parameters, name))
    options = {}
    for key, parameter in parameters.items():
        if key in words:
            options[key] = _value(words[key], parameter, name)
        elif parameter.default is inspect.Parameter.empty:
            raise ValueError(f"agent {name} needs its option {key}: {name}:{key}=VALUE")
        else:
            options[key] = parameter.default
    return options


def described(kind: type, name: str) -> str:
    """Return what an agent is, by the first paragraph of its class, and its options."""
    paragraph = (inspect.getdoc(kind) or "").partition("\n\n")[0]
    lines = [f"{name}: {' '.join(paragraph.split())}"]
    for key, parameter in _parameters(kind).items():
        empty = parameter.default is inspect.Parameter.empty
        lines.append(f"  {key}=VALUE, needed" if empty else f"  {key}={parameter.default}")
    return "\n".join(lines)


def _parameters(kind: type) -> dict[str, inspect.Parameter]:
    if kind.__init__ is object.__init__:  # type: ignore[misc]  # compared, not called
        return {}
    try:
        parameters = inspect.signature(kind, eval_str=True).parameters
    except NameError:  # an annotation whose name is imported for type checkers only
        parameters = inspect.signature(kind).parameters
    fixed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {key: value for key, value in parameters.items() if value.kind not in fixed}


def _value(word: str, parameter: inspect.Parameter, name: str) -> Any:
    annotation = parameter.annotation
    kind = str if annotation is inspect.Parameter.empty else annotation
    given = None if word.lower() == _NONE and parameter.default is None else word
    try:
        return TypeAdapter(kind).validate_python(given)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise ValueError(
            f"agent {name}: option {parameter.name} cannot be {word!r}: {reason}"
        ) from None


def _why_unknown(key: str, parameters: Mapping[str, inspect.Parameter], name: str) -> str:
    if not parameters:
        return f"agent {name} has no options, and so none called {key!r}"
    close = difflib.get_close_matches(key, parameters, n=1)
    hint = f"; did you mean {close[0]}?" if close else "."
    known = ", ".join(
        option if parameter.default is inspect.Parameter.empty else f"{option}={parameter.default}"
        for option, parameter in parameters.items()
    )
    return f"agent {name} has no option {key!r}{hint} Its options: {known}"
