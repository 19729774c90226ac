"""README, docs and plots are in step with the results files, and tell of nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PIL import Image

from agents.boards import tables
from agents.boards.collection import PUBLISHED, read_boards
from agents.boards.curves import CURVES, PREFIX, digest_of, read_curves
from agents.boards.pages import PAGE, PLOTS, README, RESULTS, pages
from agents.boards.plots import draw_board
from agents.boards.seeds import recipes
from agents.deal_lists import parse_deals
from agents.evaluate import play_deals
from agents.loading import load_agent
from agents.results.checking import check_result
from agents.results.provenance import ROOT
from agents.results.result import Result, read_result, result_text

LISTS = ("dev-1000", "test-1000")
FILES = sorted((ROOT / RESULTS).glob("*.json"))
BASELINES = [f"{agent}-{deals}.json" for agent in ("random", "greedy") for deals in LISTS]


def test_pages_are_in_step_with_the_results() -> None:
    for path, text in pages(ROOT).items():
        assert path.read_text(encoding="utf-8") == text, "run: make boards"


def test_plots_are_in_step_with_the_results() -> None:
    for board in read_boards(ROOT / RESULTS):
        for kind in ("wins", "scores", "time"):
            plot = (ROOT / PLOTS / f"{board.name}-{kind}.svg").read_text(encoding="utf-8")
            assert board.digest in plot, "run: make boards"


def test_curves_are_in_step_with_their_tables() -> None:
    for recipe, files in read_curves(ROOT / RESULTS).items():
        with Image.open(ROOT / PLOTS / f"{PREFIX}{recipe}.png") as image:
            assert image.info["Description"] == digest_of(files), "run: make boards"


def test_a_curve_is_called_by_its_seed(tmp_path: Path) -> None:
    (tmp_path / CURVES).mkdir()
    (tmp_path / CURVES / "ppo.csv").write_text("")
    with pytest.raises(ValueError, match=r"ppo.csv: expected a name such as ppo-0.csv"):
        read_curves(tmp_path)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_recorded_win_is_one(file: Path) -> None:
    assert check_result(read_result(file)) == ["engine", "oracle"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_results_come_from_a_commit(file: Path) -> None:
    commit = read_result(file).commit
    assert commit is not None
    assert "dirty" not in commit


@pytest.mark.parametrize("name", BASELINES)
def test_the_code_still_plays_as_the_results_say(name: str) -> None:
    result = read_result(ROOT / RESULTS / name)
    deals = parse_deals([result.deals])[:100]
    games = play_deals(load_agent(result.agent), deals, seed=result.seed)
    for game, row in zip(games, result.rows, strict=False):
        kept = game if game.won else game._replace(actions=())
        assert kept.untimed() == row.untimed()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the pages and some results of this one, to change."""
    (tmp_path / "docs").mkdir()
    for page in (README, PAGE):
        shutil.copy(ROOT / page, tmp_path / page)
    (tmp_path / RESULTS).mkdir()
    for name in BASELINES:
        shutil.copy(ROOT / RESULTS / name, tmp_path / RESULTS / name)
    return tmp_path


def changed(project: Path, name: str, **changes: object) -> None:
    """Add a results file that is like another one but for some entries."""
    like = read_result(project / RESULTS / "greedy-test-1000.json")
    result = Result.model_validate({**like.model_dump(), **changes})
    (project / RESULTS / name).write_text(result_text(result), encoding="utf-8")


def test_the_boards_never_mix(project: Path) -> None:
    changed(project, "seer.json", board="thoughtful", agent="seer")
    hidden, thoughtful = read_boards(project / RESULTS)
    assert (hidden.name, thoughtful.name) == ("hidden", "thoughtful")
    assert [entry.result.agent for entry in thoughtful.rankings[0].entries] == ["seer"]
    for page in pages(project).values():
        before, after = page.split("Thoughtful (open stock)", 1)
        assert "`seer`" not in before
        assert "`seer`" in after
        assert "`greedy`" not in after


def test_the_best_stands_first_and_the_published_list_before_others(project: Path) -> None:
    rate = {"value": 0.3, "low": 0.27, "high": 0.33}
    changed(project, "better.json", agent="better:nodes=3", win_rate=rate)
    changed(project, "long.json", deals="test:2000")
    (board,) = read_boards(project / RESULTS)
    assert [r.deals for r in board.rankings] == [PUBLISHED, "test:2000", "dev:1000"]
    ranking = board.rankings[0]
    agents = [entry.result.agent for entry in ranking.entries]
    assert agents == ["better:nodes=3", "greedy", "random"]
    short = tables.short_table(ranking).splitlines()
    assert short[2].startswith("| `better:nodes=3` | 30.0 (27.0 … 33.0) | ")


def test_budgets_stand_in_the_tables_that_have_them(project: Path) -> None:
    (board,) = read_boards(project / RESULTS)
    assert "nodes a ply" not in tables.figures_table(board.rankings[0])
    budget = {"nodes_a_ply": 312.5, "training_steps": 2_000_000}
    changed(project, "searcher.json", agent="searcher", budget=budget)
    (board,) = read_boards(project / RESULTS)
    table = tables.figures_table(board.rankings[0])
    assert "| nodes a ply | plies of training |" in table
    assert "| 312 | 2,000,000 |" in table
    assert "playouts a ply" not in table


def test_equal_results_give_equal_plots(project: Path) -> None:
    (board,) = read_boards(project / RESULTS)
    drawn = []
    for name in ("first", "second"):
        (project / name).mkdir()
        drawn.append([path.read_bytes() for path in draw_board(board, project / name)])
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 3


def test_a_page_without_marks_is_told(project: Path) -> None:
    (project / README).write_text("# Nothing\n")
    with pytest.raises(ValueError, match=r"README\.md has no place for the boards"):
        pages(project)


def test_a_file_that_is_no_result_is_told(project: Path) -> None:
    (project / RESULTS / "odd.json").write_text("{}")
    with pytest.raises(ValueError, match=r"odd\.json is not a results file"):
        pages(project)


def trained(project: Path, seed: int, score: int) -> None:
    """Add the result of a run of the recipe ``learner``."""
    like = read_result(project / RESULTS / "greedy-test-1000.json")
    budget = like.budget.model_copy(update={"training_steps": 1000, "training_hours": 0.5})
    score_figure = like.score.model_copy(update={"value": float(score)})
    changed(
        project,
        f"learner-{seed}.json",
        agent=f"runs/learner-{seed}",
        budget=budget.model_dump(),
        score=score_figure.model_dump(),
    )


def test_seeds_of_a_recipe_are_put_together(project: Path) -> None:
    trained(project, 0, 400)
    assert recipes(read_boards(project / RESULTS)[0].rankings[0]) == []
    for seed, score in ((1, 410), (2, 420)):
        trained(project, seed, score)
    (found,) = recipes(read_boards(project / RESULTS)[0].rankings[0])
    assert (found.name, found.seeds, found.hours) == ("learner", [0, 1, 2], 0.5)
    assert found.score.value == 410
    assert found.score.low == pytest.approx(410 - 4.3027 * 10 / 3**0.5, abs=0.01)
    assert [gain.value for gain in found.less_baseline] == [0, 0, 0]  # greedy's own games
    assert "| `learner` | 0, 1, 2 | 1.0 (1.0 … 1.0) |" in pages(project)[project / PAGE]
