"""Training configs: what may stand in the YAML file, and how it is read and checked.

The words are those of RL Baselines3 Zoo where it has one. Keys that are not listed in `Config` are
keyword arguments of the algorithm's class and are checked against its signature
(`agents.training.algorithms`), so that every argument of every algorithm can be set.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, get_args

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from agents.deal_lists import parse_deals
from agents.training.errors import ConfigError
from qv_env.settings import Settings


class _Loader(yaml.SafeLoader):
    """Reads ``1e6`` as a number, as YAML 1.2 does; PyYAML takes it for a text, having no dot."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d[\d_]*(\.[\d_]*)?|\.\d[\d_]*)[eE][-+]?\d+$"),
    list("-+.0123456789"),
)


def _no_bool(value: object) -> object:
    """Refuse ``true`` as a number, which Python would take for 1."""
    if isinstance(value, bool):
        raise ValueError("should be a number")
    return value


Count = Annotated[int, BeforeValidator(_no_bool), Field(ge=1)]
CountOrZero = Annotated[int, BeforeValidator(_no_bool), Field(ge=0)]
# NumPy's generator, which stable-baselines3 seeds, takes no more.
Seed = Annotated[int, BeforeValidator(_no_bool), Field(ge=0, lt=2**32)]
# More than machines have cores; the operating system refuses some number beyond it.
Threads = Annotated[int, BeforeValidator(_no_bool), Field(ge=1, le=1024)]
Positive = Annotated[float, BeforeValidator(_no_bool), Field(gt=0, allow_inf_nan=False)]


class EnvConfig(BaseModel):
    """The environment to learn in; see `qv_env.settings.Settings` for the values.

    There is no ``split``: training deals are always drawn from the train split.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    observation: str = "features"
    mask: str = "legal"
    takebacks: bool = True
    stock: str = "hidden"
    reward: str = "score"
    illegal: str = "ignore"
    max_episode_steps: Count = Settings.max_episode_steps


class NormalizeConfig(BaseModel):
    """Arguments of stable-baselines3's ``VecNormalize``.

    Observations are not normalized (``norm_obs`` may only be false): they have fixed bounds, and a
    network that divides by them, `agents.training.networks.ScaledTrunk`, needs no statistics kept
    beside the model.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    norm_obs: bool = False
    norm_reward: bool = True
    clip_reward: Positive = 10.0
    gamma: Annotated[float, Field(ge=0, le=1)] = 0.99
    epsilon: Positive = 1e-8

    @field_validator("norm_obs")
    @classmethod
    def _no_observations(cls, value: bool) -> bool:  # noqa: FBT001 - pydantic calls it
        if value:
            raise ValueError("observations have fixed bounds; use norm_obs: false")
        return value


