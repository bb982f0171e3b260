"""The garbage collector, while a module is compiled.

Ops, blocks and uses refer to each other, so a pass makes cycles by the hundred thousand, nearly all of which are
alive. The collector walks the whole program again whenever that has grown by a quarter: a quarter of the time
that the graph passes take, to find next to nothing. So it is with the graphs that AOTAutograd makes.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """No cycle is collected meanwhile: for work that ends, and whose garbage is a part of what it makes.

    What has no cycle is freed as always. Where blocks nest, or run in several threads, the collector runs again
    when that which paused it ends: too early for the others, which does no harm.
    """
    paused = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if paused:
            gc.enable()
