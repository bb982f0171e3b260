"""What the dialects share: types, buffers, index expressions, and the scalar ops of kernels."""
