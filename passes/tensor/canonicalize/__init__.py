"""One spelling for each program: the pass, and its rules by theme."""
