# llvmlite has no types, and what can be inferred of its decorated methods is wrong.
