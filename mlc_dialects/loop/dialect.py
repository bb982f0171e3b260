"""The dialect `mlc_loop`: kernels as loops over buffers, and the host program that launches them.

    kernel  ::= `mlc_loop.kernel` @name `(` (%buffer `:` memref),* `)` (`schedule <` (field `=` value),* `>`)? body
    loop    ::= `mlc_loop.parallel` axes mapping? body
              | `mlc_loop.serial` %i `=` %start `to` extent `step` count mapping? body
              | `mlc_loop.reduce` kinds axes mapping? (`visible` bounds)? (`span` bounds)? `->` types body
    axes    ::= %i `= 0 to` extent | `(` %i, %j, ... `) = 0 to (` extent, extent, ... `)`
    mapping ::= (`program` axis)? (`block` size)? (`overlap` iterations)? (`stages` count)?
                (`swizzle` rows `by` columns)? (`lanes` count)? (`tile` axis)? `backwards`? `unrolled`? `peeled`?

Scalar code inside loops is upstream `arith` and `math`. As lowered, a kernel iterates named axes: the parallel ones
%i, %j, ... in the outer loop, then the reduced or scanned ones in the loops inside it. `linearize-axes` makes one axis
of those of a loop, %p of the rows and %r of the columns; the passes for the GPU work on these. A schedule gives each
loop, which then has one axis, a mapping to the GPU:

- `program A`: the loop's blocks are the programs along axis A of the launch grid.
- `block N`: a program computes N iterations at once, as one block.
- `overlap N`: blocks are laid out in each N iterations separately; the last of them starts early instead of being cut.
- `stages N`: software pipelining, with the loads of N iterations in flight.
- `swizzle R by C`: consecutive programs take blocks C apart, R of them, before they take the next ones.
- `backwards`: from the last block to the first.
- `unrolled`: each block has its own code. `peeled`: the last, partial block has, so that the others need no mask.

CPUs take the axes as lowered:

- `lanes N`: N iterations along the last axis run together, so that reductions along a strided axis read lines whole.
- `tile A`: axis A and the last one are visited in square tiles, which are transposed in registers.
- `mlc_loop.scratch`: memory of one iteration of the outer loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, SymbolNameConstraint, i64
from xdsl.ir import Attribute, Dialect, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
)

from mlc_dialects.common.libdevice import LibdeviceOp
from mlc_dialects.common.residency import parse_residency, print_residency
from mlc_dialects.loop.exclusive_prefix import ExclusivePrefixOp
from mlc_dialects.loop.host import HOST_OPS
from mlc_dialects.loop.indirect import AtomicOp, IndirectIndexOp
from mlc_dialects.loop.inter_block import SignalOp, WaitOp
from mlc_dialects.loop.last_block import LastBlockOp
from mlc_dialects.loop.loops import LoopOp, ParallelOp, SerialOp
from mlc_dialects.loop.memory import AccumulateOp, BarrierOp, IndexOp, LoadOp, LocalOp, ScratchOp, StoreOp
from mlc_dialects.loop.random import RandomOp
from mlc_dialects.loop.reduce import ReduceOp, YieldOp
from mlc_dialects.loop.scan import ScanOp
from mlc_dialects.loop.schedule import ScheduleAttr, Value
from mlc_support.errors import MlcError
from mlc_support.locations import location_of

__all__ = [
    "AccumulateOp",
    "AtomicOp",
    "BarrierOp",
    "ExclusivePrefixOp",
    "IndexOp",
    "IndirectIndexOp",
    "KernelOp",
    "LastBlockOp",
    "LibdeviceOp",
    "LoadOp",
    "LocalOp",
    "LoopOp",
    "MlcLoop",
    "ParallelOp",
    "RandomOp",
    "ReduceOp",
    "ScanOp",
    "ScratchOp",
    "SerialOp",
    "SignalOp",
    "StoreOp",
    "WaitOp",
    "YieldOp",
]


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One kernel. Its arguments are buffers; those it stores to are its outputs.

    `warps` is the launch option `num_warps`; `index` is the width of address arithmetic, 32 or 64 bits. A schedule sets
    both, and may say how many programs are `resident` on a multiprocessor at once: lanes have the registers that this
    leaves (Triton's `maxnreg`). `uncapped` is one program, of whose lanes each can have all.
    """

    name = "mlc_loop.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    schedule = opt_prop_def(ScheduleAttr)
    """What is decided of the schedule and not carried out yet."""
    why = opt_prop_def(StringAttr)
    """The reason for this schedule, in words; a comment in the generated source."""
    warps = opt_prop_def(IntegerAttr)
    index_bits = opt_prop_def(IntegerAttr)
    resident = opt_prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def __init__(self, name: str, body: Region):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @property
    def buffers(self) -> Sequence[SSAValue]:
        return self.body.block.args

    @property
    def rows(self) -> ParallelOp:
        """The outer loop, over the rows."""
        outer = [op for op in self.body.block.ops if isinstance(op, ParallelOp)]
        if len(outer) != 1:
            what = f"{self.name}: @{self.sym_name.data} has {len(outer)} outer loops, and one over its rows is expected"
            raise MlcError(what, location_of(self), "passes on rows come before those that cut kernels into parts")
        return outer[0]

    def explain(self, why: str) -> None:
        """Adds to the reasons for the schedule."""
        self.why = StringAttr("; ".join([*([self.why.data] if self.why else []), why]))

    def decided(self, name: str) -> Value | None:
        """A field of the schedule; None where it is open."""
        return None if self.schedule is None else self.schedule.values.get(name)

    def decided_numbers(self, *names: str) -> dict[str, int]:
        """Those of these fields of the schedule that are given, and are numbers."""
        given = {name: self.decided(name) for name in names}
        return {name: value for name, value in given.items() if isinstance(value, int)}

    def decide(self, **fields: Value | None) -> None:
        """Sets fields of the schedule; None opens one."""
        schedule = (self.schedule or ScheduleAttr.of()).having(**fields)
        self.schedule = schedule if schedule.values else None

    def carried_out(self, *names: str) -> None:
        """Drops fields of the schedule: the loops now are as they said."""
        self.decide(**dict.fromkeys(names))

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        properties: dict[str, Attribute] = {"sym_name": name}
        if parser.parse_optional_keyword("schedule"):
            properties["schedule"] = ScheduleAttr.new(ScheduleAttr.parse_parameters(parser))
        for keyword, key in (("warps", "warps"), ("index", "index_bits")):
            if parser.parse_optional_keyword(keyword):
                properties[key] = IntegerAttr(parser.parse_integer(), i64)
        resident = parse_residency(parser)
        properties |= {"resident": resident} if resident is not None else {}
        if parser.parse_optional_keyword("why"):
            properties["why"] = StringAttr(parser.parse_str_literal())
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(arguments)
        op = cls.create(properties=properties, regions=[body])
        op.attributes |= attributes.data if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        if self.schedule is not None:
            printer.print_string(" schedule ")
            self.schedule.print_parameters(printer)
        for keyword, value in (("warps", self.warps), ("index", self.index_bits)):
            if value is not None:
                printer.print_string(f" {keyword} {value.value.data}")
        print_residency(printer, self.resident)
        if self.why is not None:
            printer.print_string(" why ")
            printer.print_string_literal(self.why.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(
            self.body, print_entry_block_args=False, print_empty_block=False, print_block_terminators=False
        )


MlcLoop = Dialect(
    "mlc_loop",
    [
        KernelOp,
        ParallelOp,
        ReduceOp,
        SerialOp,
        YieldOp,
        LoadOp,
        StoreOp,
        AtomicOp,
        LocalOp,
        ScratchOp,
        AccumulateOp,
        IndexOp,
        IndirectIndexOp,
        ScanOp,
        RandomOp,
        LibdeviceOp,
        BarrierOp,
        LastBlockOp,
        ExclusivePrefixOp,
        SignalOp,
        WaitOp,
        *HOST_OPS,
    ],
    [ScheduleAttr],
)
