"""Thin command-line drivers: `mlc-opt` and `mlc-translate`."""
