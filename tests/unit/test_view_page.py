"""The page of mlc-view in headless Chromium: a click lights up all levels, passes show what they changed, fast."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from benchmarks.pass_shapes import SHAPES
from mlc_compiler.pipeline import lower_to
from mlc_compiler.view.graph import as_data
from mlc_compiler.view.page import as_page
from mlc_compiler.view.recording import Recording
from tests.unit.browsing import chromium, click, errors, see, texts
from tools.mlc_translate import import_target

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
SOON = 2.0
"""Seconds in which the page of twelve layers opens."""
LIT = """return [...document.querySelectorAll('#levels .pane')].map((pane) =>
  [pane.dataset.level, [...pane.querySelectorAll('.line.lit')].map((line) => line.innerText)])"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium for the tests of this file."""
    with chromium() as page:
        yield page


def written(module: ModuleOp, name: str, path: Path, level: str = "source") -> Path:
    """The page of a module on its way to a level."""
    recording = Recording(name, linecache.getlines)
    lower_to(module, level, run=recording.run)
    recording.finish()
    path.write_text(as_page(name, [as_data(recording)]))
    return path


@pytest.fixture(scope="module")
def softmax(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One kernel of one line."""
    module = import_target("examples/compare.py:softmax", "512x1024xf32").module
    return written(module, "softmax", tmp_path_factory.mktemp("view") / "softmax.html")


def transformer(name: str, folder: Path) -> Path:
    """The page of layers of a transformer in plain torch."""
    module = import_target(f"{HERE / 'transformer.py'}:{name}", "4x32x64xf32").module
    return written(module, name, folder / "layers.html")


@pytest.fixture(scope="module")
def layers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two layers: most things of a page, that of twelve has more of."""
    return transformer("TwoLayers", tmp_path_factory.mktemp("view"))


def choose(browser: Any, level: str, part: str) -> None:
    """A click on the first line in sight of a level that has this text."""
    script = """const line = [...document.querySelectorAll(`[data-level="${arguments[0]}"] .line.linked`)]
      .find((line) => line.innerText.includes(arguments[1])); line.click(); return line.innerText"""
    assert part in browser.execute_script(script, level, part)


def lit(browser: Any) -> dict[str, str]:
    """The lines in sight that are lit, by level."""
    return {level: "\n".join(lines) for level, lines in browser.execute_script(LIT)}


def opened(browser: Any, page: Path) -> float:
    """Opens a page; seconds from the navigation to the end of its scripts and the paint after."""
    browser.get(page.as_uri())
    script = (
        """const done = arguments[0]; requestAnimationFrame(() => setTimeout(() => done(performance.now() / 1e3)))"""
    )
    return browser.execute_async_script(script)


def test_each_level_lights_up_the_others(browser: Any, softmax: Path) -> None:
    opened(browser, softmax)
    choose(browser, "torch", "torch.softmax(x, -1)")
    every = lit(browser)
    assert list(every) == ["torch", "tensor", "loop", "Triton"] and all(every.values())
    for level, part in (("tensor", "mlc_tensor.div"), ("loop", "arith.divf"), ("Triton", "lib.quotient")):
        choose(browser, level, part)
        found = lit(browser)
        assert "torch.softmax(x, -1)" in found["torch"]
        assert "mlc_tensor.div" in found["tensor"] and "mlc_tensor.reduce" not in found["tensor"]
        assert "arith.divf" in found["loop"] and "lib.quotient" in found["Triton"]
    choose(browser, "tensor", "mlc_tensor.sub")
    assert "lib.quotient" not in lit(browser)["Triton"] and "mlc_tensor.div" not in lit(browser)["tensor"]
    choose(browser, "torch", "torch.softmax(x, -1)")
    assert "recompose_softmax" in "".join(texts(browser, "#chosen"))
    see(browser, "view-levels")
    assert not errors(browser)


def test_passes_show_what_they_changed_and_why(browser: Any, softmax: Path) -> None:
    opened(browser, softmax)
    click(browser, "[data-tab=passes]")
    names = texts(browser, ".pass .name")
    recompose = next(k for k, name in enumerate(names) if name.startswith("recompose"))
    click(browser, ".pass", recompose)
    assert "mlc_tensor.softmax" in "".join(texts(browser, "#passes .line.added"))
    assert any("mlc_tensor.exp" in text for text in texts(browser, "#passes .line.removed"))
    assert (
        "recompose_softmax" in texts(browser, "#rules summary")[0] and "max x" in texts(browser, "#rules .identity")[0]
    )
    see(browser, "view-passes")
    assert not errors(browser)


def test_kernels_and_compile_time(browser: Any, layers: Path) -> None:
    opened(browser, layers)
    click(browser, "[data-tab=kernels]")
    assert len(texts(browser, "#kernels .rows .row")) < 60, "only rows in sight exist"
    assert len(browser.find_elements("css selector", "#roofline circle")) > 4, "equal layers share kernels"
    click(browser, "#kernels .rows .row")
    assert texts(browser, "#detail .part.bound")
    assert "mlc_tensor.matmul" in texts(browser, "#calls .chip")
    see(browser, "view-kernels")
    click(browser, "#detail button")
    assert lit(browser)["Triton"] and lit(browser)["loop"]
    click(browser, "[data-tab=compile]")
    assert len(browser.find_elements("css selector", "#timeline rect")) > 30
    see(browser, "view-compile")
    assert not errors(browser)


@pytest.mark.parametrize("name", ["TwoLayers", "Transformer"])
def test_twelve_layers_open_at_once_and_link_all_levels(browser: Any, name: str, tmp_path: Path) -> None:
    """The report page of a 12-layer transformer opens in under 2 s and links all four levels."""
    page = transformer(name, tmp_path)
    seconds = min(opened(browser, page) for _ in range(3))
    print(f"{name}: opens in {seconds:.2f} s")
    assert seconds < SOON
    assert len(browser.find_elements("css selector", ".line")) < 500, "only lines in sight exist"
    choose(browser, "torch", "torch.softmax(scores, -1)")
    assert all(lit(browser).values()) and len(lit(browser)) == 4
    counts = texts(browser, "#chosen p")[0]
    assert all(f"{level} 0" not in counts for level in ("torch", "tensor", "loop", "Triton"))
    see(browser, "view-layers")
    assert not errors(browser)


def test_folding(browser: Any, layers: Path) -> None:
    opened(browser, layers)
    before = browser.execute_script("return document.querySelector('[data-level=loop] .lines').offsetHeight")
    click(browser, "[data-level=loop] .foldall")
    after = browser.execute_script("return document.querySelector('[data-level=loop] .lines').offsetHeight")
    assert after < before / 4
    choose(browser, "torch", "torch.softmax(scores, -1)")
    assert lit(browser)["loop"], "a folded kernel is lit for what is in it"
    click(browser, "[data-level=loop] .foldall")
    assert browser.execute_script("return document.querySelector('[data-level=loop] .lines').offsetHeight") == before


def test_two_thousand_ops(browser: Any, tmp_path: Path) -> None:
    (module,) = (shape.build(2000) for shape in SHAPES if shape.name == "attention")
    page = written(module, "layers", tmp_path / "huge.html", "fused")
    assert opened(browser, page) < SOON
    click(browser, "[data-tab=passes]")
    assert len(browser.find_elements("css selector", ".line")) < 600
    assert not errors(browser)


def test_text_of_strangers_stays_text(browser: Any, softmax: Path, tmp_path: Path) -> None:
    """Names and lines that look like HTML are shown as they are, and run nothing."""
    nasty = "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script>"
    module = import_target("examples/compare.py:softmax", "8x16xf32").module
    recording = Recording(nasty, lambda name: [nasty] * 40)
    lower_to(module, "source", run=recording.run)
    recording.finish()
    data = as_data(recording)
    for entry in (*data["kernels"], *data["passes"]):
        entry["name"] = nasty
    data["calls"] = [{"callee": nasty, "why": nasty, "count": 1, "spots": [0]}]
    data["levels"][0]["lines"] = [nasty] * len(data["levels"][0]["lines"])
    (tmp_path / "nasty.html").write_text(as_page(nasty, [data], [(nasty, 2)]))
    opened(browser, tmp_path / "nasty.html")
    for tab in ("passes", "kernels", "compile", "levels"):
        click(browser, f"[data-tab={tab}]")
    choose(browser, "torch", nasty)
    assert not browser.find_elements("css selector", "img") and browser.title == f"{nasty} · mlc-view"
    assert not errors(browser)
