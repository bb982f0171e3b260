"""Passes and facts that serve every level: dead code, common subexpressions, launches, devices."""
