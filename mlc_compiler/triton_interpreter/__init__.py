"""Triton kernels on the CPU: Triton's interpreter, repaired where it differs from a GPU."""
