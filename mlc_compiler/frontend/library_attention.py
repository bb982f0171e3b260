"""Attention that PyTorch's own kernel computes, with its gradients, where a program spells it out.

    o = softmax(q @ k.T * c) @ v, and what autograd made of it     ->     PyTorch's fused attention and its backward

The passes know such attention in any forward: what leads from the operands of the products to o is imported and
simplified, which leaves one call of the library, or does not. Gradients need not be looked at. They are those of the
function: autograd gives them anew, for the call.

Dropout between the products has numbers that nothing else is made of, so that any others do. The kernel draws its own,
and its backward draws the same from the seed and the offset that it gave: those are kept, as all that is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg
from xdsl.dialects.builtin import ModuleOp

from lowering.export.aten import aten_source
from lowering.fx_to_tensor import import_graph
from mlc_compiler.frontend.aten_graph import graph_module
from mlc_compiler.frontend.pointwise import TURNED, VIEWS
from mlc_compiler.frontend.random_graph import draw_anew, drop_unread_seeds, own_draws
from mlc_compiler.frontend.scores import PRODUCTS, REDUCTIONS, Scores, behind_tangents, scores_of, size_of, turned
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.ops import MatmulOp
from mlc_support.errors import MlcError
from mlc_support.walks import meets, walk
from passes.tensor.attention_call import CALLEE

Simplify = Callable[[ModuleOp], ModuleOp]
"""The passes before fusion, which call the library where it has a kernel."""


@dataclass(frozen=True)
class Spelled:
    """Attention in a joint graph: result = f(lhs @ rhs) @ values, and the products that give gradients."""

    result: Node
    operands: tuple[Node, Node, Node]
    """lhs, rhs and values."""
    upstream: Node
    """The gradient of the result."""
    gradients: dict[Node, int]
    """The operand, by its place, of which a node is the gradient; of those that need none there is no node."""


def call_attention(graph: Graph, simplify: Simplify) -> None:
    """Replaces what PyTorch's attention computes, forward and backward."""
    backward, known = behind_tangents(graph), dict[str, GraphModule | None]()
    for node in [n for n in graph.nodes if n.target in PRODUCTS and n not in backward]:
        found = scores_of(node) if node.users else None
        spelled = None if found is None else _spelled(found, backward)
        if found is None or spelled is None:
            continue
        inputs, forward = _forward(graph, spelled, {*found.nodes, *found.readers} - backward)
        key = f"{_text(forward.graph)} {_form(spelled.upstream)}"
        if key not in known:
            known[key] = _with_gradients(forward, inputs, spelled, simplify)
        new = known[key]
        if new is not None:
            _splice(graph, new, spelled, inputs)
            _erase(graph, found)
            backward = behind_tangents(graph)
    drop_unread_seeds(graph)


def _text(graph: Graph) -> str:
    """What a graph computes, whatever its nodes are called: the same for equal layers."""
    names = {node: f"%{k}" for k, node in enumerate(graph.nodes)}
    lines = [f"{n.target} {map_arg((n.args, n.kwargs), names.__getitem__)} {_form(n)}" for n in graph.nodes]
    return "\n".join(line if n.op != "placeholder" else _form(n) for n, line in zip(graph.nodes, lines, strict=True))


def _form(node: Node) -> str:
    """The type of a tensor, and how it lies in memory; empty for what is none."""
    value = node.meta.get("val")
    tensor = isinstance(value, torch.Tensor)
    return f"{value.dtype} {[*value.shape]} {[*value.stride()]} {value.device}" if tensor else ""


