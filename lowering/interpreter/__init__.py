"""The reference interpreter of `mlc_tensor` and `mlc_loop`, on numpy arrays."""
