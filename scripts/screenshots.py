"""Take the pictures of the pages that stand in README and docs, in a headless Chromium.

Run from a checkout: ``python scripts/screenshots.py``; it needs the extra ``[all]`` and a Chromium
on the path (Debian: ``apt-get install chromium``). The pictures change with the browser's fonts,
so they are looked at before they are committed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright

from agents.advising import AgentAdviser
from agents.episode import play_episode
from agents.loading import load_agent
from agents.outlook import PlannerOutlook
from agents.results.result import read_result
from agents.results.rows import decode_actions
from qv_env.deals import Deal
from qv_env.episodes import verify
from qv_env.files import moved_into_place
from qv_env.web import write_replay_page
from qv_env.web.app import PlayServer
from qv_env.web.serving import listen, new_server

ROOT: Final = Path(__file__).resolve().parent.parent
IMAGES: Final = ROOT / "docs" / "img"
DEAL: Final = Deal.from_code("FT1-N-AAAAAAV")
DESKTOP: Final = {"viewport": {"width": 1280, "height": 800}}
PHONE: Final = {
    "viewport": {"width": 390, "height": 760},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
COLOURS: Final = 256
ROUNDS_OF_FITTING: Final = 3
SETTLED: Final = 700  # milliseconds, in which cards come to lie still
PLIES_PLAYED: Final = 96
REPLAY_PLY: Final = 71


def main() -> None:
    """Take all pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("there is no chromium on the path (Debian: apt-get install chromium)")
    with sync_playwright() as driver, _served() as url:
        browser = driver.chromium.launch(executable_path=chromium)
        _advice(_opened(browser, url, DESKTOP))
        _dragging(_opened(browser, url, DESKTOP))
        _won(_opened(browser, url, DESKTOP))
        _advice_on_a_phone(_opened(browser, url, PHONE))
        _replay(browser)
        browser.close()


@contextmanager
def _served() -> Iterator[str]:
    """Run the server of ``qv play`` with the planner at hand."""
    with listen(0) as listener:
        port = listener.getsockname()[1]
        adviser = AgentAdviser(load_agent("planner"))
        play = PlayServer(port=port, deal=DEAL, adviser=adviser, outlook=PlannerOutlook())
        server = new_server(play)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.should_exit = True
            thread.join()


def _opened(browser: Any, url: str, screen: dict[str, Any]) -> Any:
    page = browser.new_context(**screen).new_page()
    page.goto(url)
    page.locator("body.ready").wait_for()
    return page


def _advice(page: Any) -> None:
    """A game under way, with the agent's advice."""
    _let_agent_play(page)
    page.evaluate("panel.advise()")
    _take(page, "play.png")


def _dragging(page: Any) -> None:
    """A card that is dragged, and the columns that accept it."""
    _let_agent_play(page)
    find = "view.legal.find((move) => /^(t|w).*>t/.test(move))"
    while page.evaluate(find) is None:
        page.evaluate("act({ do: 'agent' })")
    source, target = page.evaluate(find).split(">")
    (x, y), (to_x, to_y) = (_middle(page, place) for place in (source, target))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + (to_x - x) * 0.6, (y + to_y) / 2 + 150, steps=4)
    _take(page, "play-drag.png")


def _won(page: Any) -> None:
    """A game that has just been won."""
    wins = read_result(ROOT / "results" / "greedy-test-1000.json").wins
    code, text = min(wins.items(), key=lambda win: len(win[1]))
    operations = list(decode_actions(text))
    page.evaluate(
        "([deal, operations]) => act({ do: 'deal', deal, operations })", [code, operations]
    )
    page.evaluate("notices.hide()")
    _take(page, "play-won.png")


def _advice_on_a_phone(page: Any) -> None:
    """The same advice on a small screen."""
    _let_agent_play(page)
    page.evaluate("panel.advise()")
    _take(page, "play-phone.png")


def _replay(browser: Any) -> None:
    """The replay of a game of the random agent."""
    episode = play_episode(load_agent("random"), DEAL)
    page = browser.new_context(**DESKTOP).new_page()
    with tempfile.TemporaryDirectory() as folder:
        page.goto(write_replay_page(Path(folder) / "game.html", episode, verify(episode)).as_uri())
        page.evaluate("ply => player.go(ply)", REPLAY_PLY)
        _take(page, "replay.png")


def _let_agent_play(page: Any) -> None:
    for _ in range(PLIES_PLAYED):
        page.evaluate("act({ do: 'agent' })")


def _middle(page: Any, place: str) -> tuple[float, float]:
    x, y = page.evaluate(
        "place => { const box = board.topOf(place).getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; }",
        place,
    )
    return x, y


def _take(page: Any, name: str) -> None:
    """Write a picture when the cards lie still, in few colours: a sixth of the size."""
    page.wait_for_timeout(SETTLED)
    with moved_into_place(IMAGES / name) as draft:
        page.screenshot(path=draft)
        with Image.open(draft) as picture:
            small = picture.convert("RGB").quantize(
                COLOURS,
                method=Image.Quantize.MAXCOVERAGE,
                kmeans=ROUNDS_OF_FITTING,
                dither=Image.Dither.NONE,
            )
        small.save(draft, optimize=True)
    page.context.close()
    print(f"{IMAGES.relative_to(ROOT) / name}: {(IMAGES / name).stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
