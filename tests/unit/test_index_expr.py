"""Index expressions: every simplification against plain integers, and the forms that fusion relies on."""

from __future__ import annotations

import operator
import random
from typing import Any

import pytest

from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import blocks_of_reshape, delinearize, linearize
from mlc_support.index_parse import parse

OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


def random_tree(rng: random.Random, depth: int) -> Any:
    """A variable, a number, or (operator, left, right); divisors are positive numbers."""
    if depth == 0:
        return rng.choice(["a", "b", "c", rng.randint(0, 12)])
    name = rng.choice(list(OPERATORS))
    right = rng.randint(1, 14) if name in ("//", "%") else random_tree(rng, depth - 1)
    return name, random_tree(rng, depth - 1), right


def evaluate(tree: Any, values: dict[str, Any]) -> Any:
    if isinstance(tree, tuple):
        return OPERATORS[tree[0]](evaluate(tree[1], values), evaluate(tree[2], values))
    if isinstance(tree, str):
        return values[tree]
    return integer(tree) if isinstance(values["a"], IndexExpr) else tree


@pytest.mark.parametrize("seed", range(20))
def test_simplification_keeps_the_value(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        extents = {"a": rng.randint(1, 9), "b": rng.randint(1, 9), "c": rng.randint(1, 40)}
        variables = {n: variable(n, e) for n, e in extents.items()}
        tree = random_tree(rng, 3)
        expr = evaluate(tree, variables)
        for _ in range(8):
            values = {n: rng.randrange(e) for n, e in extents.items()}
            assert expr.evaluate(values) == evaluate(tree, values), (tree, extents, str(expr), values)
        assert parse(str(expr), variables.__getitem__) == expr


def shape(*sizes: int | str) -> tuple[IndexExpr, ...]:
    return tuple(integer(s) if isinstance(s, int) else parse(s) for s in sizes)


@pytest.mark.parametrize("sizes", [(2, 3, 28), (1, 5), (7,), (4, 1, 6, 1), ("N", "M", 4), ("N", 3, "M")])
def test_an_index_and_its_position_are_one(sizes: tuple[int | str, ...]) -> None:
    dims = shape(*sizes)
    count = integer(1)
    for size in dims:
        count = count * size
    p = variable("p", count)
    assert linearize(delinearize(p, dims), dims) == p


@pytest.mark.parametrize(
    "source, target, blocks",
    [
        ((4, 8, "N", 64), (32, "N", 8, 8), [((4, 8), (32,)), (("N",), ("N",)), ((64,), (8, 8))]),
        (("B", "N", 6), ("B", "N", 2, 3), [(("B",), ("B",)), (("N",), ("N",)), ((6,), (2, 3))]),
        (("N", "M"), ("M", "N"), [(("N", "M"), ("M", "N"))]),
        ((1, 8), (8,), [((1, 8), (8,))]),
        ((2, 1, 3), (2, 3, 1), [((2,), (2,)), ((1, 3), (3, 1))]),
        ((), (1, 1), [((), (1, 1))]),
        ((0, 3), (0, 5), [((0, 3), (0, 5))]),
        ((4, 0), (0,), [((4, 0), (0,))]),
    ],
)
def test_blocks_of_a_reshape(source: Any, target: Any, blocks: Any) -> None:
    found = blocks_of_reshape(shape(*source), shape(*target))
    assert [(a, b) for a, b, _ in found] == [(shape(*a), shape(*b)) for a, b in blocks]
    assert [start for *_, start in found] == [sum(len(b) for _, b in blocks[:n]) for n in range(len(blocks))]


def test_a_reshape_of_rows_keeps_rows() -> None:
    i, j = variable("i", 65536), variable("j", 4096)
    split = delinearize(i * 4096 + j, shape(256, 256, 32, 128))
    assert [str(e) for e in split] == ["i floordiv 256", "i mod 256", "j floordiv 128", "j mod 128"]


def test_named_sizes_cancel() -> None:
    n, m = variable("n", parse("N")), variable("m", parse("M"))
    assert delinearize(n * parse("M") + m, shape("N", "M")) == (n, m)
    assert str(parse("N * 4 + M * N - 4 * N")) == "M * N"


def test_what_may_be_negative_is_not_dropped() -> None:
    a, b = variable("a", 8), variable("b", 8)
    assert ((a - b) // 6 % 12).evaluate({"a": 2, "b": 4}) == 11
    assert str((a - b) // 8) == "((a - b + 8) floordiv 8) - 1", "kernels divide towards zero"


@pytest.mark.parametrize("text", ["", "a +", "a ** 2", "f(a)", "a / 2", "1.5"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an index expression"):
        parse(text)


def test_what_is_divided_stays_above_zero() -> None:
    """A reversed index wraps around: kernels take remainders towards zero, so 4 - p would be wrong."""
    p, q = variable("p", 10), variable("q", 4)
    assert str((9 - p) % 5) == "(-p + 9) mod 5"
    assert str((9 - p) // 5) == "(-p + 9) floordiv 5"
    assert str((10 * q + 14 - p) % 5) == "(-p + 9) mod 5"
    for value in range(10):
        assert ((9 - p) % 5).evaluate({"p": value}) == (9 - value) % 5


def test_a_rotation_is_one_remainder() -> None:
    p, q = variable("p", 4096), variable("q", 8)
    assert str((p // 8 % 64 + 5) % 64) == "((p floordiv 8) + 5) mod 64"
    assert str(((p + 60) % 64 + 5) % 64) == "(p + 1) mod 64"
    assert str((p // 64 % 8 * 8 + q + 4) % 64) == "((p floordiv 64) * 8 + q + 4) mod 64"
    assert str((p % 8 * 8 + 9) % 64) == "((p mod 8) * 8 + 9) mod 64", "8 * p may not fit where p does"
    assert str((p % 10 + 5) % 4) == "((p mod 10) + 1) mod 4"


def test_a_quotient_that_was_moved_joins_its_remainder() -> None:
    """Parts of 40 lines of 55: place, line and column of a plane of 55 x 55 are one place again."""
    q, r = variable("q", 22), variable("r", 2200)
    line, column = (q * 40 + r // 55) % 55, r % 55
    assert str(line * 55 + column) == "(q * 2200 + r) mod 3025"
    assert str((r + q * 2200) // 3025 * 3025 + line * 55 + column) == "q * 2200 + r"
    assert str((q + r // 55) % 55 * 54 + column) == "((q + (r floordiv 55)) mod 55) * 54 + (r mod 55)", "not its place"
    assert str((q + r // 54) % 55 * 55 + column) == "((q + (r floordiv 54)) mod 55) * 55 + (r mod 55)", "not its line"
    assert str((q + r // 55 * 2) % 55 * 55 + column) == "((q + (r floordiv 55) * 2) mod 55) * 55 + (r mod 55)", (
        "not once"
    )
    for at in ({"q": 0, "r": 0}, {"q": 1, "r": 824}, {"q": 1, "r": 825}, {"q": 21, "r": 2199}):
        assert (line * 55 + column).evaluate(at) == (at["q"] * 40 + at["r"] // 55) % 55 * 55 + at["r"] % 55


def test_a_carry_joins_its_quotient() -> None:
    """What a roll over one of two axes leaves, once both are one: j + (k + 4) floordiv 8."""
    p = variable("p", 512)
    j, k = p // 8, p % 8
    assert j + (k + 4) // 8 == (p + 4) // 8
    assert (j + (k + 4) // 8) * 3 == (p + 4) // 8 * 3
    assert j + (k + 4) // 16 != (p + 4) // 16


def test_a_shift_between_two_quotients_moves_inside() -> None:
    p = variable("p", 1 << 20)
    assert str((p // 128 + 4) // 8) == "(p + 512) floordiv 1024"
    assert str((p // 128 + variable("r", 3)) // 8) == "((p floordiv 128) + r) floordiv 8"
