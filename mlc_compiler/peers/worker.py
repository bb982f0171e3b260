"""The process of one peer: a request a line in, an answer a line out, as JSON.

A request that fails is answered with its error, and the next one is taken. What a compiler prints goes
to stderr. Only this module and the standard library are shared: a worker stands on its peer alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answers every request on stdin."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        try:
            reply = {"answer": answer(json.loads(line))}
        except Exception as error:
            text = str(error).strip().splitlines() or [""]
            reply = {"error": f"{type(error).__name__}: {text[0]}"}
        channel.write(json.dumps(reply) + "\n")
        channel.flush()
