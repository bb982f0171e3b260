"""The Python text of a host program: one line an op."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from lowering.host.call_text import argument_text, callee_text, python_text, tuple_text
from lowering.host.launched import Launched
from lowering.host.layout import same_layout
from lowering.host.lines import Lines
from lowering.host.memory import is_launched, shared_results
from lowering.host.names import host_name
from mlc_dialects.common.annotations import (
    DEVICE,
    EVALUATE,
    GUARDED,
    OPERAND_STRIDES,
    SYMBOL,
    SYMBOLS,
    TOLD,
    argument_annotations,
    listed_strides,
)
from mlc_dialects.common.buffers import buffer_element, buffer_shape, buffer_strides
from mlc_dialects.common.index_syntax import RESERVED, index_exprs
from mlc_dialects.common.types import BY_TYPE
from mlc_dialects.loop.host import (
    AllocOp,
    CallOp,
    ConstantOp,
    CountersOp,
    FlagsOp,
    FreeOp,
    LaunchOp,
    ViewOp,
    with_views,
)
from mlc_dialects.loop.host_memory import arguments_read_last
from mlc_dialects.tensor.calls import ExternOp, sizes_in
from mlc_dialects.tensor.named_sizes import names_read, size_called
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.index_maps import Line, row_major_strides
from mlc_support.locations import location_of
from mlc_support.python_text import quoted

TRUSTED = ("aten.mm.default", "aten.bmm.default", "mkldnn._linear_pointwise.default")
"""Calls whose results are row-major always."""
ANY_STRIDES = (*TRUSTED, "aten.matmul.default", "aten.scaled_dot_product_attention.default")
"""Calls that take operands as they lie."""
CHOSEN = ("aten.scaled_dot_product_attention.default",)
"""Calls that choose a kernel when they run, and with it the strides of the result: that is looked at, whoever reads
it."""
_DEVICE = re.compile(r"\bdevice\)")
"""The variable, where a statement passes it on as its last argument."""


def host_function(function: func.FuncOp, kernels: Mapping[str, Launched]) -> str:
    """The Python function that runs `function`: takes the list of its arguments, gives a tuple of its results.

    The list is empty afterwards, so that memory of arguments is free once they have been read for the last time.
    """
    return str(host_lines(function, kernels))


def host_lines(function: func.FuncOp, kernels: Mapping[str, Launched]) -> Lines:
    """The lines of `host_function`, each with the op that it is written for."""
    return _HostPrinter(function, kernels).lines()


def argument_size(function: func.FuncOp, position: int) -> Line | None:
    """What an argument that is a number tells of a named one, or None."""
    return _line_of(argument_annotations(function, position).get(SYMBOL))


def _line_of(symbol: Attribute | None) -> Line | None:
    """What a number called `symbol` tells of a named one; nothing if it is an expression in floats, or in two sizes."""
    size = size_called(symbol)
    return None if size is None else Line.of(size)


def _float_of(symbol: Attribute | None) -> float | None:
    """The number that `symbol` is; None where it is no number but has a name, or is an expression."""
    try:
        return float(symbol.data) if isinstance(symbol, StringAttr) else None
    except ValueError:
        return None


class _HostPrinter:
    def __init__(self, function: func.FuncOp, kernels: Mapping[str, Launched]):
        self._function = function
        self._kernels = kernels
        self._names: dict[SSAValue, str] = {}
        self._sizes = {v.name for e in self._all_sizes() for v in e.variables()}
        self._evaluated = {name for op in function.body.block.ops for name in names_evaluated(op)}
        self._taken = {*RESERVED, *kernels, *self._sizes, *self._evaluated}
        self._lines = Lines()
        self._bound: set[str] = set()
        self._shared = shared_results(function)

    def lines(self) -> Lines:
        block = self._function.body.block
        parameters = [self._parameter(k, a) for k, a in enumerate(block.args)]
        self._bind_sizes()
        given = self._given_sizes() - self._bound
        first = [op for op in block.ops if _is_evaluated(op) and not names_evaluated(op) & given]
        rest = [op for op in block.ops if op not in first]
        for op in first:  # strides of arguments may have names that these define
            self._any(op)
        for position, argument in enumerate(block.args):
            self._check(position, argument)
        for op, done in zip(rest, arguments_read_last(block, rest), strict=True):
            self._any(op)
            self._lines.add(*(f"    {self._del(argument)}" for argument in done))
        whole = Lines([f"def {host_name(self._function)}(arguments):", *self._opening(parameters)])
        whole.extend(self._lines)
        return whole

    def _opening(self, parameters: Sequence[str]) -> list[str]:
        """The statements that take the arguments, and what others need of the device."""
        names = ", ".join(parameters) if len(parameters) > 1 else f"({''.join(parameters)},)"
        taken = [f"    {names} = arguments", "    arguments.clear()"]
        lines = taken if parameters else []
        allocates = any(isinstance(op, AllocOp) for op in self._function.body.block.ops)
        if allocates or any(_DEVICE.search(line) for line in self._lines.texts):
            lines = [*lines, f"    device = {self._device()}"]
        return [*lines, "    allocate = allocator(device)"] if allocates else lines

    def _check(self, position: int, argument: SSAValue) -> None:
        """An argument with the layout that its type says, unless the caller has seen to it."""
        type_ = argument.type
        if not isinstance(type_, MemRefType) or GUARDED in argument_annotations(self._function, position):
            return
        name = self._names[argument]
        text = self._checked(name, type_)
        if is_launched(argument):
            text = f"expect({name}, {_place(type_)}, {_dtype(type_)}, device)"
        self._lines.add(f"    {name} = {text}")

    def _any(self, op: Operation) -> None:
        first = len(self._lines.texts)
        if isinstance(op, CallOp):
            self._call(op)
        else:
            self._lines.add(f"    {self._statement(op)}")
        self._lines.belong(op, first)

    def _parameter(self, position: int, argument: SSAValue) -> str:
        """The name of an argument: an integer that is a named size has the size's."""
        line = argument_size(self._function, position)
        named = line is not None and line.is_plain and line.name in self._sizes | self._evaluated
        if line is None or not named or line.name in self._names.values():
            return self._define(argument)
        self._names[argument] = line.name
        return line.name

    def _define(self, value: SSAValue) -> str:
        stem = re.sub(r"\W", "_", value.name_hint or "buf", flags=re.ASCII).strip("_") or "buf"
        if stem[0].isdigit() or keyword.iskeyword(stem):
            stem = f"v{stem}"
        name, count = stem, 1
        while name in self._taken:
            name, count = f"{stem}_{count}", count + 1
        self._taken.add(name)
        self._names[value] = name
        return name

    def _bind_sizes(self) -> None:
        """Gives each named size its value: an integer argument, or a dimension of a tensor."""
        told: list[tuple[Line, str]] = []
        for position, argument in enumerate(self._function.body.block.args):
            name = self._names[argument]
            if isinstance(argument.type, MemRefType):
                told += _dimensions(name, argument.type)
            elif (line := argument_size(self._function, position)) is not None:
                told.append((line, name))
        for line, text in sorted(told, key=lambda pair: not pair[0].is_plain):
            if line.name in self._sizes | self._evaluated:
                self._bind(line, text)
        missing = self._sizes - self._bound - self._given_sizes()
        if missing:
            raise MlcError(
                f"no argument of {self._function.sym_name.data} tells the size {', '.join(sorted(missing))}",
                location=location_of(self._function),
                hint="a named size must be a dimension of some argument, or a part of one, as N is of N * 16",
            )

    def _given_sizes(self) -> set[str]:
        """Those that calls tell."""
        return {s for op in self._function.body.block.ops if isinstance(op, CallOp) for s in _defined_sizes(op)}

    def _bind(self, line: Line, text: str) -> None:
        """Binds a size, of which `text` is a known multiple, to its value unless it has one."""
        if line.name not in self._bound:
            self._bound.add(line.name)
            multiple = f"{text} - {line.rest}" if line.rest else text
            value = multiple if line.factor == 1 else f"parts({multiple}, {line.factor})"
            if line.name != value:
                self._lines.add(f"    {line.name} = {value}")

    def _tell(self, size: IndexExpr | float, text: str) -> None:
        """Binds the name of a size that only a call tells; where it has its value already, or is a number, checks it.

        PyTorch writes what `torch._check` says of a size into all shapes, and leaves the check to who runs the call.
        """
        names = {v.name for v in size.variables()} if isinstance(size, IndexExpr) else set[str]()
        line, said = (Line.of(size), python_text(size)) if isinstance(size, IndexExpr) else (None, repr(size))
        if line is not None and line.name not in self._bound:
            self._bind(line, text)
        elif names <= self._bound:
            message = f'f"{text} is {{{text}}}, and a check says that it is {said}"'
            self._lines.add(f"    torch._check({text} == {said}, lambda: {message})")

    def _bind_dimensions(self, name: str, type_: Attribute) -> None:
        for line, text in _dimensions(name, type_):
            self._bind(line, text)

    def _all_sizes(self) -> Iterable[IndexExpr]:
        values = [
            *self._function.body.block.args,
            *(r for op in self._function.body.block.ops for r in op.results),
        ]
        for value in values:
            if isinstance(value.type, MemRefType):
                yield from (*buffer_shape(value.type), *buffer_strides(value.type))
        for op in self._function.body.block.ops:
            if isinstance(op, ViewOp):
                yield from index_exprs(op.offset)
            elif isinstance(op, LaunchOp):
                kernel = self._kernels.get(op.kernel.string_value())
                if kernel is not None:
                    yield from (*(kernel.grid or ()), *map(variable, kernel.sizes))
            elif isinstance(op, CallOp):
                yield from (index_exprs(ArrayAttr([s.expression]))[0] for s in sizes_in(op.arguments, op.keywords))

    def _device(self) -> str:
        told = self._function.attributes.get(DEVICE)
        if isinstance(told, StringAttr):
            return f"named_device({quoted(told.data)})"
        for argument in self._function.body.block.args:
            if isinstance(argument.type, MemRefType):
                return f"{self._names[argument]}.device"
        return 'named_device("cuda" if torch.cuda.is_available() else "cpu")'

    def _checked(self, text: str, type_: Attribute) -> str:
        return f"with_layout({text}, {_place(type_)})"

    def _statement(self, op: Operation) -> str:
        match op:
            case AllocOp():
                return f"{self._define(op.buffer)} = {_empty(op.buffer.type)}"
            case CountersOp():
                count = python_text(buffer_shape(op.buffer.type)[0])
                return f"{self._define(op.buffer)} = counters({count}, device)"
            case FlagsOp():
                kernel, count = op.kernel.string_value(), python_text(buffer_shape(op.buffer.type)[0])
                return f"{self._define(op.buffer)} = counters.kept({quoted(kernel)}, {count}, device)"
            case ConstantOp():
                return f"{self._define(op.buffer)} = {_constant(op)}"
            case FreeOp():
                return self._del(op.buffer)
            case LaunchOp():
                return self._launch(op)
            case ViewOp():
                return f"{self._define(op.result)} = {self._view(op)}"
            case func.ReturnOp():
                return f"return ({''.join(self._names[v] + ', ' for v in op.operands).rstrip()})"
            case _:
                raise MlcError(f"triton: cannot print {op.name} in a host program", location=location_of(op))

    def _del(self, buffer: SSAValue) -> str:
        """A buffer and the views of it, which hold its memory."""
        return f"del {', '.join(self._names[v] for v in with_views(buffer) if v in self._names)}"

    def _view(self, op: ViewOp) -> str:
        """A view; PyTorch must know of it where the caller may see that it shares memory."""
        source, offset = self._names[op.input], python_text(index_exprs(op.offset)[0])
        if op.result not in self._shared:
            return f"reinterpret({source}, {_place(op.result.type)}, {offset})"
        moved = f"{source}.storage_offset() + {offset}" if offset != "0" else f"{source}.storage_offset()"
        return f"{source}.as_strided({_place(op.result.type)}, {moved})"

    def _launch(self, op: LaunchOp) -> str:
        kernel = self._kernels.get(op.kernel.string_value())
        if kernel is None:
            raise MlcError(f"launch of the unknown kernel {op.kernel.string_value()}", location=location_of(op))
        return kernel.text([*(self._names[b] for b in op.buffers), *kernel.sizes])

    def _call(self, op: CallOp) -> None:
        """The call, then for each result that is read its layout checked, and the sizes that it defines."""
        call = self._call_text(op)
        names = [self._define(r) for r in op.outputs]
        if len(names) == 1:
            plain = op.callee.data in TRUSTED or op.callee.data == EVALUATE
            self._lines.add(f"    {names[0]} = {call if plain else f'single({call})'}")
        else:
            self._lines.add(
                f"    {''.join(n + ', ' for n in names).rstrip()} = leaves({call})" if names else f"    {call}"
            )
        for position, (name, result) in enumerate(zip(names, op.outputs, strict=True)):
            for size, text in _told(op, position, name):
                self._tell(size, text)
            if isinstance(result.type, MemRefType) and (_is_read(result) or op.callee.data in CHOSEN):
                self._bind_dimensions(name, result.type)
                if op.callee.data not in TRUSTED:
                    self._lines.add(f"    {name} = {self._checked(name, result.type)}")
        for name, result in zip(names, op.outputs, strict=True):
            if isinstance(result.type, MemRefType) and not (_is_read(result) or op.callee.data in CHOSEN):
                self._bind_dimensions(name, result.type)

    def _call_text(self, op: CallOp) -> str:
        callee = op.callee.data
        arguments = op.arguments.data if op.arguments is not None else None
        if callee == EVALUATE:
            assert arguments is not None and isinstance(arguments[0], StringAttr)
            return arguments[0].data
        operands = [self._operand(op, k) for k in range(len(op.inputs))]
        texts = operands if arguments is None else [argument_text(a, op, operands) for a in arguments]
        if op.keywords is not None:
            texts = [*texts, *(f"{k}={argument_text(a, op, operands)}" for k, a in op.keywords.data.items())]
        return f"{callee_text(callee)}({', '.join(texts)})"

    def _operand(self, op: CallOp, position: int) -> str:
        """An operand, with the strides that eager would give it: kernels of PyTorch may count on them."""
        value = op.inputs[position]
        name = self._names[value]
        if not isinstance(value.type, MemRefType) or op.callee.data in ANY_STRIDES:
            return name
        shape = buffer_shape(value.type)
        strides = listed_strides(op, OPERAND_STRIDES, position) or row_major_strides(shape)
        if same_layout(buffer_strides(value.type), strides, shape):
            return name
        return f"with_layout({name}, {tuple_text(shape)}, {tuple_text(strides)})"


