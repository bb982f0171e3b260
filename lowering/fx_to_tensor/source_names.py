"""Where a node comes from in the user's program, and what to call its value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import torch
from torch.fx import Node
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, NameLoc, StringAttr, UnknownLoc

_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+), in .*$')
_ASSIGNMENT = re.compile(r"^\s*(?P<name>[A-Za-z_]\w*)\s*(?::[^=]+)?[-+*/@|&^]?=(?!=)")
_TORCH = str(Path(torch.__file__).parent)
_HERE = str(Path(__file__).parent)
_PREFIXES = re.compile(r"^(?:L_(?:[a-z]+?_modules_|self_|args_|kwargs_)?|p_|b_|c_lifted_tensor_|fn_self_)")


@dataclass(frozen=True)
class Frame:
    """A line of the user's program and its text, which is empty where unknown."""

    file: str
    line: int
    text: str

    @property
    def location(self) -> LocationAttr:
        place = FileLineColLoc(StringAttr(self.file), IntAttr(self.line), IntAttr(0))
        return NameLoc(StringAttr(self.text), place) if self.text else place

    @property
    def target(self) -> str | None:
        """The name that the line assigns, if it assigns one."""
        found = _ASSIGNMENT.match(self.text)
        return found["name"] if found else None


def frame_of(node: Node) -> Frame | None:
    """The innermost frame of the node's stack trace that is not inside torch."""
    frames = _frames(node.meta.get("stack_trace") or "")
    users = [f for f in frames if not is_internal(f.file)]
    return users[-1] if users else None


def is_internal(file: str) -> bool:
    """True for files of torch and of this importer: never the user's program."""
    return file.startswith((_TORCH, "torch/", _HERE))


def location_of_frame(frame: Frame | None) -> LocationAttr:
    return UnknownLoc() if frame is None else frame.location


def value_names(nodes: Sequence[Node]) -> dict[Node, str]:
    """A name for the value of each node: FX's, or the user's where a line assigns it.

    The last node of a run of nodes that come from one line has the assigned name. Nodes of
    a backward pass carry the lines of the forward one, and keep FX's names.
    """
    names = {node: identifier(node.name) for node in nodes}
    computing = [n for n in nodes if n.op == "call_function" and isinstance(n.meta.get("val"), torch.Tensor)]
    for node, following in zip_longest(computing, computing[1:]):
        frame = None if _is_backward(node) else frame_of(node)
        ends = following is None or frame_of(following) != frame
        if ends and frame is not None and frame.target is not None:
            names[node] = frame.target
    return names


def input_name(node: Node) -> str:
    """The user's name of a placeholder: L_x_ is x, L_self_parameters_weight_ is weight."""
    name = str(node.target)
    stripped = _PREFIXES.sub("", name)
    if name.startswith("L_"):
        stripped = re.sub(r"_+(?:modules|parameters|buffers)_+", "_", f"_{stripped}")
    stripped = re.sub("__+", "_", stripped).strip("_")
    return identifier(stripped or name)


def identifier(text: str) -> str:
    """`text` as a Python identifier that is a valid suffix of an SSA name too."""
    cleaned = re.sub(r"\W", "_", text, flags=re.ASCII)
    return cleaned if cleaned and not cleaned[0].isdigit() else f"v{cleaned}"


def unique(names: Iterable[str]) -> list[str]:
    """The names, a number added to each that came before."""
    seen: set[str] = set()
    result: list[str] = []
    for name in names:
        candidate, count = name, 1
        while candidate in seen:
            candidate, count = f"{name}_{count}", count + 1
        seen.add(candidate)
        result.append(candidate)
    return result


def _frames(trace: str) -> list[Frame]:
    frames: list[Frame] = []
    lines = trace.splitlines()
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        found = _FRAME.match(line)
        if found:
            text = "" if _FRAME.match(following) else following.strip()
            frames.append(Frame(found["file"], int(found["line"]), text))
    return frames


def _is_backward(node: Node) -> bool:
    return node.meta.get("partitioner_tag") == "is_backward" or bool(node.meta.get("autograd_backward"))
