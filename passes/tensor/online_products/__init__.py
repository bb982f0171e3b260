"""Products of matrices that follow each other in one kernel, by reductions in their online form."""
