"""Dominance, sizes, and leftovers of a stage."""

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, TensorType, f32

from mlc_support.errors import Location, MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import expect_only, reject_negative_dims, verify_dominance, verify_module
from tests.unit.test_parsing import CTX


def module(text: str) -> ModuleOp:
    return parse_module(CTX, text, "f.mlir")


VALID = """
func.func @blocks(%c: i1, %x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  cf.cond_br %c, ^left, ^right
^left:
  %l = arith.addf %y, %x : f32
  cf.br ^join(%l : f32)
^right:
  cf.br ^join(%y : f32)
^join(%r: f32):
  %s = arith.addf %r, %y : f32
  func.return %s : f32
^unreachable:
  %u = arith.addf %l, %r : f32
  func.return %u : f32
}
func.func @regions(%c: i1, %x: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %a = arith.addf %x, %x : f32
    scf.yield %a : f32
  } else {
    scf.yield %x : f32
  }
  func.return %r : f32
}
"""


def test_what_is_in_order_passes() -> None:
    verify_module(module(VALID))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (
            "func.func @f(%x: f32) {\n  %y = arith.addf %x, %z : f32\n  %z = arith.addf %x, %x : f32\n  func.return\n}",
            "%z is used before its definition",
            2,
        ),
        (
            VALID.replace("%s = arith.addf %r, %y", "%s = arith.addf %r, %l"),
            "%l is not defined on every path",
            11,
        ),
        (
            "func.func @f(%c: i1, %x: f32) {\n  scf.if %c {\n    %a = arith.addf %x, %x : f32\n  }\n"
            '  "test.op"(%b) : (f32) -> ()\n  scf.if %c {\n    %b = arith.addf %x, %x : f32\n  }\n'
            "  func.return\n}",
            "%b is not defined on every path",
            5,
        ),
        (
            'func.func @f() {\n  "test.op"(%x) : (f32) -> ()\n  func.return\n}\n'
            "func.func @g() {\n  %x = arith.constant 1.0 : f32\n  func.return\n}",
            "%x is not defined on every path",
            2,
        ),
        ('%y = "test.op"(%y) : (f32) -> f32', "%y is used before its definition", 1),
    ],
    ids=["order", "blocks", "sibling-region", "other-function", "itself"],
)
def test_a_use_without_a_definition(text: str, message: str, line: int) -> None:
    with pytest.raises(MlcError) as caught:
        verify_dominance(module(text))
    assert message in caught.value.message
    assert isinstance(caught.value.location, Location)
    assert caught.value.location.line == line


def test_a_verifier_error_names_its_op_and_place() -> None:
    text = "func.func @f(%x: f64) -> f32 {\n  func.return %x : f64\n}"
    with pytest.raises(MlcError, match=r"func\.return: ") as caught:
        verify_module(module(text))
    assert caught.value.location == Location("f.mlir", 2, 3)


def test_negative_sizes_made_in_python() -> None:
    bad = ModuleOp([test.TestOp.create(result_types=[TensorType(f32, [4, -1])])])
    with pytest.raises(MlcError, match="negative dimension -1"):
        reject_negative_dims(bad)
    reject_negative_dims(module('%x = "test.op"() : () -> tensor<4x?xf32>'))


def test_leftovers_are_named() -> None:
    lowered = module(VALID)
    expect_only(lowered, {"func", "arith", "cf", "scf"}, "tensor-to-loop")
    with pytest.raises(MlcError) as caught:
        expect_only(lowered, {"func", "cf", "scf"}, "tensor-to-loop")
    assert caught.value.message == "arith.addf is left over after tensor-to-loop (and 4 more)"
    assert caught.value.location == Location("f.mlir", 3, 3)
