"""How kernels are compiled, and where the compiled code is kept.

Numba's on-disk cache looks only at the file a kernel stands in, so it would go on using a kernel
compiled against an older version of another file. Kernels here call each other across files;
their cache folder is therefore named after a digest of all sources of the package.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
import numba.extending
import platformdirs
from numba.core import event

# Numba creates its settings at run time, out of sight of type checkers.
_config: Any = numba.config

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(function: Kernel) -> Kernel:
    """Compile a function on its first call; it releases the GIL and is cached on disk.

    Such kernels make no arrays, so nothing in them counts references to arrays; their callers hold
    them. Numba would count wherever one kernel passes an array to another, in the slow way that
    threads need, and a step did so a dozen times.

    Kernels are merged into those that call them. Left to itself LLVM keeps some apart, and a step
    of the vector environment then takes half as long again.
    """
    return _compile(function, forceinline=True, _nrt=False)


def separate_kernel(function: Kernel) -> Kernel:
    """Like `kernel`, but never merged into its callers: for large ones that search calls."""
    return _compile(function, _nrt=False)


def array_kernel(function: Kernel) -> Kernel:
    """Like `separate_kernel`, but free to make arrays and to copy slices.

    Numba counts references in these, which costs search a third of its time: for rarely needed
    ones, and for those that Python calls.
    """
    return _compile(function, _nrt=True)


def parallel_kernel(function: Kernel) -> Kernel:
    """Like `array_kernel`, with ``numba.prange`` loops spread over threads."""
    return _compile(function, parallel=True, _nrt=True)


def compiled_as(
    function: Callable[..., Any], *, literals: bool = False
) -> Callable[[Kernel], Kernel]:
    """Return a decorator for what kernels get where they call a function written for Python.

    Args:
        function: What plain Python calls.
        literals: Whether constants among the arguments are known while compiling.
    """
    options: Any = {"forceinline": True, "_nrt": False}  # as `kernel`
    overload: Any = numba.extending.overload
    return cast(
        Callable[[Kernel], Kernel], overload(function, jit_options=options, prefer_literal=literals)
    )


def instructions(generator: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function for kernels out of one that writes LLVM's instructions, as Numba asks."""
    intrinsic: Any = numba.extending.intrinsic
    return cast(Callable[..., Any], intrinsic(prefer_literal=True)(generator))


def _compile(function: Kernel, **options: Any) -> Kernel:
    folder = _cache_folder(Path(function.__code__.co_filename).parent)
    users_folder = _config.CACHE_DIR
    try:
        # Numba reads this setting while it decorates; the user's own kernels keep their setting.
        _config.CACHE_DIR = folder or users_folder
        compiled = numba.njit(cache=folder is not None, nogil=True, **options)(function)
    finally:
        _config.CACHE_DIR = users_folder
    _kernels.add(id(compiled))
    return cast(Kernel, compiled)


def most_threads() -> int:
    """Return how many threads parallel kernels may use: the cores, unless Numba is told less."""
    return int(_config.NUMBA_NUM_THREADS)


def use_threads(count: int) -> None:
    """Let parallel kernels that this thread calls use so many threads, if there are as many.

    Telling Numba takes as long as stepping some dozens of games, so it is told only what is new.
    """
    if getattr(_told, "threads", None) != count:
        numba.set_num_threads(min(count, most_threads()))
        _told.threads = count


class _CompilationNotice(event.Listener):
    """Says once, when the first kernel is compiled, what takes so long."""

    TEXT: Final = "qv-env compiles its kernels for this machine, once; this takes some seconds."

    def __init__(self) -> None:
        self._given = False

    def on_start(self, event: Any) -> None:
        """Say it if the function to be compiled is a kernel that was not in the cache."""
        dispatcher = (event.data or {}).get("dispatcher")
        if self._given or id(dispatcher) not in _kernels:
            return
        self._given = True
        logging.getLogger("qv_env").info(self.TEXT)
        # Whoever reads a log or a pipe is not waiting for it.
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(f"{self.TEXT}\n")

    def on_end(self, event: Any) -> None:
        """Say nothing."""


_told: Final = threading.local()
_kernels: Final[set[int]] = set()
event.register("numba:compile", _CompilationNotice())  # type: ignore[no-untyped-call]  # Numba has no types


@lru_cache
def _cache_folder(package: Path) -> str | None:
    """Return the writable cache folder for kernels of a package, or None where there is none."""
    digest = hashlib.sha256()
    for folder in dict.fromkeys((Path(__file__).parent, package)):
        for source in sorted(folder.glob("*.py")):
            digest.update(source.name.encode())
            digest.update(source.read_bytes())
    name = f"kernels-{digest.hexdigest()[:16]}"
    users_choice = os.environ.get("NUMBA_CACHE_DIR")
    roots = [Path(users_choice)] if users_choice else [platformdirs.user_cache_path("qv-env")]
    for root in (*roots, Path(tempfile.gettempdir()) / f"qv-env-{_user()}"):
        try:
            (root / name).mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(root / name, os.W_OK):
            return str(root / name)
    return None


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"
