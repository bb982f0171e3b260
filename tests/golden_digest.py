"""The digest of golden kernels: of each case a hash of its source, its launches, and the resources of its kernels."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

import triton
from xdsl.dialects.builtin import ModuleOp

from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernels.aot import Request, compile_kernel, machine_code
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_dialects.loop.host import LaunchOp
from mlc_dialects.triton.dialect import KernelOp

COMMENT = re.compile(r"  # .*$", re.MULTILINE)
ACCESS = re.compile(r"\b(ld|st)((?:[.:]+\w+)+)")
COPY = re.compile(r"\bcp\.async[\w.:]*\.global[^;]*?\], (?:0x)?(\d+)")
"""An asynchronous copy to shared memory, and how many bytes it is of, in hexadecimal digits."""
VECTOR = re.compile(r"\.v(\d)\b")
ELEMENT = re.compile(r"\.[bfsu](\d+)$")
Usage = dict[str, int]
"""The resources of a kernel by name."""


@dataclass(frozen=True)
class Entry:
    """What is known of a case."""

    source: str
    """Hash of its host program and kernels without comments, and of the types of the kernels' parameters."""
    launches: int
    kernels: dict[str, Usage]


@dataclass(frozen=True)
class Table:
    """The entries by case, and the Triton that compiled the kernels."""

    triton: str
    cases: Mapping[str, Entry]

    @staticmethod
    def read(path: Path) -> Table:
        """The table of a file, empty where there is none."""
        if not path.exists():
            return Table(triton.__version__, {})
        data = json.loads(path.read_text())
        return Table(data["triton"], {case: Entry(**entry) for case, entry in data["cases"].items()})

    def write(self, path: Path) -> None:
        """One line a case, sorted."""
        lines = (f"  {json.dumps(case)}: {json.dumps(asdict(entry))}" for case, entry in sorted(self.cases.items()))
        path.write_text(f'{{"triton": "{self.triton}", "cases": {{\n' + ",\n".join(lines) + "\n}}\n")


def kernels(module: ModuleOp) -> list[KernelOp]:
    """The kernels of a lowered module."""
    return [op for op in module.ops if isinstance(op, KernelOp)]


def source_hash(module: ModuleOp, source: str) -> str:
    """Of all that decides what is compiled and launched; the reasons in comments do not."""
    parameters = [[str(argument.type) for argument in kernel.body.block.args] for kernel in kernels(module)]
    return hashlib.sha256(repr((COMMENT.sub("", source), parameters)).encode()).hexdigest()[:12]


def without_usage(module: ModuleOp, source: str) -> Entry:
    """The entry of a case as far as no compiler of Triton's is needed."""
    launches = sum(isinstance(op, LaunchOp) for op in module.walk())
    return Entry(source_hash(module, source), launches, {kernel.sym_name.data: {} for kernel in kernels(module)})


def requests(module: ModuleOp) -> list[Request]:
    """What to compile for a case."""
    return list(kernel_requests(module, write_source(module_source(module))))


def widest(ptx: str, kind: str) -> int:
    """Bits of the widest access of a thread to global memory; `kind` is "ld" or "st"."""
    found = [0]
    for name, suffixes in ACCESS.findall(ptx):
        element, vector = ELEMENT.search(suffixes), VECTOR.search(suffixes)
        if name == kind and ".global" in suffixes and element:
            found.append(int(element[1]) * (int(vector[1]) if vector else 1))
    if kind == "ld":
        found += [8 * int(size, 16) for size in COPY.findall(ptx)]
    return max(found)


def usage(request: Request) -> Usage:
    """What the compiled kernel uses of an H200. Raises CompileError."""
    used = compile_kernel(request)
    ptx = machine_code(request).asm["ptx"]
    return {
        "warps": used.warps,
        "registers": used.registers,
        "spill_bytes": used.spill_bytes,
        "shared_bytes": used.shared_bytes,
        "load_bits": widest(ptx, "ld"),
        "store_bits": widest(ptx, "st"),
        "vector_loads": used.vector_loads,
        "instructions": used.instructions,
    }


def measured(wanted: Sequence[Request]) -> Iterator[Usage]:
    """Compiles in fresh processes, one for each CPU."""
    if wanted:
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
            for done, used in enumerate(pool.map(usage, wanted), start=1):
                yield used
                if done % 16 == 0 or done == len(wanted):
                    print(f"{done} of {len(wanted)} kernels compiled", flush=True)


def refreshed(cases: Mapping[str, tuple[ModuleOp, str]], known: Table) -> Table:
    """The table of modules and their sources; what `known` has of the same source and Triton is not compiled again."""
    found = {case: without_usage(module, source) for case, (module, source) in cases.items()}
    same_triton = known.triton == triton.__version__
    kept = {
        case: known.cases[case]
        for case, entry in found.items()
        if same_triton and case in known.cases and known.cases[case].source == entry.source
    }
    wanted = {case: requests(module) for case, (module, _) in cases.items() if case not in kept}
    print(f"{len(wanted)} of {len(cases)} cases to compile", flush=True)
    results = measured([request for of_case in wanted.values() for request in of_case])
    for case, of_case in wanted.items():
        used = {request.kernel: next(results) for request in of_case}
        kept[case] = Entry(found[case].source, found[case].launches, used)
    return Table(triton.__version__, kept)


def changes(old: Table, new: Table) -> list[str]:
    """A line for each case that came, went or changed, with the resources before and after."""
    lines = [] if old.triton == new.triton else [f"Triton {old.triton} -> {new.triton}"]
    for case in sorted({*old.cases, *new.cases}):
        if case not in new.cases or case not in old.cases:
            lines.append(f"{case}: {'new' if case in new.cases else 'gone'}")
        elif old.cases[case] != new.cases[case]:
            lines.append(f"{case}: {', '.join(differences(old.cases[case], new.cases[case])) or 'source alone'}")
    return lines


def differences(old: Entry, new: Entry) -> Iterator[str]:
    """What two entries of a case differ in beside the hash."""
    if old.launches != new.launches:
        yield f"launches {old.launches} -> {new.launches}"
    for kernel in dict.fromkeys((*old.kernels, *new.kernels)):
        before, after = old.kernels.get(kernel), new.kernels.get(kernel)
        if before is None or after is None:
            yield f"{kernel} {'gone' if after is None else 'new'}"
        else:
            changed = [f"{key} {before.get(key)} -> {after.get(key)}" for key in after if before.get(key) != after[key]]
            yield from [f"{kernel}: {' '.join(changed)}"] if changed else []
