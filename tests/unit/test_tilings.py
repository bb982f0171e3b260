"""Tilings: what is enumerated, what the model of time expects, and that every tiling computes the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from benchmarks.regret_kernels import Written
from lowering.fx_to_tensor import import_callable
from lowering.tensor_to_loop.lower import TensorToLoopPass
from mlc_compiler import pipeline
from mlc_compiler.machine import Machine
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.schedule import ScheduleAttr
from passes.common.device import DEVICES, device_named
from passes.common.launches import anonymous
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.schedule.demand import demand
from passes.loop.schedule.mapping import apply, tiling_of
from passes.loop.schedule.model import FITTED, predict
from passes.loop.schedule.partition import PartitionRowsPass
from passes.loop.schedule.schedule import SchedulePass
from passes.loop.schedule.tiling import Tiling, tilings
from passes.loop.schedule.workload import Workload, workload
from tests.unit.cases import Case
from tests.unit.test_end_to_end import DISTINCT, SMALL, check, compiled, inputs_of

H200 = device_named("h200")
LARGE = (8192, 8192)


def kernel_of(function: Callable[..., object], *inputs: torch.Tensor, further: Sequence[ModulePass] = ()) -> KernelOp:
    """The one kernel of a function, in memory order, after `further` passes and without a schedule."""
    module = import_callable(function, inputs, name="case").module
    lower_to(module, "fused")
    for step in (TensorToLoopPass(), LinearizeAxesPass(), *further):
        step.apply(Context(), module)
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    return kernel


def fake(*shape: int, **options: Any) -> torch.Tensor:
    """A tensor without memory."""
    with FakeTensorMode():
        return torch.empty(shape, **options)


KERNELS: dict[str, Callable[[], KernelOp]] = {
    "pointwise": lambda: kernel_of(torch.sigmoid, fake(*LARGE)),
    "softmax": lambda: kernel_of(lambda x: torch.softmax(x, -1), fake(*LARGE)),
    "sum of rows": lambda: kernel_of(lambda x: x.sum(1), fake(*LARGE)),
    "sum of columns": lambda: kernel_of(lambda x: x.sum(0), fake(*LARGE)),
    "cumsum": lambda: kernel_of(lambda x: x.cumsum(1), fake(*LARGE)),
    "argmax": lambda: kernel_of(lambda x: x.argmax(1), fake(*LARGE)),
}


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> KernelOp:
    return KERNELS[request.param]()


def fastest(kernel: KernelOp, work: Workload) -> tuple[float, Tiling]:
    """The least predicted time and its tiling."""
    return min(((predict(work, t, H200).us, t) for t in tilings(kernel, work)), key=lambda pair: pair[0])


@pytest.mark.sampled(3)
def test_some_dozens_of_powers_of_two(kernel: KernelOp) -> None:
    found = list(tilings(kernel, workload(kernel)))
    assert 5 <= len(found) <= 200 and len(set(found)) == len(found)
    for tiling in found:
        assert all(n & (n - 1) == 0 for n in (tiling.rows, tiling.columns, tiling.warps)), tiling


@pytest.mark.sampled(3)
def test_what_is_asked_for_is_done(kernel: KernelOp) -> None:
    """A scheduled kernel has the tiling that it was given."""
    for tiling in tilings(kernel, workload(kernel)):
        clone = kernel.clone()
        apply(clone, tiling, "by test", H200)
        has = tiling_of(clone)
        assert (has.rows, has.columns, has.warps) == (tiling.rows, tiling.columns, tiling.warps)
        assert has.stages in (1, tiling.stages)


def test_memory_bounds_what_is_plain(kernel: KernelOp) -> None:
    """The best prediction of a memory-bound kernel is near the time of its bytes, and never far below it."""
    work = workload(kernel)
    us, _ = fastest(kernel, work)
    footprints = {t.buffer: t.footprint for body in work.bodies for t in body.traffic}
    floor = sum(footprints.values()) / H200.bandwidth * 1e6
    assert 0.8 * floor < us < 1.6 * floor


@pytest.mark.parametrize("name", ["softmax", "sum of columns"])
def test_a_slower_device_takes_longer(name: str) -> None:
    kernel = KERNELS[name]()
    work, choice = workload(kernel), next(iter(tilings(kernel, workload(kernel))))
    times = {device: predict(work, choice, DEVICES[device]).us for device in ("h200", "a100", "generic")}
    assert times["h200"] < times["a100"] < times["generic"]


def test_coalesced_accesses_are_quicker() -> None:
    """Rows of which each program takes one read whole sectors; of columns that takes several."""
    columns = workload(KERNELS["sum of columns"]())
    alone, beside = (predict(columns, Tiling(rows, 1024, 8), H200) for rows in (1, 32))
    assert alone.us > 2 * beside.us
    rows = workload(KERNELS["sum of rows"]())
    assert predict(rows, Tiling(1, 1024, 4), H200).us < 1.3 * beside.us


def test_ends_of_unaligned_tiles_cost_memory() -> None:
    """Narrow tiles store short runs. Where these end inside sectors memory moves more, and nothing more elsewhere."""
    wide, narrow = Tiling(256, 32, 8), Tiling(32, 256, 8)
    aligned, unaligned = (
        workload(kernel_of(lambda x: x.t().contiguous(), fake(rows, 8192), further=[TileTransposePass()]))
        for rows in (8192, 8191)
    )
    assert aligned.is_tile and unaligned.is_tile
    assert demand(aligned, narrow, H200).memory == demand(aligned, wide, H200).memory
    assert demand(unaligned, narrow, H200).memory > 1.3 * demand(unaligned, wide, H200).memory


def test_steps_that_combine_lanes_overlap_with_other_programs_only() -> None:
    """A scan loads its next block when it has done with this one; a sum does not wait, nor does a scan of one block."""
    scan, total = workload(KERNELS["cumsum"]()), workload(KERNELS["sum of rows"]())
    steps = demand(scan, Tiling(1, 1024, 4), H200)
    assert steps.in_steps == steps.sectors > 0
    assert demand(total, Tiling(1, 1024, 4), H200).in_steps == demand(scan, Tiling(1, 8192, 8), H200).in_steps == 0
    slower = [
        predict(scan, choice, H200).us / predict(scan, choice, H200, replace(FITTED, steps=0.0)).us
        for choice in (Tiling(1, 4096, 32), Tiling(1, 1024, 4))
    ]
    assert slower[0] > slower[1] > 1, "with few programs on a multiprocessor less overlaps"


def test_registers_that_do_not_suffice_cost_time() -> None:
    work = workload(KERNELS["softmax"]())
    fits, spills = (predict(work, Tiling(rows, 8192, 8), H200) for rows in (1, 16))
    assert spills.us > 1.5 * fits.us


def test_parts_name_what_bounds() -> None:
    work = workload(KERNELS["pointwise"]())
    found = predict(work, Tiling(1024, 1, 4), H200)
    assert found.bound == "memory" and found.us >= max(found.parts.values())
    tiny = predict(workload(kernel_of(torch.sigmoid, fake(64))), Tiling(64, 1, 1), H200)
    assert tiny.us < 6 and tiny.bound != "memory"


def test_channels_last_is_as_quick_as_contiguous() -> None:
    shape = (64, 128, 56, 56)
    last = fake(*shape, memory_format=torch.channels_last)
    times = []
    for x in (fake(*shape), last):
        module = import_callable(torch.sigmoid, (x,), name="case").module
        lower_to(module, "fused")
        for step in pipeline.PIPELINE[3].passes(CompilerOptions(), Machine())[:2]:
            step.apply(Context(), module)
        (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
        times.append(fastest(kernel, workload(kernel))[0])
    assert times[0] == pytest.approx(times[1])


def test_the_attribute_is_checked() -> None:
    with pytest.raises(VerifyException, match="columns is 3 and must be a power of two"):
        ScheduleAttr.of(columns=3)
    with pytest.raises(VerifyException, match="stages is 0 and must be a positive number"):
        ScheduleAttr.of(rows=1, stages=0)
    with pytest.raises(VerifyException, match="exchange is mail and must be one of memory, flags"):
        ScheduleAttr.of(exchange="mail")
    with pytest.raises(VerifyException, match="no field lanes; fields are unroll, tile, online, fission, part"):
        ScheduleAttr.of(lanes=3)
    with pytest.raises(VerifyException, match="online is 1 and must be true or false"):
        ScheduleAttr.of(online=1)
    with pytest.raises(VerifyException, match="swizzle is 8 by 0 and must be two positive numbers"):
        ScheduleAttr.of(swizzle=(8, 0))


def test_fields_are_set_and_opened() -> None:
    asked = ScheduleAttr.of(part=64, online=True, tail=None)
    assert asked.values == {"online": True, "part": 64}
    assert asked.having(part=None, swizzle=(8, 100)).values == {"online": True, "swizzle": (8, 100)}


@dataclass(frozen=True)
class AnyTiling(SchedulePass):
    """Asks for one of the enumerated tilings of each kernel, drawn by seed."""

    seed: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        draw = random.Random(self.seed)
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is None:
                found = list(tilings(kernel, workload(kernel)))
                if found:
                    t = draw.choice(found)
                    kernel.decide(**asdict(t))
        super().apply(ctx, op)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", [case for case in DISTINCT if case in SMALL], ids=lambda case: case.name)
def test_every_tiling_computes_the_same(case: Case, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "SchedulePass", lambda device: AnyTiling(seed=seed, device=device))
    inputs = inputs_of(case, "cpu")
    check(case, compiled(case, inputs, CompilerOptions(verify=True))[1], inputs)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "function", [torch.sigmoid, lambda x: x.sum(1), lambda x: x.sum(0)], ids=["map", "rows", "columns"]
)
def test_more_bytes_take_more_time(function: Callable[..., object]) -> None:
    small, large = (kernel_of(function, fake(rows, 8192)) for rows in (8192, 32768))
    work, more = workload(small), workload(large)
    for tiling in tilings(small, work):
        assert predict(more, tiling, H200).us > predict(work, tiling, H200).us, tiling


def test_what_spills_is_not_chosen() -> None:
    """Two loops read a column again that registers would have to hold: 32 warps have 64 registers a thread."""
    kernel = kernel_of(lambda x: torch.softmax(x, 1), fake(256, 1024, 512))
    work = workload(kernel)
    _, best = fastest(kernel, work)
    assert demand(work, best, H200).spilled < 8
    spilling = Tiling(64, 512, 32)
    assert demand(work, spilling, H200).spilled > 8


SIZES = [(1, 1), (1, 64), (1, 1 << 22), (3, 257), (1 << 20, 3), (100_000, 4097)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("size", "dim"), [((0, 64), 0), *((size, dim) for size in SIZES for dim in (0, 1))], ids=str)
def test_every_size_has_a_tiling(size: tuple[int, int], dim: int) -> None:
    kernel = kernel_of(lambda x: (x * x).sum(dim), fake(*size))
    work = workload(kernel)
    found = list(tilings(kernel, work))
    assert found and all(predict(work, tiling, H200).us > 0 for tiling in found)


def test_groups_of_last_channels_are_taken_together() -> None:
    """Channels of neighbouring groups are contiguous: a program takes several groups."""
    kernel = Written("""
