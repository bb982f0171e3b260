"""Fusion strategies side by side: ours, emulated, and the real compilers, on one graph."""
