"""The report of `torch.compile(..., options={"report": FOLDER})`: one page of all graphs of a process so far.

Graphs are compiled one at a time, often far apart, and nobody says which is the last. So each leaves its data in
`FOLDER/graphs`, and `FOLDER/index.html` is written anew from the data of this process.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from mlc_compiler.view.graph import as_data
from mlc_compiler.view.page import as_page
from mlc_compiler.view.recording import Recording
from mlc_support.errors import MlcError

GRAPHS = "graphs"
RUN = f"{int(time.time())}-{os.getpid()}"
"""What files of this process begin with."""


def make_report(folder: Path) -> Path:
    """The folder of the data of graphs, made if it is not there. MlcError if nothing can be written there."""
    graphs = folder / GRAPHS
    try:
        graphs.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=graphs):
            pass
    except OSError as error:
        hint = "the option `report` names a folder that can be written"
        raise MlcError(f"no report can be written: {error.strerror}", str(folder), hint) from error
    return graphs


def add_to_report(folder: Path, recording: Recording, breaks: Sequence[tuple[str, int]]) -> Path:
    """Adds a finished recording to the report; gives the page. `breaks` are all reasons for graph breaks so far."""
    graphs = make_report(folder)
    number = len([*graphs.glob(f"{RUN}-*.json")])
    (graphs / f"{RUN}-{number:04}.json").write_text(json.dumps(as_data(recording)), encoding="utf-8")
    known = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(graphs.glob(f"{RUN}-*.json"))]
    page = folder / "index.html"
    page.write_text(as_page(folder.resolve().name, known, breaks), encoding="utf-8")
    return page
