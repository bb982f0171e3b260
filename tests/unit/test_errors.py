"""The error type, the places it points at, and the places ops come from."""

import pickle

from xdsl.dialects import test
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Region

from mlc_support.errors import Location, MlcError
from mlc_support.locations import location_of, location_text


def at(line: int, column: int = 0, file: str = "model.py") -> FileLineColLoc:
    return FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(column))


def test_a_report_says_what_where_and_what_to_do() -> None:
    error = MlcError(
        "mlc_tensor.matmul: inner sizes differ: lhs is 128x64 (f16), rhs is 32x256 (f16)",
        Location("model.py", 41, source="    y = self.proj(x)\n"),
        "lhs.shape[1] must equal rhs.shape[0]; transpose the weight?",
    )
    assert error.render() == (
        "error: mlc_tensor.matmul: inner sizes differ: lhs is 128x64 (f16), rhs is 32x256 (f16)\n"
        "  --> model.py:41  y = self.proj(x)\n"
        "  lhs.shape[1] must equal rhs.shape[0]; transpose the weight?"
    )


def test_carets_stand_under_the_text() -> None:
    place = Location("f.mlir", 3, 4, "\tab cd\n", width=2)
    assert place.render() == "f.mlir:3:4\n   | \tab cd\n   | \t  ^^"


def test_parts_are_optional() -> None:
    assert MlcError("no").render() == "error: no"
    assert MlcError("no", "here", "a\nb").render() == "error: no\n  --> here\n  a\n  b"


def test_an_error_survives_another_process() -> None:
    error = MlcError("no", Location("a.py", 1), "why")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.message, copy.location, copy.hint) == (error.message, error.location, error.hint)


def test_places_of_every_kind_of_location() -> None:
    def place(location):
        return location_of(test.TestOp.create(location=location))

    assert place(UnknownLoc()) is None
    assert place(at(41)) == Location("model.py", 41)
    assert place(at(41, 3)) == Location("model.py", 41, 3)
    assert place(NameLoc(StringAttr("y = x"), at(41))) == Location("model.py", 41, source="y = x")
    assert place(NameLoc(StringAttr("layer1"), NoneAttr())) == Location("layer1")
    assert place(CallSiteLoc(at(1), at(2))) == Location("model.py", 1)
    assert place(FusedLoc([UnknownLoc(), at(7), at(8)], NoneAttr())) == Location("model.py", 7)


def test_text_names_every_line_once() -> None:
    op = test.TestOp.create(location=FusedLoc([at(7, 1), at(8), at(7, 9)], NoneAttr()))
    assert location_text(op) == "model.py:7, model.py:8"
    assert location_text(test.TestOp.create()) is None


def test_an_unplaced_op_borrows_from_the_op_around_it() -> None:
    inner = test.TestOp.create()
    module = ModuleOp([test.TestOp.create(regions=[Region()], location=at(5))])
    region = next(iter(module.body.block.ops)).regions[0]
    module.verify()
    from xdsl.ir import Block

    region.add_block(Block([inner]))
    assert location_of(inner) == Location("model.py", 5)
    assert location_text(inner) is None
