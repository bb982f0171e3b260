"""Which rewrites of a kernel are legal: each predicate's reasons, and None where there is none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, IntegerAttr, i64

from mlc_dialects.loop.dialect import KernelOp, MlcLoop
from mlc_support.index_expr import integer, variable
from mlc_support.parsing import parse_module
from passes.common.partial_results import partial_results_refusal
from passes.loop.analysis.legality import any_order_refusal, behind_refusal, block_order_refusal, split_refusal
from passes.loop.reduction.cooperative_reduction import cooperation_refusal
from passes.loop.reduction.loop_fission import fission_refusal
from passes.loop.reduction.split_scan import scan_split_refusal

Predicate = Callable[[KernelOp], str | None]


def kernel(body: str, rows: str = "64", type_: str = "64x4096xf32") -> KernelOp:
    """A kernel that does `body` for each row p, with buffers x and y of `type_`, s for rows and f for flags."""
    context = Context()
    for dialect in (Builtin, Arith, MlcLoop):
        context.load_dialect(dialect)
    body = body.replace("X", f"memref<{type_}>")
    buffers = f"%x: memref<{type_}>, %y: memref<{type_}>, %s: memref<64xf32>, %f: memref<65xi64>"
    text = f"mlc_loop.kernel @k({buffers}) {{ mlc_loop.parallel %p = 0 to {rows} {{ {body} }} }}"
    found = parse_module(context, text).body.block.first_op
    assert isinstance(found, KernelOp)
    return found


def reduced(kind: str = "add", size: str = "4096", place: str = "%p, %r", result: str = "f32") -> str:
    results = "%m, %i" if kind.startswith("arg") else "%m"
    return f"""{results} = mlc_loop.reduce {kind} %r = 0 to {size} -> {result} {{
        %v = mlc_loop.load %x[{place}] : X
        mlc_loop.yield %v : f32 }}"""


STORED = "mlc_loop.store %m, %s[%p] : memref<64xf32>"
FLAGS = "%b = mlc_loop.exclusive_prefix add %m of 64 in %f : memref<65xi64> -> f32"
SCAN = """mlc_loop.parallel %c = 0 to 4096 {
    %u = mlc_loop.load %x[%p, %c] : X
    %w = mlc_loop.scan "add" %u : f32 -> f32
    mlc_loop.store %w, %y[%p, %c] : X }"""
SCAN_OF_SCAN = SCAN.replace("%w = ", '%t = mlc_loop.scan "mul" %u : f32 -> f32 %w = ').replace('"add" %u', '"add" %t')
ARGMAX_SCAN = """mlc_loop.parallel %c = 0 to 4096 {
    %u = mlc_loop.load %x[%p, %c] : X
    %i = mlc_loop.scan "argmax" %u : f32 -> i64
    mlc_loop.store %u, %y[%p, %c] : X }"""
COLUMNS = """mlc_loop.parallel %c = 0 to 4096 {
    %u = mlc_loop.load %x[%p, %c] : X
    %w = arith.subf %u, %m : f32
    mlc_loop.store %w, %y[%p, %c] : X }"""

STRIDED = reduced(place="%r, %p") + COLUMNS.replace("%p, %c", "%c, %p")


def says(refusal: Predicate, target: KernelOp, reason: str | None) -> None:
    """`refusal` of `target` is None, or has the words of `reason` in it."""
    found = refusal(target)
    assert found is None if reason is None else reason in (found or "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (reduced() + STORED, None),
        (reduced() + COLUMNS, None),
        (COLUMNS.replace("%m", "%u"), "reduces nothing"),
        (reduced(size="4095") + COLUMNS, "differ in their numbers of columns"),
        (reduced() + SCAN, "in order"),
        (reduced() + FLAGS, "inter-block flags"),
        (reduced("argmax", result="f32, i64") + STORED, "positions"),
        (reduced(size="N") + STORED, "not known"),
    ],
)
def test_split(body: str, reason: str | None) -> None:
    says(split_refusal, kernel(body), reason)


def test_columns_of_a_known_number_of_rows_alone_are_split() -> None:
    says(split_refusal, kernel(reduced() + STORED, rows="N"), "not known")


@pytest.mark.parametrize(
    ("body", "any_order", "block_order"),
    [
        (reduced() + STORED, None, None),
        (SCAN, "in order", None),
        (reduced() + FLAGS, "inter-block flags", "inter-block flags"),
        ("mlc_loop.serial %q = %p to 4096 step 64 { }", None, "persistent loop"),
    ],
)
def test_order(body: str, any_order: str | None, block_order: str | None) -> None:
    """A scan fixes the order of columns, a persistent loop that of blocks, and flags fix both."""
    says(any_order_refusal, kernel(body), any_order)
    says(block_order_refusal, kernel(body), block_order)


def test_blocks_that_are_numbered_in_groups_stay_in_order() -> None:
    in_groups = kernel(reduced() + STORED)
    in_groups.rows.group = IntegerAttr(8, i64)
    says(block_order_refusal, in_groups, "numbered together")


@pytest.mark.parametrize(
    ("body", "type_", "reason"),
    [
        (reduced() + COLUMNS, "64x4096xf32", None),
        (reduced() + STORED, "64x4096xf32", "has columns"),
        (STRIDED, "4096x64xf32", None),
        (STRIDED, "4096x63xf32", None),
        (STRIDED.replace("%y[", "%x["), "4096x64xf32", "may overlap, but it reads what it writes"),
        (reduced() + COLUMNS, "64x4097xf32", "unaligned"),
        (SCAN, "64x4096xf32", "reduces nothing"),
    ],
)
def test_cooperation(body: str, type_: str, reason: str | None) -> None:
    says(cooperation_refusal, kernel(body, type_=type_), reason)


@pytest.mark.parametrize(
    ("body", "type_", "reason"),
    [
        (SCAN, "64x4096xf32", None),
        (reduced() + SCAN, "64x4096xf32", "not one loop"),
        (reduced() + STORED, "64x4096xf32", "not one loop"),
        (ARGMAX_SCAN, "64x4096xf32", "no inter-block flag"),
        (SCAN_OF_SCAN, "64x4096xf32", "another scan's result"),
        (SCAN + " mlc_loop.serial %q = %p to 64 step 64 { }", "64x4096xf32", "not one loop"),
        (SCAN.replace("mlc_loop.store", "mlc_loop.atomic add"), "64x4096xf32", "atomics"),
        (SCAN.replace("%p, %c", "%c, %p"), "4096x64xf32", "strided"),
        (SCAN.replace("4096", "N"), "64x4096xf32", "not known"),
    ],
)
def test_scan_split(body: str, type_: str, reason: str | None) -> None:
    says(scan_split_refusal, kernel(body, type_=type_), reason)


def test_partial_results() -> None:
    """What fusion asks before there is a kernel."""
    many, few, size = integer(4096), integer(8), variable("N")
    assert partial_results_refusal(few, many, ["add", "max"]) is None
    assert partial_results_refusal(integer(0), many, []) is None
    assert "not known" in (partial_results_refusal(size, many, ["add"]) or "")
    assert "not known" in (partial_results_refusal(few, size, ["add"]) or "")
    assert "positions" in (partial_results_refusal(few, many, ["add", "argmin"]) or "")


IN_PLACE = COLUMNS.replace("%y", "%x")
HEAD = COLUMNS.replace("0 to 4096", "0 to 8")
ADDED = """mlc_loop.parallel %c = 0 to 4096 {
    mlc_loop.atomic add %m, %s[%p] : memref<64xf32> }"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (reduced() + COLUMNS, None),
        (reduced() + STORED + COLUMNS, None),
        (reduced() + COLUMNS + COLUMNS.replace("%y", "%x"), None),
        (reduced() + IN_PLACE, None),
        (reduced(size="4095") + COLUMNS, None),
        (reduced("argmax", result="f32, i64") + COLUMNS, None),
        (reduced() + STORED, "no loops that only compute"),
        (COLUMNS.replace("%m", "%u"), "no reductions"),
        (reduced() + COLUMNS + HEAD, "differ in their numbers of columns"),
        (reduced() + ADDED, "others update"),
        (IN_PLACE.replace("%m", "%u") + reduced() + COLUMNS, "stores what another op of its row reads"),
        (reduced() + IN_PLACE + COLUMNS, "stores what another op of its row reads"),
        (reduced() + STORED + COLUMNS.replace("%x[%p, %c] : X", "%s[%p] : memref<64xf32>"), "what another op"),
        (reduced() + SCAN, "in order"),
        (reduced() + FLAGS + "\n" + COLUMNS, "inter-block flags"),
    ],
)
def test_fission(body: str, reason: str | None) -> None:
    says(behind_refusal, kernel(body), reason)


STORING = """%m = mlc_loop.reduce add %r = 0 to 4096 -> f32 {
    %v = mlc_loop.load %x[%p, %r] : X
    %w = arith.addf %v, %v : f32
    mlc_loop.store %w, BUFFER
    mlc_loop.yield %w : f32 }"""
OF_ANOTHER = STORING.replace("%m", "%n").replace("%v, %v", "%v, %m")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (STORING.replace("BUFFER", "%y[%p, %r] : X"), None),
        (STORING.replace("BUFFER", "%x[%p, %r] : X"), "stores what depends on none"),
        (STORING.replace("BUFFER", "%y[0, %r] : X"), "stores what depends on none"),
        (STORING.replace("BUFFER", "%y[%p, %r] : X") + FLAGS, "stores what depends on none"),
        (reduced() + OF_ANOTHER.replace("BUFFER", "%y[%p, %r] : X"), "stores what depends on none"),
        (reduced() + COLUMNS, "stores what depends on none"),
    ],
)
def test_fission_ahead(body: str, reason: str | None) -> None:
    """What is overwritten, stored by several rows, or needs a reduction stays with the reductions."""
    says(partial(fission_refusal, where="ahead"), kernel(body), reason)
