"""`--reduce`: the least module for which a command still fails, by delta debugging.

Functions go, then ops (a value that is still read becomes an operand of the op, or an argument of the function),
results, arguments and attributes: all of a kind at once, then halves, quarters and single ones, for as long as
something goes. A smaller module counts if it is valid and the command fails on it in the same way: with the same exit
code and the same first error, names and numbers aside.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from mlc_support.errors import MlcError
from mlc_support.verification import verify_module
from tools.ir_printing import Form

FORM = Form()

Edit = tuple[Callable[[Operation, int | str], None], int, int | str]
"""What is done to which op of a walk over the module: to its nth result, to an attribute, ..."""
Failure = tuple[int, str]
"""An exit code, and the first error without names and numbers."""
_NAMES = re.compile(r"""[%@][\w$.-]+|`[^`]*`|"[^"]*"|\d+""")


def reduced(module: ModuleOp, command: str) -> str:
    """The text of the least module found. `command` gets a file name for `%s`, or as its last argument.

    Raises `MlcError` where it does not fail on `module`, or cannot be run.
    """
    with tempfile.TemporaryDirectory() as folder:
        search = _Search(command, Path(folder) / "reduced.mlir")
        small = search.least(module)
    print(f"reduce: {_size(module)} ops -> {_size(small)} ops in {search.runs} runs", file=sys.stderr)
    return FORM.text(small)


@dataclass
class _Search:
    """Runs the command on ever smaller modules."""

    command: str
    file: Path
    runs: int = 0
    wanted: Failure = (0, "")
    seen: set[str] = field(default_factory=set[str])

    def least(self, module: ModuleOp) -> ModuleOp:
        """`module` without all that can go."""
        self.seen.add(FORM.text(module))
        self.wanted = self._failure(FORM.text(module))
        if self.wanted[0] == 0:
            raise MlcError(f"the command succeeds on the input: {self.command}", None, "there is nothing to reduce")
        if self.wanted[0] in (126, 127):
            raise MlcError(f"the command cannot be run: {self.command}", None, "it is a command of the shell")
        best, before = module, None
        while best is not before:
            before = best
            for kind in _KINDS:
                best = self._without(best, kind)
        return best

    def _without(self, module: ModuleOp, kind: Callable[[Sequence[Operation]], Iterator[Edit]]) -> ModuleOp:
        """`module` without what can go of one kind."""
        count = size = len(list(kind(list(module.walk()))))
        while size:
            start = 0
            while start < count:
                smaller = self._tried(module, list(kind(list(module.walk())))[start : start + size])
                if smaller is None:
                    start += size
                else:
                    module, count = smaller, len(list(kind(list(smaller.walk()))))
            size //= 2
        return module

    def _tried(self, module: ModuleOp, edits: Sequence[Edit]) -> ModuleOp | None:
        """A copy with these edits, if the command fails on it as it should."""
        copy = module.clone()
        ops = list(copy.walk())
        for change, place, what in edits:
            if ops[place].parent is not None:
                change(ops[place], what)
        text = FORM.text(copy)
        if text in self.seen or not _is_valid(copy):
            return None
        self.seen.add(text)
        return copy if self._failure(text) == self.wanted else None

    def _failure(self, text: str) -> Failure:
        self.runs += 1
        self.file.write_text(text, encoding="utf-8")
        file, command = shlex.quote(str(self.file)), self.command
        command = command.replace("%s", file) if "%s" in command else f"{command} {file}"
        done = subprocess.run(
            command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        lines = (done.stderr + done.stdout).splitlines()
        first = next((line for line in lines if "error" in line.lower()), "")
        return done.returncode, _NAMES.sub("", first.replace(str(self.file), ""))


def _is_valid(module: ModuleOp) -> bool:
    try:
        verify_module(module)
    except MlcError:
        return False
    return True


def _size(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk()) - 1


def _functions(ops: Sequence[Operation]) -> Iterator[Edit]:
    """What stands in the module itself."""
    return ((_erase, k, 0) for k, op in enumerate(ops) if op.parent_op() is ops[0])


def _ops(ops: Sequence[Operation]) -> Iterator[Edit]:
    """Ops inside functions, readers before what they read."""
    inner = [k for k, op in enumerate(ops) if op.parent_op() not in (None, ops[0]) and not op.has_trait(IsTerminator)]
    return ((_bypass, k, 0) for k in reversed(inner))


def _results(ops: Sequence[Operation]) -> Iterator[Edit]:
    """What functions return."""
    returns = ((k, op) for k, op in enumerate(ops) if isinstance(op, func.ReturnOp))
    return ((_drop_result, k, i) for k, op in returns for i in reversed(range(len(op.operands))))


def _arguments(ops: Sequence[Operation]) -> Iterator[Edit]:
    """Arguments of functions that nothing reads."""
    functions = ((k, op) for k, op in enumerate(ops) if isinstance(op, func.FuncOp) and op.body.blocks)
    return ((_drop_argument, k, a.index) for k, op in functions for a in reversed(op.body.blocks[0].args) if not a.uses)


def _attributes(ops: Sequence[Operation]) -> Iterator[Edit]:
    """Attributes that an op does not need to be what it is."""
    return ((_drop_attribute, k, name) for k, op in enumerate(ops) for name in op.attributes)


_KINDS = (_functions, _ops, _results, _arguments, _attributes)


def _erase(op: Operation, _: int | str) -> None:
    op.detach()
    op.erase(safe_erase=False)


def _bypass(op: Operation, _: int | str) -> None:
    """Read something else for each result: an operand of its type, or a new argument of the function."""
    function = op.parent_op()
    for result in op.results:
        if not result.uses:
            continue
        value = next((o for o in op.operands if o.type == result.type), None)
        if value is None:
            if not isinstance(function, func.FuncOp):
                return
            block = function.body.blocks[0]
            value = block.insert_arg(result.type, len(block.args))
            value.name_hint = result.name_hint
            _retype(function)
        result.replace_all_uses_with(value)
    _erase(op, 0)


def _drop_result(op: Operation, index: int | str) -> None:
    function = op.parent_op()
    op.operands = [operand for k, operand in enumerate(op.operands) if k != index]
    if isinstance(function, func.FuncOp):
        _retype(function)


def _drop_argument(op: Operation, index: int | str) -> None:
    assert isinstance(op, func.FuncOp) and isinstance(index, int)
    block = op.body.blocks[0]
    block.erase_arg(block.args[index])
    op.arg_attrs = None
    _retype(op)


def _drop_attribute(op: Operation, name: int | str) -> None:
    del op.attributes[str(name)]


def _retype(function: func.FuncOp) -> None:
    """The type of a function as its body has it."""
    block = function.body.blocks[0]
    given = block.last_op.operands if block.last_op is not None else ()
    function.function_type = FunctionType.from_lists([a.type for a in block.args], [o.type for o in given])
