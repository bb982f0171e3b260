"""Passes on `mlc_triton`: the last rewrites before source."""
