"""Command-line specs, `name{option=value ...}`, turned into passes and targets.

xDSL has the syntax; blanks, and the `builtin.module(...)` of MLIR around it all, are read here. So are the stages of
the compiler, which stand for their passes: `simplified`, `fused{policy=none}`. Errors name the place, the nearest name
and the options.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils import arg_spec
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.utils.hints import type_repr
from xdsl.utils.target import Target

from mlc_support.errors import Location, MlcError
from mlc_support.parsing import nearest
from tools.universe import STAGES, load

SpecT = TypeVar("SpecT", bound=ArgSpecConvertible)


_TOKENS = re.compile(r"""("(?:\\.|[^"\\])*"|\[[^\]]*\])|\s*([,={}])\s*|\s+""")
"""What is kept as it is, punctuation with the blanks around it, and other blanks."""
_MODULE = re.compile(r"builtin\.module\s*\((.*)\)", re.DOTALL)


def parse_pipeline(available: Mapping[str, Callable[[], type[ModulePass]]], text: str) -> tuple[ModulePass, ...]:
    """The passes that `a,b{option=1}` names, in order. Raises `MlcError`.

    A stage stands for its passes and those of the stages before it that are not named before it.
    """
    passes: list[ModulePass] = []
    done: Sequence[str] = ()
    for spec in parse_specs(text):
        if spec.name not in STAGES:
            passes.append(_instantiate("pass", available, spec))
            continue
        before = STAGES[spec.name]
        if not set(done) <= set(before):
            what = f"stage `{spec.name}` comes again, or too late"
            raise MlcError(what, None, f"it follows {', '.join(before)}" if before else "it is the first")
        names = [name for name in (*before, spec.name) if name not in done]
        passes += _instantiate("stage", {spec.name: lambda: load("tools.stages:Stages")}, spec).passes(names)
        done = (*before, spec.name)
    return tuple(passes)


def parse_specs(text: str) -> tuple[ArgSpec, ...]:
    """The names and options in a pipeline, blanks and `builtin.module(...)` left out. Raises `MlcError`."""
    whole = _MODULE.fullmatch(text.strip())
    inner = whole[1] if whole else text
    plain = _TOKENS.sub(lambda match: match[1] or match[2] or " ", inner.strip())
    if "(" in re.sub(r'"[^"]*"|\[[^\]]*\]', "", plain):
        raise MlcError(f"nested pipeline in -p: {plain}", None, "passes run on the whole module: builtin.module(a,b)")
    try:
        return tuple(arg_spec.parse_pipeline(plain))
    except ArgSpecParseError as error:
        raise _syntax_error(error, "-p") from error


def parse_target(available: Mapping[str, Callable[[], type[Target]]], text: str) -> Target:
    """The target that `name{option=1}` names. Raises `MlcError`."""
    try:
        spec = arg_spec.parse_spec(text)
    except ArgSpecParseError as error:
        raise _syntax_error(error, "-t") from error
    return _instantiate("target", available, spec)


def build(target: Target, ctx: Context, module: ModuleOp, options: Mapping[str, bool]) -> str:
    """What `target` prints for `module`, with those of `options` that it has."""
    known = {field.name for field in dataclasses.fields(target)}
    chosen = {name: True for name, value in options.items() if value and name in known}
    output = StringIO()
    dataclasses.replace(target, **chosen).emit(ctx, module, output)
    return output.getvalue()


def _syntax_error(error: ArgSpecParseError, option: str) -> MlcError:
    """The error for a spec that does not parse.

    xDSL gives it as text alone: a heading, `file:line:column`, the spec, carets, the cause.
    """
    lines = str(error).splitlines()
    if len(lines) < 5:
        return MlcError(str(error))
    column, carets = int(lines[1].rpartition(":")[2]), lines[3].count("^")
    cause = lines[4].strip()
    place = Location(option, None, column, lines[2], carets)
    return MlcError(cause[:1].lower() + cause[1:], place, "it reads: a,b{option=1 list=1,2 flag=true}")


def _instantiate(kind: str, available: Mapping[str, Callable[[], type[SpecT]]], spec: ArgSpec) -> SpecT:
    """The pass or target that `spec` names, with its options checked."""
    if spec.name not in available:
        known = (*available, *STAGES) if kind == "pass" else available
        listed = f"--list-{'passes' if kind == 'pass' else 'targets'} lists those there are"
        hint = nearest(spec.name, known) or listed
        raise MlcError(f"unknown {kind} `{spec.name}`", None, hint)
    cls = available[spec.name]()
    known = {field.name: field for field in dataclasses.fields(cls) if field.init}
    for option in spec.normalize_parameter_names().parameters:
        if option not in known:
            hint = nearest(_spelled(option), map(_spelled, known)) or _options_text(cls)
            raise MlcError(f"{kind} `{spec.name}` has no option `{_spelled(option)}`", None, hint)
    try:
        return cls.from_spec(ArgSpec(cls.name, spec.parameters))
    except ValueError as error:
        what = _wrong_value(cls, spec) or str(error)
        raise MlcError(f"{kind} `{spec.name}`: {what}", None, _options_text(cls)) from error


def _wrong_value(cls: type[ArgSpecConvertible], spec: ArgSpec) -> str | None:
    """Which option has a value of another type: the one without which the others are well."""
    for option, values in spec.normalize_parameter_names().parameters.items():
        others = {name: given for name, given in spec.parameters.items() if name.replace("-", "_") != option}
        try:
            cls.from_spec(ArgSpec(cls.name, others))
        except ValueError:
            continue
        wanted = next(_type_text(field.type) for field in dataclasses.fields(cls) if field.name == option)
        found = ",".join(map(str, values)) or "nothing"
        return f"`{_spelled(option)}` is of type {wanted}, found {found}"
    return None


def _options_text(cls: type[ArgSpecConvertible]) -> str:
    """`options: name (type), ...`, or that there are none."""
    fields = [field for field in dataclasses.fields(cls) if field.init]
    texts = [f"{_spelled(field.name)} ({_type_text(field.type)})" for field in fields]
    return f"options: {', '.join(texts)}" if texts else "it takes no options"


def _spelled(field: str) -> str:
    """An option as a command line has it."""
    return field.replace("_", "-")


def _type_text(annotation: object) -> str:
    """A field's type as its class spells it."""
    return annotation if isinstance(annotation, str) else type_repr(annotation)
