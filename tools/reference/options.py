"""The page of options: of `torch.compile`, of the tools, of the environment; targets, policies and devices."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields

from mlc_compiler.options import CompilerOptions
from mlc_support.field_docs import field_docs
from passes.common.device import DEVICES, Device
from passes.tensor.fusion.plan import EMULATED
from passes.tensor.fusion.policy import POLICIES
from tools.help import own_text
from tools.options import MLC_OPT, MLC_TRANSLATE, Option
from tools.reference.markdown import literal, page, prose, table
from tools.universe import TARGETS, load

ENVIRONMENT = {
    "MLC_CPU": "`native` or `interpret`: how kernels run on the CPU, where the option `cpu` does not say",
    "MLC_CACHE_DIR": "the folder of generated sources, object code and tuned schedules",
    "MLC_CACHE_PROGRAMS": "`0`: whole programs are not kept on disk, and each process runs the passes again",
    "MLC_LOG": "`fusion,schedule,kernels,cache` or `all`: what is said of compilations, in your lines",
    "MLC_NAMESPACES": "`a,b`: namespaces of operators that files of IR may call, beside PyTorch's own",
}


def options_page() -> str:
    """Everything that can be chosen."""
    return page(
        "# Options",
        "## torch.compile",
        '`torch.compile(model, backend="mlc", options={"policy": "none"})`. `CompilerOptions` has these fields.',
        table(("option", "default", "meaning"), _compiler_options()),
        "## Environment",
        table(("variable", "meaning"), ((literal(name), text) for name, text in ENVIRONMENT.items())),
        "## mlc-opt",
        *(part for topic, group in MLC_OPT.items() for part in (f"### {topic.capitalize()}", _table(group))),
        "## mlc-translate",
        _table(MLC_TRANSLATE),
        "## Targets",
        "`mlc-opt -t NAME` and `mlc-translate --to NAME` write them.",
        table(("target", "is"), ((literal(name), prose(_first(load(path)))) for name, path in TARGETS.items())),
        "## Fusion policies",
        "`-p fuse{policy=NAME}`, `mlc-compare --policies NAME,...`; [write your own](../write/policy.md).",
        table(("policy", "is"), _policies()),
        "## Devices",
        "`--device NAME`, `schedule{device=NAME}`. Passes decide by these figures, and by no others.",
        table(("figure", *map(literal, DEVICES)), _devices()),
        "What the figures are:",
        table(("figure", "is"), ((literal(name), prose(text)) for name, text in field_docs(Device))),
    )


def _compiler_options() -> Iterator[Sequence[str]]:
    told = dict(field_docs(CompilerOptions))
    for field in fields(CompilerOptions):
        default = "" if field.default is MISSING else literal(repr(field.default))
        yield literal(field.name), default, prose(told[field.name])


def _table(group: Sequence[Option]) -> str:
    return table(("option", "meaning"), ((literal(option.spelled()), prose(option.help)) for option in group))


def _first(cls: type) -> str:
    return own_text(cls).partition("\n\n")[0]


def _policies() -> Iterator[Sequence[str]]:
    for name, policy in POLICIES.items():
        yield literal(name), prose(_first(policy))
    for name in EMULATED:
        close = "[how close they come](../compare.md#emulated-beside-real)"
        yield literal(name), f"The rules of {name}, emulated: {close}."


def _devices() -> Iterator[Sequence[str]]:
    for field in fields(Device):
        values = [getattr(device, field.name) for device in DEVICES.values()]
        if field.name not in ("provenance", "tensor_flops", "features"):
            yield literal(field.name), *(prose(_figure(value)) for value in values)


def _figure(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else inspect.cleandoc(str(value))
