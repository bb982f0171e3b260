"""Measurements on a GPU: each prints a table and writes JSON with the command that made it."""
