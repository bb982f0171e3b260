"""Programs that a compiler takes only in part: what is cut, the pieces between, and one record of all."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from lowering.export.formulas import open_call
from lowering.export.relax import relax_source
from lowering.export.stablehlo import stablehlo_text
from lowering.interpreter.run import find_function, run
from mlc_compiler.peers import peer as peers
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.peer import PEERS, Peer
from mlc_compiler.peers.pieces import Piece, cut_ops, function_of, pieces_of
from mlc_compiler.peers.record import CUT, Record, plan_of
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.value_names import name_of, value_names
from mlc_support.verification import verify_module
from tests.unit.test_exports import module_of, run_relax, run_stablehlo

T = "tensor<8x8xf32>"
FUNCTION = f"""
func.func @f(%x: {T}, %y: {T}) -> ({T}, {T}) {{
  %a = mlc_tensor.exp %x : {T}
  %early = mlc_tensor.sin %y : {T}
  %t = mlc_tensor.permute %a [1, 0] : {T} -> {T}
  %c = mlc_tensor.extern "aten.sort_it.default"(%t) : ({T}) -> ({T})
  %b = mlc_tensor.add %c, %t : {T}
  %d = mlc_tensor.mul %b, %early : {T}
  %r = mlc_tensor.neg %a : {T}
  func.return %d, %r : {T}, {T}
}}
"""
EXTERN = 'mlc_tensor.extern "aten.sort_it.default"'


def cut(text: str) -> tuple[ModuleOp, list[str], list[Piece]]:
    """The module, the names of what Relax does not take, and the pieces between."""
    module = module_of(text)
    cuts = cut_ops(module, relax_source)
    return module, [op.results[0].name_hint or op.name for op in cuts], list(pieces_of(module, cuts))


def test_a_program_is_cut_at_what_has_no_export() -> None:
    _, cuts, pieces = cut(FUNCTION)
    assert cuts == ["c"]
    for piece in pieces:
        verify_module(piece.module)
        relax_source(piece.module)
    # What is read behind the cut alone is computed there; the view that the cut reads is a result before it.
    assert [list(piece.names.values()) for piece in pieces] == [["a", "t", "r"], ["early", "t", "b", "d"]]


def test_pieces_compute_what_the_program_computes() -> None:
    """Piece by piece, with the call done by hand, the numbers are those of the whole."""
    module, _, (first, second) = cut(FUNCTION)
    x, y = (torch.randn(8, 8).numpy() for _ in range(2))
    results: dict[str, Any] = dict(zip(("t", "r"), run(first.module, [x])[::1], strict=True))
    whole = torch.exp(torch.from_numpy(x))
    torch.testing.assert_close(torch.from_numpy(results["t"]), whole.T)
    torch.testing.assert_close(torch.from_numpy(results["r"]), -whole)
    given: dict[str, Any] = {"y": y, "a": whole.numpy(), "c": whole.T.numpy() + 1}
    block = find_function(second.module).body.block
    readers = [[u.operation.name.rpartition(".")[2] for u in a.uses] for a in block.args]
    order = {("sin",): "y", ("permute",): "a", ("add",): "c"}
    (found,) = run(second.module, [given[order[tuple(r)]] for r in readers])
    torch.testing.assert_close(torch.from_numpy(found), (2 * whole.T + 1) * torch.from_numpy(y).sin())
    assert len(list(find_function(module).body.block.ops)) == 8, "the program is left as it is"


def test_equal_pieces_have_equal_texts() -> None:
    """Two layers with a cut in each: three pieces, of which the two inner ones are one question."""
    layer = """
  %e{0} = mlc_tensor.exp %c{0} : T
  %c{1} = mlc_tensor.extern "aten.sort_it.default"(%e{0}) : (T) -> (T)"""
    body = "".join(layer.format(k, k + 1).replace("{0}", str(k)).replace("{1}", str(k + 1)) for k in range(3))
    text = f"func.func @f(%c0: T) -> T {{{body}\n  func.return %c3 : T\n}}".replace("T", T)
    _, cuts, pieces = cut(text)
    assert cuts == ["c1", "c2", "c3"] and [list(p.names.values()) for p in pieces] == [["e0"], ["e1"], ["e2"]]
    assert len({str(p.module) for p in pieces}) == 1


def test_nothing_stands_before_a_cut_that_reads_arguments() -> None:
    """Such a call runs first: what reads it is not parted from what does not."""
    text = f"""
