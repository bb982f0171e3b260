"""`mlc-compile`: a PyTorch program, compiled ahead of time into a folder that `mlc_runtime.load` reads.

mlc-compile model.pt2 -o model_folder
mlc-compile model.py:attention --args Nx1024xf32 -o model_folder --cpu x86-64-v3
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import torch
from torch.export import ExportedProgram

from mlc_compiler.ahead.folder import check_place, compile_folder
from mlc_compiler.options import CompilerOptions
from mlc_support.errors import MlcError
from tools.driver import Arguments, run_tool, write_output
from tools.mlc_translate import export_target
from tools.options import MLC_COMPILE, add_options

_USAGE = """\
usage: mlc-compile MODEL.pt2 -o FOLDER [OPTION ...]
       mlc-compile FILE.py:NAME --args TYPES -o FOLDER [OPTION ...]

"""


def load_program(path: Path) -> ExportedProgram:
    """What `torch.export.save` wrote. MlcError where it is none, or of another version."""
    if not path.is_file():
        raise MlcError(f"no such file: {path}")
    if not is_zipfile(path):  # PyTorch would log where it failed
        raise MlcError(f"cannot read {path}: it is no archive", None, "torch.export.save(program, path) writes one")
    try:
        return torch.export.load(path)
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise MlcError(f"torch.export.load cannot read {path}: {lines[0]}") from error


def _compile(options: Any) -> None:
    if options.help:
        write_output(None, _USAGE + "".join(f"  {option.spelled():38} {option.help}\n" for option in MLC_COMPILE))
        return
    if options.program is None or options.output is None:
        raise MlcError("what is to be compiled, and where to?", None, "MODEL.pt2 -o FOLDER; --help lists the options")
    check_place(Path(options.output))
    if options.program.endswith(".pt2"):
        if options.args is not None:
            raise MlcError("--args has types for a function in Python, and MODEL.pt2 has its own", None, "leave it out")
        program = load_program(Path(options.program))
    else:
        program = export_target(options.program, options.args or "")
    chosen = CompilerOptions(policy=options.policy, freeze=options.freeze)
    digest = compile_folder(program, options.output, chosen, device=options.device, cpu=options.cpu)
    write_output(None, f"{options.output}: digest {digest}\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `mlc-compile` on a command line: the exit code, 0 or 1."""
    parser = Arguments(prog="mlc-compile", add_help=False, allow_abbrev=False)
    parser.add_argument("program", nargs="?")
    add_options(parser, MLC_COMPILE)
    return run_tool(parser, sys.argv[1:] if argv is None else argv, _compile)


if __name__ == "__main__":
    sys.exit(main())
