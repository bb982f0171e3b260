"""Where data is when it is needed: in-place buffers, cache hints, the order of programs."""
