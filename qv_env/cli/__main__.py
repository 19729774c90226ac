"""``python -m qv_env.cli`` is the `qv` command."""

from qv_env.cli import main

main()