func.func @f(%x: {T}) -> {T} {{
  %c = {EXTERN}(%x) : ({T}) -> ({T})
  %a = mlc_tensor.exp %x : {T}
  %b = mlc_tensor.add %a, %c : {T}
  func.return %b : {T}
}}"""
    assert [list(p.names.values()) for p in cut(text)[2]] == [["a", "b"]]


def answers(monkeypatch: pytest.MonkeyPatch, fails: str = "no such op") -> list[dict[str, Any]]:
    """A TVM that makes a kernel of each piece, but for pieces with `fails` in their text; what it is asked."""
    asked: list[dict[str, Any]] = []

    def ask(_: str, requests: list[dict[str, Any]], python: str) -> list[Any]:
        asked.extend(requests)
        return [Failure("it fell over") if fails in r["text"] else _one_kernel(r) for r in requests]

    monkeypatch.setattr(peers, "ask", ask)
    monkeypatch.setattr(Peer, "available", lambda self: None)
    return asked


def _one_kernel(request: dict[str, Any]) -> dict[str, Any]:
    ops = list(dict.fromkeys(name for edge in request["edges"] for name in edge)) or ["exp"]
    verdicts = [{"producer": p, "consumer": c, "why": "FuseOps: yes"} for p, c in request["edges"]]
    kernels = [{"name": "fused", "kind": "ElemWise", "ops": ops}]
    return {"version": "1", "kernels": kernels, "verdicts": verdicts, "program": f"def {ops[0]}(): ..."}


def test_one_record_of_all_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch)
    module = module_of(FUNCTION)
    (record,) = PEERS["tvm"].records([module])
    assert isinstance(record, Record)
    assert [(c.op, c.callee) for c in record.cuts] == [("c", "aten.sort_it.default")]
    assert record.cuts[0].place.startswith("test.mlir:6") and "no export to Relax" in record.cuts[0].why
    assert Record.of(record.to_json()) == record
    assert len(record.programs) == 2 and [k.program for k in record.kernels] == [0, 1, 0]
    plan = plan_of(record, find_function(module).body.block)
    assert [g.kind for g in plan.groups] == ["ElemWise", "ElemWise", CUT]
    assert plan.groups[-1].why.startswith("tvm was not given it: ")
    computed = {op for op in find_function(module).body.block.ops if op.results and not is_free(op)}
    assert computed == {op for g in plan.groups for op in g.ops}


def test_a_program_that_is_whole_is_asked_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answers(monkeypatch)
    module = module_of(FUNCTION.replace(f"{EXTERN}(%t) : ({T}) -> ({T})", f"mlc_tensor.tanh %t : {T}"))
    (record,) = PEERS["tvm"].records([module])
    assert isinstance(record, Record) and not record.cuts and "cuts" not in record.to_json()
    assert len(asked) == 1 and "early" in asked[0]["text"]


def test_a_piece_that_fails_is_cut_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, fails="R.sin")
    (record,) = PEERS["tvm"].records([module_of(FUNCTION)])
    assert isinstance(record, Record)
    assert {c.op for c in record.cuts} == {"c", "early", "t", "b", "d"}
    assert {c.why for c in record.cuts if c.op != "c"} == {"it fell over"}


def test_nothing_left_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch)
    text = f"func.func @f(%x: {T}) -> {T} {{\n  %c = {EXTERN}(%x) : ({T}) -> ({T})\n  func.return %c : {T}\n}}"
    (failure,) = PEERS["tvm"].records([module_of(text)])
    assert failure == Failure("mlc_tensor.extern has no export to Relax (aten.sort_it.default)")


@pytest.mark.parametrize("bias", ["16", "8x16"])
def test_a_product_with_a_bias_is_its_formula(bias: str) -> None:
    added, weight = f"tensor<{bias}xf32>", "tensor<8x16xf32>"
    module = module_of(f"""
func.func @f(%b: {added}, %x: {T}, %w: {weight}) -> {weight} {{
  %r = mlc_tensor.extern "aten.addmm.default"(%b, %x, %w) : ({added}, {T}, {weight}) -> ({weight})
  func.return %r : {weight}
}}""")
    block = find_function(module).body.block
    (call,) = (op for op in block.ops if isinstance(op, ExternOp))
    formula = open_call(call)
    assert formula
    opened = function_of(formula.ops, list(block.args), list(formula.ops[-1].results))
    shapes = [[int(n) for n in bias.split("x")], [8, 8], [8, 16]]
    inputs = [torch.randn(shape) for shape in shapes]
    (found,) = run(opened, [x.numpy() for x in inputs])
    torch.testing.assert_close(torch.from_numpy(found), torch.addmm(*inputs))


def test_a_product_that_reads_a_value_twice() -> None:
    """Its operands are given once: the arguments say which is which."""
    places = ", ".join(f'#mlc_tensor.operand<"{k}">' for k in (0, 1, 1))
    module = module_of(f"""
