"""Devices: every entry is whole, passes take their figures from it, and no figure of hardware stands elsewhere."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func

from lowering.tensor_to_loop.lower import TensorToLoopPass
from mlc_compiler.machine import Machine
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import PIPELINE
from mlc_dialects.loop.dialect import KernelOp, LoopOp
from mlc_dialects.tensor.dialect import MlcTensor
from mlc_support.cpu import CPU, Cpu
from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from passes.common.device import (
    DEVICES,
    FEATURES,
    LINE_BYTES,
    MOST_WARPS,
    SECTOR_BYTES,
    WIDEST_BYTES,
    Device,
    DevicePass,
    ProcessorPass,
    device_named,
)
from passes.loop.analysis.registers import lane_bytes, working_warps
from passes.loop.locality.cache_hints import CacheHintsPass, l2_retained_bytes
from passes.loop.locality.program_swizzle import ProgramSwizzlePass
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.schedule.partition import partitions
from passes.loop.schedule.pipelining import shared_bytes
from passes.loop.schedule.schedule import SchedulePass
from passes.tensor.fusion.fuse import FusePass
from passes.triton.horizontal_fusion import work_a_byte

ROOT = Path(__file__).parents[2]
HOME = "passes/common/device.py"
CPU_HOME = "mlc_support/cpu.py"
FILES = sorted(p for folder in ("passes", "lowering", "mlc_compiler") for p in (ROOT / folder).rglob("*.py"))
CPU_FOLDERS = ("passes/loop/cpu/", "lowering/loop_to_llvm/", "mlc_compiler/cpu/")
CALCULATED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.LShift: operator.lshift,
    ast.FloorDiv: operator.floordiv,
}  # fmt: skip
ALLOWED = {
    ("lowering/fx_to_tensor/decompositions/special_functions.py", 66): "a denominator of a Bernoulli number",
    ("lowering/loop_to_llvm/double.py", 160.0): "an exponent beyond which float32 has no exponentials",
    ("lowering/loop_to_llvm/scalars.py", 1 << 15): "the sign of a bfloat16",
    ("mlc_compiler/view/numbering.py", 1 << 20): "a number of ops, beyond columns of files",
    ("mlc_compiler/compare/text.py", 1e12): "tera, as a prefix",
    ("passes/loop/cpu/onednn_products.py", 1 << 22): "operations, not bytes",
    ("passes/loop/cpu/split_edges.py", 1 << 16): "points of an axis",
    ("passes/loop/cpu/share_sums.py", 16): "rows of any length",
    ("passes/tensor/attention_masks.py", 65536.0): "-inf, rounded to bfloat16",
    ("passes/tensor/const_fold.py", 1 << 18): "elements, not bytes",
    ("passes/triton/horizontal_fusion.py", 1 << 22): "bytes beyond a peak that nobody misses",
    ("passes/tensor/fusion/emulated/inductor/strategy.py", 5 << 20): "elements, from Inductor",
}
"""What looks like a figure of hardware and is none, with the reason."""


def figures() -> set[float]:
    """Numbers that say something of one device: those of the entries, and the shares of them that passes once held."""
    found: set[float] = set()
    for d in [d for name, d in DEVICES.items() if name != "generic"]:
        found |= {d.multiprocessors // 2, d.multiprocessors, 2 * d.multiprocessors}
        found |= {d.l1_bytes, d.l2_bytes, d.l2_bytes // 2, d.memory_bytes}
        found |= {d.shared_per_multiprocessor, d.shared_per_block, shared_bytes(d), d.shared_static}
        found |= {d.registers_per_multiprocessor, d.register_bytes, d.lanes_per_multiprocessor, d.registers_per_thread}
        found |= {s >> 10 for s in (d.shared_per_multiprocessor, d.shared_per_block, shared_bytes(d))}
        found |= {d.grid_limits[1], d.bandwidth, d.peak_bandwidth, d.l2_bandwidth, d.flops, d.special_rate}
    return found - {54, 64, 96, 99, 100, 108, 128, 216, 256, 2048}  # which count many other things


def numbers(tree: ast.AST) -> Iterator[tuple[int, float]]:
    """The numbers of a file and their lines, and what it calculates of numbers alone."""
    if isinstance(tree, ast.expr) and (value := constant(tree)) is not None:
        yield tree.lineno, value
    for child in ast.iter_child_nodes(tree):
        yield from numbers(child)


def constant(node: ast.expr) -> float | None:
    """The value of an expression of numbers; None for another."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.BinOp(op=op) if type(op) in CALCULATED:
            left, right = constant(node.left), constant(node.right)
            return None if left is None or right is None else CALCULATED[type(op)](left, right)
        case ast.BinOp(op=ast.Pow(), left=ast.Constant(value=2), right=ast.Constant(value=int() as power)):
            return 2**power
        case _:
            return None


