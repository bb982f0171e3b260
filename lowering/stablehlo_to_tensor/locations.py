"""The locations of a StableHLO text: `as_text(debug_info=True)` of jax says which line of Python each op comes from.

It says so by names that stand at the end of the text, in forms that xDSL does not read. They are put in their places:

    %0 = stablehlo.sine %x : tensor<3xf32> loc(#loc9)       becomes    ... loc("model.py":4:8)
    #loc2 = loc("model.py":4:8 to :18)                      becomes an empty line, so that others keep their number
    #loc9 = loc("jit(f)/sin"(callsite(#loc2 at #loc3)))
"""

from __future__ import annotations

import json
import linecache
import re
from collections.abc import Mapping

_NAMED = re.compile(r"^(#loc\d*) = loc\((.*)\)$", re.MULTILINE)
_USED = re.compile(r" loc\((#loc\d*)\)")
_OF_ARGUMENT = re.compile(r"(%[\w$.]+: tensor<[^>]*>) loc\((?:[^()]|\([^()]*\))*\)")
_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_REFERENCE = re.compile(r"#loc\d*")


_DEEPEST = 100


def with_plain_locations(text: str, sources: bool = False) -> str:
    """`text` with the location of each op as its innermost line of Python, where it has one.

    With `sources` the files that it names are opened, for what stands on those lines.
    """
    named: dict[str, str] = dict(_NAMED.findall(text))
    if not named:
        return text
    plain = {name: _plain(name, named, sources) for name in named}
    text = _NAMED.sub("", text)
    text = _USED.sub(lambda used: plain.get(used[1], ""), text)
    return _OF_ARGUMENT.sub(r"\1", text)


def _plain(name: str, named: Mapping[str, str], sources: bool, depth: int = 0) -> str:
    """The location called `name`, as xDSL reads it: the first file that it, or one it is made of, tells."""
    body = named.get(name, "")
    if file := _FILE.search(body):
        place = file[0]
        source = linecache.getline(file[1], int(file[2])).strip() if sources else ""
        return f" loc({json.dumps(source, ensure_ascii=False)}({place}))" if source else f" loc({place})"
    for reference in _REFERENCE.findall(body) if depth < _DEEPEST else ():
        if found := _plain(reference, named, sources, depth + 1):
            return found
    return ""
