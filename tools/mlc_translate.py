"""`mlc-translate`: a PyTorch function, or a file of IR, to any level of the compiler, as text.

    mlc-translate model.py:attention --args 512x1024xf32,Nx1024xbf16 --to triton
    mlc-translate graph.mlir --to source --policy none --device a100 --print-ir-after-change

Whatever is wrong with the command line or the function is one report on stderr and exit
code 1. No GPU is needed.
"""

from __future__ import annotations

import difflib
import inspect
import linecache
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.export import ExportedProgram
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from lowering.fx_to_tensor import Imported, export_callable, import_callable
from mlc_compiler.frontend.explain import explanation
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to, stage_of, steps_to
from mlc_dialects.common.types import BY_NAME
from mlc_support.errors import Location, MlcError
from mlc_support.parsing import nearest
from mlc_support.python_files import load_python
from tools.driver import Arguments, check_output, run_tool, write_output
from tools.instruments import Runner
from tools.ir_printing import Form
from tools.load_ir import load_ir
from tools.options import LEVELS, MLC_TRANSLATE, add_options, instruments_of, with_values
from tools.specs import build, parse_target
from tools.universe import all_targets, context, load

EXAMPLE_SIZE = 7
"""Stands for the first dynamic size while the function is traced; others follow upward."""


@dataclass(frozen=True)
class Argument:
    """One entry of --args: a tensor of these sizes, numbers or names, and this type."""

    sizes: tuple[int | str, ...]
    dtype: torch.dtype
    examples: dict[str, int]
    """What some of the names are while the function is traced: `N=64` where it asks for a multiple of 16."""

    @property
    def names(self) -> dict[int, str]:
        """Dimension to name, of the dynamic dimensions."""
        return {d: s for d, s in enumerate(self.sizes) if isinstance(s, str)}

    def example(self, values: dict[str, int]) -> torch.Tensor:
        """A tensor like this, its named sizes as `values` has them."""
        shape = [values[s] if isinstance(s, str) else s for s in self.sizes]
        return torch.ones(shape, dtype=self.dtype)


def parse_arguments(text: str) -> list[Argument]:
    """`512x1024xf32,N=64xf32,f32`. MlcError marks the place of a mistake."""
    arguments: list[Argument] = []
    column = 1
    for entry in text.split(",") if text else []:
        arguments.append(_parse_argument(entry, text, column))
        column += len(entry) + 1
    return arguments


def _parse_argument(entry: str, text: str, column: int) -> Argument:
    *sizes, element = entry.strip().split("x")
    place = Location("--args", column=column, source=text, width=max(len(entry), 1))
    if element not in BY_NAME:
        known = ", ".join(BY_NAME)
        raise MlcError(f"{element!r} is not an element type", place, f"one of {known}; for example 512x1024xf32")
    names, examples = [size.partition("=")[0] for size in sizes], {}
    for size, name in zip(sizes, names, strict=True):
        example = size.removeprefix(name).removeprefix("=")
        if size != name and name.isidentifier() and example.isdigit():
            examples[name] = int(example)
        elif size != name or not (name.isdigit() or name.isidentifier()):
            raise MlcError(f"{size!r} is not a size", place, "a number, or a name for a dynamic size: N, or N=64")
    dtype = getattr(torch, BY_NAME[element].torch_name)
    return Argument(tuple(int(s) if s.isdigit() else s for s in names), dtype, examples)


def load_target(spec: str) -> Callable[..., Any]:
    """The function, module instance or (instantiated) module class that FILE.py:NAME names."""
    path, separator, name = spec.rpartition(":")
    if not separator or not path.endswith(".py"):
        raise MlcError(f"expected FILE.py:FUNCTION, found {spec!r}")
    module = _load(Path(path))
    if not hasattr(module, name):
        near = difflib.get_close_matches(name, _callables(module), 1)
        defined = ", ".join(_callables(module)) or "no function"
        raise MlcError(f"{path} has no {name!r}", None, f"did you mean {near[0]!r}?" if near else f"it has {defined}")
    target = getattr(module, name)
    if inspect.isclass(target) and issubclass(target, torch.nn.Module):
        target = in_user_code(target, f"{name}() failed")
    if not callable(target):
        raise MlcError(f"{name!r} in {path} is a {type(target).__name__}, not a function or nn.Module")
    return target