func.func @f(%b: {T}, %x: {T}) -> {T} {{
  %r = mlc_tensor.extern "aten.addmm.default"(%b, %x) args [{places}] : ({T}, {T}) -> ({T})
  func.return %r : {T}
}}""")
    block = find_function(module).body.block
    formula = open_call(next(op for op in block.ops if isinstance(op, ExternOp)))
    assert formula
    b, x = torch.randn(8, 8), torch.randn(8, 8)
    opened = function_of(formula.ops, list(block.args), list(formula.ops[-1].results))
    (found,) = run(opened, [b.numpy(), x.numpy()])
    torch.testing.assert_close(torch.from_numpy(found), b + x @ x)


def test_a_scaled_product_has_no_formula() -> None:
    call = """%r = mlc_tensor.extern "aten.addmm.default"(%x, %x, %x) args [#mlc_tensor.operand<"0">,
      #mlc_tensor.operand<"1">, #mlc_tensor.operand<"2">] kwargs {alpha = 2.0 : f64}"""
    module = module_of(
        f"func.func @f(%x: {T}) -> {T} {{\n  {call} : ({T}, {T}, {T}) -> ({T})\n  func.return %r : {T}\n}}"
    )
    (op,) = (op for op in find_function(module).body.block.ops if isinstance(op, ExternOp))
    assert open_call(op) is None


FACTORED = f"""
func.func @f(%x: {T}, %y: {T}) -> ({T}, {T}) {{
  %a = mlc_tensor.exp %x : {T}
  %b = mlc_tensor.add %a, %y : {T}
  %t = mlc_tensor.permute %b [1, 0] : {T} -> {T}
  %c = mlc_tensor.extern "aten.linalg_cholesky.default"(%t) : ({T}) -> ({T})
  %d = mlc_tensor.mul %c, %t : {T}
  %e = mlc_tensor.sub %d, %a : {T}
  %r = mlc_tensor.tanh %e : {T}
  func.return %r, %b : {T}, {T}
}}
"""
"""Cut at a factorization, which neither StableHLO nor Relax has."""


@pytest.mark.parametrize("name", ["xla", "tvm"])
def test_real_compilers_take_the_pieces(name: str) -> None:
    """Each op but the one at the cut is in a kernel of the compiler itself, and none reaches across."""
    if (missing := PEERS[name].available()) is not None:
        pytest.skip(missing)
    module = module_of(FACTORED)
    (record,) = PEERS[name].records([module])
    assert isinstance(record, Record), record
    assert [(c.op, c.callee) for c in record.cuts] == [("c", "aten.linalg_cholesky.default")]
    groups = [{*k.ops} for k in record.kernels if k.kind != CUT]
    assert {"a", "b", "d", "e", "r"} <= set[str]().union(*groups)
    assert not [g for g in groups if g & {"a", "b"} and g & {"d", "e", "r"}], "a kernel waits for the call"


@pytest.mark.parametrize("language", ["StableHLO", "Relax"])
def test_exported_pieces_compute_what_the_program_computes(language: str) -> None:
    """Each piece is run by its compiler on the CPU, and the call between them by PyTorch."""
    pytest.importorskip("jaxlib" if language == "StableHLO" else "tvm", reason="needs the compare extra")
    export, execute = (stablehlo_text, run_stablehlo) if language == "StableHLO" else (relax_source, run_relax)
    module = module_of(FACTORED)
    x, y = torch.randn(8, 8), torch.randn(8, 8) + 40 * torch.eye(8)
    a = x.exp()
    b = a + y
    c = torch.linalg.cholesky(b.T)
    before, behind = pieces_of(module, cut_ops(module, export))
    known = {"a": a, "b": b, "t": b.T.contiguous(), "c": c, "x": x, "y": y}
    first = execute(export(before.module), [known[n].numpy() for n in _taken(module, before)])
    assert {*_given(before)} >= {"b", "t"}
    for name, result in zip(_given(before), first, strict=True):
        torch.testing.assert_close(torch.from_numpy(result.copy()), known[name])
    (last,) = execute(export(behind.module), [known[n].numpy() for n in _taken(module, behind)])
    torch.testing.assert_close(torch.from_numpy(last.copy()), torch.tanh(c * b.T - a))


def _taken(module: ModuleOp, piece: Piece) -> list[str]:
    """What the arguments of a piece are called in the whole program: by an op that reads each."""
    whole, block = find_function(module).body.block, find_function(piece.module).body.block
    names, mine = value_names(whole), value_names(block)
    ops = {name_of(op, names): op for op in whole.ops if op.results}
    uses = [next(iter(a.uses)) for a in block.args]
    readers = [ops[piece.names[name_of(use.operation, mine)]] for use in uses]
    return [names[reader.operands[use.index]] for reader, use in zip(readers, uses, strict=True)]


def _given(piece: Piece) -> list[str]:
    """What the results of a piece are called there."""
    block = find_function(piece.module).body.block
    names, last = value_names(block), block.last_op
    assert last is not None
    return [piece.names[names[v]] for v in last.operands]
