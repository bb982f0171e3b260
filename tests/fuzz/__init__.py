"""Fuzzers: each a small part of the tests with fixed seeds, and a long run by `make fuzz`."""
