"""The `qv` command: evaluate agents, render games, show deals.

What a user gets wrong ends in one line on stderr and exit code 2. Everything heavy is imported by
the command that needs it, so that ``qv --help`` is quick.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import click

from qv_env import __version__

if TYPE_CHECKING:
    from agents.agent import Agent
    from qv_env.deals import Deal

_DEFAULT_BATCH: Final = 256
_STDIN: Final = "-"
_FILE_COLUMNS: Final = 100  # width of tables that go to a file or a pipe
_LONGEST_TITLE: Final = 40


class UserError(click.ClickException):
    """What the user gave is wrong; told in one line, to which further lines are joined."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the line to stderr."""
        click.echo(f"qv: {self.message}", file=file, err=True)


class FailureError(UserError):
    """What was asked for was right and yet it went wrong."""

    exit_code = 1


class OneLineErrors(click.Group):
    """A group whose usage errors are told in one line as well."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the arguments name."""
        try:
            return super().invoke(ctx)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            where = error.ctx.command_path if error.ctx else "qv"
            raise UserError(f"{error.format_message()} Try '{where} --help'.") from None


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="qv-env")
def qv() -> None:
    """Quarante Voleurs: evaluate agents, render games, show deals."""


@qv.command()
@click.option(
    "--agent",
    "specs",
    multiple=True,
    required=True,
    metavar="AGENT",
    help="random, greedy, planner, sampler, a run folder or model file of train.py, or module:Class; "
    "give it once for each agent. The others are compared with the first.",
)
@click.option(
    "--deals",
    "deal_specs",
    multiple=True,
    required=True,
    metavar="DEALS",
    help="A split and a count (dev:200), a file with a code a line (# comments), or codes, "
    "separated by commas or given one by one.",
)
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all figures.")
@click.option(
    "--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads to compute on."
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=_DEFAULT_BATCH,
    show_default=True,
    help="Games played side by side; changes nothing but the time it takes.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Fixes all chance in the agents' choices.",
)
@click.option("--sample", is_flag=True, help="Trained models draw actions by their probabilities.")
def evaluate(
    *,
    specs: tuple[str, ...],
    deal_specs: tuple[str, ...],
    json_path: Path | None,
    threads: int,
    batch: int,
    seed: int,
    sample: bool,
) -> None:
    """Play each deal once with each agent and print how they did, with 95 % intervals."""
    from agents.comparison import check_comparable, compare
    from agents.evaluate import AgentError
    from agents.files import check_writable
    from agents.report import comparison_json, comparison_tables
    from qv_env.progress import game_progress

    with _user_errors():
        deals = _parse_deals(deal_specs)
        agents = [_load_agent(spec, sample=sample, threads=threads) for spec in specs]
        check_comparable(agents)
        if json_path is not None:
            check_writable(json_path)
    try:
        with game_progress(len(agents) * len(deals)) as progress:
            results = compare(
                agents, deals, seed=seed, batch=batch, threads=threads, progress=progress
            )
    except AgentError as error:
        raise FailureError(str(error)) from None
    title = f"{len(deals)} deals ({_shortened(deal_specs)}), seed {seed}, 95 % intervals"
    _print_tables(comparison_tables(results, title=title))
    if json_path is not None:
        command = _command(specs, deal_specs, seed=seed, sample=sample)
        document = comparison_json(
            results, command=command, seed=seed, deals=[_portable(text) for text in deal_specs]
        )
        _write_json(json_path, document)


@qv.command()
@click.option("--agent", "spec", required=True, metavar="AGENT", help="As in qv evaluate.")
@click.option("--deal", "deal_spec", required=True, metavar="CODE", help="A code or a number.")
@click.option(
    "--out",
    "path",
    type=click.Path(path_type=Path),
    required=True,
    help="Where to; the ending says what: .gif, .mp4, .txt with every move, or .png for a sheet "
    "of moments of the game.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--plies", type=click.IntRange(1), help="Show only the first plies of the game.")
