"""TVM's operator fusion over Relax: legalize, annotate patterns, fold constants, FuseOps.

Request: {"text": TVMScript, "edges": [[producer, consumer]], "max_depth": a number or null}. Checked with
apache-tvm 0.27.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from lowering.export.python_lines import op_of
from mlc_compiler.peers.worker import serve

PATTERNS = {
    0: "ElemWise",
    1: "Broadcast",
    2: "Injective",
    3: "CommReduce",
    4: "OutEWiseFusable",
    7: "Tuple",
    8: "Opaque",
}


@cache
def _tvm() -> Any:
    import_module("tvm.script")
    import_module("tvm.relax")
    return import_module("tvm")


def _passed(text: str, max_depth: int | None) -> tuple[Any, Any]:
    """The module before FuseOps, and after."""
    tvm = _tvm()
    passes = tvm.relax.transform
    settings = {"relax.FuseOps.max_depth": max_depth} if max_depth else {}
    with tvm.transform.PassContext(opt_level=3, config=settings):
        module = tvm.script.from_source(text)
        for step in (passes.LegalizeOps(), passes.AnnotateTIROpPattern(), passes.FoldConstant()):
            module = step(module)
        return module, passes.FuseOps()(module)


def _bindings(function: Any) -> list[Any]:
    return [binding for block in function.body.blocks for binding in block.bindings]


def _called(value: Any) -> str | None:
    """The kernel that a `call_tir` calls."""
    tvm = _tvm()
    is_call = isinstance(value, tvm.relax.Call) and isinstance(value.op, tvm.ir.Op)
    return value.args[0].name_hint if is_call and value.op.name.startswith("relax.call_tir") else None


def _pattern(module: Any, kernel: str | None) -> str:
    """The pattern kind of one kernel before fusion."""
    attributes = module[kernel].attrs if kernel is not None else None
    if attributes is None or "op_pattern" not in attributes:
        return "Opaque"
    return PATTERNS.get(int(attributes["op_pattern"]), "Opaque")


def _name(variable: Any) -> str:
    return getattr(variable, "name_hint", None) or variable.name


class _Names:
    """FuseOps renames what leaves a group: a value keeps its name by the kernel that made it, and of what."""

    def __init__(self, before: Any):
        self._known: dict[tuple[str, ...], list[str]] = {}
        self.of: dict[Any, Any] = {p: _name(p) for p in before.params}
        for binding in _bindings(before):
            self.of[binding.var] = _name(binding.var)
            self._known.setdefault(self._key(binding.value), []).append(_name(binding.var))

    def _key(self, value: Any) -> tuple[str, ...]:
        """A call by its kernel and its arguments' names."""
        arguments = value.args[1].fields if _called(value) is not None else getattr(value, "args", ())
        texts = [str(self.of[a]) if a in self.of else str(a) for a in arguments]
        return (_called(value) or str(getattr(value, "op", value)), *texts)

    def bind(self, variable: Any, value: Any) -> str:
        """The name of the call that `variable` is bound to."""
        known = self._known.get(self._key(value), [])
        name = known.pop(0) if len(known) > 1 else known[0] if known else _name(variable)
        self.of[variable] = name
        return name


def _kernels(module: Any, names: _Names) -> list[dict[str, Any]]:
    """The groups that `main` runs, in order."""
    relax, found = _tvm().relax, list[dict[str, Any]]()
    names.of.update({p: _name(p) for p in module["main"].params})
    for binding in _bindings(module["main"]):
        value = binding.value
        if isinstance(value, relax.TupleGetItem):
            names.of[binding.var] = names.of[value.tuple_value][value.index]
        elif not isinstance(value, relax.Call):
            names.of[binding.var] = names.of.get(value, _name(binding.var))
        elif isinstance(value.op, _tvm().ir.GlobalVar):
            found.append(_group(module, binding, names))
        else:
            kernel = _called(value)
            ops = {op_of(names.bind(binding.var, value)): _pattern(module, kernel)}
            code = module[kernel].script() if kernel is not None else str(value)
            found.append(_described(kernel or str(value.op), ops, code))
    return found


def _group(module: Any, binding: Any, names: _Names) -> dict[str, Any]:
    """A fused function: its parameters are its arguments, and what it returns is what `main` binds."""
    relax, function, ops = _tvm().relax, module[binding.value.op], dict[str, str]()
    names.of.update({p: names.of.get(a, str(a)) for p, a in zip(function.params, binding.value.args, strict=True)})
    for part in _bindings(function):
        if isinstance(part.value, relax.Call):
            ops[op_of(names.bind(part.var, part.value))] = _pattern(module, _called(part.value))
        else:
            fields = part.value.fields if isinstance(part.value, relax.Tuple) else ()
            names.of[part.var] = [names.of[f] for f in fields]
    names.of[binding.var] = names.of[function.body.body]
    return _described(binding.value.op.name_hint, ops, function.script())


def _described(name: str, ops: dict[str, str], code: str) -> dict[str, Any]:
    return {"name": name, "kind": _worst(list(ops.values())), "ops": list(ops), "patterns": ops, "code": code}


def _worst(patterns: list[str]) -> str:
    """The greatest pattern of a group, which is the group's own."""
    order = list(PATTERNS.values())
    return max(patterns, key=order.index)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Groups in order, each op with its pattern."""
    before, module = _passed(request["text"], request.get("max_depth"))
    found = _kernels(module, _Names(before["main"]))
    patterns = {op: pattern for kernel in found for op, pattern in kernel["patterns"].items()}
    home = {op: position for position, kernel in enumerate(found) for op in kernel["patterns"]}
    verdicts = [_verdict(p, c, patterns, home.get(p, -1) == home.get(c, -2)) for p, c in request["edges"]]
    program = module.script()
    return {"version": f"apache-tvm {_tvm().__version__}", "kernels": found, "verdicts": verdicts, "program": program}


def _verdict(producer: str, consumer: str, patterns: dict[str, str], fused: bool) -> dict[str, Any]:
    """The rule of the lattice that speaks of an edge."""
    first, second = patterns.get(producer, "Opaque"), patterns.get(consumer, "Opaque")
    if fused:
        rule = "every path to the post-dominator may be fused"
    elif "Opaque" in (first, second):
        rule = "an Opaque op is a kernel of its own"
    elif first == "CommReduce":
        rule = "nothing joins the group of a reduction behind it"
    elif first == "OutEWiseFusable" and second not in ("ElemWise", "Broadcast"):
        rule = "only ElemWise and Broadcast ops follow an OutEWiseFusable one"
    else:
        rule = "a path to the post-dominator may not be fused, or the group would be too deep"
    return {"producer": producer, "consumer": consumer, "why": f"FuseOps: {first} into {second}: {rule}"}


if __name__ == "__main__":
    serve(answer)
