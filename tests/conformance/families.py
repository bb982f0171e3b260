"""Families of ops that belong to libraries or need other algorithms, and are not counted as missing kernels."""

from __future__ import annotations

import re

FAMILIES = {
    "linalg": r"linalg\..*|cholesky.*|lu|lu_.*|svd.*|qr|geqrf|ormqr|pinverse|logdet|triangular_solve|matrix_exp|"
    r"pca_lowrank|norm\.nuc",
    "fft": r"fft\..*|stft|istft",
    "sparse": r"sparse\..*|to_sparse",
    "sorting": r"sort|argsort|msort|topk|kthvalue|median|nanmedian|masked\.median|mode|quantile|nanquantile|unique.*",
    "convolution": r"nn\.functional\.conv.*",
    "matmul": r"matmul|mm|bmm.*|addmm.*|addbmm|baddbmm|addmv|mv|dot|vdot|inner|tensordot|einsum|__rmatmul__|"
    r"nn\.functional\.(linear|linear_cross_entropy.*|bilinear|scaled_dot_product_attention|multi_head_attention.*)|"
    r"torch\._scaled_mm.*|torch\.ops\.aten\._(flash|efficient)_attention.*",
    "nested tensors": r".*nested.*|.*jagged.*",
}
"""Family to the names of its ops in the database, as a regular expression."""


def family(op: str) -> str | None:
    """The family of an op; None for the ops that kernels are meant to compute."""
    return next((name for name, names in FAMILIES.items() if re.fullmatch(names, op)), None)
