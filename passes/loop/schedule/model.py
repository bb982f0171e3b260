"""The model of time: how many microseconds a launch takes on a device under a tiling, and what bounds it.

Each part of the device (memory, L2, load/store units, arithmetic units, the blocks that a multiprocessor starts) needs
a time of its own for what a launch asks of it, and so do the waits of its programs, which run in waves. The launch
takes a power mean of these: the longest, and a little more where two are about as long; much more where few programs
share a multiprocessor and each waits for all its lanes between one part and the next. L2 and the start of blocks
rest for nothing: they hardly count unless they take longer than all that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log2, sqrt

from mlc_support.powers import power_mean
from passes.common.device import Device
from passes.loop.schedule.demand import Demand, demand
from passes.loop.schedule.synchronisation import last_columns
from passes.loop.schedule.tiling import Tiling
from passes.loop.schedule.workload import Workload


@dataclass(frozen=True)
class Fitted:
    """Constants of the model that were fitted; times are in microseconds.

    To 30,000 measured times of 1,750 kernels of benchmarks, of layouts and of cases drawn by eight seeds, and from
    there to 6,500 times of 600 kernels of three later seeds and to those of 159 benchmarks, on an H200 (torch 2.11,
    Triton 3.6), by least absolute error of the logarithm together with the regret of the choice: docs/schedule.md.
    `drain`, and `memory` and `cross_lane_warps` with it, to 16,900 times of 1,512 kernels on H200s and H100s; `steps`
    to 20,500 times of 1,761 kernels on H200s.
    `python -m benchmarks.fit_model` fits them again.
    """

    launch: float = 3.36
    """An empty kernel."""
    latency: float = 0.352
    """From a load to its value: less than memory's latency, since ptxas and L2 hide a part of it."""
    lone: float = 0.65
    """The time of a program that awaits others and is alone on its multiprocessor, over that of one of several there.
    By 330 times of 46 kernels of strided rows, on an H200."""
    start: float = 0.115
    """From the start of a program to its first load, and from its last store to its end."""
    cross_lane: float = 0.0102
    """A cross-lane reduction within a warp, with the barrier."""
    cross_lane_warps: float = 0.03
    """What each doubling of the warps adds to it."""
    wait: float = 0.955
    """A wait for the programs before, in a scan."""
    awaited: float = 0.000286
    """What each value that a program waits for adds to it: the programs that give them start one after another."""
    flag_wait: float = 1.4
    """A wait for the programs that share a row. By 555 times of 43 kernels of real programs, on an H200: of their forms
    and tilings the choice takes 1.066 times as long as the best, where it took 1.117 times as long before."""
    flag: float = 0.0007
    """What each value adds to it, of those that all programs of a multiprocessor wait for: they ask again and again."""
    round: float = 0.2
    """What a round of a persistent loop adds: all lanes have ended before their next rows take the registers. By 125
    times of 25 kernels, on an H200."""
    tail: float = 1.23
    """A step of the last-arriving block, which nothing hides."""
    block: float = 0.0799
    """A multiprocessor's start of a program."""
    memory: float = 1.22
    """Bandwidth of device memory, over that of a copy."""
    l2: float = 1.0
    """Bandwidth of L2, over the one that devices are listed with."""
    drain: float = 0.3
    """What memory loses in one wave of programs: they begin together, and as they end, fewer and fewer are at work."""
    pieces: float = 0.379
    """What memory loses where a contiguous piece is one sector; half of it where it is four."""
    requests: float = 0.771
    """Cycles of a load/store unit, over what its banks and tags take."""
    exchange: float = 1.41
    """Cycles of shared memory for a word that warps exchange."""
    shuffle: float = 0.656
    """Cycles of a shuffle of a warp."""
    issue: float = 1.48
    """Instructions of arithmetic that an issue slot takes, over what they are counted as."""
    turn: float = 2.56
    """Cycles from an instruction of a warp to its next."""
    request: float = 0.703
    """Cycles from a request of a warp to its next."""
    port: float = 90.6
    """Bytes that a program alone moves in a nanosecond."""
    pressure: float = 0.0733
    """What each doubling of the words in flight adds, beyond EASY_WORDS of a thread."""
    spill: float = 0.13
    """What 16 words of a thread that have no register add."""
    norm: float = 2.35
    """Exponent of the power mean."""
    alone: float = 0.5
    """What it loses where a multiprocessor has one program that waits for all its lanes: phases do not overlap."""
    steps: float = 0.8
    """The same where a program waits for all its lanes in each step of a loop: only those of other programs overlap."""


