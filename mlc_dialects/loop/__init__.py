"""The dialect `mlc_loop`: kernels as loops over buffers, and the host program that launches them."""