def suspects(text: str) -> list[tuple[int, float]]:
    """Numbers that are a figure of a device, sizes in MiB, as caches have, and rates of 1e11 a second and more."""
    tree, known = ast.parse(text), figures()
    mebibytes = [
        (node.lineno, value)
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.LShift) and constant(node.right) == 20
        if (value := constant(node)) is not None
    ]
    rates = [n for n in numbers(tree) if isinstance(n[1], float) and 1e11 <= n[1] < 1e15]
    return [*(n for n in numbers(tree) if n[1] in known), *mebibytes, *rates]


def cpu_figures() -> set[int]:
    """The sizes of the CPU's entry, and the limits that are expressions of them."""
    limits = [name for name, value in vars(Cpu).items() if isinstance(value, property)]
    sizes = [getattr(CPU, name) for name in (*(f.name for f in fields(Cpu)), *limits)]
    return {size for size in sizes if isinstance(size, int)}


def cpu_suspects(text: str) -> list[tuple[int, float]]:
    """Whole numbers of the CPU's entry: large ones anywhere; small ones, which count much else, as constants."""
    tree, known = ast.parse(text), cpu_figures()
    named = [n.value for n in tree.body if isinstance(n, ast.Assign | ast.AnnAssign) and n.value is not None]
    constants = [(node.lineno, value) for node in named if isinstance(value := constant(node), int) and value in known]
    large = [n for n in numbers(tree) if isinstance(n[1], int) and n[1] in known and n[1] > 1024]
    return [*large, *constants]


def found_in(path: Path) -> list[tuple[int, float]]:
    """The suspects of a file; in those for CPUs, numbers of the CPU's entry too."""
    text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
    return [*suspects(text), *(cpu_suspects(text) if name.startswith(CPU_FOLDERS) else [])]


@pytest.mark.parametrize(
    "line",
    ["GRAIN = 1 << 15", "LANES = 64", "SIDE: int = 16", "f(256 << 10)", "x = 4096", "large = n >= 4 << 20", "f(2**20)"],
)
def test_a_figure_of_a_cpu_is_seen(line: str) -> None:
    assert cpu_suspects(line)


@pytest.mark.parametrize("line", ["f(64)", "END = 4.0", "RUN = 8192", "LANES = CPU.lanes", "x = n // 4", "# 4096"])
def test_other_numbers_are_no_figures_of_a_cpu(line: str) -> None:
    assert not cpu_suspects(line)


def test_the_entry_of_a_cpu_is_whole() -> None:
    """Its figures go together, and the limits that passes take of it are those they were tuned with."""
    assert min(cpu_figures()) > 0 and CPU.name and CPU.provenance
    assert CPU.kept_bytes < CPU.l2_bytes < CPU.huge_page_bytes < CPU.paged_bytes
    assert (CPU.vector_lanes, CPU.lanes, CPU.cores) == (16, 64, 64)
    assert (CPU.points_a_thread, CPU.points_a_part) == (1 << 15, 1 << 12)
    assert (CPU.kept_bytes, CPU.paged_bytes) == (256 << 10, 4 << 20)
    assert replace(CPU, vector_bytes=32).lanes == 32 and replace(CPU, wake_bytes=256 << 10).points_a_thread == 1 << 16


@pytest.mark.parametrize(
    "line",
    [
        "busy: int = 264", "MULTIPROCESSORS = 132", "budget = 224 * 1024 // programs", "cache = 20 << 20",
        "smallest = 25 << 20", "x = 12 << 20", "REGISTERS = 1 << 16", "REGISTERS = 65536", "most(232448)",
        "y = 4.25e12", "LIMIT = 65535", "both = 3 * 132", "kib = 228", "rate = 5e12",
    ],
)  # fmt: skip
def test_a_figure_is_seen(line: str) -> None:
    assert suspects(line)


@pytest.mark.parametrize("line", ["x = 128", "most = 32", "y = 1e-6", "'132'", "# 132", "huge = 1e300", "z = 80 << 10"])
def test_other_numbers_are_not(line: str) -> None:
    assert not suspects(line)


