"""Chromium for tests of pages. Screenshots go to the folder MLC_SCREENSHOTS, where that is set."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SELENIUM = "selenium is not installed"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic", "--window-size=1500,950",
)  # fmt: skip


@contextmanager
def chromium() -> Iterator[Any]:
    """Headless Chromium, driven by selenium; skips the test where either is missing."""
    pytest.importorskip("selenium", reason=SELENIUM)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    page = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield page
    finally:
        page.quit()


BOX = (
    "const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]"
)
BOXES = """return [...document.querySelectorAll(arguments[0])].map((e) => {
  const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })"""


def inside(box: Sequence[float], stage: Sequence[float]) -> bool:
    """True if all of a box can be seen."""
    return all(box[k] >= stage[k] and box[k + 2] <= stage[k + 2] for k in (0, 1))


def wait(done: Callable[[], bool], seconds: float = 10) -> None:
    """Until it is done; fails when that takes too long."""
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def see(browser: Any, name: str) -> None:
    """A screenshot for people."""
    folder = os.environ.get("MLC_SCREENSHOTS")
    if folder:
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))


def texts(browser: Any, selector: str) -> list[str]:
    """The text of every element."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => (e.innerText ?? e.textContent).trim())"
    return browser.execute_script(script, selector)  # at once: the page may put other elements there meanwhile


def click(browser: Any, selector: str, position: int = 0) -> None:
    """A click on one of the elements, in SVG too."""
    target = browser.find_elements("css selector", selector)[position]
    browser.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", target)


def errors(browser: Any) -> list[str]:
    """What the console has of errors since it was asked last."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
