"""What the kernel of a product computes besides, and what that spares behind a call of the library."""

from __future__ import annotations

from xdsl.ir import Block

from mlc_dialects.tensor.ops import MatmulOp
from passes.common.device import DEVICES
from passes.tensor.epilogues import Epilogue, epilogue_of
from tests.unit.test_fusion_plan import block_of

H200 = DEVICES["h200"]
ROWS, COLUMNS = 4096, 8192
FULL, WIDE, MEAN = f"tensor<{ROWS}x{COLUMNS}xbf16>", f"tensor<{ROWS}x{COLUMNS}xf32>", f"tensor<{ROWS}x1xbf16>"
HEAD = (
    f"%x: tensor<{ROWS}x1024xbf16>, %w: tensor<1024x{COLUMNS}xbf16>, %v: tensor<{COLUMNS}x{COLUMNS}xbf16>, "
    f"%r: {FULL}, %s: {WIDE}, %b: tensor<1x{COLUMNS}xbf16>"
)
NORM = f"""
  %m = mlc_tensor.reduce add %z dims [1] : {FULL} -> {MEAN}
  %mb = mlc_tensor.broadcast %m : {MEAN} -> {FULL}
  %n = mlc_tensor.sub %z, %mb : {FULL}
"""


def block(body: str, results: str, types: str) -> Block:
    """A product y and what follows it."""
    product = f"%y = mlc_tensor.matmul %x, %w : tensor<{ROWS}x1024xbf16>, tensor<1024x{COLUMNS}xbf16> -> {FULL}"
    return block_of(f"func.func @f({HEAD}) -> ({types}) {{ {product} {body}\n func.return {results} : {types} }}")


def found(body: str, results: str = "%z", types: str = FULL) -> Epilogue:
    epilogue = of_first_product(body, results, types)
    assert epilogue is not None
    return epilogue


def of_first_product(body: str, results: str, types: str) -> Epilogue | None:
    first = next(op for op in block(body, results, types).ops if isinstance(op, MatmulOp))
    return epilogue_of(first.result, H200)


def told(epilogue: Epilogue) -> tuple[float, int, int, int]:
    return epilogue.work, epilogue.beside, epilogue.written, epilogue.held


def test_a_residual_is_read_for_each_element_and_the_sum_stored() -> None:
    assert told(found(f"%z = mlc_tensor.add %y, %r : {FULL}")) == (1, 2, 2, 0)


def test_float32_waits_in_a_register_and_is_stored_as_such() -> None:
    body = f"%c = mlc_tensor.cast %y : {FULL} -> {WIDE}\n %z = mlc_tensor.add %c, %s : {WIDE}"
    assert told(found(body, types=WIDE)) == (1, 4, 4, 1)


def test_a_bias_is_next_to_nothing() -> None:
    body = f"%c = mlc_tensor.broadcast %b : tensor<1x{COLUMNS}xbf16> -> {FULL}\n %z = mlc_tensor.add %y, %c : {FULL}"
    assert told(found(body)) == (1, 0, 2, 0)


def test_constants_wait_nowhere() -> None:
    body = f"%two = mlc_tensor.constant 2.0 : {WIDE}\n %c = mlc_tensor.cast %y : {FULL} -> {WIDE}"
    assert told(found(f"{body}\n %z = mlc_tensor.mul %c, %two : {WIDE}", types=WIDE)) == (1, 0, 4, 0)


def test_a_product_that_others_read_is_stored_as_well() -> None:
    body = f"%z = mlc_tensor.add %y, %r : {FULL}"
    both = found(body, "%y, %z", f"{FULL}, {FULL}")
    assert told(both) == (1, 2, 4, 0)
    assert both.spared_us > found(body).spared_us  # the kernel behind the library would store it, too


