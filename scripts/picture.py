"""Draw the picture in README: a game of the greedy agent."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from agents.episode import play_episode
from agents.greedy import GreedyAgent
from qv_env import Deal
from qv_env.episodes import verify
from qv_env.render import ReplayFrames

PICTURE = Path(__file__).parent.parent / "docs" / "img" / "game.png"
PLIES = 70


def main() -> None:
    """Write the picture."""
    episode = play_episode(GreedyAgent(), Deal.from_number(21), max_plies=PLIES)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(ReplayFrames(verify(episode))[-1]).save(PICTURE, optimize=True)
    print(f"wrote {PICTURE}")


if __name__ == "__main__":
    main()
