"""The page of the passes, in the order of the compiler: what each does, its options, its rules, an example."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from mlc_support.rewriting import Rule, RulePass
from tools.help import PassOption, documentation, of_level, options_of, own_text
from tools.pass_examples import example_of
from tools.reference.markdown import code, literal, page, prose, table
from tools.stages import Stages
from tools.universe import LEVELS, STAGES, all_passes

TITLES = {
    "tensor": "On tensors",
    "loop": "On loops",
    "cpu": "On loops, for CPUs",
    "triton": "On Triton kernels",
    "any": "On any level",
}


def passes_page() -> str:
    """Every pass of mlc, and its stages."""
    return page(
        "# Passes",
        "`mlc-opt FILE -p 'a,b{option=value}'` runs passes in order. Stages run many. `mlc-opt --help-pass NAME` "
        "prints what stands here, for passes of plug-ins as well.",
        "## Stages",
        table(("stage", "passes"), (_stage(name) for name in STAGES)),
        *(part for level in LEVELS for part in _level(level)),
    )


def _stage(name: str) -> tuple[str, str]:
    before = ", ".join(f"{literal(stage)}, then" for stage in STAGES[name][-1:])
    steps = ", ".join(literal(step.name) for step in Stages().passes((name,)))
    return literal(name), f"{before} {steps}"


def _level(level: str) -> Iterator[str]:
    yield f"## {TITLES[level]}"
    yield from (_pass(name) for name in of_level(level))


def _pass(name: str) -> str:
    cls = all_passes()[name]()
    text = documentation(name).partition(": ")[2]
    own = own_text(cls)
    more = prose(own) if own and own not in text else ""
    title = f"### `{name}`"
    return page(title, prose(text[:1].upper() + text[1:]), more, options(options_of(cls)), _rules(name), _example(name))


def options(found: list[PassOption]) -> str:
    """A table of options; what has no default must be given."""
    rows = ((literal(o.name), literal(o.type), literal(o.default or "") or "(needed)", prose(o.text)) for o in found)
    return table(("option", "type", "default", "meaning"), rows)


def _rules(name: str) -> str:
    """The rules of a pass that none before it has, in the order in which they are tried, and who has the others."""
    owners = _owners()
    own = [rule for rule in _rules_of(name) if owners[rule.name] == name]
    others = dict.fromkeys(owners[rule.name] for rule in _rules_of(name) if owners[rule.name] != name)
    rows = ((literal(rule.name), prose(rule.identity) + (" (inexact)" if rule.inexact else "")) for rule in own)
    also = f"Also rules of {', '.join(map(literal, others))}." if others else ""
    return page(table(("rule", "identity"), rows), also)


@cache
def _owners() -> dict[str, str]:
    """The first pass that has a rule, by the name of the rule."""
    passes = [name for level in LEVELS for name in of_level(level)]
    return {rule.name: name for name in reversed(passes) for rule in _rules_of(name)}


def _rules_of(name: str) -> tuple[Rule, ...]:
    """The rules of a pass, those of `fast-math` among them; none if it is made of something else."""
    cls = all_passes()[name]()
    if not issubclass(cls, RulePass):
        return ()
    fast = {"fast_math": True} if "fast-math" in [option.name for option in options_of(cls)] else {}
    return cls(**fast).rules()


def _example(name: str) -> str:
    found = example_of(name)
    if found is None:
        return ""
    return page(f"Before, in `{found.file}`:", code(found.before), f"After `-p '{found.step}'`:", code(found.after))