mlc_loop.kernel @k(%x: memref<401408xf32>, %y: memref<32xf32>) {
  mlc_loop.parallel %p = 0 to 32 {
    %sum = mlc_loop.reduce add %r = 0 to 12544 -> f32 {
      %v = mlc_loop.load %x[%p * 4 + %r mod 4 + (%r floordiv 4) * 128] : memref<401408xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %sum, %y[%p] : memref<32xf32>
  }
}
""").kernel
    assert any(t.rows > 1 and t.columns < 12544 for t in tilings(kernel, workload(kernel)))


def test_masks_that_differ_within_16_bytes_are_narrow() -> None:
    """`i <= n` lets neighbours through together if the width of a load divides n, and the end of the last part does."""
    for n, sign, alike in (
        (1 << 20, "sle", 16),
        ((1 << 20) + 2, "sle", 2),
        ((1 << 20) + 1, "sle", 1),
        (999_999, "slt", 16),
    ):
        text = f"""
mlc_loop.kernel @k(%x: memref<{n}xf32>, %y: memref<{n}xf32>) {{
  mlc_loop.parallel %p = 0 to 1024 {{
    mlc_loop.parallel %k = 0 to 1040 {{
      %i = mlc_loop.index [%p * 1040 + %k - {n}] : i64
      %zero = arith.constant 0 : i64
      %inside = arith.cmpi {sign}, %i, %zero : i64
      %v = mlc_loop.load %x[%p * 1040 + %k] if %inside : memref<{n}xf32>
      mlc_loop.store %v, %y[%p * 1040 + %k] if %inside : memref<{n}xf32>
    }}
  }}
}}
"""
        found = workload(Written(text).kernel)
        assert {t.alike for body in found.bodies for t in body.traffic} == {alike}


@pytest.mark.parametrize("place, alike", [("%p floordiv 64", 16), ("(%p floordiv 64) mod 7", 16), ("%p mod 12", 4)])
def test_masks_of_quotients_let_neighbours_through_together(place: str, alike: int) -> None:
    """The rows of a window: `i floordiv 64` is the same for 64 neighbours, whatever is added to it."""
    text = f"""
mlc_loop.kernel @k(%x: memref<4096xf32>, %y: memref<4096xf32>) {{
  mlc_loop.parallel %p = 0 to 4096 {{
    %i = mlc_loop.index [({place}) * 4 - {1 if "floordiv" in place else 4}] : i64
    %zero = arith.constant 0 : i64
    %inside = arith.cmpi sge, %i, %zero : i64
    %v = mlc_loop.load %x[%p] if %inside : memref<4096xf32>
    mlc_loop.store %v, %y[%p] if %inside : memref<4096xf32>
  }}
}}
"""
    found = workload(Written(text).kernel)
    assert {t.alike for body in found.bodies for t in body.traffic} == {alike}


def test_tilings_of_equal_time_have_a_prediction() -> None:
    """Two tilings of a transpose may take as long as one another: nothing else ranks them."""
    kernel = kernel_of(lambda x: x.t().contiguous(), fake(*LARGE), further=[TileTransposePass()])
    kernel.detach()
    module, work = ModuleOp([kernel]), workload(kernel)
    times = [predict(work, tiling, H200).us for tiling in tilings(kernel, work)]
    assert len(set(times)) < len(times)
    SchedulePass(predict=True).apply(Context(), module)
    assert "us predicted, bound by memory; " in str(kernel)


@pytest.mark.parametrize("pass_", [PartitionRowsPass, SchedulePass])
def test_equal_kernels_are_decided_once(
    pass_: type[PartitionRowsPass | SchedulePass], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of equal layers: they differ in their names alone. One with a schedule of its own is another."""
    kernel, decide, asked = KERNELS["softmax"](), pass_.chosen, list[str]()

    def noting(self: Any, kernel: KernelOp) -> object:
        asked.append(kernel.sym_name.data)
        return decide(self, kernel)

    monkeypatch.setattr(pass_, "chosen", noting)
    kernels = [kernel.clone(clone_name_hints=k == 0) for k in range(3)]
    for number, copy in enumerate(kernels):
        copy.sym_name = StringAttr(f"layer{number}")
    kernels[2].decide(cache="first")
    pass_().apply(Context(), ModuleOp(list(kernels)))
    assert asked == ["layer0", "layer2"]
    assert anonymous(kernels[0]) == anonymous(kernels[1]) != anonymous(kernel)


def test_loads_of_parts_of_a_buffer_add_up() -> None:
    """To no more than the buffer, where they overlap."""
    for function, factor in ((lambda x: x[::2] + x[1::2], 1.5), (lambda x: x[1:] + x[:-1], 2.0)):
        kernel = kernel_of(function, fake(8192, 4096))
        asked = demand(workload(kernel), Tiling(1024, 1, 4), H200)
        assert asked.memory == pytest.approx(factor * 4 * 8192 * 4096, rel=1e-3)


def test_what_rows_of_a_block_share_is_asked_for_once() -> None:
    """And read once from memory, by however many programs: blocks of 32 rows lie within a sample of 384, not of 400."""
    asked = {}
    for channels in (384, 400):
        with FakeTensorMode():
            given = torch.empty(32, 196, channels).transpose(1, 2), torch.empty(32, 196, 771)[:, :, 768]
        kernel = kernel_of(lambda x, w: (x * w[:, None]).sum(-1), *given)
        asked[channels] = demand(workload(kernel), Tiling(32, 256, 8), H200)
    assert 3 * asked[384].requests < asked[400].requests
    images, sectors = 4 * 32 * 196 * 384, 32 * 32 * 196
    assert asked[384].memory == pytest.approx(images + sectors, rel=0.02)


def test_lanes_of_a_flat_loop_are_a_vector_apart_in_each_access() -> None:
    """Four elements of 196 words each: those of 32 lanes lie in two of 32 banks, and take 16 cycles."""
    kernel = kernel_of(lambda x: x.transpose(1, 2).contiguous(), fake(32, 160, 196))
    asked = demand(workload(kernel), Tiling(2048, 1, 8), H200)
    loads, stores, vectors = 2048 / 32, 2048 / 32 / 4, 4
    assert asked.requests == loads * 16 + stores * vectors
