"""What mkdocs asks for while it builds the site: pages that lie elsewhere, and the reference, from the code."""

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tools.reference.pages import PAGES

ROOT = Path(__file__).parents[1]
ELSEWHERE = {"index.md": "README.md", "plugin.md": "examples/plugin/README.md"}
"""Pages of the site that are files of the repository outside `docs`."""
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are not in `docs`."""
    texts = {page: (ROOT / file).read_text(encoding="utf-8") for page, file in ELSEWHERE.items()}
    for page, text in (texts | {page: make() for page, make in PAGES.items()}).items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links lead from file to file in the repository, and from page to page on the site."""
    name = page.file.src_uri
    source = PurePosixPath(ELSEWHERE.get(name, f"docs/{name}")).parent
    pages = {file: page for page, file in ELSEWHERE.items()}

    def on_site(link: re.Match[str]) -> str:
        file = os.path.normpath(source / link[1])
        there = pages.get(file, file.removeprefix("docs/"))
        return os.path.relpath(there, PurePosixPath(name).parent)

    return markdown if name in PAGES else _LINK.sub(on_site, markdown)
