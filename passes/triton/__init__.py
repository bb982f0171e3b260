"""Passes on `mlc_triton`: the last changes before source."""