class ImitationConfig(BaseModel):
    """What is learnt from the planner before the algorithm begins; see `agents.imitation`.

    Attributes:
        n_timesteps: Positions that the planner labels, over all games.
        n_envs: Games played side by side.
        n_steps: Plies of each game between two rounds of learning.
        max_episode_steps: Plies after which a game is broken off.
        nodes: Positions that the planner looks at for a label.
        teacher_until: Share of the run in which the planner plays along: in all games at the
            start, and in ever fewer up to then.
        buffer_size: Labelled positions kept on disk, the last so many; 284 bytes each.
        passes: How often, on average, a position is learnt from.
        batch_size: Positions of an update.
        learning_rate: At the start; it falls to 0 along half a cosine.
        max_grad_norm: Where gradients are clipped.
        temperature: What the learner's ratings are divided by when it plays, and for good at the
            end: below 1 it plays its best moves more often.
        value_warmup: Plies, of those of the algorithm that follows, in which only its estimate of
            values learns. Imitation teaches no values, and wrong ones would undo what it did.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    n_timesteps: Count
    n_envs: Count = 512
    n_steps: Count = 16
    max_episode_steps: Count = 500
    nodes: Annotated[int, BeforeValidator(_no_bool), Field(ge=2)] = 300
    teacher_until: Annotated[float, BeforeValidator(_no_bool), Field(gt=0, le=1)] = 0.15
    buffer_size: Count = 1_000_000
    passes: Positive = 2.0
    batch_size: Count = 512
    learning_rate: Positive = 1.5e-3
    max_grad_norm: Positive = 1.0
    temperature: Positive = 1.0
    value_warmup: CountOrZero = 0

    @model_validator(mode="after")
    def _check_buffer(self) -> ImitationConfig:
        fresh = self.n_envs * self.n_steps
        if self.buffer_size < fresh:
            raise ValueError(
                f"buffer_size should be at least n_envs times n_steps, {fresh}; "
                f"got {self.buffer_size}"
            )
        return self


class Config(BaseModel):
    """A training run.

    Attributes:
        algo: ``MaskablePPO``, ``PPO``, ``A2C``, ``DQN``, or ``module:Class`` for a class with the
            interface of a stable-baselines3 algorithm.
        policy: Name of the policy, as the algorithm knows it, or ``module:Class``.
        env: The environment to learn in.
        n_envs: Games played side by side.
        n_timesteps: Plies to train for, over all games; training ends with the first rollout
            that reaches them. With ``imitation`` it may be 0, for imitation alone.
        seed: Fixes the deals, the network's first weights and all chance.
        normalize: Scale rewards by running statistics, or null.
        reward_scale: What rewards are multiplied with before the algorithm sees them.
        idle_limit: Plies after which a training game ends in which no draw is left and no further
            card goes up, or null.
        imitation: What is learnt from the planner before, or null.
        eval_freq: Plies between two evaluations during training, 0 for none.
        eval_deals: What those evaluations play: a split and a count, a file, or codes.
        final_deals: The same for the evaluation at the end.
        deterministic: Whether evaluation plays the most probable action instead of drawing one
            with the policy's probabilities. A policy that always repeats itself can move a card
            to and fro for ever; one that draws gets out.
        temperature: What ratings are divided by before evaluation draws an action of them.
        save_freq: Plies between two checkpoints.
        save_replay_buffer: Whether checkpoints hold the replay buffer of off-policy algorithms.
            Without it a resumed run starts with an empty buffer and is not the same run.
        log_interval: Rollouts (off-policy: episodes) between two rows of metrics, or null for the
            algorithm's own choice.
        torch_threads: Threads of PyTorch's kernels. Small networks gain little from more than one,
            and lose much where other programs use the machine.
        kwargs: Everything else: keyword arguments of the algorithm's class.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    algo: str = "MaskablePPO"
    policy: str = "MlpPolicy"
    env: EnvConfig = EnvConfig()
    n_envs: Count = 1
    n_timesteps: CountOrZero
    seed: Seed = 0
    normalize: NormalizeConfig | None = None
    reward_scale: Positive = 1.0
    idle_limit: Count | None = None
    imitation: ImitationConfig | None = None
    eval_freq: CountOrZero = 0
    eval_deals: str = "dev:50"
    final_deals: str = "dev:200"
    deterministic: bool = False
    temperature: Positive = 1.0
    save_freq: Count = 100_000
    save_replay_buffer: bool = True
    log_interval: Count | None = None
    torch_threads: Threads = 1
    kwargs: dict[str, Any] = Field(default_factory=dict)

    @field_validator("env")
    @classmethod
    def _check_env(cls, env: EnvConfig) -> EnvConfig:
        Settings(**env.model_dump())
        return env

    @field_validator("eval_deals", "final_deals")
    @classmethod
    def _check_deals(cls, value: str) -> str:
        parse_deals([value])
        return value

    @model_validator(mode="after")
    def _check_imitation(self) -> Config:
        if self.imitation is None:
            if self.n_timesteps == 0:
                raise ValueError("n_timesteps should be at least 1, unless there is imitation")
            return self
        wanted = {"observation": "cards", "takebacks": False, "stock": "hidden"}
        for key, value in wanted.items():
            if getattr(self.env, key) != value:
                raise ValueError(
                    f"imitation needs env.{key}: {str(value).lower()}, as the planner plays; "
                    f"got {getattr(self.env, key)!r}"
                )
        return self

    def as_mapping(self) -> dict[str, Any]:
        """Return the config as it would stand in a file: keyword arguments beside the rest."""
        fields = self.model_dump()
        kwargs = fields.pop("kwargs")
        return {**fields, **kwargs}


_KEYS_IN_A_LINE: Final = 10
RUN_KEYS: Final = tuple(key for key in Config.model_fields if key != "kwargs")


