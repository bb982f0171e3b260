"""The page of `mlc-compare` in headless Chromium: no console error, toggles and clicks work, also at 2,000 ops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.pass_shapes import SHAPES
from mlc_compiler.compare.comparison import compare
from mlc_compiler.compare.page import as_page
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor import elementwise as ew
from tests.unit.browsing import BOX, BOXES, chromium, click, errors, inside, see, texts, wait
from tests.unit.seven import seven
from tools.mlc_translate import import_target


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium for the tests of this file."""
    with chromium() as page:
        yield page


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Softmax under three policies."""
    path = tmp_path_factory.mktemp("page") / "small.html"
    path.write_text(as_page(compare("softmax", seven("softmax"), ("mlc", "pointwise", "none"), ())))
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network of more than 500 ops."""
    target = f"{Path(__file__).parent / 'tower.py'}:tower"
    module: Any = lower_to(import_target(target, "512x1024xf32,1024xf32,1024xf32,1024x1024xf32").module, "simplified")
    path = tmp_path_factory.mktemp("page") / "large.html"
    path.write_text(as_page(compare("tower", module, ("mlc", "none"), ()), most_shown=40))
    return path


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Layers of attention, 2,000 ops."""
    (module,) = (shape.build(2000) for shape in SHAPES if shape.name == "attention")
    for number, op in enumerate(op for op in module.walk() if isinstance(op, ew.AddOp)):
        op.result.name_hint = f"out.{number}"
    path = tmp_path_factory.mktemp("page") / "huge.html"
    path.write_text(as_page(compare("layers", module, ("tvm", "none"), ()), most_shown=5))
    return path


def test_the_page_needs_nothing_else(small: Path) -> None:
    text = small.read_text()
    assert "{{" not in text.replace("${", "") and "http://www.w3.org/2000/svg" in text
    assert not [word for word in ("src=", "@import", "fetch(", "https://") if word in text]


def test_ten_ops(browser: Any, small: Path) -> None:
    browser.get(small.as_uri())
    assert texts(browser, ".strategy .name") == ["mlc", "pointwise", "none"]
    assert len(browser.find_elements("css selector", ".node.computed")) == 5
    assert len(browser.find_elements("css selector", "#roofline circle")) == 1
    see(browser, "small")
    click(browser, ".strategy", 2)
    assert texts(browser, ".row .kind") == ["reduction", "pointwise", "pointwise", "reduction", "pointwise"]
    assert len(browser.find_elements("css selector", "#roofline circle")) == 5
    assert not errors(browser)


def test_a_kernel_an_edge_and_an_op(browser: Any, small: Path) -> None:
    browser.get(small.as_uri())
    click(browser, ".row")
    assert "mlc_tensor.reduce max" in texts(browser, "#detail pre")[0]
    click(browser, "[data-tab=source]")
    assert "@triton.jit" in texts(browser, "#detail pre")[0]
    assert "→" in "".join(texts(browser, "#detail table"))
    see(browser, "kernel")
    click(browser, "#roofline circle")
    assert texts(browser, "#detail h2")[0].startswith("Kernel 1")
    click(browser, ".edge.verdict")
    assert texts(browser, "#detail td.verdict")[0].startswith("fused")
    assert len(texts(browser, "#detail tr")) == 3
    click(browser, "#theme")
    see(browser, "edge")
    click(browser, ".node.computed", 1)
    assert not errors(browser)


@pytest.mark.slow
def test_five_hundred_ops(browser: Any, large: Path) -> None:
    """It opens with kernels alone; lists hold only what is in sight; all ops can be shown."""
    browser.get(large.as_uri())
    assert "true" in [e.get_attribute("aria-pressed") for e in browser.find_elements("css selector", "#collapse")]
    few = len(browser.find_elements("css selector", ".node"))
    see(browser, "large-kernels")
    click(browser, ".strategy", 1)
    assert len(browser.find_elements("css selector", ".row")) < 40
    click(browser, "#collapse")
    assert len(browser.find_elements("css selector", ".node")) > max(500, few)
    click(browser, "#fit")
    see(browser, "large-ops")
    search = browser.find_elements("css selector", "#search")[0]
    search.send_keys("sigmoid.5")
    wait(lambda: texts(browser, "#detail h2")[0].startswith("sigmoid.5"))
    see(browser, "large-op")
    assert not errors(browser)


@pytest.mark.slow
def test_two_thousand_ops(browser: Any, huge: Path) -> None:
    """All ops in upright columns, the first of them in sight, and one that is searched for in the middle."""
    browser.get(huge.as_uri())
    see(browser, "huge-kernels")
    click(browser, "#collapse")
    assert len(browser.find_elements("css selector", ".node.computed")) > 1500
    stage = browser.execute_script(BOX, "#stage")
    seen = [box for box in browser.execute_script(BOXES, ".node.computed") if inside(box, stage)]
    see(browser, "huge-ops")
    assert len(seen) > 10 and min(top for _, top, _, _ in seen) - stage[1] < 150
    click(browser, "#fit")
    boxes = browser.execute_script(BOXES, ".node.computed")
    assert all(inside(box, stage) for box in boxes)
    assert sum(right - left for left, _, right, _ in boxes) / len(boxes) > 8, "boxes can be told apart"
    see(browser, "huge-fit")
    browser.find_elements("css selector", "#search")[0].send_keys("out.40")
    wait(lambda: texts(browser, "#detail h2")[0].startswith("out.40"))
    found = browser.execute_script(BOX, ".node.chosen")
    assert inside(found, stage) and found[2] - found[0] > 30
    see(browser, "huge-op")
    assert not errors(browser)
