"""Command-line specs, `name{option=value ...}`, turned into passes and targets.

xDSL has the syntax; the errors here name the place, the nearest name and the options.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
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

SpecT = TypeVar("SpecT", bound=ArgSpecConvertible)


def parse_pipeline(available: Mapping[str, Callable[[], type[ModulePass]]], text: str) -> tuple[ModulePass, ...]:
    """The passes that `a,b{option=1}` names, in order. Raises `MlcError`."""
    try:
        specs = tuple(arg_spec.parse_pipeline(text))
    except ArgSpecParseError as error:
        raise _syntax_error(error, "-p") from error
    return tuple(_instantiate("pass", available, spec) for spec in specs)


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
        names = ", ".join(available)
        hint = nearest(spec.name, available) or f"known: {names}"
        raise MlcError(f"unknown {kind} `{spec.name}`", None, hint)
    cls = available[spec.name]()
    known = {field.name: field for field in dataclasses.fields(cls) if field.init}
    for option in spec.normalize_parameter_names().parameters:
        if option not in known:
            hint = nearest(option, known) or _options_text(cls)
            raise MlcError(f"{kind} `{spec.name}` has no option `{option}`", None, hint)
    try:
        return cls.from_spec(spec)
    except ValueError as error:
        raise MlcError(f"{kind} `{spec.name}`: {error}", None, _options_text(cls)) from error


def _options_text(cls: type[ArgSpecConvertible]) -> str:
    """`options: name (type), ...`, or that there are none."""
    fields = [field for field in dataclasses.fields(cls) if field.init]
    texts = [f"{field.name} ({_type_text(field.type)})" for field in fields]
    return f"options: {', '.join(texts)}" if texts else "it takes no options"


def _type_text(annotation: object) -> str:
    """A field's type as its class spells it."""
    return annotation if isinstance(annotation, str) else type_repr(annotation)
