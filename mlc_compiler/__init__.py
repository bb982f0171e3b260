"""The compiler as its user meets it: the pipeline, the `torch.compile` backend and the executables."""
