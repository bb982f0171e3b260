"""The reference of dialects, ops, passes and options, as pages of Markdown, from the code itself."""
