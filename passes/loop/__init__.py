"""Passes on `mlc_loop`: what any target wants, and what the GPU's schedule wants."""
