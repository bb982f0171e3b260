"""Ops that are taken apart before import, and their formulas."""
