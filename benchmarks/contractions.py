"""Products of matrices, attention and convolutions with everything around them, beside all that computes them.

    python -m benchmarks.contractions [--cases 'causal*'] [--part K/N] [--budget SECONDS] [--json FILE [--resume]]
    python -m benchmarks.contractions --join PART.json ... --json FILE
    python -m benchmarks.contractions --show FILE

Takes every option of `benchmarks.micro`, with other defaults: these families and columns, and compilers that are
started in the process that measures, so that a budget holds. "library" runs a case's products alone, "sdpa" is
PyTorch's attention by the kernel of its choice, and the two beside it by that kernel. `--show` prints every number of
a file: device time, wall time of a call, error against float64, peak memory beside the inputs, TFLOP/s of the products
that no mask hides, and the fraction of the copy bandwidth, which for few rows is that of the weights.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import micro
from benchmarks.cases import ATTENTION, CONTRACTIONS, CONVOLUTIONS, DECODING, GRADIENTS, LAST_LAYER, PACKED
from benchmarks.records import Measured, Result
from benchmarks.report import markdown

CASES = (*CONTRACTIONS, *PACKED, *DECODING, *ATTENTION, *LAST_LAYER, *CONVOLUTIONS, *GRADIENTS)
FAMILIES = tuple(dict.fromkeys(c.family for c in CASES))
COLUMNS = (
    "eager", "inductor", "max-autotune", "xla", "library", "sdpa", "sdpa-flash", "sdpa-cudnn", "flex", "mlc",
)  # fmt: skip
DEFAULTS = (
    "--family", ",".join(FAMILIES), "--backends", ",".join(COLUMNS),
    "--processes", "0", "--budget", "480", "--no-launches", "--calls",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["--show"] and len(given) == 2:
        print(markdown(numbers(micro.earlier_run(Path(given[1])).results)))
        return 0
    return micro.main([*DEFAULTS, *given])


def numbers(results: Sequence[Result]) -> Iterator[Sequence[str]]:
    """Every number of every case; the first row has the titles."""
    yield ("case", "by", "us", "wall us", "error", "peak MB", "TFLOP/s", "of copy", "seconds to compile")
    for result in results:
        for backend, found in result.backends.items():
            yield (result.name, backend, *cells(result, found))


def cells(result: Result, found: Measured) -> tuple[str, ...]:
    """The numbers of one backend; empty where one is not known."""
    if found.failure is not None:
        return (found.failure, *[""] * 6)
    rate = result.product_operations / found.seconds / 1e12 if found.seconds else None
    return (
        number(found.seconds, ".1f", 1e6),
        number(found.wall_seconds, ".1f", 1e6),
        number(found.error, ".1e"),
        number(found.peak_bytes, ".1f", 1e-6),
        number(rate, ".1f"),
        number(found.of_copy, ".3f"),
        number(found.compile_seconds, ".1f"),
    )


def number(value: float | None, form: str, unit: float = 1) -> str:
    return "" if value is None else format(value * unit, form)


if __name__ == "__main__":
    sys.exit(main())
