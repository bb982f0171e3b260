"""A run of the compiler as one page: its levels side by side, what each pass changed, its kernels and its time."""
