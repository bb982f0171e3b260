"""The tables of the documentation, from the committed results: `python -m benchmarks.tables speed`.

No number of theirs is written by hand: a test compares each table with what this prints.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path

from benchmarks import cpu_records as cpu_run
from benchmarks import fusion_coverage, fusion_measured, regret_records, regret_report
from benchmarks.cases import AWKWARD, CHAINS, LAYOUTS, MICRO, REGIONS, RESAMPLED
from benchmarks.corpus_report import BEHIND, ratio
from benchmarks.cpu_cases import SIZES
from benchmarks.models import records as models_run
from benchmarks.records import Result, load
from benchmarks.report import markdown, mean, speedup

RESULTS = Path(__file__).parent / "results"
FAMILIES = {
    "operations and short chains": MICRO,
    "fused regions of models": REGIONS,
    "awkward sizes": AWKWARD,
    "layouts": LAYOUTS,
    "calls, then chains": CHAINS,
    "images of another size": [case for case in RESAMPLED if not case.gradients],
    "with their gradients": [case for case in RESAMPLED if case.gradients],
}
SLOWER = 0.95
"""A case that mlc runs at less of the other's speed counts as slower."""
MICROSECONDS = (("seconds", ".1f"), ("host_seconds", ".0f"))
"""The times of a region, and how they are printed."""
NEAR = 1.3
"""What a predicted time may be of the measured one, or that of it, to count as near."""
STRATEGIES = {"xla": "XLA", "tvm": "TVM", "inductor": "Inductor"}
BESIDE_CONTRACTIONS = {
    "eager": ("eager",), "Inductor": ("inductor",), "its max-autotune": ("max-autotune",), "XLA": ("xla",),
    "products alone": ("library",), "best SDPA": ("sdpa", "sdpa-flash", "sdpa-cudnn"), "flex_attention": ("flex",),
}  # fmt: skip
"""The columns of a table, and the backends of which each has the fastest."""
SEEDS = (
    *((seed, "h200") for seed in (3333, 4444, 5555, 6666, 7777, 8888, 9999)),
    *((seed, "h100") for seed in (20202, 31313, 42424, 51515, 61616)),
)

Row = Sequence[str]


def speed() -> Iterator[Row]:
    """Geometric means of the fraction of the copy bandwidth, and of Inductor's time over that of mlc."""
    backends = {
        "eager": "eager", "inductor": "Inductor", "max-autotune": "its max-autotune", "xla": "XLA", "mlc": "mlc",
    }  # fmt: skip
    yield ("", *backends.values(), "mlc / Inductor")
    for family, found in _families("micro_h200.json"):
        ratio = f"{mean(_ratios(found, 'inductor')):.2f}"
        yield (f"{family} ({len(found)})", *(_share(found, backend) for backend in backends), ratio)


def least() -> Iterator[Row]:
    """The case that mlc runs slowest beside each of the others, and time to compile."""
    names = {"inductor": "Inductor", "max-autotune": "Inductor's max-autotune", "xla": "XLA"}
    yield ("beside", "cases", "mlc is at least so many times as fast", "mlc compiles in so much of its time")
    results = load(RESULTS / "micro_h200.json").results
    for backend, name in names.items():
        ratios = _ratios(results, backend)
        yield (name, str(len(ratios)), f"{min(ratios):.2f}", _compiling(results, backend))


def layouts() -> Iterator[Row]:
    """Inputs that are channels-last, transposed or slices included."""
    return _beside_inductor("tables_h200.json")


def resampled() -> Iterator[Row]:
    """Images of another size, and their gradients."""
    return _beside_inductor("resampled_h200.json")


def chains() -> Iterator[Row]:
    """Calls of the library with the pointwise ops that follow them."""
    return _beside_inductor("chains_h200.json")


def _beside_inductor(file: str) -> Iterator[Row]:
    """Families of cases: shares of the copy, mlc's speed beside Inductor's, and its time to compile."""
    titles = ("eager", "Inductor", "mlc", "mlc / Inductor", f"below {SLOWER} of Inductor", "compile time")
    yield ("", *titles)
    for family, found in _families(file):
        ratios = _ratios(found, "inductor")
        shares = (_share(found, backend) for backend in ("eager", "inductor", "mlc"))
        slower = str(sum(ratio < SLOWER for ratio in ratios))
        yield (f"{family} ({len(found)})", *shares, f"{mean(ratios):.2f}", slower, _compiling(found, "inductor"))


