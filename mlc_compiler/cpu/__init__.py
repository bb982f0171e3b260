"""Kernels for CPUs, compiled by LLVM."""
