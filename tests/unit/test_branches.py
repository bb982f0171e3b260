"""No function in `passes/` has more branch points than a reader can keep in mind.

Each of these is a branch point: an `if` or `elif`, a conditional expression, a `for`, a `while`, an `except`, each
operand of `and` or `or` beyond the first, each `for` and each `if` of a comprehension, each `case` of a `match`.
Those of functions inside a function count for both.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PASSES = Path(__file__).parents[2] / "passes"
MOST = 12

Function = ast.FunctionDef | ast.AsyncFunctionDef


def own_points(node: ast.AST) -> int:
    """The branch points that `node` itself is."""
    match node:
        case ast.If() | ast.IfExp() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler() | ast.match_case():
            return 1
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case _:
            return 0


def functions(source: str) -> Iterator[tuple[Function, int]]:
    """Each function of a file, and its branch points."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            yield node, sum(map(own_points, ast.walk(node)))


def files() -> list[Path]:
    return sorted(PASSES.rglob("*.py"))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(PASSES).as_posix())
def test_functions_have_few_branch_points(path: Path) -> None:
    found = [(function, points) for function, points in functions(path.read_text()) if points > MOST]
    many = [f"{path}:{function.lineno} {function.name} has {points}" for function, points in found]
    assert not many, f"more than {MOST} branch points:\n" + "\n".join(many)


@pytest.mark.parametrize(
    ("body", "points"),
    [
        ("return x", 0),
        ("if x: return 1", 1),
        ("if x: return 1\n    elif y: return 2\n    else: return 3", 2),
        ("return 1 if x else 2", 1),
        ("for a in x: pass\n    else: pass", 1),
        ("while x: pass", 1),
        ("try: f()\n    except A: pass\n    except B: pass\n    finally: pass", 2),
        ("return x and y and not z", 2),
        ("return x and (y or z)", 2),
        ("return [a for b in x for a in b if a if b]", 4),
        ("return {a: b for a, b in x}, {a for a in x}, any(a for a in x)", 3),
        ("match x:\n        case 1: pass\n        case _ if y: pass", 2),
        ("def inner():\n        if x: pass\n    return lambda: 1 if y else 2", 2),
        ("assert x\n    with x: pass", 0),
    ],
)
def test_counts_branch_points(body: str, points: int) -> None:
    """Each kind of branch point counts, and nothing else does."""
    counted = {function.name: found for function, found in functions(f"def f(x, y, z):\n    {body}\n")}
    assert counted["f"] == points
