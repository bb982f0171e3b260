"""The fusion strategy of XLA's GPU compiler, emulated."""
