"""What the Linux kernel tells of this machine's CPU."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def cpu_info() -> Mapping[str, str]:
    """The fields of `/proc/cpuinfo` by their names, of one processor; none where the system has no such file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