FITTED = Fitted()
EASY_WORDS = 32
"""Words that a thread holds without haste."""
EASY_WORDS_ALONE = 128
"""The same of a program of one warp, whose lanes wait for no other warp. By 760 kernels of five files of measured
schedules: the choice takes 1.073 times the best of them instead of 1.077, and no file is worse."""
SPILLED_WORDS = 16
"""The unit of what spills add."""
SPILLED_AGAIN = 2
"""How many times as much they add in a persistent loop, which writes and reads them in each round."""
TURN_BARRIERS = 2
"""Barriers of a program for each block that is turned: all lanes have written it, and all have read it."""
FEW_WAVES = 2
"""Waves that lose as much of memory as one; of more, the programs of most begin and end among others."""
STEADY = ("L2", "block starts")
"""Parts that keep their pace whatever else a launch waits for."""
STEADY_NORM = 5
"""The exponent for them. 300 measured launches of 100 to 10,000 blocks a multiprocessor take 0.08 us a block as soon as
all else takes half as long."""
ISSUE_SLOTS = 4
"""Instructions that a multiprocessor issues in a cycle."""


@dataclass(frozen=True)
class Prediction:
    """Microseconds of a launch, and what each part would take alone."""

    us: float
    parts: dict[str, float]

    @property
    def bound(self) -> str:
        """The part that takes longest."""
        return max(self.parts, key=lambda name: self.parts[name])


def predict(work: Workload, choice: Tiling, device: Device, fitted: Fitted = FITTED) -> Prediction:
    """The time of one launch of `work` under `choice`."""
    return prediction(demand(work, choice, device), work, choice, device, fitted)


def prediction(asked: Demand, work: Workload, choice: Tiling, device: Device, fitted: Fitted) -> Prediction:
    """The time of one launch that asks for `asked`: the mean of those that the number of registers may lead to."""
    parts = part_times(asked, work, choice, device, fitted)
    busy = {asked.resident: _together(parts, asked, fitted)}
    for resident in {*asked.residents} - {*busy}:
        fewer = replace(asked, residents=(resident,))
        busy[resident] = _together(part_times(fewer, work, choice, device, fitted), fewer, fitted)
    mean = sum(busy[resident] for resident in asked.residents) / len(asked.residents) + tails_us(work, choice, fitted)
    pressure = 1 + fitted.pressure * max(0.0, log2(max(1.0, asked.wanted) / _easy_words(work, choice)))
    pressure += fitted.spill * asked.spilled / SPILLED_WORDS * (SPILLED_AGAIN if work.rounds > 1 else 1)
    return Prediction(fitted.launch + mean * pressure, parts)


def _easy_words(work: Workload, choice: Tiling) -> int:
    """Words that a thread holds without haste; in a scan each step waits for the one before, whoever computes it."""
    is_alone = choice.warps == 1 and not any(body.is_ordered for body in work.bodies)
    return EASY_WORDS_ALONE if is_alone else EASY_WORDS


def _together(parts: dict[str, float], asked: Demand, fitted: Fitted) -> float:
    """Microseconds that the parts of the device take together, some of them at once."""
    norm = 1 + (fitted.norm - 1) * (1 - _apart(asked, fitted))
    mean = power_mean((us for name, us in parts.items() if name not in STEADY), norm)
    return power_mean((mean, *(parts[name] for name in STEADY)), STEADY_NORM)


