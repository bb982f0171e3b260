"""Passes that stay on one level: the same dialect in and out."""
