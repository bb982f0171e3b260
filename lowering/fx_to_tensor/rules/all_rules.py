"""The rules of all native ops: complete where this module is imported."""

from __future__ import annotations

from lowering.fx_to_tensor.call import RULES
from lowering.fx_to_tensor.rules import create, elementwise, index, norms, reduce, scan, scatter, view

RULE_MODULES = (create, elementwise, index, norms, reduce, scan, scatter, view)
"""Imported for the rules they enter in `RULES`."""

__all__ = ["RULES", "RULE_MODULES"]
