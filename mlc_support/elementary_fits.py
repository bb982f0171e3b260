"""Polynomials of elementary functions, as float32 computes them on a CPU and on a GPU.

Least-squares fits at Chebyshev points to what their comments say, made in 40 digits.
"""

TANH_NEAR_END = 0.625
TANH_NEAR = (
    -0.3333333041084211, 0.1333319080674572, -0.05394482780667358, 0.02168995886438696, -0.008150427196442375,
    0.0021178959139855325,
)  # fmt: skip
"""(tanh(x) / x - 1) / x^2 as a polynomial in x^2, for x up to TANH_NEAR_END."""
ERF_NEAR_END = 1.0
ERF_NEAR_FIRST = 1.125
ERF_NEAR = (
    0.0033791657310080292, -0.3761262583605388, 0.11283585241655844, -0.026853815082433282, 0.005188332872586099,
    -0.0008010234734275632, 7.853986849234288e-05,
)  # fmt: skip
"""erf(x) / x - ERF_NEAR_FIRST as a polynomial in x^2, for x up to ERF_NEAR_END: the first number has few bits."""
ERF_FAR_END = 3.95
"""Beyond it erf is 1."""
ERF_FAR = (
    -0.0038544466287375504, -1.6121229762717273, -0.9442279311193453, -0.12787210269206986, 0.021320327054783556,
    -0.0016597091799189234,
)  # fmt: skip
"""log2(erfc x) for x from ERF_NEAR_END to ERF_FAR_END, as exact as 1 - erfc x needs."""
