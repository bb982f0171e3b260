"""An FX graph of aten ops to one function of `mlc_tensor`."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg
from torch.utils._pytree import tree_leaves, tree_map
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    ModuleOp,
    NoneType,
    StringAttr,
    TensorType,
    UnitAttr,
    f64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from lowering.fx_to_tensor.attributes import (
    attribute_list,
    call_attributes,
    own_layout,
    result_attributes,
    told_dimensions,
)
from lowering.fx_to_tensor.byte_floats import MOVES, has_byte_floats
from lowering.fx_to_tensor.call import Call, NotNative
from lowering.fx_to_tensor.constants import constant_op
from lowering.fx_to_tensor.devices import MainDevice, is_host_number, is_host_scalar
from lowering.fx_to_tensor.extern import Encoder, Overwritten, callee_name
from lowering.fx_to_tensor.imported import ConstantOutput, Imported, OutputSpec, ResultOutput, SizeOutput
from lowering.fx_to_tensor.rules.all_rules import RULES
from lowering.fx_to_tensor.sizes import Sizes, equalities_in, eval_call, insert_early
from lowering.fx_to_tensor.source_names import (
    Frame,
    frame_of,
    identifier,
    input_name,
    location_of_frame,
    unique,
    value_names,
)
from lowering.fx_to_tensor.targets import (
    aliasing,
    is_impure,
    is_integer,
    is_operator,
    is_token,
    scalar_type,
    tells_offset,
)
from mlc_dialects.common.annotations import DEVICE, KERNEL, STRIDES, SYMBOL, SYMBOLS, TOLD, WHY
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_runtime.gradients import WHY_CALLED
from mlc_support.errors import Location, MlcError
from mlc_support.index_expr import IndexExpr
from mlc_support.index_maps import Line


def import_graph(
    gm: GraphModule,
    name: str = "main",
    input_names: Sequence[str] | None = None,
    size_names: Mapping[str, str] | None = None,
) -> Imported:
    """The graph of `gm`, whose nodes carry fake tensors in `meta["val"]`, as `mlc_tensor`.

    `input_names` are the user's names of the placeholders; `size_names` renames symbols
    (s77 to N). Raises MlcError where an input or output has no representation; an op that
    is not native becomes an extern call.
    """
    with unset_fake_temporarily():  # constants of the graph are read, also while AOTAutograd traces
        return _GraphImporter(gm, input_names, Sizes(size_names, equalities_in(gm.graph))).run(name)


class _GraphImporter:
    """The state of one import: the values of nodes, and what the function will hold."""

    def __init__(self, gm: GraphModule, input_names: Sequence[str] | None, sizes: Sizes):
        self.gm = gm
        self.sizes = sizes
        self.block = Block()
        self.values: dict[Node, Any] = {}
        self.fakes: dict[SSAValue, Any] = {}
        self.moved: set[SSAValue] = set()  # on the main device, though the graph has them on the host
        self.objects: list[Any] = []
        self.constants: list[torch.Tensor] = []
        self.overwritten = Overwritten()
        self.argument_attributes: list[DictionaryAttr] = []
        self.attributes: dict[str, Any] = {}
        self.nodes = list(gm.graph.nodes)
        self.names = value_names(self.nodes)
        self.input_names = self._input_names(input_names)
        self.main = MainDevice.of(self.nodes)
        self.device = self.main.device

    def run(self, name: str) -> Imported:
        for node in self.nodes:
            match node.op:
                case "placeholder":
                    self.values[node] = self._placeholder(node)
                case "get_attr":
                    self.values[node] = self._attribute(node)
                case "call_function":
                    self.values[node] = self._call(node)
                case "output":
                    return self._finish(name, node)
                case _:
                    raise self._error(node, f"{node.op} nodes cannot be imported: trace the module to aten ops first")
        raise MlcError("the graph has no output node")

    # Arguments

    def _input_names(self, given: Sequence[str] | None) -> list[str]:
        placeholders = [n for n in self.nodes if n.op == "placeholder"]
        names = [identifier(n) for n in given or ()]
        return unique([*names, *(input_name(n) for n in placeholders[len(names) :])])

    def _placeholder(self, node: Node) -> Any:
        val = node.meta.get("val")
        if isinstance(val, torch.Tensor) and not is_token(node):
            return self._tensor_argument(val, self.input_names[len(self.block.args)])
        val = None if isinstance(val, torch.Tensor) else val
        type_, value = scalar_type(val), self.sizes.expr(val) if is_integer(val) else None
        symbol = str(value) if value is not None else str(getattr(getattr(val, "node", None), "expr", val))
        attributes: dict[str, Attribute] = {} if type_ == NoneType() else {SYMBOL: StringAttr(symbol)}
        argument = self._argument(type_, self.input_names[len(self.block.args)], attributes)
        if isinstance(val, torch.SymFloat | torch.SymBool) or is_token(node):
            return argument
        return val if value is None else value

    def _tensor_argument(self, val: torch.Tensor, name: str) -> SSAValue:
        strides = self.sizes.strides(val)
        argument = self._argument(self.sizes.type(val), name, {STRIDES: strides} if strides else {})
        self.fakes[argument] = val
        return argument

    def _argument(self, type_: Attribute, name: str, attributes: dict[str, Attribute]) -> SSAValue:
        argument = self.block.insert_arg(type_, len(self.block.args))
        argument.name_hint = name
        self.argument_attributes.append(DictionaryAttr(attributes))
        return argument

    def _attribute(self, node: Node) -> Any:
        """A tensor of the graph module: a constant where small, else one more argument."""
        path = str(node.target)
        if path not in self.attributes:
            found = operator.attrgetter(path)(self.gm)
            if not isinstance(found, torch.Tensor):
                return found
            self.attributes[path] = self._tensor_attribute(node, found)
        return self.attributes[path]

    def _tensor_attribute(self, node: Node, tensor: torch.Tensor) -> SSAValue:
        op = constant_op(tensor) if tensor.device == self.device or tensor.dim() == 0 else None
        if op is not None:
            self._insert(node, [op])
            self._hold(op.results[0], node.meta.get("val", tensor))
            return op.results[0]
        self.constants.append(tensor)
        name = identifier(str(node.target).lstrip("_"))
        argument = self._tensor_argument(node.meta.get("val", tensor), name)
        self.input_names.append(name)
        return argument

    # Calls

    def _call(self, node: Node) -> Any:
        val = node.meta.get("val")
        if node.target is torch.ops.aten._assert_tensor_metadata.default:
            return None  # held when the graph was traced, and types here are fixed
        if node.target is torch.ops.aten._assert_scalar.default and map_arg(node.args[0], self.values.get) is True:
            return None  # what sizes are written as says it, and the host program checks that they can be
        if is_integer(val) and is_operator(node.target) and not tells_offset(node):
            return self.sizes.expr(val)
        if isinstance(val, torch.SymFloat | torch.SymBool) and is_operator(node.target):
            text = self.sizes.text(val.node.expr)
            return text == "True" or self._insert(node, [eval_call(text, scalar_type(val))])[-1]
        if node.target is operator.getitem and node.args[0] in self.values:
            return self._item(node)
        try:
            return self._native(node)
        except NotNative as reason:
            return self._extern(node, str(reason))

    def _item(self, node: Node) -> Any:
        container, key = node.args
        assert isinstance(container, Node)
        item = self.values[container][key]
        if isinstance(item, SSAValue) and isinstance(item.type, TensorType):
            item.name_hint = self.names[node]
        return item

    def _native(self, node: Node) -> Any:
        """The call in native ops. NotNative says why it cannot be: no rule, or one that declines."""
        rule, val = RULES.get(str(node.target)), node.meta.get("val")
        outs = [val] if isinstance(val, torch.Tensor) else list(val) if isinstance(val, list | tuple) else []
        if rule is None:
            raise NotNative(WHY_CALLED.get(str(node.target), "no rule makes kernels of it"))
        if str(node.target) not in MOVES and has_byte_floats(node, outs):
            raise NotNative("kernels only move and cast 8-bit floats")
        if not outs or node.meta.get("unbacked_bindings"):
            raise NotNative("only the call tells the size of its result")
        if not all(self.main.computes(v) or is_host_number(node, v) for v in outs):
            raise NotNative("kernels do not know the type of its result, or not on this device")
        call = Call(val, self.sizes, self.fakes)
        try:
            arguments = [self._native_operand(call, a) for a in self._bound(node)]
            result = rule(call, *arguments)
            self._check(call, result)
        except (NotNative, VerifyException, ValueError) as error:
            for op in call.operations:
                op.drop_all_references()  # what they read must not count as used
            raise error if isinstance(error, NotNative) else NotNative(str(error)) from error
        self._insert(node, call.operations)
        values = [result] if isinstance(result, SSAValue) else list(result or ())
        for value, out in zip(values, outs, strict=True):
            if value is not None:
                self._hold(value, out)
        return result

    def _hold(self, value: SSAValue, fake: Any) -> None:
        """Notes a value of kernels, which is on the main device wherever the graph has it."""
        self.fakes[value] = fake
        if isinstance(fake, torch.Tensor) and fake.device != self.device:
            self.moved.add(value)

    def _bound(self, node: Node) -> list[Any]:
        """The arguments in the order of the schema, defaults filled in."""
        target = node.target
        assert isinstance(target, OpOverload)
        args = map_arg(node.args, self.values.__getitem__)
        keywords = map_arg(node.kwargs, self.values.__getitem__)
        rest = target._schema.arguments[len(args) :]
        return [*args, *(keywords.get(a.name, a.default_value) for a in rest)]

    def _native_operand(self, call: Call, value: Any) -> Any:
        """A tensor on the main device, or a plain argument. NotNative for other tensors."""
        if isinstance(value, list | tuple):
            return [self._native_operand(call, v) for v in value]
        if not isinstance(value, SSAValue):
            return value
        if not isinstance(value.type, TensorType):
            return self._number_as_tensor(call, value)
        fake = self.fakes[value]
        if self.main.computes(fake) or value in self.moved:
            return value
        if not is_host_scalar(fake):
            raise NotNative("an operand has no native type or is on another device")
        copy = self._extern_op(torch.ops.aten._to_copy.default, [value], {"device": self.device}, fake)
        call.operations.append(copy)
        self._hold(copy.results[0], fake)
        return copy.results[0]

    def _number_as_tensor(self, call: Call, value: SSAValue) -> SSAValue:
        """A float or bool of the host as a tensor of rank 0, promoted as a Python number is."""
        dtype = torch.float64 if value.type == f64 else torch.bool
        wanted = torch.empty((), dtype=dtype, device="meta")
        keywords = {"dtype": dtype, "device": self.device}
        op = self._extern_op(torch.ops.aten.scalar_tensor.default, [value], keywords, wanted)
        call.operations.append(op)
        self.fakes[op.results[0]] = 1.0 if dtype == torch.float64 else True
        return op.results[0]

    def _check(self, call: Call, result: Any) -> None:
        """NotNative or VerifyException unless the rule gave what the graph promises."""
        values = [result] if isinstance(result, SSAValue) else list(result)
        if [v.type for v in values] != [self.sizes.type(out) for out in call.outs]:
            raise NotNative("the rule gives other types than the graph has")
        for op in call.operations:
            op.verify()

    # Extern calls

    def _extern(self, node: Node, why: str) -> Any:
        """The call as `mlc_tensor.extern`; its results in the structure they have in Python."""
        args = map_arg(node.args, self._at_home)
        keywords = map_arg(node.kwargs, self._at_home)
        val = node.meta.get("val")
        op = self._extern_op(node.target, args, keywords, val)
        op.attributes |= {KERNEL: UnitAttr()} if self.main.copies(node) else {WHY: StringAttr(why)}
        if bindings := node.meta.get("unbacked_bindings"):  # it stays, also where only a size that it tells is used
            op.attributes.setdefault(SYMBOLS, ArrayAttr([StringAttr("")] * len(op.results)))
            op.attributes[TOLD] = told_dimensions(val, bindings)
        if KERNEL in op.attributes and len(op.operands) == 2:  # one is a tensor copied to itself
            self._read_before(op)
        self._insert(node, [op])
        if val is None:
            return None
        results = iter(op.results)
        return tree_map(lambda leaf: self._extern_value(leaf, next(results)), val)

    def _read_before(self, copy: Operation) -> None:
        """Has `copy` read what an argument held before others were copied there: two arguments may be swapped."""
        value = copy.operands[1]
        first = self.overwritten.since(value)
        if first is not None:
            kept = self._extern_op(torch.ops.aten.clone.default, [value], {}, self.fakes[value])
            kept.attributes[WHY] = StringAttr("the argument is overwritten before it is copied")
            kept.location = first.location
            self.block.insert_op_before(kept, first)
            copy.operands[1] = kept.results[0]
        self.overwritten.add(copy)

    def _at_home(self, node: Node) -> Any:
        """The value of a node on the device the graph has it on, for those outside kernels."""
        value, val = self.values[node], node.meta.get("val")
        if not isinstance(val, torch.Tensor) or value not in self.moved:
            return value
        copy = self._extern_op(torch.ops.aten._to_copy.default, [value], {"device": val.device}, val)
        (result,) = self._insert(node, [copy])
        self.fakes[result] = val
        return result

    def _extern_value(self, leaf: Any, result: SSAValue) -> Any:
        self.fakes[result] = leaf
        return self.sizes.expr(leaf) if is_integer(leaf) else None if leaf is None else result

    def _extern_op(self, target: Any, args: Any, keywords: Any, val: Any) -> Operation:
        from_python = Encoder(self.objects)
        arguments = [from_python.encode(a) for a in args]
        named = {k: from_python.encode(v) for k, v in keywords.items()}
        leaves = [] if val is None else tree_leaves(val)
        types = [self.sizes.type(v) if isinstance(v, torch.Tensor) else scalar_type(v) for v in leaves]
        op = ExternOp(
            callee_name(target, self.objects),
            from_python.operands,
            types,
            arguments,
            named,
            is_impure(target, val, args, keywords),
        )
        op.attributes |= call_attributes(target, leaves, [self.fakes.get(v) for v in op.operands], self.sizes)
        return op

    # The function

    def _insert(self, node: Node, operations: Sequence[Operation]) -> Sequence[SSAValue]:
        """Adds the ops of a node, placed and named; gives the results of the last."""
        location = location_of_frame(frame_of(node))
        pending = self.sizes.take_pending()
        for op in (*pending, *operations):
            op.location = location
            for result in op.results:
                result.name_hint = _hint(op)
        for op in pending:
            insert_early(op, self.block)
        self.block.add_ops(operations)
        results = operations[-1].results if operations else []
        if len(results) == 1:
            results[0].name_hint = self.names[node]
        return results

    def _finish(self, name: str, node: Node) -> Imported:
        returned: list[SSAValue] = []
        leaves = tree_leaves(node.args[0])
        outputs = tuple(self._output(leaf, returned) for leaf in leaves)
        nodes = [leaf for leaf, output in zip(leaves, outputs, strict=True) if isinstance(output, ResultOutput)]
        aliases = aliasing(nodes)
        fakes = [own_layout(k, v.type, self.fakes.get(v), self.sizes) for k, v in zip(nodes, returned, strict=True)]
        results = [result_attributes(f, a, self.sizes) for f, a in zip(fakes, aliases, strict=True)]
        self._insert(node, [])  # the calls that tell sizes of strides
        self.block.add_op(ReturnOp(*returned))
        function = FuncOp(
            identifier(name),
            ([a.type for a in self.block.args], [v.type for v in returned]),
            Region(self.block),
            arg_attrs=attribute_list(self.argument_attributes),
            res_attrs=attribute_list(results),
        )
        if not self._argument_tells_device():
            function.attributes[DEVICE] = StringAttr(str(self.device))
        return Imported(ModuleOp([function]), tuple(self.constants), outputs, tuple(self.objects), device=self.device)

    def _output(self, leaf: Any, returned: list[SSAValue]) -> OutputSpec:
        value = self._at_home(leaf) if isinstance(leaf, Node) else leaf
        if isinstance(value, IndexExpr) and not {v.name for v in value.variables()} <= self._argument_sizes():
            text = self.sizes.text(leaf.meta["val"].node.expr)
            (value,) = self._insert(leaf, [eval_call(text, IndexType())])
        if isinstance(value, SSAValue):
            returned.append(value)
            return ResultOutput(len(returned) - 1)
        if isinstance(value, IndexExpr):
            constant = value.constant
            return SizeOutput(value) if constant is None else ConstantOutput(constant)
        return ConstantOutput(value)

    def _argument_tells_device(self) -> bool:
        """True if the first tensor among the arguments is on the main device."""
        tensors = (self.fakes[a] for a in self.block.args if isinstance(a.type, TensorType))
        return next((t.device == self.device for t in tensors), False)

    def _argument_sizes(self) -> set[str]:
        """The named sizes that the arguments of the function tell."""
        sizes = [s for a in self.block.args if isinstance(a.type, TensorType) for s in shape_of(a.type)]
        sizes += [v for n, v in self.values.items() if n.op == "placeholder" and isinstance(v, IndexExpr)]
        return {line.name for line in map(Line.of, sizes) if line is not None}

    def _error(self, node: Node, message: str) -> MlcError:
        frame: Frame | None = frame_of(node)
        return MlcError(message, frame and Location(frame.file, frame.line, source=frame.text or None))


def _hint(op: Operation) -> str:
    """A name for what a rule computes on its way."""
    name = op.name.partition(".")[2]
    return f"{name}_" if keyword.iskeyword(name) else name