def fusion() -> Iterator[Row]:
    """Programs built by the rules of other compilers, by the clock."""
    yield ("plans by the rules of", "time, mlc's being 1", "mlc faster, slower, as fast", "without products")
    results = fusion_measured.load(RESULTS / "fusion_measured_h200.json")
    for strategy, name in STRATEGIES.items():
        timed = [(r.product, ratio) for r in results if (ratio := r.ratio(strategy)) is not None]
        faster, slower = (sum(s * (ratio - 1) > fusion_measured.EVEN for _, ratio in timed) for s in (1, -1))
        counts = f"{faster}, {slower}, {len(timed) - faster - slower}"
        apart = mean(ratio for product, ratio in timed if not product)
        yield (name, f"{mean(ratio for _, ratio in timed):.3f}", counts, f"{apart:.3f}")


def schedules() -> Iterator[Row]:
    """How far the schedule that the compiler takes is from the best of those that were timed."""
    titles = "default over best", "worst 2%", "within 1.1", "predictions within 1.25"
    yield ("seed", "device", "functions", "kernels", *titles)
    for seed, device in SEEDS:
        run = regret_records.load(RESULTS / f"regret_{seed}_{device}.json")
        found = regret_report.measured(run.results)
        ratios = [ratio for *_, ratio in found]
        within = f"{sum(ratio <= 1.1 for ratio in ratios) / len(ratios):.0%}"
        near = f"{regret_report.near(regret_report.predictions(run.results)):.0%}"
        worst = f"{mean(regret_report.worst(ratios)):.2f}"
        counts = str(len(run.results)), str(len(found))
        yield (str(seed), device.upper(), *counts, f"{mean(ratios):.2f}", worst, within, near)


def decoding() -> Iterator[Row]:
    """Products of matrices with one vector, and what surrounds them: fractions of the copy bandwidth."""
    return _each("decoding", "contractions_h200.json")


def attention() -> Iterator[Row]:
    """Attention written by hand, forward and with gradients: microseconds, and the others' time over that of mlc."""
    names = ("eager", "Inductor", "best SDPA", "flex_attention")
    yield ("", "us", *names)
    families = ("attention", "attention-backward")
    found = [r for r in load(RESULTS / "contractions_h200.json").results if r.family in families]
    for result in found:
        us = f"{1e6 * (_figure(result, 'mlc', 'seconds') or 0):.0f}"
        yield (result.name, us, *(_mean_or_nothing(_over([result], BESIDE_CONTRACTIONS[n], "seconds")) for n in names))
    for family in families:
        these = [r for r in found if r.family == family]
        speeds = (_mean_or_nothing(_over(these, BESIDE_CONTRACTIONS[n], "seconds")) for n in names)
        yield (f"{family} ({len(these)})", "", *speeds)


def contractions() -> Iterator[Row]:
    """Products with what surrounds them: the others' time over that of mlc, and mlc's error and memory over eager's."""
    anew = load(RESULTS / "convolutions_h200.json").results
    kept = {r.name for r in anew}
    return _by_family([*anew, *(r for r in load(RESULTS / "contractions_h200.json").results if r.name not in kept)])


def autotuned() -> Iterator[Row]:
    """Some of the same, with Inductor's max-autotune and XLA beside the others in one run."""
    return _by_family(load(RESULTS / "autotuned_h200.json").results)


def _by_family(results: Sequence[Result]) -> Iterator[Row]:
    yield ("", *BESIDE_CONTRACTIONS, "error, of eager's", "most", "peak memory, of eager's")
    for family in dict.fromkeys(r.family for r in results):
        found = [r for r in results if r.family == family]
        speeds = (_mean_or_nothing(_over(found, names, "seconds")) for names in BESIDE_CONTRACTIONS.values())
        errors, peaks = ([1 / x for x in _over(found, ("eager",), what)] for what in ("error", "peak_bytes"))
        most = f"{max(errors):.2f}" if errors else ""
        yield (f"{family} ({len(found)})", *speeds, _mean_or_nothing(errors), most, _mean_or_nothing(peaks))


def convolutions() -> Iterator[Row]:
    """Blocks of convolutional networks: microseconds, and the others' time over that of mlc."""
    names = ("eager", "Inductor", "products alone")
    yield ("", "us", *names)
    found = [r for r in load(RESULTS / "convolutions_h200.json").results if r.family.startswith("convolutions")]
    for result in found:
        us = f"{1e6 * (_figure(result, 'mlc', 'seconds') or 0):.0f}"
        yield (result.name, us, *(_mean_or_nothing(_over([result], BESIDE_CONTRACTIONS[n], "seconds")) for n in names))


def packed() -> Iterator[Row]:
    """Linear layers of packed weights, by rows of the input: the others' time over that of mlc, and of copy."""
    yield ("", "rows", "eager", "Inductor", "mlc, of copy")
    found = [r for name in ("packed", "packed_floats") for r in load(RESULTS / f"{name}_h200.json").results]
    # A name begins with how weights are packed; then come rows, inputs and outputs.
    told = {r.name: re.fullmatch(r"(.*?) (\d+) x .*", r.name) for r in found}
    kinds = sorted({(m[1], int(m[2])) for m in told.values() if m is not None})
    for kind, rows in kinds:
        these = [r for r in found if (m := told[r.name]) is not None and (m[1], int(m[2])) == (kind, rows)]
        speeds = (_mean_or_nothing(_over(these, (backend,), "seconds")) for backend in ("eager", "inductor"))
        yield (f"{kind} ({len(these)})", str(rows), *speeds, _share(these, "mlc"))


