"""Sizes that no power of two divides, few rows, many axes, and inputs that are strided, transposed or broadcast."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, F16, F32, Arg, cases
from benchmarks.cases.losses import cross_entropy, entropy_args
from benchmarks.cases.norms import layer_norm, layer_norm_backward, rms_norm, softmax

awkward = cases("awkward")
SEVEN = Arg((8, 6, 16, 10, 32, 12, 64), small=(2, 3, 4, 3, 2, 3, 16))

CASES = (
    awkward("softmax f32 50000x1000", softmax, (50000, 1000), rows=(0,)),
    awkward("softmax bf16 50000x1000", softmax, (50000, 1000), dtype=BF16, rows=(0,)),
    awkward("layer norm bf16 16000x4097", layer_norm, (16000, 4097), (4097,), (4097,), dtype=BF16, rows=(0,)),
    awkward("rms norm f16 50001x1000", rms_norm, (50001, 1000), (1000,), dtype=F16, rows=(0,)),
    awkward("layer norm backward bf16 10000x1000", layer_norm_backward, (10000, 1000), (10000, 1000), (1000,), dtype=BF16),
    awkward("log_softmax bf16 4096x50257", lambda x: F.log_softmax(x, -1), (4096, 50257), dtype=BF16, rows=(0,)),
    awkward("cross entropy bf16 4096x50257", cross_entropy, *entropy_args(4096, 50257)),
    awkward("x*y + 1 f32 16000x4097", lambda x, y: x * y + 1, (16000, 4097), (16000, 4097), rows=(0, 1)),
    awkward("sum of columns f32 4097x10007", lambda x: x.sum(0), (4097, 10007)),
    awkward("sum of 3 rows f32", lambda x: x.sum(1), (3, 20000003), rows=(0,)),
    awkward("softmax of 3 rows f32", softmax, (3, 20000003), rows=(0,)),
    awkward("cumsum f32 20000x1000", lambda x: x.cumsum(-1), (20000, 1000), rows=(0,)),
    awkward("concatenate 1000 and 4097 columns bf16", lambda x, y: torch.cat([x, y], 1) * 2, (20000, 1000), (20000, 4097), dtype=BF16, rows=(0, 1)),
    awkward("permute 7 axes f32", lambda x: x.permute(0, 2, 4, 6, 1, 3, 5).contiguous() + 1, SEVEN, rows=(0,)),
    awkward("sum of 3 of 7 axes f32", lambda x: x.sum((1, 3, 5)), SEVEN, rows=(0,)),
    awkward("softmax of every other column f32", softmax, Arg((32768, 4096), F32, view=lambda x: x[:, ::2]), rows=(0,)),
    awkward("layer norm of a transposed input bf16", layer_norm, Arg((4096, 32768), BF16, view=torch.t), (4096,), (4096,), dtype=BF16, rows=(0,)),
    awkward("broadcast rows and columns f32", lambda x, y: x * y + x, Arg((8192, 1), view=lambda x: x.expand(-1, x.shape[0])), Arg((1, 8192), view=lambda y: y.expand(y.shape[1], -1)), rows=(0, 1)),
)  # fmt: skip
