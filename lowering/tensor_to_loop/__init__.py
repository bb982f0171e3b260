"""Tensor to loop: each fused region becomes a kernel, each function a host program."""
