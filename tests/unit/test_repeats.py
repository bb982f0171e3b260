"""Equal layers are found: runs cover the sequence, and what repeats most is one run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlc_compiler.compare.comparison import compare
from mlc_compiler.compare.repeats import Run, kernel_key, op_key, runs
from tests.unit.test_exports import module_of


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("", []),
        ("abc", [(0, 3, 1)]),
        ("aab", [(0, 3, 1)]),  # one entry less is not worth a line
        ("xababababy", [(0, 1, 1), (1, 2, 4), (9, 1, 1)]),
        ("aaaaaa", [(0, 1, 6)]),
        ("eabcdabcdabcdz", [(0, 1, 1), (1, 4, 3), (13, 1, 1)]),
        ("aaaaaaabcdbcdbcdbcd", [(0, 1, 7), (7, 3, 4)]),
    ],
)
def test_runs(sequence: str, expected: list[tuple[int, int, int]]) -> None:
    assert list(runs(sequence)) == [Run(*run) for run in expected]


@given(st.lists(st.integers(0, 2), max_size=40))
def test_runs_cover_the_sequence(sequence: list[int]) -> None:
    again: list[int] = []
    for run in runs(sequence):
        assert run.start == len(again)
        assert run.count == 1 or run.period * (run.count - 1) >= 3
        again += sequence[run.start : run.start + run.period] * run.count
    assert again == sequence


LAYERS = """
func.func @layers(%x: tensor<64x64xf32>, %seeds: tensor<3xi64>) -> tensor<64x64xf32> {
  %m0 = mlc_tensor.reduce max %x dims [1] : tensor<64x64xf32> -> tensor<64x1xf32>
  %b0 = mlc_tensor.broadcast %m0 : tensor<64x1xf32> -> tensor<64x64xf32>
  %s0 = mlc_tensor.sub %x, %b0 : tensor<64x64xf32>
  %m1 = mlc_tensor.reduce max %s0 dims [1] : tensor<64x64xf32> -> tensor<64x1xf32>
  %b1 = mlc_tensor.broadcast %m1 : tensor<64x1xf32> -> tensor<64x64xf32>
  %s1 = mlc_tensor.sub %s0, %b1 : tensor<64x64xf32>
  %r1 = mlc_tensor.sub %b1, %s1 : tensor<64x64xf32>
  func.return %r1 : tensor<64x64xf32>
}"""


def test_equal_kernels_have_equal_keys() -> None:
    """Which operand is which counts; what the values are called does not."""
    comparison = compare("layers", module_of(LAYERS), ("none",), ())
    m0, s0, m1, s1, r1 = (kernel_key(group) for group in comparison.rows[0].plan.groups)
    assert m0 == m1 and s0 == s1 == r1 and m0 != s0
    keys = [op_key(op) for op in comparison.ops]
    assert keys[0] == keys[3] and keys[0] != keys[1]


def test_what_an_op_reads_twice_is_another_kernel() -> None:
    text = LAYERS.replace("mlc_tensor.sub %b1, %s1", "mlc_tensor.sub %s1, %s1")
    comparison = compare("layers", module_of(text), ("none",), ())
    *_, s1, r1 = (kernel_key(group) for group in comparison.rows[0].plan.groups)
    assert s1 != r1
