"""`walk` gives the ops that `Operation.walk` gives, in its order, also while ops go."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Region

from mlc_support.walks import walk


def nested() -> ModuleOp:
    """Ops without regions, with an empty one, with one of two blocks, and with two; three levels deep."""
    inner = AnyOp(regions=[Region([Block([AnyOp(), AnyOp()]), Block([AnyOp()])])])
    two = AnyOp(regions=[Region(Block([AnyOp(), inner])), Region(Block([AnyOp()]))])
    return ModuleOp([AnyOp(), two, AnyOp(regions=[Region()]), AnyOp()])


def test_all_ops_in_order() -> None:
    module = nested()
    assert list(walk(module)) == list(module.walk())
    assert len(list(walk(module))) == 11
    (alone, *_) = module.ops
    assert list(walk(alone)) == [alone]


def test_ops_that_go_meanwhile() -> None:
    """One that is erased as soon as it is met ends no walk."""
    module = nested()
    for op in walk(module):
        if not op.regions:
            op.detach()
            op.erase()
    assert all(op.regions for op in walk(module))
    assert len(list(walk(module))) == 4
