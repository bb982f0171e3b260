"""Thin command-line drivers: `mlc-opt`, `mlc-translate`, `mlc-compile` and `mlc-compare`."""