def _spelled(found: Scores, backward: set[Node]) -> Spelled | None:
    """The products that read the scores, each for what it is; None where one of them is something else."""
    products = [n for n in found.readers if n.target in PRODUCTS]
    forward = [n for n in products if n not in backward]
    if len(forward) != 1 or forward[0].args[0] not in found.nodes:
        return None
    (result,) = forward
    lhs, rhs, weights, values = (n for n in (*found.first.args, *result.args) if isinstance(n, Node))
    gradients: dict[Node, int] = {}
    for node in products:
        left, right = node.args
        if turned(right) is rhs:
            gradients[node] = 0
        elif turned(left) is lhs:
            gradients[node] = 1
        elif turned(left) is weights:
            gradients[node] = 2
        elif node is not result:
            return None
    upstream = {_upstream(n, values, weights) for n in (*found.nodes, *products) if n in backward} - {None}
    sums = [n for n in found.readers if n.target in REDUCTIONS]
    if len(upstream) != 1 or not gradients or len({lhs, rhs, values}) < 3 or not all(_stays(n, found) for n in sums):
        return None
    return Spelled(result, (lhs, rhs, values), upstream.pop(), gradients)  # pyright: ignore[reportArgumentType]


def _upstream(node: Node, values: Node, weights: Node) -> Node | None:
    """The gradient of the result, which products make gradients of weights and values of; None for another node."""
    left, right = node.args[:2] if node.target in PRODUCTS else (None, None)
    if turned(right) is values:
        return left  # pyright: ignore[reportReturnType]
    return right if turned(left) is weights else None  # pyright: ignore[reportReturnType]


def _stays(reduction: Node, found: Scores) -> bool:
    """True if a number of a row is read by scores and their gradients alone: no other gradient comes through it."""
    return not meets(reduction, lambda n: n.op == "output" or (n not in found.nodes and n.users))


def _views(node: Node) -> list[Node]:
    """What `node` is a view of, with as many elements, and the views from there to it."""
    chain = [node]
    while chain[0].target in (*VIEWS, *TURNED) and size_of(chain[0]) == size_of(chain[0].all_input_nodes[0]):
        chain.insert(0, chain[0].all_input_nodes[0])
    return chain


def _forward(graph: Graph, spelled: Spelled, members: set[Node]) -> tuple[list[Node], GraphModule]:
    """The graph to the result from what the operands are views of, and from what else it reads in the joint graph.

    Masks of numbers are inside, and so are draws that nothing else is made of. The operands of products have one
    dimension for all that is a batch; their sources may have several, as what stands between the products has.
    """
    copy, copies, inputs = Graph(), dict[Node, Node](), list[Node]()

    def give(node: Node) -> Node:
        inputs.append(node)
        given = copy.placeholder(f"{node.name}_{len(inputs)}")
        given.meta = dict(node.meta)
        return given

    for operand in spelled.operands:
        source, *views = _views(operand)
        current = give(source)
        for view in views:
            current = copy.node_copy(view, partial(_given, current))
        copies[operand] = current
    needed, inside = _needed(spelled, members)
    for node in [n for n in graph.nodes if n in needed and n not in inside and n not in copies]:
        copies[node] = give(node)
    for node in [n for n in graph.nodes if n in inside]:
        copies[node] = copy.node_copy(node, copies.__getitem__)
    for node in own_draws(graph, inside):
        draw_anew(copies[node])
    copy.output((_in_batches(copy, copies[spelled.result], spelled.result),))
    return inputs, GraphModule(torch.nn.Module(), copy)


def _given(current: Node, _: Node) -> Node:
    """What a copied view looks at."""
    return current


def _in_batches(copy: Graph, result: Node, of: Node) -> Node:
    """The result with as many dimensions for its batch as the weights had before they became a factor."""
    weights: Any = of.args[0]
    value, before = of.meta["val"], _views(weights)[0].meta["val"].shape
    shape = [*before[:-2], *value.shape[-2:]]
    if before[-2:] != weights.meta["val"].shape[-2:] or prod(shape) != value.numel():
        return result
    viewed = copy.call_function(torch.ops.aten.view.default, (result, shape))
    viewed.meta = {**of.meta, "val": value.view(shape)}
    return viewed


