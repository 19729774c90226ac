"""``python -m qv_env`` is the `qv` command."""

from qv_env.cli import main

main()
