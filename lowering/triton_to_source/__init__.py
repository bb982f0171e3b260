"""Triton to source: the printer of kernels."""
