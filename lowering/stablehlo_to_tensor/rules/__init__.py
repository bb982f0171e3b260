"""The rules of the importer, one for each op of StableHLO: each module enters its own in `RULES`."""
