"""Models compiled ahead of time into folders, which `mlc_runtime` loads."""
