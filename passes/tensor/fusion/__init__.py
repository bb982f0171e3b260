"""Fusion: one engine that knows what is legal, and policies that judge what pays."""
