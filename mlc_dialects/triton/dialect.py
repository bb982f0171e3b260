"""The dialect `mlc_triton`: one op for each Triton statement, on scalars and blocks.

A block is a builtin tensor with sizes that are powers of two. Arithmetic is upstream `arith` and `math` on blocks; what
these cannot express on tensors (comparisons, selection, conversions) is defined here. Code that only some programs run
is in an upstream `scf.if` without results.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.index_syntax import IndexReader, verify_indices
from mlc_dialects.common.residency import parse_residency, print_residency
from mlc_dialects.triton.descriptors import DescriptorLoadOp, DescriptorOp, DescriptorType
from mlc_dialects.triton.dot import DotOp
from mlc_dialects.triton.indirect import AtomicOp, CheckedOp
from mlc_dialects.triton.inter_block import DoneOp, EpochOp, SignalOp, WaitOp
from mlc_dialects.triton.last_block import LastBlockOp
from mlc_dialects.triton.memory import BarrierOp, GdcWaitOp, IndexOp, LoadOp, MaskOp, StoreOp
from mlc_dialects.triton.random import RandomOp
from mlc_dialects.triton.rearranged import ByColumnOp, HalvesOp, InterleaveOp, RepeatOp, TransposeOp
from mlc_dialects.triton.scan import CombineOp, ScanOp
from mlc_dialects.triton.types import PointerType, registers_a_lane
from mlc_dialects.triton.values import (
    ArangeOp,
    BroadcastOp,
    CastOp,
    CompareOp,
    FullOp,
    LibdeviceOp,
    ProgramIdOp,
    QuotientOp,
    ReduceOp,
    RoundedOp,
    WhereOp,
)
from mlc_support.python_text import is_identifier
from mlc_support.walks import walk


def _load_behind_store(block: Block, stored: set[SSAValue]) -> LoadOp | DescriptorLoadOp | None:
    """The first load in `block` that is behind a store to its pointer, without a barrier between them.

    Adds what the block stores to `stored`.
    """
    for op in block.ops:
        if isinstance(op, LoadOp | DescriptorLoadOp) and op.pointer in stored:
            return op
        if isinstance(op, StoreOp):
            stored.add(op.pointer)
        if isinstance(op, BarrierOp):
            stored.clear()
        before = set[SSAValue]() if isinstance(op, LastBlockOp) else set(stored)
        for inner in [inner for region in op.regions for inner in region.blocks]:
            own = set(before)  # one branch is not behind the other
            if (found := _load_behind_store(inner, own)) is not None:
                return found
            stored |= own
    return None


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One `@triton.jit` function. Its arguments are pointers, then the named sizes that it computes with.

    `grid` is the number of programs along each axis, as expressions over sizes. `resident` says how many of them a
    multiprocessor is to run at once (see `mlc_loop.kernel`).

    No pointer is loaded behind a store to it, so that passes may merge loads and move them to the front. Exceptions:
    what is stored before a `mlc_triton.barrier` may be loaded behind it, and what is stored before a
    `mlc_triton.last_block` inside it; flags are written and read by signal and wait. In a loop, the iterations that
    change a pointer's elements change others each.
    """

    name = "mlc_triton.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    grid = prop_def(ArrayAttr[StringAttr])
    sizes = prop_def(ArrayAttr[StringAttr])
    warps = prop_def(IntegerAttr)
    resident = opt_prop_def(IntegerAttr)
    why = opt_prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def __init__(self, name: str, grid: Sequence[str], sizes: Sequence[str], warps: int, body: Region):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "grid": ArrayAttr([StringAttr(g) for g in grid]),
                "sizes": ArrayAttr([StringAttr(s) for s in sizes]),
                "warps": IntegerAttr(warps, i64),
            },
            regions=[body],
        )

    @property
    def most_registers(self) -> int | None:
        """The launch option `maxnreg`: what `resident` programs leave each lane; None where they are not told."""
        if self.resident is None:
            return None
        return registers_a_lane(self.warps.value.data, self.resident.value.data)

    @property
    def launch_options(self) -> dict[str, int]:
        """The keyword arguments of a launch, beside the kernel's arguments and the grid."""
        options = {"num_warps": self.warps.value.data, "enable_fp_fusion": False}
        if self.most_registers is not None:
            options["maxnreg"] = self.most_registers
        if any(isinstance(op, CheckedOp) for op in walk(self)):  # Triton drops assertions unless it debugs
            options |= {"debug": True, "sanitize_overflow": False}
        if self.waits:
            options["launch_pdl"] = True
        return options

    @property
    def waits(self) -> bool:
        """True if it waits for the launches before it, so that it may be launched while they end."""
        return isinstance(self.body.block.first_op, GdcWaitOp)

    @property
    def pointers(self) -> list[SSAValue]:
        return [a for a in self.body.block.args if isinstance(a.type, PointerType)]

    @property
    def load_behind_store(self) -> LoadOp | DescriptorLoadOp | None:
        """A load that is behind a store to its pointer, which none may be."""
        return _load_behind_store(self.body.block, set())

    @property
    def size_arguments(self) -> list[SSAValue]:
        """The integer argument of each of `sizes`."""
        return [a for a in self.body.block.args if not isinstance(a.type, PointerType)]

    def verify_(self) -> None:
        if not all(is_identifier(size.data) for size in self.sizes):
            raise VerifyException(f"a named size has a name, and not all of {self.sizes} are")
        if len(self.body.block.args) != len(self.pointers) + len(self.sizes.data):
            raise VerifyException("the arguments are the pointers, then one integer for each named size")
        verify_indices(self.grid, 0)
        if self.load_behind_store is not None:
            raise VerifyException("a pointer is loaded behind a store to it: passes could not move its loads")
        if any(isinstance(op, scf.IfOp) and op.results for op in walk(self)):
            raise VerifyException("an scf.if in a kernel must have no results; its branches store what they compute")
        if any(isinstance(op, GdcWaitOp) and op is not self.body.block.first_op for op in walk(self)):
            raise VerifyException(
                "mlc_triton.gdc_wait is not the first op of the kernel: what is before it may be early"
            )

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        parser.parse_keyword("grid")
        grid = IndexReader(parser, sizes=True).bracketed_list()
        parser.parse_keyword("sizes")
        sizes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
        parser.parse_keyword("num_warps")
        warps = parser.parse_integer()
        resident = parse_residency(parser)
        why = parser.parse_str_literal() if parser.parse_optional_keyword("why") else None
        op = cls(name.data, [g.data for g in grid], sizes, warps, parser.parse_region(arguments))
        op.resident = resident
        op.why = None if why is None else StringAttr(why)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(f" grid [{', '.join(g.data for g in self.grid)}] sizes [")
        printer.print_list(self.sizes.data, lambda s: printer.print_string_literal(s.data))
        printer.print_string(f"] num_warps {self.warps.value.data}")
        print_residency(printer, self.resident)
        if self.why is not None:
            printer.print_string(" why ")
            printer.print_string_literal(self.why.data)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The values that a loop carries into its next iteration."""

    name = "mlc_triton.yield"
    values = var_operand_def()
    traits = traits_def(Pure(), IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[list(values)])


@irdl_op_definition
class ForOp(IRDLOperation):
    """`for %i in range(start, extent, step)` with loop-carried values; start is 0 if absent.

    `stages` is software pipelining: loads run `stages - 1` iterations ahead, and their data waits in shared memory.
    `prefetched` asks for it with two stages, and data that waits in registers (split-loops).
    `unrolled` gives each iteration its own code. `flattened` makes one loop of this one
    and that inside it: loads for its next iteration begin while the last one ends.
    """

    name = "mlc_triton.for"
    initial = var_operand_def()
    bounds = var_operand_def()
    start = opt_operand_def()
    extent = prop_def(StringAttr)
    """An index expression; d0, d1, ... are `bounds`."""
    step = prop_def(IntegerAttr)
    stages = opt_prop_def(IntegerAttr)
    prefetched = opt_prop_def(UnitAttr)
    unrolled = opt_prop_def(UnitAttr)
    flattened = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    outputs = var_result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        initial: Sequence[SSAValue],
        extent: str,
        bounds: Sequence[SSAValue],
        step: int,
        index: Attribute = i32,
        start: SSAValue | None = None,
        stages: IntegerAttr | None = None,
    ):
        types = [v.type for v in initial]
        super().__init__(
            operands=[list(initial), list(bounds), start],
            properties={"extent": StringAttr(extent), "step": IntegerAttr(step, i64), "stages": stages},
            regions=[Region(Block(arg_types=[index, *types]))],
            result_types=[types],
        )

    def verify_(self) -> None:
        verify_indices([self.extent], len(self.bounds))


MlcTriton = Dialect(
    "mlc_triton",
    [
        KernelOp,
        ProgramIdOp,
        ArangeOp,
        IndexOp,
        MaskOp,
        LoadOp,
        DescriptorOp,
        DescriptorLoadOp,
        StoreOp,
        CheckedOp,
        AtomicOp,
        FullOp,
        BroadcastOp,
        TransposeOp,
        ByColumnOp,
        HalvesOp,
        InterleaveOp,
        RepeatOp,
        CastOp,
        RoundedOp,
        QuotientOp,
        CompareOp,
        WhereOp,
        ReduceOp,
        DotOp,
        ScanOp,
        CombineOp,
        RandomOp,
        LibdeviceOp,
        ForOp,
        BarrierOp,
        GdcWaitOp,
        LastBlockOp,
        EpochOp,
        DoneOp,
        SignalOp,
        WaitOp,
        YieldOp,
    ],
    [PointerType, DescriptorType],
)
