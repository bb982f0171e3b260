"""The code of the documentation, run: what a page says that a command prints is what it prints.

    python -m tests.pages docs/start.md docs/write/pass.md   # runs pages, and shows all that they print

A page is read from top to bottom, in a folder like a fresh clone. A block of code is one of these, and nothing else:

    ```console            commands behind `$ `. What stands under one is what it prints on stdout and stderr, whole but
                          for `...`. It must succeed, or fail if a line begins with `error: `.
    ```LANG title="FILE"  the file FILE is written, with this content.
    ```python             is run; the blocks of a page share their names.
    ```text               is no code: a picture, a form.

Under a line `<!-- printed by: COMMAND -->` stands a table that COMMAND prints. A line `<!-- needs: jax, tvm -->`
above a block has it left out where one of these modules is not installed.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, MutableMapping
from contextlib import chdir
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.shell import TOOLS, Result, run

ROOT = Path(__file__).parents[1]
CLONED = (
    "pyproject.toml", "README.md", "examples", "mlc_support", "mlc_dialects", "passes", "lowering", "mlc_runtime",
    "mlc_compiler", "tools",
)  # fmt: skip
"""What of a clone the pages use."""
IN_PROCESS = {
    **TOOLS,
    "mlc-compare": "tools.mlc_compare:main",
    "mlc-compile": "tools.mlc_compile:main",
    "python": "tests.pages:run_python",
}
"""Tools that load torch run in this process, which has loaded it."""
MOST = 10_000
"""Characters of what a command printed that a difference shows."""

_FENCE = re.compile(
    r"^(?:<!-- needs: (?P<needs>.*?) -->\n+)?^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_PRINTED = re.compile(r"^<!-- printed by: (?P<command>.*?) -->\n+(?P<table>(?:\|.*\n)+)", re.MULTILINE)
_INFO = re.compile(r'(?P<kind>[a-z]+)(?: title="(?P<file>[^"]+)")?')


class PageError(AssertionError):
    """What a page says and what is so differ."""


@dataclass(frozen=True)
class Block:
    """One block of code, and where it begins."""

    place: str
    kind: str
    file: str | None
    text: str
    needs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """The modules that it needs and that are not installed."""
        return [module for module in self.needs if find_spec(module) is None]

    def commands(self) -> Iterator[tuple[str, str]]:
        """The commands of a console, and what stands under each."""
        first, *parts = re.split(r"^\$ ", self.text, flags=re.MULTILINE)
        if first:
            raise PageError(f"{self.place}: a console begins with `$ `")
        for part in parts:
            command, _, printed = re.sub(r"\\\n> *", "", part).partition("\n")
            yield command, printed.strip("\n")


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, in order, and its printed tables before them. `PageError` for one that is of no kind."""
    text = page.read_text(encoding="utf-8")
    if len(re.findall(r"^ *```", text, re.MULTILINE)) != 2 * len(list(_FENCE.finditer(text))):
        raise PageError(f"{page}: a block is not closed, or indented unevenly")
    for found in _PRINTED.finditer(text):
        yield Block(_place(page, text, found.start()), "console", None, f"$ {found['command']}\n{found['table']}")
    for found in _FENCE.finditer(text):
        place = _place(page, text, found.start("info"))
        info = _INFO.fullmatch(found["info"])
        if info is None or not (info["file"] or info["kind"] in ("console", "python", "text")):
            raise PageError(f"{place}: ```{found['info']} is no console, python, text, and no file with a title")
        code = re.sub(f"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
        yield Block(place, info["kind"], info["file"], code, tuple(re.findall(r"[\w.]+", found["needs"] or "")))


def _place(page: Path, text: str, position: int) -> str:
    """`docs/start.md:12`"""
    line = text.count("\n", 0, position) + 1
    return f"{page.relative_to(ROOT)}:{line}"


@dataclass
class Reader:
    """Who reads pages and does what they say, in `folder`."""

    folder: Path
    environment: MutableMapping[str, str]
    watched: bool = False
    """Whoever watches sees all that is printed, and differences do not end it."""
    names: dict[str, Any] = field(default_factory=dict[str, Any])
    problems: list[str] = field(default_factory=list[str])
    activated: bool = False
    """A virtual environment is: its own tools run, each as a process."""

    @staticmethod
    def in_clone(folder: Path, environment: MutableMapping[str, str], watched: bool = False) -> Reader:
        """A reader in a copy of this repository, whose `pip` finds here what it would fetch."""
        for name in CLONED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, folder / name, **({"ignore": _IGNORED} if copy is shutil.copytree else {}))
        environment |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}",
            "PYTHONPATH": str(dependencies(folder / ".dependencies")),
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_IGNORE_INSTALLED": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PYTHONWARNINGS": "ignore",
            "MLC_CACHE_DIR": str(folder / ".cache"),
        }
        environment.pop("MLC_CPU", None)
        return Reader(folder, environment, watched)

    def read(self, page: Path) -> None:
        """Do all that a page says. `PageError` where something else comes out."""
        with chdir(self.folder):
            for block in blocks(page):
                if not block.missing:
                    self._do(block)

    def _do(self, block: Block) -> None:
        if block.file is not None:
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            exec(compile(block.text, block.place, "exec"), self.names)
        elif block.kind == "console":
            for command, printed in block.commands():
                self._run(command, printed, block.place)

    def _run(self, command: str, expected: str, place: str) -> None:
        if activation := re.fullmatch(r"source (\S+)/activate", command):
            self.environment["PATH"] = f"{self.folder / activation[1]}{os.pathsep}{self.environment['PATH']}"
            self.activated = True
            return
        tools = {} if self.activated else IN_PROCESS
        result = run(f"{command} 2>&1", self.folder / "page", self.folder, tools)[-1]
        printed = result.stdout.decode().strip("\n")
        if self.watched:
            print(f"$ {command}\n{printed}", flush=True)
        fails = any(line.startswith("error: ") for line in expected.splitlines())
        if (result.code != 0) != fails or (expected and not _alike(expected, printed)):
            problem = _difference(place, command, expected, result, printed)
            if not self.watched:
                raise PageError(problem)
            self.problems.append(problem)


