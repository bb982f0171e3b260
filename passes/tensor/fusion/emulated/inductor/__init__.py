"""The fusion strategy of TorchInductor, emulated."""
