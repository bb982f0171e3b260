"""Every kind of reduction compiles for sm_90 in the forms that have loops: the types that loops carry stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.kernels.aot import machine_code
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.pipeline import lower_to

FORMS = {
    "row in a loop": ((3, 70000), 1),
    "columns": ((700, 48), 0),
}
"""Form to a shape and a dimension that give it."""

ORDERED: dict[str, Callable[[Any, int], Any]] = {
    "amax": lambda x, d: torch.amax(x, d),
    "amin": lambda x, d: torch.amin(x, d),
    "argmax": lambda x, d: torch.argmax(x, d),
    "max": lambda x, d: torch.max(x, d),
    "relu max": lambda x, d: torch.amax(torch.maximum(x, x.flip(d)), d),
    "cummax": lambda x, d: torch.cummax(x, d),
}
NUMBERS: dict[str, Callable[[Any, int], Any]] = {
    "sum": lambda x, d: torch.sum(x, d),
    "prod": lambda x, d: torch.prod(x, d),
    "any": lambda x, d: torch.any(x, d),
    "count_nonzero": lambda x, d: torch.count_nonzero(x, d),
    "cumsum": lambda x, d: torch.cumsum(x, d),
}
FLOATS: dict[str, Callable[[Any, int], Any]] = {
    "infinity norm": lambda x, d: torch.linalg.vector_norm(x, float("inf"), d),
    "least norm": lambda x, d: torch.linalg.vector_norm(x, -float("inf"), d),
    "logsumexp": lambda x, d: torch.logsumexp(x, d),
    "softmax": lambda x, d: torch.softmax(x, d),
    "var": lambda x, d: torch.var(x, d),
    "aminmax": lambda x, d: torch.aminmax(x, dim=d),
}
KINDS = {
    torch.bfloat16: ORDERED | FLOATS,
    torch.int64: ORDERED | NUMBERS,
    torch.bool: {"any": NUMBERS["any"], "all": lambda x, d: torch.all(x, d), "amax": ORDERED["amax"]},
}
"""The other types add nothing to these: float16 is as bfloat16, float64 and the small integers as int64."""


def compile_all(function: Callable[..., Any], *inputs: torch.Tensor) -> None:
    """Every kernel of the function, for a GPU that is not there."""
    module = lower_to(import_callable(function, list(inputs)).module, "triton")
    assert isinstance(module, ModuleOp)
    for request in kernel_requests(module, write_source(module_source(module))):
        machine_code(request)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_reductions_compile(dtype: torch.dtype, form: str) -> None:
    shape, dim = FORMS[form]
    for kind, function in KINDS[dtype].items():
        try:
            compile_all(lambda x, f=function: f(x, dim), torch.empty(shape, dtype=dtype))
        except Exception as error:
            raise AssertionError(f"{kind} of {dtype} {shape}") from error


def test_rows_that_are_all_one_row() -> None:
    """All rows of a block share one row of values, the columns beside them do not: both get its whole shape."""
    x = torch.tensor([1.0, 3.0, 2.0])
    torch._dynamo.reset()
    found = torch.compile(lambda x: (x * 2).expand(4, 3).argmax(1), backend=compile_graph_module, fullgraph=True)(x)
    assert found.tolist() == [1] * 4
    compile_all(lambda x: x.expand(4, 3).to(torch.float32).argmax(1), torch.tensor([True, False, True]))
