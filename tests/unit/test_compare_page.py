"""The page of `mlc-compare` in headless Chromium: no console error, toggles and clicks work, also at 2,000 ops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.pass_shapes import SHAPES
from mlc_compiler.compare.comparison import compare
from mlc_compiler.compare.corpus_page import as_corpus_page
from mlc_compiler.compare.measurement import Measurement
from mlc_compiler.compare.overview import Line, Totals
from mlc_compiler.compare.page import as_page
from mlc_compiler.peers.peer import Peer
from mlc_compiler.peers.record import Kernel, Record
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


HLO = """ENTRY main.4 {
  x = f32[512,1024] parameter(0)
  ROOT softmax = f32[512,1024] fusion(x), kind=kCustom, calls=fused
}

fused {
  p = f32[512,1024] parameter(0)
  ROOT r = f32[512,1024] divide(p, p)
}"""


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same beside an XLA of one kernel, whose program and its part are known; a TVM that has not answered."""
    ops = ("amax", "sub", "exp", "sum", "div")
    code = "\n".join(["fused (alone) {", *HLO.splitlines()[6:]])
    record = Record("xla", "xla 1", "h200", (Kernel("softmax", "triton", ops, code=code),), (), programs=(HLO,))
    monkeypatch.setattr(Peer, "records", lambda self, modules, *rest: [record])
    path = tmp_path / "real.html"
    path.write_text(as_page(compare("softmax", seven("softmax"), ("mlc", "none"), ("xla",))))
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


