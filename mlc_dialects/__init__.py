"""The dialects `mlc_tensor`, `mlc_loop` and `mlc_triton`, and the elementwise table they share."""
