"""`mlc_tensor` as the input language of other compilers: StableHLO, Relax, and Python over aten.

Each is text, with static shapes, in which every line carries the name of the op it came from.
"""