def _over(results: Sequence[Result], others: Sequence[str], what: str) -> list[float]:
    """The least figure of the others over that of mlc, for each case where both are known and not zero."""
    pairs = (
        (min((x for b in others if (x := _figure(r, b, what))), default=None), _figure(r, "mlc", what)) for r in results
    )
    return [theirs / ours for theirs, ours in pairs if theirs and ours and isfinite(theirs) and isfinite(ours)]


def _figure(result: Result, backend: str, what: str) -> float | None:
    measured = result.backends.get(backend)
    return None if measured is None else getattr(measured, what)


def _mean_or_nothing(values: Sequence[float]) -> str:
    return f"{mean(values):.2f}" if values else ""


def _each(family: str, file: str) -> Iterator[Row]:
    """Every case of a family, beside eager and Inductor."""
    yield ("", "eager", "Inductor", "mlc", "mlc / eager", "mlc / Inductor")
    found = [r for r in load(RESULTS / file).results if r.family == family]
    for result in found:
        shares = (_share([result], backend) for backend in ("eager", "inductor", "mlc"))
        yield (result.name, *shares, *(f"{_ratios([result], backend)[0]:.2f}" for backend in ("eager", "inductor")))
    shares = (_share(found, backend) for backend in ("eager", "inductor", "mlc"))
    yield (f"all ({len(found)})", *shares, *(f"{mean(_ratios(found, b)):.2f}" for b in ("eager", "inductor")))


def models() -> Iterator[Row]:
    """How many times as fast whole models are, as much memory they take, and as long they compile."""
    yield ("", "beside", "speed", "least", "host", "peak memory", "most", "seconds to the first result")
    runs = {
        "inference": ("models_h200.json",),
        "inference, CUDA graphs": ("models_reduce_overhead_h200.json",),
        "training": ("models_train_more_h200.json", "models_train_h200.json"),
    }
    for title, files in runs.items():
        # Of a model in several files, the first has the newest.
        results = {r.name: r for file in files[::-1] for r in models_run.load(RESULTS / file).results}.values()
        for other in ("eager", "inductor"):
            speeds, hosts, peaks, firsts = (
                [theirs / ours for r in results if (ours := _of(r, "mlc", what)) and (theirs := _of(r, other, what))]
                for what in ("wall_ms", "host_ms", "peak_bytes", "first_s")
            )
            compiled = f"{1 / mean(firsts):.2f}" if other != "eager" else ""
            memory = (f"{1 / mean(peaks):.2f}", f"{1 / min(peaks):.2f}") if len(peaks) == len(speeds) else ("", "")
            speed = f"{mean(speeds):.2f}", f"{min(speeds):.2f}", f"{mean(hosts):.2f}"
            yield (f"{title} ({len(speeds)})", other.capitalize(), *speed, *memory, compiled)


def regions() -> Iterator[Row]:
    """Fused regions of real programs, drawn by seed from those that `benchmarks.capture` found."""
    yield ("", "of copy", "us", "mlc's speed", f"below {BEHIND} of it", "us of the host", "mlc's speed there")
    results = load(RESULTS / "corpus_20261201_h200.json").results
    for backend, name in {"eager": "Eager", "inductor": "Inductor", "mlc": "mlc"}.items():
        found = [m for r in results if (m := r.backends.get(backend)) and m.failure is None]
        us, host_us = (f"{mean(1e6 * (getattr(m, key) or 0) for m in found):{digits}}" for key, digits in MICROSECONDS)
        times, host_times = ([x for r in results if (x := ratio(r, backend, key))] for key, _ in MICROSECONDS)
        speed, slow = f"{mean(times):.2f}", f"{sum(x < BEHIND for x in times) / len(times):.0%}"
        beside = (speed, slow, host_us, f"{mean(host_times):.2f}") if backend != "mlc" else ("", "", host_us, "")
        yield (f"{name} ({len(found)})", _share(results, backend), us, *beside)


def host() -> Iterator[Row]:
    """Microseconds that a call keeps the host."""
    yield ("", "eager", "Inductor", "mlc")
    for name, backends in json.loads((RESULTS / "host_h200.json").read_text())["results"].items():
        yield (name, *(f"{backends[b]['host_us']:.0f}" for b in ("eager", "inductor", "mlc")))


def _of(result: models_run.Result, backend: str, what: str) -> float | None:
    measured = result.backends.get(backend)
    return None if measured is None else getattr(measured, what)


