"""The pages of the dialects: every op and attribute, with an example from the tests."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation, OpDef, ParamAttrDef
from xdsl.traits import Pure

from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_dialects.tensor.elementwise_op import Elementwise, ElementwiseOp
from mlc_support.parsing import parse_module
from tools.reference.markdown import code, literal, page, prose, table
from tools.universe import DIALECTS, context, load

TESTS = Path(__file__).parents[2] / "tests" / "filecheck"
KINDS = {"f": "floats", "i": "integers", "b": "booleans", "8": "8-bit floats"}
_MOST_LINES = 12
_SEGMENTS = "operandSegmentSizes"


def dialect_page(name: str) -> str:
    """One dialect: what it is, its ops by name, its attributes."""
    dialect: Dialect = load(DIALECTS[name])
    classes = sorted(dialect.operations, key=lambda op: op.name)
    simple = [op for op in classes if issubclass(op, ElementwiseOp)]
    composites = [op for op in classes if issubclass(op, CompositeOp)]
    others = [op for op in classes if op not in simple and op not in composites]
    return page(
        f"# The dialect `{name}`",
        _introduction(name),
        *(_elementwise(simple) if simple else ()),
        *(["## Composite ops", _COMPOSITES] if composites else ()),
        *(_composite(op) for op in composites),
        "## Ops",
        *(_op(op) for op in others),
        *(["## Attributes and types"] if list(dialect.attributes) else ()),
        *(_attribute(attribute) for attribute in dialect.attributes),
    )


_COMPOSITES = (
    "A composite stands for a formula of plain ops. `recompose` finds it, `decompose` writes it out. Its parameters "
    "stand in braces."
)


def _introduction(name: str) -> str:
    """The docstring of the dialect's file."""
    module = import_module(DIALECTS[name].partition(":")[0])
    return prose(inspect.getdoc(module) or "")


def _elementwise(classes: Sequence[type[ElementwiseOp]]) -> Iterator[str]:
    yield "## Elementwise ops"
    yield "One function of each element. All operands have one shape; the text gives the type of the last operand."
    titles = ("op", "result", "of", "facts", "cost", "PyTorch ops")
    yield table(titles, (_entry(op) for op in classes))
    yield "The cost is that of one element beside an addition."


def _entry(op: type[ElementwiseOp]) -> tuple[str, ...]:
    function = op.FUNCTION
    operands = ", ".join("xyz"[: function.arity]) if function.arity <= 3 else "..."
    kinds = ", ".join(KINDS[kind] for kind in function.kinds)
    aten = ", ".join(literal(name) for name in function.aten[:2]) + (", ..." if len(function.aten) > 2 else "")
    return (f"`{function.name}` {operands}", prose(_doc(op)), kinds, _facts(function), str(function.flops), aten)


def _facts(function: Elementwise) -> str:
    flags = ("predicate", "commutative", "idempotent", "involution")
    found = [flag for flag in flags if getattr(function, flag)]
    units = {"unit": function.unit, "unit of floats": function.float_unit, "absorber": function.absorber}
    found += [f"{name} {value:g}" for name, value in units.items() if value is not None]
    return ", ".join([*found, *([f"inverse `{function.inverse}`"] if function.inverse else [])])


def _composite(op: type[IRDLOperation]) -> str:
    assert issubclass(op, CompositeOp)
    parameters = inspect.signature(op.MEANING).parameters.values()
    told = [f"`{str(parameter).partition(':')[0]}`" for parameter in parameters]
    return page(f"### `{op.name}`", prose(_doc(op)), f"Takes {', '.join(told)}.", _example(op.name))


def _op(op: type[Operation]) -> str:
    definition = op.get_irdl_definition() if issubclass(op, IRDLOperation) else None
    rows = _parts(definition) if definition else ()
    pure = "Pure: it has no effect but its results." if op.has_trait(Pure) else ""
    return page(f"### `{op.name}`", prose(_doc(op)), pure, table(("part", "name", "holds"), rows), _example(op.name))


def _parts(definition: OpDef) -> Iterator[tuple[str, str, str]]:
    """What an op is made of."""
    groups = {
        "operand": definition.operands,
        "attribute": [*definition.properties.items(), *definition.attributes.items()],
        "result": definition.results,
        "region": definition.regions,
    }
    for part, group in groups.items():
        for name, held in group:
            if name != _SEGMENTS:
                yield part, literal(name.rstrip("_")), _types(held) + _count(held)


def _count(held: object) -> str:
    kind = type(held).__name__
    return ", optional" if kind.startswith("Opt") else ", any number" if kind.startswith("Var") else ""


_NAMES = re.compile(r"(?:Base|Eq)Attr(?:Constraint)?\((?:attr=)?([A-Za-z]+(?:\(1\))?)")
_WORDS = {
    "StringAttr": "text", "IntegerAttr": "a number", "UnitAttr": "a flag", "DenseArrayBase": "numbers",
    "IndexType": "`index`", "TensorType": "`tensor`", "MemRefType": "`memref`", "IntegerType": "an integer",
    "IntegerType(1)": "`i1`", "SymbolRefAttr": "a symbol", "DictionaryAttr": "names and values", "ArrayAttr": "a list",
}  # fmt: skip


def _types(held: object) -> str:
    """What a part must be, as far as its constraint has a name."""
    text = str(getattr(held, "constr", ""))
    names = [_WORDS.get(name, f"`{name}`") for name in dict.fromkeys(_NAMES.findall(text))]
    return ("a list of " if "ArrayOf" in text else "") + (" or ".join(names) or ("any type" if text else "a region"))


def _attribute(attribute: type[Attribute]) -> str:
    definition = getattr(attribute, "get_irdl_definition", lambda: None)()
    rows = definition.parameters if isinstance(definition, ParamAttrDef) else ()
    names = ", ".join(literal(name) for name, _ in rows)
    return page(f"### `{attribute.name}`", prose(_doc(attribute)), f"Parameters: {names}." if names else "")


def _doc(cls: type) -> str:
    return inspect.cleandoc(cls.__doc__ or "")


def _example(name: str) -> str:
    found = examples().get(name)
    return code(found) if found else ""


@cache
def examples() -> dict[str, str]:
    """Of each op of mlc that a FileCheck test holds, the shortest."""
    found: dict[str, str] = {}
    for file in sorted(TESTS.rglob("*.mlir")):
        for piece in file.read_text(encoding="utf-8").split("// -----"):
            try:
                module = parse_module(context(), piece)
                module.verify()
            except Exception:  # a piece may be wrong on purpose, in any way
                continue
            _collect(module, found)
    return found


def _collect(module: ModuleOp, found: dict[str, str]) -> None:
    for op in module.walk():
        if op.name.startswith("mlc_"):
            text = str(op)
            best = found.get(op.name)
            if text.count("\n") < _MOST_LINES and (best is None or len(text) < len(best)):
                found[op.name] = text
