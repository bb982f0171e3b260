"""IR from strangers: its names, strings, locations and comments never become code of Python or of LLVM."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import note
from hypothesis import strategies as st
from llvmlite import binding
from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.utils.exceptions import VerifyException

from lowering.export.aten import AtenTarget
from lowering.loop_to_llvm import source as cpu_source
from lowering.loop_to_llvm.module import llvm_module
from lowering.triton_to_source.kernels import module_source
from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from tests.fuzz.fuzzing import fuzz
from tests.fuzz.programs import programs
from tools.load_ir import load_ir
from tools.specs import build, parse_pipeline
from tools.universe import all_passes, context

MARK = "evil_mark"
"""No name of any program; each text below holds it."""
TEXTS = (
    f"x\n{MARK}()\n",
    f"x\r{MARK}()",
    f'"); {MARK}(); ("',
    f"'); {MARK}(); ('",
    f'"""\n{MARK}()\n"""',
    f"x): pass\n{MARK}() #",
    f"x, y={MARK}()",
    f"x\x0c\n{MARK}()",
    f"__import__('{MARK}')",
    f"torch.ops.load_library('{MARK}')",
    f"aten.relu.default(0) or {MARK}",
    f"objects[{MARK}()]",
    f"N * {MARK}()",
    f"d0 + {MARK}.x()",
    f"\\\n{MARK}()",
    f'" {{}} define void @{MARK}() {{ ret void }} ; "',
    f"{MARK}\x00\n{MARK}()",
)
LEVELS = ("", "cpu", "triton", "simplified,tensor-to-loop")


def replaced(attribute: Attribute, change: Callable[[str], str]) -> Attribute:
    """`attribute` with all of its strings changed."""
    match attribute:
        case StringAttr(data=text):
            return StringAttr(change(text))
        case ArrayAttr(data=entries):
            return ArrayAttr([replaced(a, change) for a in entries])
        case DictionaryAttr(data=entries):
            return DictionaryAttr({change(k): replaced(a, change) for k, a in entries.items()})
        case SymbolRefAttr():
            return SymbolRefAttr(change(attribute.string_value()))
        case ParametrizedAttribute():
            return type(attribute).new([replaced(a, change) for a in attribute.parameters])
        case _:
            return attribute


def infect(module: ModuleOp, text: str, place: int) -> None:
    """Puts `text` into the locations, and into every copy of one string of the module."""
    strings = sorted(set(strings_in(module)))
    target = strings[place % len(strings)] if strings else None
    for op in module.walk():
        op.location = NameLoc(StringAttr(text), FileLineColLoc(StringAttr(text), IntAttr(1), IntAttr(1)))
        for entries in (op.properties, op.attributes):
            for key, value in list(entries.items()):
                entries[key] = replaced(value, lambda s: text if s == target else s)


def strings_in(module: ModuleOp) -> list[str]:
    """Every string of every attribute."""
    found: list[str] = []
    for op in module.walk():
        for value in (*op.properties.values(), *op.attributes.values()):
            replaced(value, lambda s: found.append(s) or s)
    return found


def check(number: int, text: str, place: int, level: str) -> None:
    """What is printed of an infected program has the text in strings and comments only, or is refused."""
    module = programs()[number % len(programs())].clone()
    note(f"{text!r} {level}\n{module}")
    try:
        for step in parse_pipeline(all_passes(), level) if level else ():
            step.apply(Context(), module)
        infect(module, text, place)
        verify_module(module)
    except (MlcError, VerifyException, ValueError):
        return
    for emit in (module_source, cpu_source.module_source, lambda m: build(AtenTarget(), context(), m, {})):
        check_python(emit, module.clone())
    check_llvm(module)


def check_python(emit: Callable[[ModuleOp], str], module: ModuleOp) -> None:
    """No name, attribute, argument or function of the text is the mark, whatever else it says."""
    try:
        tree = ast.parse(emit(module))
    except MlcError:
        return
    for node in ast.walk(tree):
        words = [getattr(node, field, None) for field in ("id", "attr", "arg", "name")]
        assert not any(isinstance(word, str) and MARK in word and not word.isidentifier() for word in words)
        if isinstance(node, ast.Call):
            assert not any(isinstance(n, ast.Name) and n.id == MARK for n in ast.walk(node.func))


def check_llvm(module: ModuleOp) -> None:
    """LLVM reads it, and no function has the mark for a name."""
    try:
        text = str(llvm_module(module))
    except MlcError:
        return
    assert all(f.name != MARK for f in binding.parse_assembly(text).functions)


@pytest.mark.slow
def test_strings_never_become_code() -> None:
    numbers = st.integers(0, 1 << 20)
    fuzz(check, numbers, st.sampled_from(TEXTS), numbers, st.sampled_from(LEVELS), examples=80)


def operation(text: str) -> Operation:
    """The first op of a module."""
    module = parse_module(context(), text)
    verify_module(module)
    return next(iter(module.ops))


CALL = (
    "func.func @f(%x: tensor<4xf32>) {{ %y = mlc_tensor.extern {} : (tensor<4xf32>) -> (tensor<4xf32>) func.return }}"
)


def test_calls_name_operators_and_constants() -> None:
    good = (
        '"_c10d_functional.wait_tensor.default"(%x)',
        '"aten.relu.default"(%x)',
        '"aten.__and__.Tensor"(%x)',
        '"objects[1]"(%x)',
        '"higher_order.cond"(%x)',
    )
    arguments = ("torch.float32", "torch.device(type='cuda', index=0)", "complex(\\22nan+1j\\22)", "objects[12]")
    for text in (*good, *(f'"aten.to.dtype"(%x) args [#mlc_tensor.py<"{a}">]' for a in arguments)):
        operation(CALL.format(text))


def refused(text: str) -> bool:
    """The text is no valid program."""
    try:
        operation(text)
    except MlcError:
        return True
    return False


def test_calls_of_anything_else_are_refused() -> None:
    callees = (
        "load_library",
        "operator.attrgetter",
        "aten.__class__.x",
        "__class__.x",
        "aten.from_file.out",
        "objects[f()]",
        "x.y;z",
    )
    assert all(refused(CALL.format(f'"{callee}"(%x)')) for callee in callees)
    constants = (
        "exit()",
        "__import__('os')",
        "torch.load('x')",
        "(lambda: 0)()",
        "torch.ops.x",
        "1 # x",
        "1\\0A2",
        "[0][0]",
    )
    assert all(refused(CALL.format(f'"aten.a.b"(%x) args [#mlc_tensor.py<"{c}">]')) for c in constants)
    assert refused(CALL.format('"mlc.eval"(%x) args ["exit()"]'))
    assert not refused(CALL.format('"mlc.eval"(%x) args ["max(N, math.floor(M / 2)) if N > 1 else -M"]'))


def test_a_file_calls_operators_of_pytorch_or_of_allowed_namespaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f.mlir").write_text(CALL.format('"mine.run.default"(%x)'))
    with pytest.raises(MlcError, match="'mine.run.default' is no operator of PyTorch"):
        load_ir(tmp_path / "f.mlir")
    monkeypatch.setenv("MLC_NAMESPACES", "yours,mine")
    load_ir(tmp_path / "f.mlir")


def test_an_eviction_policy_stays_a_string() -> None:
    """Found by the fuzzer: a text with an end of line was written as it is."""
    found = [m for m in programs() if "first" in strings_in(m) and "mlc_triton.load" in str(m)]
    assert found
    for module in (m.clone() for m in found):
        infect(module, TEXTS[0], sorted(set(strings_in(module))).index("first"))
        check_python(module_source, module)


@pytest.mark.parametrize("dialect", ["mlc_loop", "mlc_triton"])
def test_a_function_of_libdevice_is_a_name(dialect: str) -> None:
    """Found by the fuzzer: the name was written into the source as it is."""
    line = f'func.func @f(%x: f32) {{{{ %y = {dialect}.libdevice "{{}}" %x : f32 -> f32 func.return }}}}'
    assert not any(refused(line.format(name)) for name in ("erfc", "normcdfinv", "fast_dividef", "j0"))
    names = ("x, y=evil_mark()", "x\\0Aevil_mark()\\0A", "__class__", "a.b", "", "Erfc", "erfc ")
    assert all(refused(line.format(name)) for name in names)
