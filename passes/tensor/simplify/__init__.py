"""Less work for the same result: the pass, and its rules by theme."""