def cpu() -> Iterator[Row]:
    """Functions by their size, and models, on the CPU; the slowest case beside Inductor; compile seconds; errors."""
    yield (
        "", "threads", "of eager", "of Inductor", "least, of Inductor", "compile seconds, of Inductor's",
        "error, of eager's", "of Inductor's",
    )  # fmt: skip
    results = cpu_run.Run.load(RESULTS / "cpu.json").results
    kinds = {f"functions, {size}": f", {size}" for size in SIZES} | {k: f", {k}" for k in ("inference", "training")}
    for kind, ending in kinds.items():
        for threads in sorted({r.threads for r in results}):
            found = [r for r in results if r.threads == threads and r.name.endswith(ending)]
            speeds = {other: _others(found, other, "seconds") for other in ("eager", "inductor")}
            means = (f"{mean(speeds[other]):.2f}" for other in speeds)
            costs = (("inductor", "first_s"), ("eager", "error"), ("inductor", "error"))
            shares = (f"{1 / mean(_others(found, *cost)):.2f}" for cost in costs)
            yield (f"{kind} ({len(found)})", str(threads), *means, f"{min(speeds['inductor']):.2f}", *shares)


def ranking() -> Iterator[Row]:
    """How often predicted times order strategies as measured ones do, and are near those of mlc."""
    results = fusion_measured.load(RESULTS / "fusion_measured_h200.json")
    yield ("graphs", "predicted times order the strategies as measured ones do", f"mlc's are within {NEAR} times")
    for title, group in (("all", results), ("without products", [r for r in results if not r.product])):
        found = [same for r in group if (same := fusion_measured.ranked_as_predicted(r)) is not None]
        own = [r.strategies["mlc"] for r in group]
        ratios = [b.predicted_us / (1e6 * b.seconds) for b in own if b.seconds and b.predicted_us]
        near = sum(1 / NEAR <= ratio <= NEAR for ratio in ratios) / len(ratios)
        yield (f"{title} ({len(found)})", f"{sum(found) / len(found):.1%}", f"{near:.1%}")


def coverage() -> Iterator[Row]:
    """The share of the ops of whole models that the real compilers were given, and what was not."""
    yield ("models", "ops", "compiler", "given", "least of a model", "in kernels", "graphs refused", "ops cut")
    results = fusion_coverage.load(RESULTS / "fusion_models.json")
    for variant in dict.fromkeys(r.variant for r in results):
        found = [r for r in results if r.variant == variant]
        ops = sum(r.ops for r in found)
        for peer, name in STRATEGIES.items():
            answers = [r.answers[peer] for r in found if peer in r.answers]
            given, placed = (sum(getattr(a, what) for a in answers) / ops for what in ("compared", "placed"))
            shares = f"{given:.1%}", f"{min(r.share(peer) for r in found):.1%}", f"{placed:.1%}"
            cut = sum(count for a in answers for count in a.cuts.values())
            refused = sum(len(a.refused) for a in answers)
            yield (f"{variant} ({len(found)})", f"{ops:,}", name, *shares, str(refused), str(cut))


PRINTED = (
    speed, least, layouts, resampled, chains, regions, contractions, autotuned, packed, convolutions, decoding,
    attention, models, host, fusion, ranking, coverage, schedules, cpu,
)  # fmt: skip
TABLES: dict[str, Callable[[], Iterator[Row]]] = {made.__name__: made for made in PRINTED}


def _families(file: str) -> Iterator[tuple[str, list[Result]]]:
    results = load(RESULTS / file).results
    for family, cases in FAMILIES.items():
        names = {case.name for case in cases}
        found = [result for result in results if result.name in names]
        if found:
            yield family, found


def _share(results: Sequence[Result], backend: str) -> str:
    found = [m.of_copy for r in results if (m := r.backends.get(backend)) is not None and m.of_copy is not None]
    return f"{mean(found):.2f}"


def _ratios(results: Sequence[Result], backend: str) -> list[float]:
    return [ratio for r in results if (ratio := speedup(r, theirs=backend)) is not None]


def _others(results: Sequence[cpu_run.Result], other: str, what: str) -> list[float]:
    """The figure of another over that of mlc, for each case on the CPU where both are known."""
    return [ratio for r in results if (ratio := cpu_run.ratio(r, other, what)) is not None]


def _compiling(results: Sequence[Result], backend: str) -> str:
    """The geometric mean of mlc's seconds to compile over the other's; empty where those were not measured."""
    pairs = [[r.backends[b].compile_seconds if b in r.backends else None for b in ("mlc", backend)] for r in results]
    ratios = [ours / theirs for ours, theirs in pairs if ours and theirs]
    return f"{mean(ratios):.2f}" if ratios else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=TABLES)
    print(markdown(TABLES[parser.parse_args().table]()))


if __name__ == "__main__":
    main()
