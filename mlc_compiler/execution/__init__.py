"""Compiled programs at work: executables, frozen weights, what a call costs."""
