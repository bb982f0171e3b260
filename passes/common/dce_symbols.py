"""What dce does to functions, kernels and launches: what nothing reaches goes, and so does what nothing reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation
from xdsl.traits import SymbolOpInterface

from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.host import AllocOp, FreeOp, LaunchOp
from mlc_support.walks import walk
from passes.common.launches import kernels_by_name, launches_by_name


def drop_unused_buffers(module: ModuleOp) -> bool:
    """Takes arguments that a kernel does not use from it and from its launches; True if there were any."""
    launches = launches_by_name(module)
    return any([_drop_arguments(kernel, launches[name]) for name, kernel in kernels_by_name(module).items()])


def _drop_arguments(kernel: KernelOp, launches: Sequence[LaunchOp]) -> bool:
    block = kernel.body.block
    used = [i for i, argument in enumerate(block.args) if argument.first_use is not None]
    if not launches or len(used) == len(block.args):
        return False  # a kernel that nobody here launches is somebody's interface
    for launch in launches:
        launch.operands = [launch.buffers[i] for i in used]
    for argument in [a for a in block.args if a.first_use is None]:
        block.erase_arg(argument)
    return True


def drop_unused_allocations(module: ModuleOp) -> None:
    """Erases buffers that are allocated and freed again, and nothing else."""
    for op in [*walk(module)]:
        if isinstance(op, AllocOp) and all(isinstance(use.operation, FreeOp) for use in op.buffer.uses):
            for dead in (*(use.operation for use in [*op.buffer.uses]), op):
                dead.detach()
                dead.erase()


def drop_unreached_symbols(module: ModuleOp) -> None:
    """Erases private functions that no public one calls, and kernels that no function here launches.

    In a module of kernels alone each of them is somebody's interface.
    """
    symbols = {name.data: op for op in module.ops if (name := _symbol(op)) is not None}
    roots = [op for op in module.ops if not _is_private(op, any(isinstance(o, func.FuncOp) for o in symbols.values()))]
    reached: set[Operation] = set()
    while roots:
        op = roots.pop()
        if op not in reached:
            reached.add(op)
            roots += [symbols[name] for name in _references(op) if name in symbols]
    for op in symbols.values():
        if op not in reached:
            op.detach()
            op.erase()


def _symbol(op: Operation) -> StringAttr | None:
    trait = op.get_trait(SymbolOpInterface)
    return None if trait is None else trait.get_sym_attr_name(op)


def _is_private(op: Operation, has_functions: bool) -> bool:
    """True if only what is in the module can use the symbol."""
    if isinstance(op, func.FuncOp):
        return op.sym_visibility is not None and op.sym_visibility.data == "private"
    return isinstance(op, KernelOp) and has_functions


def _references(op: Operation) -> Iterator[str]:
    """The symbols that something inside `op` names."""
    for nested in walk(op):
        for attribute in (*nested.properties.values(), *nested.attributes.values()):
            if isinstance(attribute, SymbolRefAttr):
                yield attribute.root_reference.data
