"""Kernels as files: source, compilation, caches."""
