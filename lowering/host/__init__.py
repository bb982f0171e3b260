"""The host program: its buffers, layouts and Python text."""