def dependencies(folder: Path) -> Path:
    """`folder`, with all that is installed here but mlc, as a new environment would have it."""
    folder.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if package.name not in CLONED and not package.name.startswith(("__editable__", "mlc-")):
            (folder / package.name).symlink_to(package)
    return folder


_IGNORED = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")


def _alike(expected: str, printed: str) -> bool:
    """`...` in a line stands for any text, a line of `...` for any lines."""
    lines = ("(?:.*\n)*" if line == "..." else _pattern(line) for line in expected.split("\n"))
    return re.fullmatch("".join(lines), f"{printed}\n") is not None


def _pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("...")) + "\n"


def _difference(place: str, command: str, expected: str, result: Result, printed: str) -> str:
    """What a command printed, and the first line of the page that is not in it."""
    lines = {line.strip() for line in printed.splitlines()}
    told = [line for line in expected.splitlines() if line.strip() != "..." and "..." not in line]
    first = next((line for line in told if line.strip() not in lines), "")
    why = f"\nthe first line of the page that is not printed:\n  {first}" if first else ""
    return f"{place}: $ {command}\nexit code {result.code}; printed:\n{printed[:MOST]}\n{why}"


def run_python(arguments: list[str]) -> None:
    """`python FILE.py ARGUMENTS` or `python -m MODULE ARGUMENTS`, in this process."""
    module, rest = (arguments[1], arguments[2:]) if arguments[0] == "-m" else (None, arguments[1:])
    before = sys.argv, sys.path[:]
    loaded = sys.modules.pop(module, None) if module is not None else None  # a process of its own has it anew
    sys.argv = [arguments[0], *rest]
    sys.path.insert(0, os.getcwd())
    try:
        if module is None:
            runpy.run_path(arguments[0], run_name="__main__")
        else:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        sys.argv, sys.path[:] = before
        if module is not None and loaded is not None:
            sys.modules[module] = loaded


def main() -> int:
    pages = [Path(page).resolve() for page in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader.in_clone(Path(folder), os.environ, watched=True)
        for page in pages:
            reader.read(page)
    print("\n\n".join(["", *reader.problems]))
    return int(bool(reader.problems))


if __name__ == "__main__":
    sys.exit(main())
