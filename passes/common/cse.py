"""cse: an op that computes what an op before it computed gives way to that one.

Two ops are one when name, operands (in any order where the op commutes), attributes, result
types and regions agree, and neither has an effect: reads of memory stay as well. The earlier
op must dominate: an op inside a region sees those before it outside, unless the region is
isolated. One walk, linear in the number of ops.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import Commutative, IsolatedFromAbove, is_side_effect_free

from mlc_support.locations import merged

Key = tuple[Hashable, ...]
Known = dict[Key, Operation]


@dataclass(frozen=True)
class CsePass(ModulePass):
    """Merge pure ops that compute the same value."""

    name = "cse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Merge in every region of the module."""
        for region in op.regions:
            _merge_region(region, {})


def _merge_region(region: Region, known: Known) -> None:
    """Merge inside a region; what it defines is forgotten at its end."""
    for block in region.blocks:
        # Blocks of one region need not dominate each other: only what is outside is shared.
        for key in _merge_block(block, known):
            del known[key]


def _merge_block(block: Block, known: Known) -> list[Key]:
    """Merge the ops of a block, in order. Gives the keys that it added to `known`."""
    added: list[Key] = []
    for op in [*block.ops]:
        isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
        for region in op.regions:
            _merge_region(region, {} if isolated else known)
        if not op.results or any(len(r.blocks) != 1 for r in op.regions):
            continue
        key = op_key(op, {})
        earlier = known.setdefault(key, op)
        if earlier is op:
            added.append(key)
        elif is_side_effect_free(op):
            _replace_by(op, earlier)
    return added


def op_key(op: Operation, local: Mapping[SSAValue, Hashable]) -> Key:
    """What must be equal for two ops to be one; values in `local` are known by what it says: a number, or a copy."""
    operands: list[Hashable] = [local.get(v, v) for v in op.operands]
    if op.has_trait(Commutative, value_if_unregistered=False):
        operands.sort(key=hash)
    name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
    # One flat tuple: a program has a key for each op, and nested ones cost the collector most of the pass.
    return (
        name,
        len(operands),
        *operands,
        frozenset(op.properties.items()),
        frozenset(op.attributes.items()),
        *op.result_types,
        *(region_key(r, local) for r in op.regions),
    )


def region_key(region: Region, outer: Mapping[SSAValue, Hashable]) -> Key:
    """What must be equal for two regions of one block to be one: their ops, with what they define numbered in order."""
    local = dict(outer)
    parts: list[Hashable] = []
    for argument in region.block.args:
        local[argument] = len(local)
        parts.append(argument.type)
    for op in region.block.ops:
        parts.append(op_key(op, local))
        for result in op.results:
            local[result] = len(local)
    return tuple(parts)


def _replace_by(op: Operation, earlier: Operation) -> None:
    """Let the results of `earlier` stand for those of `op`."""
    earlier.location = merged((earlier.location, op.location))
    for old, new in zip(op.results, earlier.results, strict=True):
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
