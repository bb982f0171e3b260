"""A whole module that a command line names, and what it is called with."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from mlc_compiler.compare.comparison import Graph
from mlc_compiler.compare.model import graphs_of
from mlc_support.errors import MlcError
from tools.mlc_translate import in_user_code, load_target, parse_arguments

FORM = "give FILE.py:NAME of a function that returns a module and its inputs, or of an nn.Module with --args"


def load_model(spec: str, args: str, train: bool) -> list[Graph]:
    """The graphs of a model: forward, or with `train` forward and backward.

    `FILE.py:NAME` is a function without arguments that returns `(module, inputs)`, the inputs being a tuple, a
    dictionary by keyword, or one tensor; or it is an nn.Module, instance or class, and `args` has the types of inputs.
    """
    target = load_target(spec)
    if isinstance(target, nn.Module):
        module, inputs = target, _examples(args)
    else:
        if args:
            raise MlcError("--args has types for a module, and a function has its own inputs", None, FORM)
        module, inputs = _checked(spec, in_user_code(target, f"{spec} failed") if _is_builder(target) else None)
    return in_user_code(lambda: graphs_of(module, inputs, train), "tracing failed")


def _examples(args: str) -> list[torch.Tensor]:
    """Tensors of the types that --args has."""
    arguments = parse_arguments(args)
    if named := [name for a in arguments for name in a.names.values()]:
        raise MlcError(f"--args: {named[0]} is no number", None, "a model is compared at sizes that are numbers")
    return [argument.example({}) for argument in arguments]


def _is_builder(target: Any) -> bool:
    """True for a function that can be called without arguments."""
    parameters = inspect.signature(target).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _checked(spec: str, built: Any) -> tuple[nn.Module, Sequence[Any] | Mapping[str, Any]]:
    """What the function returned. MlcError says what else it should be."""
    if not (isinstance(built, tuple) and len(built) == 2 and isinstance(built[0], nn.Module)):
        what = "takes arguments" if built is None else f"returned a {type(built).__name__}"
        raise MlcError(f"{spec} {what}", None, FORM)
    module, inputs = built
    if isinstance(inputs, torch.Tensor):
        return module, (inputs,)
    if not isinstance(inputs, tuple | list | Mapping):
        raise MlcError(f"{spec} returned inputs that are a {type(inputs).__name__}", None, FORM)
    return module, inputs
