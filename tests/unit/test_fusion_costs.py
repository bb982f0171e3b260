"""The terms of the mlc policy's cost model, one by one, and the cheapest cut."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.types import tensor_type
from mlc_dialects.iteration.domain import domain_of
from mlc_dialects.iteration.iterate import Iteration, iterate
from mlc_dialects.tensor.elementwise_op import ELEMENTWISE
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp
from passes.common.device import DEVICES
from passes.tensor.fusion.cut import cheapest_reads
from passes.tensor.fusion.policy import Candidate, MlcPolicy, Verdict

H200 = DEVICES["h200"]
POLICY = MlcPolicy(H200)


def value(shape: tuple[int, ...]) -> SSAValue:
    return Block(arg_types=[tensor_type(shape, f32)]).args[0]


def normalised(rows: int, columns: int, turned: bool = False) -> Candidate:
    """A row against its sum, as one kernel; turned: its transpose is what is stored."""
    x = value((rows, columns))
    total = ReduceOp("add", x, [1])
    wide = BroadcastOp(total.result, (rows, columns))
    quotient = ELEMENTWISE["div"](x, wide.result)
    ops: list[Operation] = [total, wide, quotient]
    outputs = [quotient.results[0]]
    if turned:
        ops.append(PermuteOp(outputs[0], [1, 0]))
        ops.append(ELEMENTWISE["exp"](ops[-1].results[0]))
        outputs = [ops[-1].results[0]]
    iteration = iterate(ops, outputs)
    assert isinstance(iteration, Iteration)
    return Candidate(ops, iteration, [x], outputs, [total.result], siblings=False)


def test_a_kernel_costs_a_launch_and_the_longer_of_traffic_and_arithmetic() -> None:
    x, y = value((1 << 14, 1 << 12)), value((1 << 14, 1 << 12))
    moved = 2 * 4 * (1 << 26)
    assert POLICY.busy_us((), ()) == H200.launch_us
    assert POLICY.busy_us((), (x, y)) == pytest.approx(H200.launch_us + 1e6 * moved / H200.bandwidth)
    op = ELEMENTWISE["exp"](x)
    assert POLICY.busy_us((op,), (x, y)) == POLICY.busy_us((), (x, y))  # hides behind what is moved
    flops = int(2e-6 * moved / H200.bandwidth * H200.flops * 1e6)
    assert POLICY.busy_us((), (x, y), flops) == pytest.approx(H200.launch_us + 1e6 * flops / H200.flops)


def test_l2_serves_a_kernel_whose_values_it_holds_together() -> None:
    size = H200.l2_bytes // 4
    half = value((size // 4,))
    assert POLICY.busy_us((), (half, half)) == pytest.approx(H200.launch_us + 1e6 * 2 * size / H200.l2_bandwidth)
    assert POLICY.busy_us((), (half,) * 3) == pytest.approx(H200.launch_us + 1e6 * 3 * size / H200.bandwidth)


def test_a_row_cut_into_parts_is_read_again_after_another_launch() -> None:
    few, many = normalised(4, 1 << 20), normalised(1 << 12, 1 << 10)
    once, again = 8 * (1 << 22), 4 * (1 << 22)
    assert POLICY.kernel_us(many) == pytest.approx(POLICY.saved_us(once))
    assert POLICY.kernel_us(few) == pytest.approx(POLICY.saved_us(once) + POLICY.saved_us(again))


def test_a_launch_weighs_as_the_device_says() -> None:
    slow = MlcPolicy(replace(H200, launch_us=10.0))
    assert slow.saved_us(0) - POLICY.saved_us(0) == pytest.approx(10.0 - H200.launch_us)


def test_sums_of_columns_that_registers_do_not_hold_are_refused() -> None:
    def judged(columns: int) -> Verdict:
        x = value((4096, columns))
        row, column = ReduceOp("add", x, [1]), ReduceOp("add", x, [0])
        iteration = iterate([row, column], [row.result, column.result])
        assert isinstance(iteration, Iteration) and iteration.over_rows == [column]
        return POLICY.judge(Candidate([row, column], iteration, [x], [row.result, column.result], [x], siblings=True))

    widest = 1 << (POLICY.held_elements // 4).bit_length() - 1  # lanes hold a power of two of columns
    assert judged(widest).fuse
    assert "the registers do not hold 1 row(s) of sums" in judged(widest + 1).why


@pytest.mark.parametrize(
    ("rows", "columns", "fuse"),
    [
        (1 << 14, 1 << 12, True),  # programs for every core, eight rows each
        (32, 1 << 10, True),  # few programs, and soon done
        (64, 1 << 14, False),  # eight programs, each with as much as all others have to share
    ],
)
def test_rows_are_written_across_where_programs_suffice(rows: int, columns: int, fuse: bool) -> None:
    candidate = normalised(rows, columns, turned=True)
    (output,) = candidate.outputs
    assert candidate.iteration.stores[output] == domain_of(candidate.ops[0]).point[::-1]  # pyright: ignore[reportArgumentType]
    verdict = POLICY.judge(candidate)
    assert verdict.fuse == fuse
    assert fuse or verdict.why.startswith("loses parallelism: 8 programs would write across 64 rows")


def test_the_cheapest_cut_reads_small_values_and_computes_the_rest() -> None:
    """x, m -> d = x - m -> e; and e, d wanted: two large values, or one large and one small."""
    x, m, d, e = (value((n,)) for n in (100, 1, 100, 100))
    operands = {d: [x, m], e: [d]}
    costs = {x: 100, m: 1, d: 200, e: 200}
    assert set(cheapest_reads([d, e], operands.get, costs.__getitem__)) == {x, m}
    costs[x] = 1000
    assert set(cheapest_reads([d, e], operands.get, costs.__getitem__)) == {d}
    costs[d] = 0
    assert cheapest_reads([e], operands.get, costs.__getitem__) == [d]


def test_of_equal_cuts_the_one_that_computes_least() -> None:
    x, y, z = (value((n,)) for n in (8, 8, 8))
    operands = {y: [x], z: [y]}
    assert cheapest_reads([z], operands.get, lambda _: 8) == [z]


def test_a_cut_goes_back_on_what_it_took_first() -> None:
    """Two ways cross: the shortest path is not part of the greatest flow until some of it flows back."""
    a, b, c, d, p, q = (value((n,)) for n in (1, 2, 3, 4, 5, 6))
    operands = {p: [a, b], q: [b, c], a: [d], c: [d]}
    costs = {p: 9, q: 9, a: 3, b: 4, c: 3, d: 5}
    assert set(cheapest_reads([p, q], operands.get, costs.__getitem__)) == {b, d}