def _needed(spelled: Spelled, members: set[Node]) -> tuple[set[Node], set[Node]]:
    """What the result is computed from, up to the operands and to tensors that are no scores; what of it is inside."""
    found: set[Node] = set()
    inside: set[Node] = set()
    work = [spelled.result]
    while work:
        node = work.pop()
        if node in found:
            continue
        found.add(node)
        if node not in spelled.operands and (node in members or _is_free(node)):
            inside.add(node)
            work += node.all_input_nodes
    return found, inside


def _is_free(node: Node) -> bool:
    """True for what is computed of numbers alone, as masks are."""
    return not meets(node, lambda n: n.op != "call_function" or _is_drawn(n) or n.all_input_nodes)


def _is_drawn(node: Node) -> bool:
    """True for random numbers."""
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _with_gradients(
    forward: GraphModule, inputs: Sequence[Node], spelled: Spelled, simplify: Simplify
) -> GraphModule | None:
    """The result and the gradients of the operands as a graph of what is given, and of the result's gradient.

    None where PyTorch has no kernel for it, on that device, and would multiply matrices itself.
    """
    try:
        module = simplify(import_graph(forward, "attention").module)
        source = aten_source(module, attention_draws=True)
    except MlcError:
        return None
    calls = [op for op in walk(module) if isinstance(op, ExternOp | MatmulOp)]
    if len(calls) != 1 or not isinstance(calls[0], ExternOp) or calls[0].callee.data != CALLEE:
        return None
    function = graph_module(source, str(spelled.result.meta["val"].device))
    chains = [_views(n) for n in spelled.operands]

    def step(upstream: torch.Tensor, *given: torch.Tensor) -> list[torch.Tensor]:
        leaves = [x.detach().requires_grad_() for x in given[: len(chains)]]
        with torch.enable_grad():
            result = function(*leaves, *given[len(chains) :])[0].reshape(upstream.shape)
            found = torch.autograd.grad(result, leaves, upstream)
        return [result, *(_viewed(x, views) for x, (_, *views) in zip(found, chains, strict=True))]

    values = [n.meta["val"] for n in (spelled.upstream, *inputs)]
    try:
        with values[0].fake_mode:
            found = make_fx(step)(*values)
    except RuntimeError:  # what PyTorch cannot trace
        return None
    return None if any(n.target in PRODUCTS for n in found.graph.nodes) else found


def _viewed(x: torch.Tensor, views: Sequence[Node]) -> torch.Tensor:
    """`x` as `views` show it, one after the other: each only gives its elements other places."""
    for view in views:
        x = view.target(x, *view.args[1:]) if view.target in TURNED else x.reshape(view.meta["val"].shape)  # pyright: ignore
    return x


def _splice(graph: Graph, new: GraphModule, spelled: Spelled, inputs: Sequence[Node]) -> None:
    """Puts `new` in: what needs no gradient before the result, the rest before the first gradient."""
    upstream, *given = new.graph.find_nodes(op="placeholder")
    copies = {upstream: spelled.upstream, **dict(zip(given, inputs, strict=True))}
    later = {upstream}
    first = next(n for n in graph.nodes if n in spelled.gradients)
    outputs: Any = ()
    for node in new.graph.nodes:
        if node.op == "output":
            outputs = node.args[0]
        elif node.op != "placeholder":
            if any(n in later for n in node.all_input_nodes):
                later.add(node)
            with graph.inserting_before(first if node in later else spelled.result):
                copies[node] = graph.node_copy(node, copies.__getitem__)
    result, *gradients = (copies[n] for n in outputs)
    spelled.result.replace_all_uses_with(result)
    for node, place in spelled.gradients.items():
        node.replace_all_uses_with(gradients[place])


def _erase(graph: Graph, found: Scores) -> None:
    """Removes what nobody reads any more."""
    for node in reversed([n for n in graph.nodes if n in found.nodes or n in found.readers]):
        if not node.users:
            graph.erase_node(node)
