"""Numbers for named sizes."""

from __future__ import annotations

import numpy as np
import pytest

from lowering.interpreter.run import run
from mlc_support.errors import MlcError
from mlc_support.verification import verify_module
from passes.tensor.bind_sizes import bind_sizes
from tests.unit.test_exports import module_of

TEXT = """
func.func @f(%x: tensor<?x4xf32, ["N", "4"]>) -> (tensor<?xf32, ["N * 4"]>, tensor<i64>) {
  %r = mlc_tensor.slice %x [N - 1, 0] step [-1, 1] : tensor<?x4xf32, ["N", "4"]> -> tensor<?x4xf32, ["N", "4"]>
  %e = mlc_tensor.reshape %r : tensor<?x4xf32, ["N", "4"]> -> tensor<?xf32, ["N * 4"]>
  %n = mlc_tensor.size [N * 4] : tensor<i64>
  func.return %e, %n : tensor<?xf32, ["N * 4"]>, tensor<i64>
}
"""


def test_types_slices_and_sizes() -> None:
    """The static program computes what the dynamic one does."""
    dynamic, static = module_of(TEXT), module_of(TEXT)
    bind_sizes(static, {"N": 3})
    verify_module(static)
    text = str(static)
    assert "?" not in text and "tensor<12xf32>" in text and "[2, 0] step [-1, 1]" in text
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for new, old in zip(run(static, [x]), run(dynamic, [x]), strict=True):
        np.testing.assert_array_equal(new, old)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(MlcError, match="no size is named 'M'") as error:
        bind_sizes(module_of(TEXT), {"M": 3})
    assert error.value.hint == "the inputs name N"
