"""A copy of a block as XLA's simplifications leave it: what its fusion passes see.

The rules are in `simplification`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.types import element_type, shape_of, with_shape
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import ConstantOp
from mlc_dialects.tensor.views import BroadcastOp
from passes.tensor.fusion.emulated.xla.algebra import Replacement
from passes.tensor.fusion.emulated.xla.ops import readers, sizes
from passes.tensor.fusion.emulated.xla.simplification import FIRST_RULES, RULES, Rule


@dataclass(frozen=True)
class Simplified:
    """The copy, and what its ops compute in the program."""

    block: Block
    sources: dict[Operation, Operation]

    @staticmethod
    def of(block: Block) -> Simplified:
        """The block as XLA would fuse it."""
        copy = Block(arg_types=[argument.type for argument in block.args])
        values: dict[SSAValue, SSAValue] = dict(zip(block.args, copy.args, strict=True))
        sources: dict[Operation, Operation] = {}
        for op in block.ops:
            clone = op.clone(value_mapper=values)
            copy.add_op(clone)
            sources[clone] = op
        found = Simplified(copy, sources)
        for rules in (FIRST_RULES, RULES):
            while found._walk(rules):
                pass
        found._spread_numbers()
        return found

    def _spread_numbers(self) -> None:
        """A constant that is the same everywhere is one number, and that is broadcast; indices stay as they are."""
        numbers: dict[tuple[Attribute, Attribute], ConstantOp] = {}
        for op in list(self.block.ops):
            if not isinstance(op, ConstantOp) or op.splat_value is None or prod(sizes(op.result)) == 1:
                continue
            if any(isinstance(reader, GatherOp) and op.result is not reader.input for reader in readers(op)):
                continue
            key = op.value, element_type(op.result.type)
            if key not in numbers:
                numbers[key] = ConstantOp(op.value, with_shape(op.result.type, ()))
                self.sources[numbers[key]] = self.sources[op]
                first = self.block.first_op
                assert first is not None
                self.block.insert_op_before(numbers[key], first)
            broadcast = BroadcastOp(numbers[key], shape_of(op.result.type))
            self._replace(op, Replacement(broadcast.result, [(broadcast, op)]))

    def _walk(self, rules: Sequence[Rule]) -> bool:
        """Applies every rule where it holds, and drops what nobody reads; False if no rule holds anywhere."""
        changed = False
        for op in list(self.block.ops):
            made = next((made for rule in rules if (made := rule(op)) is not None), None)
            if made is not None and op is not self.block.last_op:
                self._replace(op, made)
                changed = True
        for op in reversed(list(self.block.ops)):
            if op.results and not readers(op):
                self._drop(op)
        return changed

    def _drop(self, op: Operation) -> None:
        del self.sources[op]
        op.detach()
        op.erase()

    def _replace(self, op: Operation, made: Replacement) -> None:
        """Puts new ops in place of `op`, each with the op of the program that it stands for."""
        for new, origin in made.ops:
            self.block.insert_op_before(new, op)
            self.sources[new] = self.sources[origin]
        op.results[0].replace_all_uses_with(made.value)
        self._drop(op)
