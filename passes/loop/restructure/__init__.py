"""Changes of a kernel's loops: tiles, persistent programs, aligned bodies."""