@click.option(
    "--fps",
    type=click.FloatRange(0, 100, min_open=True),
    default=4.0,
    show_default=True,
    help="Plies a second.",
)
@click.option("--four-colours", is_flag=True, help="A colour for each suit.")
@click.option("--sample", is_flag=True, help="A trained model draws actions by its probabilities.")
def render(
    *,
    spec: str,
    deal_spec: str,
    path: Path,
    seed: int,
    plies: int | None,
    fps: float,
    four_colours: bool,
    sample: bool,
) -> None:
    """Let an agent play a deal and write the game as animation, video, picture or text."""
    from agents.episode import play_episode
    from agents.evaluate import AgentError
    from agents.files import check_writable
    from qv_env.render import ENDINGS, write_episode

    with _user_errors():
        if path.suffix.lower() not in ENDINGS:
            raise UserError(f"cannot write {path}: the name must end in {', '.join(ENDINGS)}")
        deal = _parse_deal(deal_spec)
        agent = _load_agent(spec, sample=sample, threads=1)
        check_writable(path)
    try:
        episode = play_episode(agent, deal, seed=seed, max_plies=plies)
    except AgentError as error:
        raise FailureError(str(error)) from None
    try:
        write_episode(path, episode, fps=fps, four_colours=four_colours)
    except ImportError as error:  # an extra is missing
        raise UserError(str(error)) from None
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from None
    last = episode.states[-1]
    cards = int(last["foundations"].sum())
    click.echo(
        f"{path}: {agent.name} on {episode.deal}, {len(episode.actions)} plies, "
        f"score {int(last['score'])}, {cards} cards on the foundations"
    )


@qv.command("deal")
@click.argument("words", nargs=-1, required=True, metavar="CODE")
@click.option("--explicit", is_flag=True, help="Print the 104 cards, the stock's among them.")
@click.option(
    "--colour/--no-colour", default=None, help="Red suits in red. Default: on a terminal."
)
@click.option("--four-colours", is_flag=True, help="A colour for each suit.")
@click.option("--symbols", is_flag=True, help="Suits as symbols rather than letters.")
def show_deal(
    *,
    words: tuple[str, ...],
    explicit: bool,
    colour: bool | None,
    four_colours: bool,
    symbols: bool,
) -> None:
    """Show a deal: its code, its number, its 104 cards as text, or - to read those from stdin."""
    from qv_env import engine
    from qv_env.render import render_text

    with _user_errors():
        text = sys.stdin.read() if words == (_STDIN,) else " ".join(words)
        deal = _parse_deal(text)
    if explicit:
        click.echo(deal.text)
        return
    state = engine.new_state()
    engine.deal(state, deal.cards)
    coloured = sys.stdout.isatty() if colour is None else colour
    lines = render_text(
        state,
        deal="explicit deal" if deal.number is None else deal.code,
        colour=coloured or four_colours,
        four_colours=four_colours,
        symbols=symbols,
    )
    click.echo(lines, color=coloured or four_colours)


@contextmanager
def _user_errors() -> Iterator[None]:
    """Tell in one line what a user's words or files are wrong about."""
    try:
        yield
    except ValueError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise UserError(f"{where}{error.strerror or error}") from None


def _parse_deals(specs: Sequence[str]) -> list[Deal]:
    from agents.deal_lists import parse_deals

    return parse_deals(specs)


def _parse_deal(text: str) -> Deal:
    from agents.deal_lists import deal_of_text

    return deal_of_text(text)


def _load_agent(spec: str, *, sample: bool, threads: int) -> Agent:
    from agents.loading import load_agent

    agent = load_agent(spec, deterministic=False if sample else None)
    if "torch" in sys.modules:  # loaded with the agent
        import torch

        torch.set_num_threads(threads)
    return agent


def _print_tables(tables: Sequence[Any]) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console.width = _FILE_COLUMNS
    for table in tables:
        console.print(table)


def _write_json(path: Path, document: Any) -> None:
    import json

    from agents.files import write_whole

    try:
        write_whole(path, json.dumps(document, indent=1, allow_nan=False) + "\n")
    except OSError as error:
        raise FailureError(f"cannot write {path}: {error.strerror or error}") from None


def _command(specs: Sequence[str], deal_specs: Sequence[str], *, seed: int, sample: bool) -> str:
    """Return the command that gives the same figures; paths of this machine are left out."""
    words = ["qv", "evaluate"]
    for spec in specs:
        words += ["--agent", _portable(spec)]
    for deals in deal_specs:
        words += ["--deals", _portable(deals)]
    words += ["--seed", str(seed)]
    return shlex.join([*words, "--sample"] if sample else words)


def _portable(text: str) -> str:
    """Return an absolute path relative to the current folder, or its name; other texts as is."""
    path = Path(text)
    if not path.is_absolute():
        return text
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else path.name


def _shortened(deal_specs: Sequence[str]) -> str:
    """Return what deals were asked for by, cut where it would fill the title."""
    text = ", ".join(_portable(spec) for spec in deal_specs)
    return text if len(text) <= _LONGEST_TITLE else f"{text[:_LONGEST_TITLE]}…"
