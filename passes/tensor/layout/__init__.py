"""Channels-last layout: which convolutions change theirs, and the rewriting of what lies between them."""
