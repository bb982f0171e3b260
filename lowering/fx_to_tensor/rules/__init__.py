"""One rule for each native ATen op, by theme."""
