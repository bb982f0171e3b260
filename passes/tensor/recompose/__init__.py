"""Finding composite ops in plain ones: patterns derived from what the composites mean."""
