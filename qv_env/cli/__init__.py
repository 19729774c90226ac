"""The `qv` command's entry point, which works without the packages that the command needs."""

from __future__ import annotations

import io
import sys

_USER_ERROR = 2
_NEEDED = ("click", "pydantic", "rich", "scipy")


def main() -> None:
    """Run the command line; `qv --help` tells what there is."""
    try:
        from qv_env.cli.group import qv

        _print_whatever_the_encoding()
        qv(prog_name="qv")  # commands import what they alone need
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        sys.stderr.write(
            f"qv: {error.name} is not installed; the command needs the eval extra: "
            "pip install 'qv-env[eval]'\n"
        )
        raise SystemExit(_USER_ERROR) from None


def _print_whatever_the_encoding() -> None:
    """Have stdout write a question mark for what its encoding lacks, rather than fail."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
