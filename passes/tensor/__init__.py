"""Passes on `mlc_tensor`, in the folders in which a program meets them."""
