"""Domains of kernels: their axes, the tensor index at each point, and how one domain is seen from another."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mlc_dialects.common.types import Shape, tensor_type
from mlc_dialects.iteration.domain import Domain, domain_of, in_order, placed, points, row_major_index
from mlc_dialects.iteration.iterate import Iteration, Refusal, iterate
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.views import PermuteOp, ReshapeOp
from mlc_support.index_expr import integer, variable


def shape(*sizes: int | str) -> Shape:
    return tuple(integer(s) if isinstance(s, int) else variable(s) for s in sizes)


def value(*sizes: int | str) -> SSAValue:
    return test.TestOp(result_types=[tensor_type(shape(*sizes), f32)]).results[0]


def axes(domain: Domain) -> list[str]:
    return [f"{axis.kind} {axis.name} < {axis.extent}" for axis in domain.axes]


def text(index: Shape | None) -> str:
    return ", ".join(map(str, index or ()))


def test_statistics_of_a_batch() -> None:
    """The parallel axes first, whatever the order of the dimensions."""
    domain = points(shape(64, 256, 56, 56), (0, 2, 3))
    assert axes(domain) == ["parallel i < 256", "reduced j < 64", "reduced k < 56", "reduced l < 56"]
    assert text(domain.point) == "%j, %i, %k, %l" and text(domain.row) == "0, %i, 0, 0"
    assert str(domain.row_number) == "%i" and str(domain.column_number) == "%j * 3136 + %k * 56 + %l"


@pytest.mark.parametrize(
    ("sizes", "reduced", "wanted", "point"),
    [
        pytest.param((4, 1, 6), (), ["parallel i < 4", "parallel j < 6"], "%i, 0, %j", id="one place"),
        pytest.param((1, 5), (1,), ["reduced j < 5"], "0, %j", id="one row"),
        pytest.param((), (), [], "", id="scalar"),
        pytest.param((5, 0), (1,), ["parallel i < 5", "reduced j < 0"], "%i, %j", id="no column"),
        pytest.param(("N", "M"), (0,), ["parallel i < M", "reduced j < N"], "%j, %i", id="named sizes"),
        pytest.param((2,) * 8, (), [f"parallel {n} < 2" for n in ("i", "j", "k", "l", "m", "n", "o", "i7")],
                     "%i, %j, %k, %l, %m, %n, %o, %i7", id="eight axes"),
    ],
)  # fmt: skip
def test_axes(sizes: tuple[int | str, ...], reduced: tuple[int, ...], wanted: list[str], point: str) -> None:
    domain = points(shape(*sizes), reduced)
    assert axes(domain) == wanted and text(domain.point) == point


def test_outputs_in_row_major_order() -> None:
    """One element a row or one a point, in any shape of as many; nothing else has a place."""
    domain = points(shape(6, 4, 10), (2,))
    places = {s: row_major_index(domain, shape(*s)) for s in ((6, 4, 10), (24,), (24, 1), (24, 10), (60, 4), (7,))}
    found = {s: place and (text(place[0]), place[1]) for s, place in places.items()}
    assert found == {
        (6, 4, 10): ("%i, %j, %k", True),
        (24,): ("%i * 4 + %j", False),
        (24, 1): ("%i * 4 + %j, 0", False),
        (24, 10): ("%i * 4 + %j, %k", True),
        (60, 4): ("%i * 10 + ((%j * 10 + %k) floordiv 4), (%j * 10 + %k) mod 4", True),
        (7,): None,
    }


def test_a_reduction_of_another_shape_goes_along_the_same_axes() -> None:
    """24 rows of 40 are 6 x 4 of them; 40 of 24 are not."""
    main = points(shape(6, 4, 40), (2,))
    own = placed(ReduceOp("add", value(24, 40), [1]), main)
    assert text(own.point) == "%i * 4 + %j, %k" and text(own.row) == "%i * 4 + %j, 0"
    assert own.position == main.position and own.counts == (main.rows, main.columns)
    assert placed(ReduceOp("add", value(40, 24), [1]), main).counts != (main.rows, main.columns)


def test_a_reduction_over_the_rows_has_the_axes_change_places() -> None:
    main = points(shape(6, 4, 40), (2,))
    own = placed(ReduceOp("add", value(6, 4, 40), [0, 1]), main, transposed=True)
    assert text(own.point) == "%i, %j, %k" and text(own.row) == "0, 0, %k"
    assert own.position == main.position and own.counts == (main.rows, main.columns)


def test_rows_in_another_order() -> None:
    """Along the axes of who asks for it: the row at (i, j) of 4 x 6 is [j, i] of 6 x 4."""
    plain = points(shape(6, 4, 40), (2,))
    i, j = (axis.index for axis in plain.parallel_axes)
    number = i * 4 + j  # of an element of 4 x 6
    ordered, places = in_order(plain, number % 6 * 4 + number // 6, shape(4, 6))
    assert axes(ordered) == ["parallel i < 4", "parallel j < 6", "reduced k < 40"]
    assert text(ordered.point) == "%j, %i, %k" and text(ordered.row) == "%j, %i, 0"
    assert str(number.substitute(places)) == "%i * 6 + %j"


def test_iterations_speak_of_axes() -> None:
    """A reduction that is read elsewhere, and two that go along different axes."""
    x = value(6, 4)
    total = ReduceOp("add", x, [1])
    apart = ReduceOp("add", value(4, 6), [1])
    found = iterate([total, apart], [total.result, apart.result])
    assert isinstance(found, Refusal) and found.why == "reductions differ: 6 rows of 4 beside 4 rows of 6"
    turned = PermuteOp(x, [1, 0])
    again = ReshapeOp(turned.result, shape(6, 4))
    mixed = ReduceOp("add", again.result, [1])
    found = iterate([total, turned, again, mixed], [total.result, mixed.result])
    assert isinstance(found, Iteration) and list(map(text, found.reads[x])) == [
        "(%i * 4 + %j) mod 6, (%i * 4 + %j) floordiv 6", "%i, %j",
    ]  # fmt: skip
    assert domain_of(mixed) == domain_of(total) == found.domain
