"""The console scripts: a check that the packages found are those of mlc, then the tool.

A project that has a `tools/` of its own, and PYTHONPATH=., gets a report that names it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module

from mlc_support.errors import MlcError
from mlc_support.shadowing import check_packages


def run(module: str) -> int:
    """The exit code of the tool in `module`; 1, with a report on stderr, where another package shadows one of mlc."""
    try:
        check_packages()
    except MlcError as error:
        print(error.render(), file=sys.stderr)
        return 1
    main: Callable[[], int] = import_module(module).main
    return main()


def mlc_opt() -> int:
    """`mlc-opt`, most runs of which are shorter than the start of numpy's threads."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return run("tools.mlc_opt")


mlc_translate = partial(run, "tools.mlc_translate")
mlc_compare = partial(run, "tools.mlc_compare")
mlc_compile = partial(run, "tools.mlc_compile")
