"""Pages of HTML that need nothing else: what those of mlc-compare and mlc-view share."""
