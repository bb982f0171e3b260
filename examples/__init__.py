"""Programs that show what mlc does."""