def _callables(module: ModuleType) -> list[str]:
    return [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", None) == module.__name__]


def _load(path: Path) -> ModuleType:
    return in_user_code(lambda: load_python(path), f"importing {path} failed")


def in_user_code(call: Callable[[], Any], doing: str) -> Any:
    """`call()`; an exception is reported with the user's line that raised it."""
    try:
        return call()
    except MlcError as error:
        cause = error.__cause__
        raise MlcError(error.message, error.location or (cause and _place(cause)), error.hint) from error
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        raise MlcError(f"{doing}: {type(error).__name__}: {lines[0]}", _place(error)) from error


def _place(error: BaseException) -> Location | None:
    """The innermost line of the user's program in a traceback."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return Location(error.filename, error.lineno, source=error.text)
    libraries = (str(Path(torch.__file__).parent), sys.prefix, sys.base_prefix, "<")
    frames = traceback.extract_tb(error.__traceback__)
    users = [f for f in frames if not f.filename.startswith(libraries) and not _is_ours(f.filename)]
    return Location(users[-1].filename, users[-1].lineno, source=users[-1].line) if users else None


def _is_ours(file: str) -> bool:
    """True for files of the compiler's own packages."""
    packages = ("mlc_support", "mlc_dialects", "passes", "lowering", "mlc_runtime", "mlc_compiler", "tools")
    path, root = Path(file), Path(__file__).parents[1]
    return path.is_relative_to(root) and path.relative_to(root).parts[0] in packages


def _check_count(target: Callable[..., Any], spec: str, count: int) -> None:
    """MlcError where a function does not take so many inputs; of a module only tracing tells."""
    try:
        inspect.signature(target).bind(*range(count))
    except TypeError as error:
        hint = "give a type for each input: 512x1024xf32,f32"
        raise MlcError(f"{spec} and its --args: {error}", None, hint) from error
    except ValueError:
        return  # it has no signature


def import_target(spec: str, args: str) -> Imported:
    """The tensors of `FILE.py:NAME` called with `--args`. MlcError says what is wrong with either."""
    target, examples, dynamic = _called(spec, args)
    return in_user_code(lambda: import_callable(target, examples, dynamic=dynamic), "tracing failed")


def export_target(spec: str, args: str) -> ExportedProgram:
    """`FILE.py:NAME` called with `--args`, exported. MlcError says what is wrong with either."""
    target, examples, dynamic = _called(spec, args)
    return in_user_code(lambda: export_callable(target, examples, dynamic), "tracing failed")


def _called(spec: str, args: str) -> tuple[Callable[..., Any], list[torch.Tensor], list[dict[int, str] | None] | None]:
    """A function, its example inputs, and the names of their dynamic dimensions."""
    target, arguments = load_target(spec), parse_arguments(args)
    names = dict.fromkeys(name for a in arguments for name in a.names.values())
    values = {name: EXAMPLE_SIZE + 2 * position for position, name in enumerate(names)}
    values |= {name: example for a in arguments for name, example in a.examples.items()}
    examples = [a.example(values) for a in arguments]
    _check_count(target, spec, len(examples))
    return target, examples, [a.names or None for a in arguments] if names else None


def _imported(options: Any) -> ModuleOp:
    """The tensors of a function in Python, or the module in a file of IR."""
    if not options.program.endswith(".mlir"):
        return import_target(options.program, options.args or "").module
    if options.args is not None:
        raise MlcError("--args has types for a function in Python, and IR has its own", None, "leave --args out")
    return load_ir(Path(options.program), stablehlo=getattr(options, "from") == "stablehlo")


_USAGE = """\
usage: mlc-translate FILE.py:NAME --args TYPES [--to LEVEL|TARGET] [OPTION ...]
       mlc-translate FILE.mlir|FILE.stablehlo.mlir [--to LEVEL|TARGET] [OPTION ...]

"""


def _help() -> str:
    return _USAGE + "".join(f"  {option.spelled():38} {option.help}\n" for option in MLC_TRANSLATE)


def _translate(options: Any) -> None:
    if options.help:
        write_output(None, _help())
        return
    if options.program is None:
        raise MlcError("what is to be translated?", None, "FILE.py:FUNCTION with --args, or FILE.mlir")
    for path in (options.output, options.html):
        check_output(path)
    level, target = _destination(options.to or ("tensor" if options.html is None else LEVELS[-1]))
    module = _imported(options)
    if options.explain:
        write_output(options.output, explanation(module))
        return
    form = Form(options.print_op_generic, options.print_debuginfo)
    lowered = _lowered(module, level, options, form)
    if isinstance(lowered, ModuleOp):
        lowered = build(target, context(), lowered, {}) if target else form.text(lowered)
    write_output(options.output, lowered)


def _destination(text: str) -> tuple[str, Target | None]:
    """The level that --to names; or the level that a target reads, which its class says, and the target."""
    name, targets = text.partition("{")[0], all_targets()
    if text in LEVELS:
        return text, None
    if name not in targets:
        hint = (
            nearest(name, (*LEVELS, *targets)) or f"levels are {', '.join(LEVELS)}; mlc-opt --list-targets has targets"
        )
        raise MlcError(f"--to {text}: no such level or target", None, hint)
    target = parse_target(targets, text)
    level = getattr(target, "level", None)
    if level not in LEVELS:
        what = f"--to {text}: this target does not say which level it reads"
        raise MlcError(what, None, f"mlc-opt graph.mlir -p ... -t {text} gives it any IR")
    return level, target


def _lowered(module: ModuleOp, level: str, options: Any, form: Form) -> ModuleOp | str:
    """The program at a level, every pass watched as `options` say."""
    chosen = CompilerOptions(policy=options.policy, device=options.device, products=options.products)
    done = stage_of(module)
    names = [step.name for step in steps_to(level, chosen, done)]
    instruments = instruments_of(options, names, sys.stderr, form)
    page: Any = None
    if options.html is not None:
        page = load("tools.view:Page")(Path(options.program).name.rpartition(":")[2], _reader(options.program))
        instruments.append(page.recorder(module))
    runner = Runner(instruments, traceback=options.traceback)
    try:
        lowered = lower_to(module, level, chosen, done=done, run=runner)
        runner.finish()
    finally:
        if page is not None:
            write_output(options.html, page.text())
    return lowered


def _reader(program: str) -> Callable[[str], list[str]]:
    """Reads files that locations name: all of a traced function; of IR, which may name any file, itself alone."""
    if program.endswith(".mlir"):
        return lambda file: linecache.getlines(file) if file == program else []
    return linecache.getlines


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `mlc-translate` on a command line: the exit code, 0 or 1."""
    parser = Arguments(prog="mlc-translate", add_help=False, allow_abbrev=False)
    parser.add_argument("program", nargs="?")
    add_options(parser, MLC_TRANSLATE)
    arguments = sys.argv[1:] if argv is None else argv
    return run_tool(parser, with_values(arguments, MLC_TRANSLATE), _translate)


if __name__ == "__main__":
    sys.exit(main())