def _is_read(result: SSAValue) -> bool:
    """False for a result of a call that at most the caller sees: it goes to him as PyTorch gives it.

    Some have another shape than PyTorch promised when it traced (places that `unique` was not asked for), or are None.
    """
    return any(not isinstance(use.operation, func.ReturnOp | FreeOp) for use in result.uses)


def _is_evaluated(op: Operation) -> bool:
    """True for a Python expression over named sizes."""
    return isinstance(op, CallOp) and op.callee.data == EVALUATE


def names_evaluated(op: Operation) -> set[str]:
    """The names that a Python expression over named sizes reads."""
    if not isinstance(op, CallOp | ExternOp) or op.callee.data != EVALUATE or op.arguments is None:
        return set()
    (text,) = op.arguments.data
    assert isinstance(text, StringAttr)
    return names_read(text.data)


def _told(op: CallOp, position: int, name: str) -> list[tuple[IndexExpr | float, str]]:
    """The sizes and numbers that only the call tells with the result `name` at `position`, and their Python text."""
    symbols, told, type_ = op.attributes.get(SYMBOLS), op.attributes.get(TOLD), op.outputs[position].type
    if isinstance(type_, MemRefType):
        dims = told.data[position] if isa(told, ArrayAttr[ArrayAttr[IntegerAttr]]) else ()
        return [(buffer_shape(type_)[d.value.data], f"{name}.shape[{d.value.data}]") for d in dims]
    symbol = symbols.data[position] if isinstance(symbols, ArrayAttr) else None
    size = size_called(symbol)
    number = _float_of(symbol) if size is None else size
    return [] if number is None else [(number, name)]


