"""From PyTorch to the importer: the `torch.compile` backend, AOTAutograd, what is explained of a graph."""