def test_no_figure_of_hardware_stands_elsewhere() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), value): line
        for path in FILES
        for line, value in found_in(path)
        if path != ROOT / HOME
    }
    strange = [f"{path}:{line}: {value}" for (path, value), line in found.items() if (path, value) not in ALLOWED]
    assert not strange, f"take it from the entry ({HOME}, {CPU_HOME}), or say in ALLOWED what it is"
    assert found.keys() >= ALLOWED.keys(), "ALLOWED holds what is no more"


@pytest.mark.parametrize("name", DEVICES)
def test_an_entry_is_whole(name: str) -> None:
    device = DEVICES[name]
    sizes = [getattr(device, f.name) for f in fields(Device) if f.type in ("int", "float")]
    assert all(size > 0 for size in sizes) and device.provenance and device.name
    assert device.features and device.features <= FEATURES.keys()
    assert {"bf16", "f16", "tf32"} <= device.tensor_flops.keys() and min(device.tensor_flops.values()) >= device.flops
    assert device.bandwidth < device.peak_bandwidth < device.l2_bandwidth < device.flops
    assert device.shared_static < device.shared_per_block < device.shared_per_multiprocessor < device.l1_bytes
    assert device.shared_per_multiprocessor - device.shared_per_block == device.shared_reserved
    assert device.multiprocessors * device.l1_bytes < 2 * device.l2_bytes < device.memory_bytes or name == "generic"
    peak = 2e9 * device.clock_ghz * device.float32_units * device.multiprocessors
    assert 0.6 * peak < device.flops <= 1.01 * peak, "no more than all units at the highest clock"
    assert 4e3 < device.bytes_in_flight < device.register_bytes


def test_what_all_devices_share_is_one_constant() -> None:
    """Analyses of accesses have no device at hand: they use the constants, which every entry must have."""
    shared = {(d.sector_bytes, d.line_bytes, d.widest_bytes, d.warps_per_block) for d in DEVICES.values()}
    assert shared == {(SECTOR_BYTES, LINE_BYTES, WIDEST_BYTES, MOST_WARPS)}


