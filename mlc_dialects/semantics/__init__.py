"""What the ops mean, on numpy values: the interpreter and constant folding read it."""
