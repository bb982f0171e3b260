"""The dialect `mlc_tensor`: pure ops on builtin `tensor<...>` values, broadcasting explicit."""

from __future__ import annotations

from xdsl.ir import Dialect

from mlc_dialects.tensor import composites as tensor_composites
from mlc_dialects.tensor import elementwise
from mlc_dialects.tensor.calls import ExternOp, FusionOp, OperandAttr, PythonAttr, SizeAttr, YieldOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import VIEWS

MlcTensor = Dialect(
    "mlc_tensor",
    [
        *elementwise.OPS,
        *VIEWS,
        GatherOp,
        ScatterOp,
        *tensor_composites.OPS,
        ConstantOp,
        IotaOp,
        SizeOp,
        CastOp,
        ReduceOp,
        ScanOp,
        RandomOp,
        MatmulOp,
        ExternOp,
        FusionOp,
        YieldOp,
    ],
    [OperandAttr, PythonAttr, SizeAttr],
)
