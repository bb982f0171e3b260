"""Rewrites of a kernel's loops: axis order, tiles, persistent loops, aligned bodies."""
