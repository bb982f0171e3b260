"""Whole models by backend, in one run: `python -m benchmarks.models`."""