@pytest.fixture(scope="module")
def large_none(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same network, where nothing is fused."""
    target = f"{Path(__file__).parent / 'tower.py'}:tower"
    module: Any = lower_to(import_target(target, "512x1024xf32,1024xf32,1024xf32,1024x1024xf32").module, "simplified")
    path = tmp_path_factory.mktemp("page") / "none.html"
    path.write_text(as_page(compare("tower", module, ("none",), ()), most_shown=1))
    return path


SHOWN = """return ["#strategies [aria-checked=true]", "#beside", "#kernels", "#others", "#detail"].map((s) => {
  const e = document.querySelector(s); return e.value || e.innerText; })"""
"""What is chosen, as the page says it."""


def pick(browser: Any, selector: str, label: str) -> None:
    """One choice of a select."""
    browser.execute_script(
        "const s = document.querySelector(arguments[0]);"
        "s.value = [...s.options].find((o) => o.text === arguments[1]).value; s.dispatchEvent(new Event('change'))",
        selector,
        label,
    )


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
    assert texts(browser, "#kernels .row:not(.head) .kind") == [
        "reduction",
        "pointwise",
        "pointwise",
        "reduction",
        "pointwise",
    ]
    assert len(browser.find_elements("css selector", "#roofline circle")) == 5
    assert not errors(browser)


def test_measured_beside_predicted(browser: Any, tmp_path: Path) -> None:
    """Each strategy shows both times, and why it has none."""
    comparison = compare("softmax", seven("softmax"), ("mlc", "none"), ())
    found = (Measurement(12.5, off=0.0, device="a GPU"), Measurement(why="the process ended with -11: it said nothing"))
    rows = tuple(replace(row, measured=m) for row, m in zip(comparison.rows, found, strict=True))
    path = tmp_path / "measured.html"
    path.write_text(as_page(replace(comparison, rows=rows)))
    browser.get(path.as_uri())
    shown = texts(browser, ".strategy")
    assert "predicted" in shown[0] and "measured" in shown[0] and "12.5" in shown[0]
    assert "not measured: the process ended with -11" in shown[1] and not errors(browser)
    see(browser, "measured")


def test_a_kernel_an_edge_and_an_op(browser: Any, small: Path) -> None:
    browser.get(small.as_uri())
    click(browser, ".row:not(.head)")
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


def test_two_strategies_beside_each_other(browser: Any, small: Path) -> None:
    """Edges that one of them fuses are marked in both graphs, kernels that only one has in both lists."""
    browser.get(small.as_uri())
    assert not browser.find_elements("css selector", ".differs")
    pick(browser, "#beside", "beside none")
    assert texts(browser, ".whose") == ["mlc", "none"]
    graphs = [len(browser.find_elements("css selector", f"#{g} .edge.differs")) for g in ("graph", "other")]
    assert graphs[0] == graphs[1] > 0
    assert texts(browser, "#kernels .row:not(.head) .number") == ["1 ≠"]
    assert texts(browser, "#others .row:not(.head) .number") == [f"{k} ≠" for k in range(1, 6)]
    assert texts(browser, "#detail h2")[0].startswith("Where mlc and none differ 5 of 5")
    see(browser, "beside")
    click(browser, "#others .row:not(.head)", 1)
    assert texts(browser, "#detail h2")[0] == "Kernel 2 pointwise, none"
    click(browser, ".strategy", 2)
    assert texts(browser, "#stage .whose") == ["", ""], "a strategy is not beside itself"
    assert not errors(browser)


def test_kernels_of_both_are_compared_by_what_they_compute(browser: Any, small: Path) -> None:
    browser.get(f"{small.as_uri()}#strategy=pointwise&beside=none")
    assert texts(browser, "#kernels .row:not(.head) .number") == ["1", "2 ≠", "3", "4"]
    click(browser, "#collapse")
    assert len(browser.find_elements("css selector", "#graph .kernel.differs")) == 1
    assert len(browser.find_elements("css selector", "#other .kernel.differs")) == 2
    assert not errors(browser)


@pytest.mark.parametrize(
    ("key", "forwards"),
    [("us", [1, 2, 3, 5, 4]), ("ops", [1, 2, 3, 4, 5]), ("kind", [2, 3, 5, 1, 4]), ("launch", [1, 2, 3, 4, 5])],
)
def test_the_table_sorts(key: str, forwards: list[int], browser: Any, small: Path) -> None:
    """By each column, and the other way around at a second click."""
    browser.get(f"{small.as_uri()}#strategy=none")
    numbers = "#kernels .row:not(.head) .number"
    if key != "launch":
        click(browser, f"#kernels [data-order={key}]")
    assert texts(browser, numbers) == [str(k) for k in forwards]
    click(browser, f"#kernels [data-order={key}]")
    (button,) = browser.find_elements("css selector", f"#kernels [data-order={key}]")
    assert button.get_attribute("aria-sort") == ("ascending" if key in ("us", "ops") else "descending")
    assert browser.current_url.endswith(f"order=-{key}")
    assert not errors(browser)


def test_a_link_reopens_what_was_chosen(browser: Any, small: Path) -> None:
    browser.get(small.as_uri())
    click(browser, ".strategy", 1)
    pick(browser, "#beside", "beside none")
    click(browser, "#others .row:not(.head)", 2)
    click(browser, "[data-tab=source]")
    click(browser, "#kernels [data-order=us]")
    link, before = browser.current_url, browser.execute_script(SHOWN)
    browser.get("about:blank")
    browser.get(link)
    assert browser.execute_script(SHOWN) == before
    click(browser, ".edge.verdict")
    link, before = browser.current_url, browser.execute_script(SHOWN)
    browser.get("about:blank")
    browser.get(link)
    assert browser.execute_script(SHOWN) == before and "edge=" in link
    assert not errors(browser)


@pytest.mark.parametrize("link", ["#7", "#strategy=nobody&beside=no&kernel=99&op=none&edge=a&order=size", "#kernel=x"])
def test_a_link_to_what_is_not_there(link: str, browser: Any, small: Path) -> None:
    browser.get("about:blank")
    browser.get(small.as_uri() + link)
    assert texts(browser, "#detail h2")[0].startswith("Where they differ")
    assert not errors(browser)


def test_a_whole_program_with_the_part_of_a_kernel(browser: Any, real: Path) -> None:
    browser.get(f"{real.as_uri()}#strategy=xla&kernel=1&tab=whole")
    assert texts(browser, "#detail pre")[0] == HLO
    assert texts(browser, "#detail mark")[0] == "\n".join(HLO.splitlines()[6:]).strip()
    width = browser.execute_script(BOX, "#panel")
    click(browser, ".tabs .wide")
    assert browser.execute_script(BOX, "#panel")[0] < width[0]
    assert texts(browser, ".tabs .copy") == ["copy"]
    see(browser, "whole")
    assert not errors(browser)


def test_a_page_that_waits_asks_for_itself_again(browser: Any, real: Path, tmp_path: Path) -> None:
    path, whole = tmp_path / "waiting.html", real.read_text()
    path.write_text(whole.replace('"waiting":[]', '"waiting":["tvm"]'))
    browser.get(f"{path.as_uri()}#strategy=none")
    assert texts(browser, ".waiting") == ["tvm is being asked; 1 have not answered"]
    path.write_text(whole)
    wait(lambda: not texts(browser, ".waiting"))
    assert [b.get_attribute("aria-checked") for b in browser.find_elements("css selector", ".strategy")][1] == "true"


def test_it_fits_a_narrow_page_and_paper(browser: Any, large_none: Path) -> None:
    """At 700 px nothing is wider than the page; on paper each list is whole."""
    browser.get(f"{large_none.as_uri()}#strategy=none")
    size = {"width": 700, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 700
        seen = len(browser.find_elements("css selector", "#kernels .row:not(.head)"))
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
        see(browser, "paper")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 700
        assert len(browser.find_elements("css selector", "#kernels .row:not(.head)")) > max(seen, 50)
        assert not browser.find_elements("css selector", "header nav")[0].is_displayed()
        browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        assert len(browser.find_elements("css selector", "#kernels .row:not(.head)")) == seen
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert not errors(browser)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three graphs, the second of which one strategy has not planned."""

    def totals(name: str, us: float, size: int) -> Totals:
        return Totals(name, 2, 3, size, us, 0)

    lines = [
        Line("b", 1, 5, 4, 1, {"mlc": totals("mlc", 3.0, 100), "none": totals("none", 9.0, 300)}, {}),
        Line("a", 2, 7, 0, 0, {"none": totals("none", 4.0, 200)}, {"mlc": "no"}),
        Line("c", 1, 6, 4, 3, {"mlc": totals("mlc", 5.0, 50), "none": totals("none", 5.0, 60)}, {}),
    ]
    path = tmp_path / "corpus.html"
    path.write_text(as_corpus_page("graphs", lines))
    return path


@pytest.mark.parametrize(
    ("column", "first", "turned"),
    [
        ("graph", "abc", "cba"), ("ops", "acb", "bca"), ("differ", "cba", "abc"), ("mlc", "cba", "abc"),
        ("none", "bca", "acb"), ("times", "abc", "bca"),
    ],
)  # fmt: skip
def test_a_page_of_a_corpus_sorts(column: str, first: str, turned: str, browser: Any, corpus: Path) -> None:
    """By each column, the other way around at a second click; a link keeps it."""
    browser.get("about:blank")
    browser.get(corpus.as_uri())
    names = "#graphs td:first-child"
    assert "".join(texts(browser, names)) == "bac"
    click(browser, f"[data-column={column}]")
    assert "".join(texts(browser, names)) == first
    click(browser, f"[data-column={column}]")
    link = browser.current_url
    browser.get("about:blank")
    browser.get(link)
    assert "".join(texts(browser, names)) == turned
    assert not errors(browser)


def test_a_page_of_a_corpus(browser: Any, corpus: Path) -> None:
    """The least of a line is marked, the totals count what was planned, and failures are told."""
    browser.get(corpus.as_uri())
    assert texts(browser, "#graphs tr:nth-child(1) td") == ["b", "1", "5", "25%", "3.0 µs", "9.0 µs"]
    assert texts(browser, "#graphs tr:nth-child(2) td")[4:] == ["–", "4.0 µs"]
    assert texts(browser, "#graphs td.least") == ["3.0 µs", "4.0 µs", "5.0 µs", "5.0 µs"]
    pick(browser, "#number", "bytes moved")
    assert texts(browser, "#graphs tr:nth-child(3) td")[4:] == ["50 B", "60 B"]
    assert texts(browser, "#totals tbody tr:nth-child(2) td")[:2] == ["none", "3 of 3"]
    assert texts(browser, "#failures p") == ["mlc: not asked of a: no"]
    see(browser, "corpus")
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