def _apart(asked: Demand, fitted: Fitted) -> float:
    """How far the parts take turns, from 0, where they overlap, to 1, where one follows another."""
    steps = fitted.steps * asked.in_steps / max(1.0, asked.sectors) / sqrt(asked.resident)
    return max(steps, fitted.alone / asked.resident**2 if asked.cross_lane else 0.0)


def part_times(asked: Demand, work: Workload, choice: Tiling, device: Device, fitted: Fitted) -> dict[str, float]:
    """Microseconds that each part of the device takes alone."""
    cycles = device.clock_ghz * 1e3
    each = asked.programs / device.multiprocessors
    rounds = max(1.0, each) * work.rounds
    moved = asked.memory + fitted.pieces * asked.pieces
    moved *= 1 + fitted.drain / max(FEW_WAVES, work.rounds * each / asked.resident)
    issued = asked.instructions / (ISSUE_SLOTS * fitted.issue)
    return {
        "memory": moved / (device.bandwidth * fitted.memory) * 1e6,
        "L2": asked.sectors * asked.programs * work.rounds / (device.l2_bandwidth * fitted.l2) * 1e6,
        "loads and stores": rounds * asked.requests * fitted.requests / cycles,
        "arithmetic": rounds * (issued + asked.shuffles * fitted.shuffle + asked.exchanged * fitted.exchange) / cycles,
        "latency": _latency(asked, work, each, _program(asked, work, choice, each, cycles, fitted), fitted),
        "block starts": ceil(each) * fitted.block,
    }


def tails_us(work: Workload, choice: Tiling, fitted: Fitted) -> float:
    """Microseconds that the last-arriving block takes when all others have ended."""
    total = 0.0
    for tail in work.between.tails:
        rows = choice.rows if tail.is_for_each_row else 1
        steps = -(-tail.columns // last_columns(tail.columns, rows, choice.warps))
        total += steps * fitted.tail + tail.columns * rows * tail.bytes / (fitted.port * 1e3)
    return total


def _latency(asked: Demand, work: Workload, each: float, program: float, fitted: Fitted) -> float:
    """Microseconds of the programs that a multiprocessor runs one after another: `each`, some of them at once."""
    lone = fitted.lone if work.between.waits and each <= 1 else 1.0
    return lone * _waves(each / asked.resident, work.accumulates) * program


def _waves(full: float, persistent: bool) -> float:
    """How many times programs start anew; few waves are whole ones, many overlap, but for persistent programs."""
    if full <= 1 or persistent:
        return float(ceil(full))
    return full if full > 8 else (full + ceil(full)) / 2


def _program(asked: Demand, work: Workload, choice: Tiling, each: float, cycles: float, fitted: Fitted) -> float:
    """Microseconds from the start of a program to its end, while nothing else runs."""
    cross_lane = fitted.cross_lane + fitted.cross_lane_warps * log2(choice.warps)
    meetings = asked.cross_lane + TURN_BARRIERS * asked.turned
    round_ = asked.waits * fitted.latency + meetings * cross_lane + asked.sectors / (fitted.port * 1e3)
    round_ += (asked.chain * fitted.turn + asked.requests * fitted.request / choice.warps) / cycles
    round_ += fitted.round if work.rounds > 1 else 0
    return fitted.start + work.rounds * round_ + _waiting(asked, work, choice, each, fitted)


def _waiting(asked: Demand, work: Workload, choice: Tiling, each: float, fitted: Fitted) -> float:
    """Microseconds that a program waits for others; what it tells them and they tell it is of each of its rows."""
    prefixes, flags = work.between.prefixes, work.between.flags
    values = sum(flags) * choice.rows * min(ceil(each), asked.resident)
    scanned = len(prefixes) * fitted.wait + sum(prefixes) * fitted.awaited
    return scanned + len(flags) * fitted.flag_wait + values * fitted.flag
