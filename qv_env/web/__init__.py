"""The game on a page: the board as a component, replays that stand alone, a page to play on.

`qv_env.web.app` is the server of ``qv play``. It needs the extra ``[web]``, so nothing here imports
it. Positions come from the engine as JSON (`qv_env.web.view`); the scripts in ``assets`` show them
and know no rule. Nothing on a page is loaded from elsewhere.
"""

from qv_env.web.replay import replay_html, write_replay_page

__all__ = ["replay_html", "write_replay_page"]
