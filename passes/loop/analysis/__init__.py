"""What passes ask of a kernel: how it reads memory, what registers hold, how its loops are rewritten."""
