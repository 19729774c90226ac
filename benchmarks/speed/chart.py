"""The chart: cost of a step against the number of games, and everyone's steps a second."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agents.training.run_folder import moved_into_place

_INCHES: Final = (14.0, 4.6)
_WIDTHS: Final = (3, 2, 4)
_DPI: Final = 110
_LINES: Final = {
    "vector_cards_{}_1": "vector env, cards, 1 thread",
    "vector_cards_{}_2": "vector env, cards, 2 threads",
    "vector_features_{}_1": "vector env, features, 1 thread",
    "floor_{}": "copy floor",
}
_COMPARED: Final = (
    "floor_1024", "vector_cards_1024_1", "vector_features_1024_1", "gymnasium_cartpole_1024",
    "envpool_cartpole_1024", "envpool_blackjack_1024", "pgx_1024", "envpool_2048_pgx_1024",
    "envpool_2048_1024", "single", "open_spiel_array", "gymnasium_taxi", "gymnasium_blackjack",
    "open_spiel",
)  # fmt: skip
_COLOURS: Final = {"ours": "#1b7f4d", "peer": "#7a7a7a", "floor": "#c9a227"}


def draw_chart(data: Mapping[str, Any], path: Path) -> None:
    """Write the chart as PNG."""
    rows = {row["key"]: row for row in data["rows"]}
    figure = Figure(figsize=_INCHES, dpi=_DPI, layout="constrained")
    growth, plies, compared = figure.subplots(1, 3, width_ratios=_WIDTHS)
    _draw_growth(growth, rows)
    _draw_plies(plies, rows)
    _draw_compared(compared, rows)
    with moved_into_place(path) as beside:
        figure.savefig(beside, format="png")


def _draw_growth(axes: Axes, rows: Mapping[str, Any]) -> None:
    every_size = sorted({row["games"] for row in rows.values()})
    for pattern, name in _LINES.items():
        sizes = [games for games in every_size if pattern.format(games) in rows]
        times = [rows[pattern.format(games)]["nanoseconds_median"] for games in sizes]
        axes.plot(sizes, times, marker="o", markersize=3, label=name)
    axes.set(xscale="log", yscale="log", xlabel="games", ylabel="nanoseconds a step of one game")
    axes.set_title("Cost against the number of games")
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")


def _draw_plies(axes: Axes, rows: Mapping[str, Any]) -> None:
    shown = [row for row in rows.values() if row["group"] == "plies"]
    plies = [max(1, int(row["key"].removeprefix("plies_"))) for row in shown]
    axes.plot(plies, [row["nanoseconds_median"] for row in shown], marker="o", markersize=3)
    axes.set(xscale="log", xlabel="plies made before", ylabel="nanoseconds a step of one game")
    axes.set_ylim(bottom=0)
    axes.set_title("Cost by plies made")
    axes.grid(visible=True, alpha=0.3)


def _draw_compared(axes: Axes, rows: Mapping[str, Any]) -> None:
    shown = [rows[key] for key in reversed(_COMPARED) if key in rows]
    names = [f"{row['name']} ({row['games']:,})" for row in shown]
    rates = [1e9 / row["nanoseconds_median"] for row in shown]
    axes.barh(names, rates, color=[_COLOURS[row["group"]] for row in shown])
    axes.set(xscale="log", xlabel="steps a second (games)")
    axes.tick_params(axis="y", labelsize="small")
    axes.set_title("Observation and mask every step")
