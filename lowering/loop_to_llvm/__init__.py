"""`mlc_loop` to LLVM IR, for CPUs."""
