"""What the text of host programs begins with."""

HEADER = """import math
import operator

import torch

from mlc_runtime.gradients import linear_gradients
from mlc_runtime.host import (
    Counters, allocator, expect, leaves, named_device, parts, reinterpret, single, with_layout
)

counters = Counters()
"""
