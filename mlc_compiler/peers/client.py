"""Runs the worker of a peer over a batch of requests, and survives its crashes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS_TO_START, SECONDS_A_REQUEST = 120, 60
EDGES_A_REQUEST = 500
"""Of the graph that one request asks about; a larger one gets more time."""


@dataclass(frozen=True)
class Failure:
    """Why a peer has no answer for a program."""

    why: str


Answer = dict[str, Any] | Failure


def ask(
    worker: str,
    requests: Sequence[dict[str, Any]],
    python: str = sys.executable,
    environment: Mapping[str, str] | None = None,
    seconds: int = SECONDS_A_REQUEST,
) -> list[Answer]:
    """The answers of the module `worker` under an interpreter, one a request; a crash costs the request it was in.

    A request that takes longer than `seconds`, beside those of the start, ends the process. `environment` is added to
    that of this process, in which JAX sees no GPU unless it says otherwise.
    """
    settings = {**_environment(), **(environment or {})}
    answers: list[Answer] = []
    while len(answers) < len(requests):
        rest = requests[len(answers) :]
        found, trouble = _run([python, "-m", worker], rest, settings, seconds)
        answers += found
        if len(found) < len(rest):
            answers.append(Failure(trouble))
    return answers


def _run(
    command: list[str], requests: Sequence[dict[str, Any]], environment: dict[str, str], seconds: int
) -> tuple[list[Answer], str]:
    """The answers until all are there or the process is gone, and what it said when it went."""
    text = "".join(json.dumps(r) + "\n" for r in requests)
    edges = sum(len(r.get("edges", ())) for r in requests)
    limit = SECONDS_TO_START + seconds * (len(requests) + edges // EDGES_A_REQUEST)
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, env=environment, timeout=limit, check=False
        )
        output, trouble = done.stdout, _last_words(done.stderr, done.returncode)
    except subprocess.TimeoutExpired as expired:
        output = expired.stdout.decode() if isinstance(expired.stdout, bytes) else ""
        trouble = f"no answer in {limit} s"
    lines = [line for line in output.split("\n")[:-1] if line.startswith("{")]
    return [_answer(json.loads(line)) for line in lines], trouble


def _answer(reply: dict[str, Any]) -> Answer:
    return Failure(reply["error"]) if "error" in reply else reply["answer"]


def _last_words(stderr: str, code: int) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    return f"the process ended with {code}: {lines[-1] if lines else 'it said nothing'}"


def _environment() -> dict[str, str]:
    """Ours, with this project on the path, and nothing that looks for a GPU."""
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join(p for p in (root, os.environ.get("PYTHONPATH", "")) if p)
    return {**os.environ, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "2"}
