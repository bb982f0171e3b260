"""Errors, locations, the rewrite helper and IR checks that every other package uses."""
