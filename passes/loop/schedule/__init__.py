"""The mapping of loops to programs, blocks and warps."""
