"""A shell for RUN lines that starts no process for the tools of mlc.

It knows pipes, `&&`, `not`, `NAME=value`, `2>&1`, `<`, `>` and `>>`, and lit's `%s`, `%S`, `%t` and `%%`:
what FileCheck tests use. A command it does not know runs as a real process.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from unittest import mock

TOOLS = {
    "mlc-opt": "tools.mlc_opt:main",
    "mlc-translate": "tools.mlc_translate:main",
}

_MERGE = "\x00merge-stderr"
_RUN = re.compile(r"RUN:(.*)")


@dataclass
class Command:
    """One command of a pipeline, with its redirections."""

    argv: list[str] = field(default_factory=list[str])
    stdin: str | None = None
    stdout: str | None = None
    append: bool = False
    """`>>`: behind what the file holds already."""
    merge_stderr: bool = False


@dataclass(frozen=True)
class Result:
    """How a command ended: its exit code and what it wrote."""

    argv: list[str]
    code: int
    stdout: bytes
    stderr: bytes

    def report(self) -> str:
        """The command, its exit code and its output, for a failing test."""
        parts = [f"$ {shlex.join(self.argv)}", f"exit code {self.code}"]
        for name, data in (("stdout", self.stdout), ("stderr", self.stderr)):
            text = data.decode("utf-8", "replace").rstrip()
            if text:
                numbered = (f"{i:4} | {line}" for i, line in enumerate(text.splitlines(), 1))
                parts += [f"{name}:", *numbered]
        return "\n".join(parts)


def run_lines(path: Path) -> list[str]:
    """The commands after `RUN:` in a file; one that ends in `\\` goes on in the next."""
    lines: list[str] = []
    continued = False
    for match in _RUN.finditer(path.read_text(encoding="utf-8")):
        text = match[1].strip()
        if continued:
            lines[-1] = f"{lines[-1][:-1].rstrip()} {text}"
        else:
            lines.append(text)
        continued = text.endswith("\\")
    return lines


def run(line: str, path: Path, temporary: Path, tools: Mapping[str, str] = TOOLS) -> list[Result]:
    """Run one RUN line of the test at `path`; the last result is the line's own.

    A pipeline fails with its last failing command, as under lit's `pipefail`. Commands of `tools` start no process.
    """
    results: list[Result] = []
    for pipeline in _parse(_substitute(line, path, temporary)):
        stage = _run_pipeline(pipeline, tools)
        results += stage
        failed = [result for result in stage if result.code != 0]
        if failed:
            return [*results, failed[-1]] if results[-1] is not failed[-1] else results
    return results


def _substitute(line: str, path: Path, temporary: Path) -> str:
    """`line` with lit's substitutions made."""
    table = {"%s": path, "%S": path.parent, "%t": temporary / f"{path.name}.tmp", "%%": "%"}
    return re.sub(r"%%|%[sSt](?![A-Za-z0-9_])", lambda match: str(table[match[0]]), line)


def _parse(line: str) -> Iterator[list[Command]]:
    """The pipelines of a line, in order; the parts of a pipeline in order."""
    lexer = shlex.shlex(line.replace("2>&1", f" {_MERGE} "), posix=True, punctuation_chars="|&<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands = [Command()]
    tokens = iter(lexer)
    for token in tokens:
        match token:
            case "&&":
                yield commands
                commands = [Command()]
            case "|":
                commands.append(Command())
            case "<":
                commands[-1].stdin = next(tokens)
            case ">" | ">>":
                commands[-1].stdout = next(tokens)
                commands[-1].append = token == ">>"
            case _ if token == _MERGE:
                commands[-1].merge_stderr = True
            case _:
                commands[-1].argv.append(token)
    yield commands


def _run_pipeline(commands: Sequence[Command], tools: Mapping[str, str]) -> list[Result]:
    """Run commands one after the other, each reading what the one before it wrote."""
    results: list[Result] = []
    data = b""
    for command in commands:
        if command.stdin is not None:
            data = Path(command.stdin).read_bytes()
        result = _run_command(command.argv, data, command.merge_stderr, tools)
        results.append(result)
        data = result.stdout
        if command.stdout is not None:
            with Path(command.stdout).open("ab" if command.append else "wb") as file:
                file.write(data)
            data = b""
    return results


def _run_command(argv: list[str], data: bytes, merge: bool, tools: Mapping[str, str]) -> Result:
    """Run one command with `data` on its stdin. `NAME=value` before it is a variable of its environment."""
    name, assigned, value = argv[0].partition("=")
    if assigned and name.isidentifier():
        with mock.patch.dict(os.environ, {name: value}):
            return _run_command(argv[1:], data, merge, tools)
    if argv[0] == "not":
        inner = _run_command(argv[1:], data, merge, tools)
        return Result(argv, 0 if inner.code else 1, inner.stdout, inner.stderr)
    tool = _tool(argv[0], tools)
    if tool is not None:
        return _call(tool, argv, data, merge)
    stderr = subprocess.STDOUT if merge else subprocess.PIPE
    process = subprocess.run(argv, input=data, stdout=subprocess.PIPE, stderr=stderr, check=False)
    return Result(argv, process.returncode, process.stdout, process.stderr or b"")


def _tool(name: str, tools: Mapping[str, str]) -> Callable[[list[str]], int | None] | None:
    """The entry point of a tool that runs in this process, taking its arguments."""
    if name in tools:
        module, _, function = tools[name].partition(":")
        return getattr(import_module(module), function)
    if name in ("filecheck", "FileCheck"):
        main = import_module("filecheck.main").main
        return lambda arguments: main(["filecheck", *arguments])
    return None


def _call(tool: Callable[[list[str]], int | None], argv: list[str], data: bytes, merge: bool) -> Result:
    """Call a tool with its streams replaced."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = out if merge else io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with _stdin(data), redirect_stdout(out), redirect_stderr(err):
        try:
            code = tool(argv[1:]) or 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except Exception:
            traceback.print_exc()
            code = 1
    return Result(argv, code, _written(out), b"" if merge else _written(err))


@contextmanager
def _stdin(data: bytes) -> Iterator[None]:
    """`sys.stdin` reads `data`."""
    previous = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = previous


def _written(stream: io.TextIOWrapper) -> bytes:
    """The bytes written to a stream made by `_call`."""
    with suppress(ValueError):
        stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()
