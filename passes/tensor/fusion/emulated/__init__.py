"""The fusion strategies of other compilers, emulated on `mlc_tensor`."""