def test_what_is_computed_for_the_product_alone_is_work() -> None:
    body = f"%e = mlc_tensor.exp %r : {FULL}\n %z = mlc_tensor.mul %y, %e : {FULL}"
    alone = found(body)
    assert alone.work > 1 and told(alone)[1:] == (2, 2, 1)
    assert told(found(body, "%z, %e", f"{FULL}, {FULL}")) == (1, 2, 2, 0)  # another kernel computes it anyway


def test_random_numbers_are_drawn_and_not_read() -> None:
    shape = f"tensor<{ROWS}x{COLUMNS}xi32>"
    body = f"""%seeds = mlc_tensor.constant dense<1> : tensor<1xi64>
      %n = mlc_tensor.random %seeds[0] word 0 : tensor<1xi64> -> {shape}
      %c = mlc_tensor.cast %n : {shape} -> {FULL}
      %z = mlc_tensor.mul %y, %c : {FULL}"""
    epilogue = found(body)
    assert epilogue.work > 100 and told(epilogue)[1:] == (0, 2, 1)


def test_a_norm_behind_takes_all_with_it() -> None:
    body = f"%z = mlc_tensor.add %y, %r : {FULL} {NORM}"
    assert of_first_product(body, "%n", FULL) is None


def test_a_sum_that_a_later_layer_reads_joins_though_a_norm_reads_it_too() -> None:
    later = f"""%z = mlc_tensor.add %y, %r : {FULL} {NORM}
      %u = mlc_tensor.matmul %n, %v : {FULL}, tensor<{COLUMNS}x{COLUMNS}xbf16> -> {FULL}
      %a = mlc_tensor.add %z, %u : {FULL}"""
    epilogue = found(later, "%a")
    assert told(epilogue) == (1, 2, 2, 0)
    # The norm's kernel stays, which would have read the residual as well.
    assert epilogue.spared_us < found(f"%z = mlc_tensor.add %y, %r : {FULL}").spared_us - H200.launch_us


def test_a_sum_of_products_that_is_a_kernel_of_ours_is_a_partner() -> None:
    terms = f"tensor<{ROWS}x64x{COLUMNS}xf32>"
    body = f"""
      %p = mlc_tensor.slice %r [0, 0] step [1, 1] : {FULL} -> tensor<{ROWS}x64xbf16>
      %q = mlc_tensor.slice %v [0, 0] step [1, 1] : tensor<{COLUMNS}x{COLUMNS}xbf16> -> tensor<64x{COLUMNS}xbf16>
      %p1 = mlc_tensor.reshape %p : tensor<{ROWS}x64xbf16> -> tensor<{ROWS}x64x1xbf16>
      %q1 = mlc_tensor.reshape %q : tensor<64x{COLUMNS}xbf16> -> tensor<1x64x{COLUMNS}xbf16>
      %p2 = mlc_tensor.broadcast %p1 : tensor<{ROWS}x64x1xbf16> -> tensor<{ROWS}x64x{COLUMNS}xbf16>
      %q2 = mlc_tensor.broadcast %q1 : tensor<1x64x{COLUMNS}xbf16> -> tensor<{ROWS}x64x{COLUMNS}xbf16>
      %p3 = mlc_tensor.cast %p2 : tensor<{ROWS}x64x{COLUMNS}xbf16> -> {terms}
      %q3 = mlc_tensor.cast %q2 : tensor<{ROWS}x64x{COLUMNS}xbf16> -> {terms}
      %t = mlc_tensor.mul %p3, %q3 : {terms}
      %o = mlc_tensor.reduce add %t dims [1] : {terms} -> tensor<{ROWS}x1x{COLUMNS}xf32>
      %o1 = mlc_tensor.reshape %o : tensor<{ROWS}x1x{COLUMNS}xf32> -> {WIDE}
      %o2 = mlc_tensor.cast %o1 : {WIDE} -> {FULL}
      %z = mlc_tensor.add %y, %o2 : {FULL}"""
    epilogue = found(body)
    assert epilogue.partner is not None and told(epilogue) == (1, 2, 2, 0)
    assert found(f"%z = mlc_tensor.add %y, %r : {FULL}").partner is None