def _defined_sizes(op: CallOp) -> set[str]:
    """The named sizes that become known with the results of a call."""
    symbols = op.attributes.get(SYMBOLS)
    told = [_line_of(s) for s in symbols.data] if isinstance(symbols, ArrayAttr) else []
    told += [line for result in op.outputs for line, _ in _dimensions("", result.type)]
    return {line.name for line in told if line is not None}


def _dimensions(name: str, type_: Attribute) -> list[tuple[Line, str]]:
    """What the dimensions of the buffer called `name` tell of named sizes, and their Python text."""
    sizes = buffer_shape(type_) if isinstance(type_, MemRefType) else ()
    told = [(Line.of(size), f"{name}.shape[{dim}]") for dim, size in enumerate(sizes)]
    return sorted([(line, text) for line, text in told if line is not None], key=lambda pair: not pair[0].is_plain)


def _empty(type_: Attribute) -> str:
    return f"allocate({_place(type_)}, {_dtype(type_)})"


def _place(type_: Attribute) -> str:
    """Sizes and strides of a buffer."""
    return f"{tuple_text(buffer_shape(type_))}, {tuple_text(buffer_strides(type_))}"


def _dtype(type_: Attribute) -> str:
    element = buffer_element(type_)
    if element not in BY_TYPE:
        raise MlcError(f"a host program has no buffer of {element}", None, "PyTorch computes what kernels cannot hold")
    return f"torch.{BY_TYPE[element].torch_name}"


def _constant(op: ConstantOp) -> str:
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    numbers = [v if isinstance(v, int | float) else complex(*v) for v in op.value.get_values()]
    values = ", ".join(repr(v) if abs(v) < float("inf") else f'float("{v}")' for v in numbers)
    shape = tuple_text(buffer_shape(op.buffer.type))
    return f"torch.tensor([{values}], dtype={_dtype(op.buffer.type)}, device=device).reshape({shape})"
