"""What a kernel of a plan looks like: its IR, and the Triton source that this compiler writes for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc_compiler.compare.cost import computed
from mlc_compiler.pipeline import lower_to
from mlc_dialects.iteration.iterate import is_free
from mlc_support.errors import MlcError
from passes.tensor.fusion.plan import Group, Plan


@dataclass(frozen=True)
class Shown:
    """The text of one kernel; `source` says why there is none where there is none."""

    ir: str
    source: str


def show(plan: Plan, group: Group) -> Shown:
    """The ops of a group as a function of their own, and that function as Triton.

    The source is ours whoever formed the group: where our kernels cannot hold it in one, it has several.
    """
    module = _module(plan.inputs(group), computed(plan, group), plan.outputs(group))
    if module is None:
        return Shown("", "the kernel computes no op of the graph")
    text = str(module)
    try:
        source = lower_to(module, "source")
    except MlcError as error:
        return Shown(text, f"# {error.message}")
    return Shown(text, source if isinstance(source, str) else "")


def _module(inputs: Sequence[SSAValue], ops: Sequence[Operation], outputs: Sequence[SSAValue]) -> ModuleOp | None:
    """A function that computes `outputs` out of `inputs` by `ops` and the views they read."""
    results = [v for v in outputs if v.owner in ops] or [r for op in ops[-1:] for r in op.results]
    if not results:
        return None
    block = Block(arg_types=[v.type for v in inputs])
    made: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for value, argument in made.items():
        argument.name_hint = value.name_hint
    inside = set(ops)
    for op in _needed(results, set(made), inside):
        clone = op.clone(made)
        for old, new in zip(op.results, clone.results, strict=True):
            new.name_hint = old.name_hint
        block.add_op(clone)
    missing = [v for op in block.ops for v in op.operands if v.owner is not block and v.owner not in set(block.ops)]
    if missing:
        return None
    block.add_op(func.ReturnOp(*(made[r] for r in results)))
    types = [r.type for r in results]
    return ModuleOp([func.FuncOp("kernel", ([v.type for v in inputs], types), Region(block))])


def _needed(results: Sequence[SSAValue], given: set[SSAValue], inside: set[Operation]) -> list[Operation]:
    """The ops behind `results`, in program order, without going past what is given."""
    found: set[Operation] = set()
    work = list(results)
    while work:
        value = work.pop()
        owner = value.owner
        if value in given or not isinstance(owner, Operation) or owner in found:
            continue
        if owner in inside or is_free(owner):
            found.add(owner)
            work += owner.operands
    block = results[0].owner.parent if isinstance(results[0].owner, Operation) else None
    return [op for op in block.ops if op in found] if block is not None else []
