"""Gives a kernel's Python source the meaning that Triton's compiler gives it.

Run as plain Python, `a and b` of two blocks is `b`, `not block` is False, the variable of a `range` loop is a Python
integer, and `x = 1` binds an integer. In a compiled kernel all of these are tensors. `rewritten` returns a function
with the compiled meaning; the original function and its globals stay as they are.
"""

import ast
import inspect
import operator
import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

import numpy as np
import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime.interpreter import TensorHandle

RUNTIME = "_interpreted"
"""The name under which the rewritten source reaches `Runtime`: a closure variable, so no global is touched."""
CACHE = "__interpreted__"


class Runtime:
    """What the rewritten source calls."""

    def __init__(self, semantic: TritonSemantic[Any]) -> None:
        self.semantic = semantic

    def assign(self, value: Any) -> Any:
        """x = value: numbers become scalar tensors."""
        return self.semantic.to_tensor(value, False)

    def truth(self, value: Any) -> bool:
        """The condition of a branch or a loop: a scalar, as the compiler demands."""
        if isinstance(value, tl.tensor) and value.shape:
            raise TypeError(f"a block of shape {list(value.shape)} is no condition: use tl.where, or reduce it first")
        return bool(value)

    def negate(self, value: Any) -> Any:
        """not value, elementwise on tensors."""
        return value.__not__() if isinstance(value, tl.tensor) else not value

    def all_of(self, *operands: Callable[[], Any]) -> Any:
        """a and b and ...: elementwise on tensors; a false Python value ends the evaluation."""
        return self._fold("logical_and", False, operands)

    def any_of(self, *operands: Callable[[], Any]) -> Any:
        """a or b or ...: elementwise on tensors; a true Python value ends the evaluation."""
        return self._fold("logical_or", True, operands)

    def _fold(self, method: str, decisive: bool, operands: tuple[Callable[[], Any], ...]) -> Any:
        result: Any = None
        value: Any = None
        for operand in operands:
            value = operand()
            if isinstance(value, tl.tensor):
                result = value if result is None else getattr(result, method)(value)
            elif bool(value) is decisive:
                return value
        return value if result is None else result

    def compare(self, first: Any, *links: tuple[Callable[[Any, Any], Any], Callable[[], Any]]) -> Any:
        """a < b < c: the conjunction of its links, each operand evaluated once."""

        def results() -> Iterator[Callable[[], Any]]:
            left = first
            for link, operand in links:
                right = operand()
                result = link(left, right)
                yield lambda result=result: result
                left = right

        return self.all_of(*results())

    def range(self, *bounds: Any, **options: Any) -> Iterator[Any]:
        """range(...) or tl.range(...): the variable is an i32 or i64 scalar, by the types of the bounds."""
        bounds += tuple(options[name] for name in ("arg2", "step") if name in options)
        scalars: list[Any] = [self.semantic.to_tensor(bound) for bound in bounds]
        dtype = max((scalar.dtype for scalar in scalars), key=lambda dtype: dtype.primitive_bitwidth)
        numpy_type = np.int64 if dtype.primitive_bitwidth == 64 else np.int32
        dtype = tl.int64 if dtype.primitive_bitwidth == 64 else tl.int32
        for index in range(*(int(scalar.handle.data.item()) for scalar in scalars)):
            yield tl.tensor(TensorHandle(np.array([index], numpy_type), dtype), dtype)

    @staticmethod
    def static_range(start: Any, stop: Any = None, step: Any = 1, **options: Any) -> Iterable[int]:
        """tl.static_range(...): the variable is a Python integer."""
        stop = options.get("arg2", stop)
        if stop is None:
            start, stop = 0, start
        return range(operator.index(start), operator.index(stop), operator.index(step))


def _thunk(body: ast.expr) -> ast.Lambda:
    """lambda: body"""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def _call(name: str, *arguments: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.Call:
    """_interpreted.name(arguments)"""
    callee = ast.Attribute(ast.Name(RUNTIME, ast.Load()), name, ast.Load())
    return ast.Call(callee, list(arguments), keywords or [])


class _Meaning(ast.NodeTransformer):
    """Python's operators that have no hook -> calls of `Runtime`."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """x = v  ->  x = assign(v)"""
        self.generic_visit(node)
        node.value = _call("assign", node.value)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """a and b  ->  all_of(lambda: a, lambda: b)"""
        self.generic_visit(node)
        return _call("all_of" if isinstance(node.op, ast.And) else "any_of", *map(_thunk, node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """not a  ->  negate(a)"""
        self.generic_visit(node)
        return _call("negate", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """a < b < c  ->  compare(a, (<, lambda: b), (<, lambda: c))"""
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        return _call("compare", node.left, *map(_link, node.ops, node.comparators))

    def visit_For(self, node: ast.For) -> ast.AST:
        """for i in range(...)  ->  for i in _interpreted.range(...)"""
        self.generic_visit(node)
        iterator = node.iter
        if isinstance(iterator, ast.Call) and isinstance(iterator.func, ast.Name) and iterator.func.id == "range":
            node.iter = _call("range", *iterator.args, keywords=iterator.keywords)
        return node

    def _visit_test(self, node: Any) -> ast.AST:
        """if test  ->  if truth(test)"""
        self.generic_visit(node)
        node.test = _call("truth", node.test)
        return node

    visit_If = visit_While = visit_IfExp = _visit_test


def _link(op: ast.cmpop, operand: ast.expr) -> ast.Tuple:
    """(lambda x, y: x op y, lambda: operand)"""
    names = ast.arguments([], [ast.arg("x"), ast.arg("y")], None, [], [], None, [])
    comparison = ast.Compare(ast.Name("x", ast.Load()), [op], [ast.Name("y", ast.Load())])
    return ast.Tuple([ast.Lambda(names, comparison), _thunk(operand)], ast.Load())


def _factory(function: FunctionType) -> ast.Module:
    """def make(_interpreted, *free variables): the rewritten function; return it"""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise TypeError(f"{function.__qualname__} is not a plain function: a kernel must be written with def")
    definition.decorator_list, definition.returns = [], None
    every = [*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs]
    for parameter in every:
        parameter.annotation = None
    definition.args.defaults = []
    definition.args.kw_defaults = [None] * len(definition.args.kwonlyargs)
    definition = _Meaning().visit(definition)
    names = [ast.arg(name) for name in (RUNTIME, *function.__code__.co_freevars)]
    give = ast.Return(ast.Name(function.__name__, ast.Load()))
    module = ast.parse("def make(): pass")  # with the fields that this version of Python gives a function
    (make,) = module.body
    assert isinstance(make, ast.FunctionDef)
    make.args.args, make.body = names, [definition, give]
    return ast.fix_missing_locations(module)


def rewritten(function: FunctionType, runtime: Runtime) -> Callable[..., Any]:
    """`function` with the compiled meaning; made once, then kept on the function itself.

    Raises OSError when the source is not on disk, TypeError when it is no `def`.
    """
    known = function.__dict__.get(CACHE)
    if known is not None:
        return known
    namespace: dict[str, Any] = {}
    code = compile(_factory(function), inspect.getsourcefile(function) or "<kernel>", "exec")
    exec(code, function.__globals__, namespace)
    free = [cell.cell_contents for cell in function.__closure__ or ()]
    made = namespace["make"](runtime, *free)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    function.__dict__[CACHE] = made
    return made
