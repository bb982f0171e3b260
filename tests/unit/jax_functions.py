"""Functions of jax whose StableHLO must be read right, and inputs for them. `python -m tests.unit.jax_functions`
writes the texts of some of them, which are tested where there is no jax, to `tests/unit/stablehlo/`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special

TEXTS = Path(__file__).parent / "stablehlo"
_random = np.random.default_rng(0)


def real(*shape: int) -> Any:
    """Normal numbers."""
    return _random.standard_normal(shape).astype(np.float32)


def whole(values: Any) -> Any:
    """32-bit integers."""
    return np.array(values, np.int32)


SPECIAL = np.array([[1, np.nan, 3, np.nan], [np.nan] * 4, [2, 2, 1, 0], [-np.inf, np.inf, 0, -0.0]], np.float32)
TABLE = real(64, 64)
IMAGES = ("NHWC", "HWIO", "NHWC")


def layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + shift


def gelu(x: Any) -> Any:
    return nn.gelu(x, approximate=False), nn.gelu(x)


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 8**0.5
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", nn.softmax(scores), v)


def cross_entropy(x: Any, labels: Any) -> Any:
    return -jnp.take_along_axis(nn.log_softmax(x), labels[:, None], 1).mean()


def conv_bn_relu(x: Any, w: Any, scale: Any, shift: Any, mean: Any) -> Any:
    y = lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=IMAGES)
    return nn.relu((y - mean) * lax.rsqrt(y.var((0, 1, 2)) + 1e-5) * scale + shift)


def mlp(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any) -> Any:
    return ((jnp.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()


mlp_gradient = jax.grad(mlp, (0, 1, 2, 3))


def embedding(table: Any, rows: Any) -> Any:
    return table[rows]


def embedding_gradient(table: Any, rows: Any) -> Any:
    return jax.grad(lambda t: (t[rows] ** 2).sum())(table)


def extremes(x: Any) -> Any:
    return jnp.argmax(x, 1), jnp.argmin(x), x.max(0), x.min()


def max_pool(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def mean_pool(x: Any) -> Any:
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


def views(x: Any) -> Any:
    padded = jnp.pad(x, ((1, 0), (0, 2)), constant_values=0.5)
    return padded, x[::-1, 1::2], jnp.concatenate([x, x.T.reshape(x.shape)], 1), jnp.cumsum(x, 1)


def cache(x: Any, place: Any, new: Any) -> Any:
    return lax.dynamic_update_slice(x, new, (place, 1)), lax.dynamic_slice(x, (place, 2), new.shape)


PRINTED: dict[str, tuple[Any, ...]] = {
    "softmax": (nn.softmax, real(4, 6)),
    "layer_norm": (layer_norm, real(3, 8), real(8), real(8)),
    "gelu": (gelu, real(3, 5)),
    "attention": (attention, real(2, 2, 5, 8), real(2, 2, 5, 8), real(2, 2, 5, 8)),
    "cross_entropy": (cross_entropy, real(4, 6), whole([0, 5, 2, 1])),
    "conv_bn_relu": (conv_bn_relu, real(2, 8, 8, 3), real(3, 3, 3, 4), real(4), real(4), real(4)),
    "mlp_gradient": (mlp_gradient, real(5, 7), real(7), real(7, 3), real(3), real(6, 5), real(6, 3)),
    "embedding": (embedding, real(10, 4), whole([[1, -1], [9, 20], [-30, 3]])),
    "embedding_gradient": (embedding_gradient, real(10, 4), whole([1, 1, 9, -2])),
    "extremes": (extremes, SPECIAL),
    "max_pool": (max_pool, real(1, 7, 7, 2)),
    "views": (views, real(4, 6)),
    "cache": (cache, real(4, 6), whole(2), real(2, 3)),
}
"""Those whose texts are written, with inputs."""


def _convolved(x: Any, w: Any, **options: Any) -> Any:
    return lax.conv_general_dilated(x, w, dimension_numbers=IMAGES, **options)


def _square_sum(function: Any) -> Any:
    return lambda *args: (function(*args) ** 2).sum()


OTHERS: dict[str, tuple[Any, ...]] = {
    "fused attention": (lambda x: nn.dot_product_attention(x, x, x, is_causal=True), real(1, 4, 2, 8)),
    "grouped heads": (lambda q, k: nn.dot_product_attention(q, k, k), real(1, 4, 4, 8), real(1, 4, 2, 8)),
    "loss gradient": (jax.grad(cross_entropy), real(4, 6), whole([0, 5, 2, 1])),
    "normalized": (lambda x: (nn.log_softmax(x), nn.standardize(x), nn.logsumexp(x, 0), x.std(0)), real(3, 5)),
    "trained norm": (
        jax.grad(
            _square_sum(lambda x, g: nn.relu((x - x.mean((0, 1))) * lax.rsqrt(x.var((0, 1)) + 1e-5) * g)), (0, 1)
        ),
        real(4, 5, 3),
        real(3),
    ),
    "convolution gradient": (
        jax.grad(_square_sum(lambda x, w: _convolved(x, w, window_strides=(2, 2), padding="SAME")), (0, 1)),
        real(2, 8, 8, 3),
        real(3, 3, 3, 4),
    ),
    "convolution in groups": (
        lambda x, w: lax.conv_general_dilated(
            x, w, (1,), [(4, 0)], rhs_dilation=(2,), feature_group_count=2, dimension_numbers=("NCH", "OIH", "NCH")
        ),
        real(2, 4, 9),
        real(6, 2, 3),
    ),
    "transposed convolution": (
        lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=IMAGES),
        real(1, 4, 4, 3),
        real(3, 3, 3, 2),
    ),
    "mean pool gradient": (jax.grad(_square_sum(mean_pool)), real(1, 8, 8, 2)),
    "positions": (lambda x: (jnp.argmax(x, 0, keepdims=True), jnp.argmin(x, 1)), whole([[1, 3, 3], [2, 2, 1]])),
    "take": (lambda t, i: jnp.take(t, i, axis=1), real(5, 4), whole([0, 3, 9, -1])),
    "take along": (lambda x, i: jnp.take_along_axis(x, i, 1), real(3, 5), whole([[0, 4], [2, 2], [1, 3]])),
    "set rows": (lambda x, i, u: x.at[i].set(u), real(5, 3), whole([0, 7, 3]), real(3, 3)),
    "add columns": (lambda x, i, u: x.at[:, i].add(u), real(5, 3), whole([0, 7, 0]), real(5, 3)),
    "least rows": (lambda x, i, u: x.at[i].min(u), real(5, 3), whole([0, 7, 0]), real(3, 3)),
    "greatest elements": (lambda x, i, u: x.at[i, 1].max(u), real(5, 3), whole([0, 7, 0]), real(3)),
    "set a block": (lambda x, u: x.at[1:3, ::2].set(u).at[0, 5].set(7.0), real(4, 6), real(2, 3)),
    "fixed slice": (lambda x: lax.dynamic_slice(x, (1, 9), (2, 3)), real(4, 6)),
    "scans": (lambda x: (jnp.cumprod(x, 0), lax.cummax(x, 0, reverse=True), lax.cummin(x, 1)), real(3, 5)),
    "limits": (lambda x: (jnp.clip(x, -0.5, 0.5), lax.clamp(-1.0, x, 1.0)), SPECIAL),
    "padding": (lambda x: lax.pad(x, 0.5, ((1, -1, 2), (-1, 0, 1))), real(4, 5)),
    "padding with data": (lambda x, v: lax.pad(x, v, ((1, 2, 0), (0, 1, 1))), real(4, 5), real()),
    "reflection": (lambda x: (jnp.pad(x, ((1, 2), (0, 1)), mode="reflect"), jnp.roll(x, 1, 0)), real(4, 5)),
    "signs": (lambda x: (jnp.sign(x), jnp.copysign(1.5, x), jnp.signbit(x), jnp.heaviside(x, 0.5), -x), SPECIAL),
    "classes": (lambda x: (jnp.isfinite(x), jnp.isinf(x), jnp.isnan(x), jnp.nan_to_num(x), jnp.isposinf(x)), SPECIAL),
    "powers": (lambda x: (x**3, abs(x) ** 2.5, jnp.cbrt(x), jnp.sqrt(x), jnp.exp2(x), jnp.log2(x), 1 / x), SPECIAL),
    "angles": (lambda x: (jnp.arctan2(x, 1 + x), jnp.tan(x), jnp.sinh(x), jnp.arcsinh(x), jnp.hypot(x, x)), real(3, 4)),
    "remainders": (lambda x: (jnp.fmod(x, 2.0), x % 2.0, x // 2.0, jnp.trunc(x), jnp.logaddexp(x, x)), SPECIAL),
    "rounding": (
        lambda x: (lax.round(x), jnp.round(x), jnp.floor(x), jnp.ceil(x)),
        np.array([0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, -0.0, 0.0, 8388609.0], np.float32),
    ),
    "special functions": (
        lambda x: (special.erf(x), special.erfc(x), special.erfinv(x), special.gammaln(x), special.expit(x)),
        np.linspace(0.05, 0.95, 7, dtype=np.float32),
    ),
    "integers": (
        lambda x, y: (x // y, x % y, lax.div(x, y), lax.rem(x, y), abs(x), jnp.sign(x), x.max(), x.sum(1), x.prod()),
        whole([[7, -7, 9], [-8, 5, -1]]),
        whole([[2, 3, -4], [3, -2, 1]]),
    ),
    "bits": (
        lambda x, y: (x << y, x >> y, lax.shift_right_logical(x, y), ~x, x & y, x | y, x ^ y),
        whole([[7, -7, 9, -1], [-(2**31), 5, -1, -8]]),
        whole([[2, 0, 31, 31], [1, 30, 4, 0]]),
    ),
    "unsigned bytes": (
        lambda x, y: (x + y, x * y, x > y, jnp.maximum(x, y), x.astype(jnp.float32), x.sum(dtype=jnp.int32)),
        np.array([250, 3], np.uint8),
        np.array([10, 2], np.uint8),
    ),
    "truths": (
        lambda x, y: (x & y, x | y, x ^ y, ~x, x.any(), y.all(), x.any(0), x + y, x * y, x.sum()),
        np.array([[1, 0], [1, 1]], bool),
        np.array([[0, 0], [1, 1]], bool),
    ),
    "wider products": (
        lambda x, w: lax.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32),
        real(3, 4),
        real(4, 2),
    ),
    "products of integers": (lambda x, w: x @ w, whole([[1, 2], [3, 4]]), whole([[1, 2, 3], [3, 4, 5]])),
    "products of bytes": (
        lambda x, w: lax.dot(x, w, preferred_element_type=jnp.int32),
        np.ones((2, 3), np.int8),
        np.full((3, 2), 100, np.int8),
    ),
    "products of vectors": (
        lambda x, y: (x @ y, jnp.outer(x, y), jnp.tensordot(jnp.outer(x, y), y, 1)),
        real(4),
        real(4),
    ),
    "sums of products": (
        lambda x, y: (jnp.einsum("abc,cbd->adb", x, y), jnp.einsum("abc,dbc->ad", x, x)),
        real(2, 3, 4),
        real(4, 3, 5),
    ),
    "constants": (lambda x: x @ TABLE + np.arange(64, dtype=np.float32), real(2, 64)),
    "computed again": (jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum())), real(3)),
    "nothing": (
        lambda x: (x.sum(0), jnp.concatenate([x, x]), x @ jnp.ones((3, 2)), x[:, ::-1]),
        np.zeros((0, 3), np.float32),
    ),
    "a number": (lambda x: jnp.sin(x) * 2, real()),
}  # fmt: skip
"""And those that are asked of jax itself."""


def main() -> None:
    """Writes the texts."""
    for name, (function, *args) in PRINTED.items():
        text = jax.jit(function).lower(*args).as_text()
        (TEXTS / f"{name}.stablehlo.mlir").write_text(text.rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
