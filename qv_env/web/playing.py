"""The page on which people play."""

from __future__ import annotations

from typing import Final

from qv_env.refusals import COVERED, refusal_text
from qv_env.web.advice import Adviser
from qv_env.web.page import Page, standalone_page

STYLES: Final = ("theme.css", "board.css", "waste.css", "play.css")
SCRIPTS: Final = (
    "cards.js",
    "board.js",
    "waste.js",
    "ratings.js",
    "client.js",
    "notices.js",
    "places.js",
    "hand.js",
    "gestures.js",
    "advice.js",
    "dialogs.js",
    "play.js",
)


def playing_page(adviser: Adviser | None, *, has_outlook: bool) -> Page:
    """Return the page of ``qv play``.

    Args:
        adviser: Speaks for the agent that plays along, if there is one.
        has_outlook: Whether the server can judge games.
    """
    agent = None
    if adviser is not None:
        agent = {"name": adviser.name, "seesStock": adviser.sees_stock}
    return standalone_page(
        "play.html",
        title="Quarante Voleurs",
        styles=STYLES,
        scripts=SCRIPTS,
        data={
            "agent": agent,
            "hasOutlook": has_outlook,
            "covered": refusal_text(COVERED),
        },
        asks_server=True,
    )
