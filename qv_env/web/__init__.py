"""The game on a page: the board as a component, and replays as pages that stand alone.

Positions come from the engine as JSON (`qv_env.web.view`); the scripts in ``assets`` show them and
know no rule. Nothing on a page is loaded from elsewhere.
"""

from qv_env.web.replay import replay_html, write_replay_page

__all__ = ["replay_html", "write_replay_page"]
