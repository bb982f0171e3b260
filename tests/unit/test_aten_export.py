"""Calls of PyTorch get operands that lie in memory as they did where the call was traced."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.export.aten import aten_source
from lowering.interpreter.run import run
from tests.unit.test_exports import agree, inputs_of, module_of, run_aten

PROGRAM = """
func.func @main(%x: tensor<4x6xf32>{of_x}, %b: tensor<6xf32>) -> tensor<24xf32> {{
  {made}
  %r = {call}
  func.return %r : tensor<24xf32>
}}"""
CALL = (
    'mlc_tensor.extern "aten.view.default"(%v) args [#mlc_tensor.operand<"0">, [24]] {of_call}'
    " : (tensor<{viewed}xf32>) -> (tensor<24xf32>)"
)
RESHAPE = "mlc_tensor.reshape %v : tensor<{viewed}xf32> -> tensor<24xf32>"
TRANSPOSE = "mlc_tensor.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>"
REPEAT = "mlc_tensor.broadcast %b : tensor<6xf32> -> tensor<4x6xf32>"
ROW_MAJOR = {
    "computed": "%v = mlc_tensor.neg %x : tensor<4x6xf32>",
    "beside what is repeated": f"%t = {REPEAT}\n%v = mlc_tensor.add %x, %t : tensor<4x6xf32>",
    "reshaped": "%t = mlc_tensor.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>\n"
    "%v = mlc_tensor.reshape %t : tensor<2x12xf32> -> tensor<4x6xf32>",
}
STRIDED = {
    "transposed": ("6x4", f"%v = {TRANSPOSE}"),
    "transposed and computed": ("6x4", f"%t = {TRANSPOSE}\n%v = mlc_tensor.neg %t : tensor<6x4xf32>"),
    "repeated": ("4x6", f"%v = {REPEAT}"),
    "a part": (
        "4x6",
        "%t = mlc_tensor.pad %x low [0, 0] value 0.0 : f32 : tensor<4x6xf32> -> tensor<4x8xf32>\n"
        "%v = mlc_tensor.slice %t [0, 2] step [1, 1] : tensor<4x8xf32> -> tensor<4x6xf32>",
    ),
}


def program(made: str, viewed: str = "4x6", of_x: str = "", of_call: str = "", call: str = CALL) -> ModuleOp:
    """`aten.view` of a value, which PyTorch refuses where elements do not lie in order."""
    return module_of(PROGRAM.format(made=made, of_x=of_x, call=call.format(viewed=viewed, of_call=of_call)))


@pytest.mark.parametrize("name", ROW_MAJOR)
def test_what_is_row_major_stays_as_it_is(name: str) -> None:
    assert _checked(ROW_MAJOR[name]).count("contiguous") == 0


@pytest.mark.parametrize("name", STRIDED)
def test_what_may_be_strided_is_copied(name: str) -> None:
    """Such a call was traced behind `contiguous`, which is no op of the dialect."""
    viewed, made = STRIDED[name]
    assert _checked(made, viewed).count("aten.contiguous.default(v)") == 1


def test_arguments_may_be_strided() -> None:
    strided = program("%v = mlc_tensor.neg %x : tensor<4x6xf32>", of_x=' {mlc.strides = ["1", "4"]}')
    assert "aten.contiguous.default(v)" in aten_source(strided)


def test_strides_that_the_call_was_traced_with_stay() -> None:
    viewed, made = STRIDED["transposed"]
    source = aten_source(program(made, viewed, of_call='{mlc.operand_strides = [["1", "6"]]}'))
    assert "contiguous" not in source


def _checked(made: str, viewed: str = "4x6") -> str:
    """The source of a program, which computes what the interpreter does for a reshape."""
    plain = program(made, viewed, call=RESHAPE)
    source, inputs = aten_source(program(made, viewed)), inputs_of(plain)
    agree(run_aten(source, inputs), run(plain, inputs))
    return source