@pytest.mark.parametrize("home, name", [(HOME, "Device"), (CPU_HOME, "Cpu")])
def test_every_field_says_what_it_is(home: str, name: str) -> None:
    """A docstring with its unit stands below each field."""
    tree = ast.parse((ROOT / home).read_text(encoding="utf-8"))
    (made,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    below = zip(made.body, made.body[1:], strict=False)
    bare = [ast.unparse(a) for a, b in below if isinstance(a, ast.AnnAssign) and not isinstance(b, ast.Expr)]
    assert not bare


def test_each_entry_gives_its_own_figures() -> None:
    wanted = {f.name for f in fields(Device) if f.default is MISSING}
    assert {"multiprocessors", "l2_bytes", "bandwidth", "provenance"} <= wanted, "each entry gives these itself"


def test_shares_of_an_h200() -> None:
    """What passes were tuned with: kernels for an H200 stay as they are."""
    h200 = device_named("h200")
    assert (l2_retained_bytes(h200), shared_bytes(h200)) == (40 << 20, 224 << 10)
    assert (working_warps(h200), lane_bytes(h200), work_a_byte(h200)) == (32, 256, 4)
    assert (CacheHintsPass()._cache, ProgramSwizzlePass()._cache) == (40 << 20, 20 << 20)
    assert int(h200.bytes_in_flight) >> 10 == 23


@pytest.mark.parametrize(
    ("block", "count"),
    [
        ((4, 128), 4),
        ((4, 40.5), 12),
        ((4, 16, 113 << 10), 2),
        ((4, 16, 114 << 10), 1),
        ((4, 16), 16),
        ((1, 16), 32),
        ((32, 255), 1),
        ((32, 16, 1 << 20), 1),
    ],
)
def test_resident_blocks_of_an_h200(block: tuple[int, ...], count: int) -> None:
    """Registers, shared memory, warps and the number of blocks limit them, each in turn; one runs whatever it takes."""
    assert device_named("h200").resident(*block) == count


@pytest.mark.parametrize(
    ("blocks", "us"), [(0, 0.0), (1, 0.25), (132, 0.25), (133, 1.0), (264, 1.0), (265, 1.25), (600, 2.25)]
)
def test_blocks_run_in_waves(blocks: int, us: float) -> None:
    """A wave is full, but for the last, which takes as long as the multiprocessor with the most blocks."""
    assert device_named("h200").waves_us(blocks, 2, {1: 0.25, 2: 1.0}.__getitem__) == us


def test_the_pipeline_hands_the_device_to_every_pass() -> None:
    """Not one of them is left with the default."""
    steps = [step for stage in PIPELINE for step in stage.passes(CompilerOptions(), Machine("a100"))]
    asking = [step for step in steps if isinstance(step, DevicePass | ProcessorPass | FusePass)]
    assert len(asking) > 12 and {step.device for step in asking} == {"a100"}


def lowered(text: str, *steps: DevicePass) -> KernelOp:
    """The first kernel that some passes leave of a tensor program."""
    context = Context()
    for dialect in (Builtin, Func, MlcTensor):
        context.load_dialect(dialect)
    module: ModuleOp = parse_module(context, text)
    for step in (FusePass(), TensorToLoopPass(), LinearizeAxesPass(), *steps):
        step.apply(context, module)
    return next(op for op in module.ops if isinstance(op, KernelOp))


SUMS = """
func.func @sums(%x: tensor<65536x262144xbf16>) -> tensor<65536x1xf32> {
  %f = mlc_tensor.cast %x : tensor<65536x262144xbf16> -> tensor<65536x262144xf32>
  %s = mlc_tensor.reduce add %f dims [1] : tensor<65536x262144xf32> -> tensor<65536x1xf32>
  func.return %s : tensor<65536x1xf32>
}
"""
BOTH = """
func.func @both(%x: tensor<16384x1024xf32>) -> (tensor<16384x1xf32>, tensor<1x1024xf32>) {
  %r = mlc_tensor.reduce add %x dims [1] : tensor<16384x1024xf32> -> tensor<16384x1xf32>
  %c = mlc_tensor.reduce add %x dims [0] : tensor<16384x1024xf32> -> tensor<1x1024xf32>
  func.return %r, %c : tensor<16384x1xf32>, tensor<1x1024xf32>
}
"""


SOFTMAX = """
func.func @softmax(%x: tensor<512x65536xf32>) -> tensor<512x65536xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<512x65536xf32> -> tensor<512x1xf32>
  %b = mlc_tensor.broadcast %m : tensor<512x1xf32> -> tensor<512x65536xf32>
  %d = mlc_tensor.sub %x, %b : tensor<512x65536xf32>
  func.return %d : tensor<512x65536xf32>
}
"""


def stages(kernel: KernelOp) -> list[int]:
    """Those of each loop over blocks; 1 where loads are not pipelined."""
    inner = [op for op in kernel.rows.walk() if isinstance(op, LoopOp) and op is not kernel.rows]
    return [1 if op.stages is None else op.stages.value.data for op in inner]


def test_programs_that_wait_for_each_other_all_run() -> None:
    """On a slice of a GPU there are fewer."""
    kernel = lowered(SOFTMAX)

    def most(device: str, running: int | None) -> int:
        shared = (p for p in partitions(kernel, device_named(device), running) if p.word("exchange") == "flags")
        return max((65536 // (p.number("part") or 65536) for p in shared), default=1)

    assert (most("h200", None), most("h200", 16), most("a100", 132), most("h200", 7)) == (8, 4, 8, 1)


def test_less_shared_memory_means_fewer_stages() -> None:
    """Four programs of a multiprocessor share 224, 160 KiB, or three 96, for blocks of 16 KiB."""
    found = {
        name: stages(lowered(SUMS, SchedulePass(1, 8192, 8, 8, device=name))) for name in ("h200", "a100", "rtx4090")
    }
    assert found == {"h200": [4], "a100": [3], "rtx4090": [3]}


def test_without_asynchronous_copies_nothing_is_pipelined(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(device_named("a100"), features=frozenset({"ptx"}))
    monkeypatch.setitem(DEVICES, "bare", bare)
    assert stages(lowered(SUMS, SchedulePass(1, 8192, 8, 8, device="bare"))) == [1]


def test_a_persistent_grid_follows_the_multiprocessors() -> None:
    programs = {name: lowered(BOTH, PersistentRowsPass(device=name)).rows.size.constant for name in DEVICES}
    each = {"h200": 4, "h100": 4, "a100": 4, "rtx4090": 2, "generic": 4}
    assert programs == {name: each[name] * device.multiprocessors for name, device in DEVICES.items()}


def test_a_pass_names_the_devices_there_are() -> None:
    with pytest.raises(MlcError, match="no device 'b3'"):
        lowered(SUMS, SchedulePass(device="b3"))
