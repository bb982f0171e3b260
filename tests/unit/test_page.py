"""Pages: text of strangers stays text."""

from __future__ import annotations

import json
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from mlc_compiler.page.page import embedded, render

NASTY = st.sampled_from(
    ("</script>", "<!--<script>", "]]>", "</title>", "<img src=x onerror=alert(1)>", "{{data}}", "{{script}}", "&lt;",
     "\u2028", "\\u003c", "'\"`", "${alert(1)}")
)  # fmt: skip
TEXT = st.lists(st.one_of(NASTY, st.text(max_size=8)), max_size=4).map("".join)


class Reader(HTMLParser):
    """The elements of a page, its title, and the text of its elements with data."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.title = ""
        self.data = ""
        self._open = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open = "data" if ("id", "data") in attrs else tag

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        self.title += data if self._open == "title" else ""
        self.data += data if self._open == "data" else ""


def read(page: str) -> Reader:
    """A page as a browser takes it to pieces."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@given(title=TEXT, key=TEXT, value=TEXT)
def test_strangers_add_no_element(title: str, key: str, value: str) -> None:
    """Whatever names and texts hold, the page has the same elements, and the scripts read what was given."""
    plain = read(render("mlc_compiler.compare", "title", {}))
    page = read(render("mlc_compiler.compare", title, {"names": {key: [value]}}))
    assert page.tags == plain.tags and page.attributes == plain.attributes
    assert json.loads(page.data) == {"names": {key: [value]}}
    assert page.title.replace("\r", "\n") == title.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


@given(value=TEXT)
def test_data_ends_no_element(value: str) -> None:
    text = embedded({"value": value})
    assert not set("<>&\u2028\u2029") & set(text) and json.loads(text) == {"value": value}


def test_pages_load_nothing() -> None:
    page = render("mlc_compiler.compare", "title", {})
    assert "default-src 'none'" in page and "connect-src" not in page
    assert not [
        word for word in ("@import", "fetch(", "https://", "innerHTML", "document.write", "eval(") if word in page
    ]
