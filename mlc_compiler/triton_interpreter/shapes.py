"""What the interpreter asks of types, answered once: a kernel has few types, and many operations in each program.

Upstream works out anew what a block's shape means for each type and each value. What is found is the same.
"""

from typing import Any

import triton.language as tl
from triton.language.semantic import TritonSemantic

_PARTS = "_mlc_parts"
_KNOWN: dict[tuple[Any, ...], dict[str, Any]] = {}
_upstream_block_type = tl.block_type.__init__
_upstream_tensor = tl.tensor.__init__


def init_block_type(self: Any, element_ty: Any, shape: Any) -> None:
    """`tl.block_type.__init__`: equal types share what they know."""
    sizes = tuple(getattr(size, "value", size) for size in getattr(shape, "values", shape))
    pointer = (getattr(element_ty, "address_space", None), getattr(element_ty, "const", None))
    key = (type(element_ty), element_ty.name, *pointer, sizes)
    known = _KNOWN.get(key)
    if known is None:
        _upstream_block_type(self, element_ty, shape)
        _KNOWN[key] = self.__dict__
    else:
        self.__dict__ = known


def init_tensor(self: Any, handle: Any, type: Any) -> None:
    """`tl.tensor.__init__`: what follows from the type is kept with the type."""
    known = type.__dict__.get(_PARTS)
    if known is None:
        _upstream_tensor(self, handle, type)
        setattr(type, _PARTS, (self.shape, self.numel, self.dtype))
    else:
        self.handle, self.type = handle, type
        self.shape, self.numel, self.dtype = known


class QuickSemantic(TritonSemantic[Any]):
    """The meanings of Triton's operators; operands of one shape are not broadcast."""

    def broadcast_impl_value(self, lhs: Any, rhs: Any) -> Any:
        """Upstream compares equal shapes, size by size, at every operation."""
        left, right = lhs.type, rhs.type
        if left.is_block() and right.is_block() and left.shape.values == right.shape.values:
            return lhs, rhs
        return super().broadcast_impl_value(lhs, rhs)