def read_config(path: Path, settings: Iterable[str] = ()) -> dict[str, Any]:
    """Return the mapping in a YAML file with settings ``key=value`` laid over it.

    Raises:
        ConfigError: The file cannot be read or is no mapping, or a setting is malformed.
    """
    try:
        mapping = _parse_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read config {path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {path} is not YAML: {_one_line(str(error))}") from None
    if not isinstance(mapping, dict):
        raise ConfigError(f"config {path} must hold a mapping of keys to values")
    for setting in settings:
        _lay_over(mapping, setting)
    return mapping


def _lay_over(mapping: dict[str, Any], setting: str) -> None:
    """Set one value in nested mappings; dots in the key lead inwards."""
    key, equals, text = setting.partition("=")
    *outer, last = key.strip().split(".")
    if not equals or not all((*outer, last)):
        raise ConfigError(f"a setting is written key=value or outer.key=value; got {setting!r}")
    try:
        value = _parse_yaml(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"setting {key}: not YAML: {_one_line(str(error))}") from None
    for name in outer:
        if mapping.get(name) is None:
            mapping[name] = {}
        mapping = mapping[name]
        if not isinstance(mapping, dict):
            raise ConfigError(f"setting {key}: {name} is not a mapping")
    mapping[last] = value


def parse_config(mapping: Mapping[str, Any], algorithm_keys: Iterable[str] | None) -> Config:
    """Return the config that a mapping holds.

    Args:
        mapping: Keys of `Config` and keyword arguments of the algorithm, side by side.
        algorithm_keys: Names of the algorithm's keyword arguments; None accepts any.

    Raises:
        ConfigError: A key is unknown or a value is of the wrong type.
    """
    fields = {key: value for key, value in mapping.items() if key in RUN_KEYS}
    kwargs = {key: value for key, value in mapping.items() if key not in RUN_KEYS}
    if algorithm_keys is not None:
        for key in kwargs:
            check_key(key, (*RUN_KEYS, *algorithm_keys))
    try:
        return Config(**fields, kwargs=kwargs)
    except ValidationError as error:
        raise ConfigError(explain(error)) from None


def check_key(key: object, known: Iterable[str], where: str = "") -> None:
    """Raise a ConfigError that names the nearest match, or all of a few, unless a key is known."""
    names = sorted(set(known))
    if key in names:
        return
    close = difflib.get_close_matches(str(key), names, n=1)
    if close:
        hint = f"did you mean {close[0]}?"
    elif len(names) <= _KEYS_IN_A_LINE:
        hint = f"known keys: {', '.join(names)}"
    else:
        hint = "docs/training.md lists the keys of a run; all others are arguments of its algorithm"
    raise ConfigError(f"unknown key {where}{key}; {hint}")


def explain(error: ValidationError, model: type[BaseModel] = Config) -> str:
    """Return pydantic's complaints about a config of some kind as one line."""
    return "; ".join(_explain_one(dict(detail), model) for detail in error.errors())


def _explain_one(detail: dict[str, Any], model: type[BaseModel]) -> str:
    place = [str(part) for part in detail["loc"]]
    key = ".".join(place)
    where = f"{key}: " if key else ""  # a mistake of several keys together has no place
    if detail["type"] == "extra_forbidden":
        try:
            section = _section(model, place[:-1])
            check_key(place[-1], section.model_fields, "".join(f"{name}." for name in place[:-1]))
        except ConfigError as unknown:
            return str(unknown)
    message = _one_line(detail["msg"]).removeprefix("Value error, ")
    message = message.removeprefix("Input ").partition(", unable to")[0]
    if detail["type"] in ("missing", "value_error"):
        return f"{where}{message[0].lower()}{message[1:]}"
    return f"{where}{message}, got {detail['input']!r}"


def _section(model: type[BaseModel], place: Iterable[str]) -> type[BaseModel]:
    """Return the model of a section, which may be optional."""
    for name in place:
        annotation = model.model_fields[name].annotation
        kinds = (annotation, *get_args(annotation))
        model = next(k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel))
    return model


def _parse_yaml(text: str) -> Any:
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader with one more number format


def _one_line(text: str) -> str:
    return " ".join(text.split())
