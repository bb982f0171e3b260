"""The rules of all native ops: complete where this module is imported."""

from __future__ import annotations

from lowering.fx_to_tensor import (
    create_rules,
    elementwise_rules,
    index_rules,
    reduce_rules,
    scan_rules,
    scatter_rules,
    view_rules,
)
from lowering.fx_to_tensor.call import RULES

RULE_MODULES = (create_rules, elementwise_rules, index_rules, reduce_rules, scan_rules, scatter_rules, view_rules)
"""Imported for the rules they enter in `RULES`."""

__all__ = ["RULES", "RULE_MODULES"]
