"""``webrag list`` imports little: its start is most of what a user waits for."""

import subprocess
import sys

from tests.support.command_line import program

# What searches, reads, fetches, embeds, draws and checks data, and the shapes of JSON.
NOT_FOR_A_LIST = (
    "numpy", "onnxruntime", "tokenizers", "tiktoken", "httpx", "lxml", "turbohtml", "rich", "jsonschema",
    "pydantic", "pydantic_core", "webrag_desktop.storage.library.citations", "webrag_desktop.storage.library.searches",
    "webrag_desktop.cli.shapes", "webrag_desktop.cli.reporting", "webrag_desktop.cli.progress",
    "webrag_desktop.models.documents", "webrag_desktop.models.spaces", "webrag_desktop.models.versions",
    "webrag_desktop.models.links", "webrag_desktop.retrieval.search", "webrag_desktop.indexing.pipeline",
    "webrag_desktop.embedding.factory", "webrag_desktop.library.asking",
)  # fmt: skip
LISTED = """
import gc, sys
from webrag_desktop.__main__ import main
sys.argv[1:] = ["list"]
try:
    main()
finally:
    print(gc.get_stats()[2]["collections"], *sys.modules, file=sys.stderr)
"""


def test_a_list_imports_nothing_that_it_does_not_need() -> None:
    with program() as webrag:
        done = subprocess.run(
            [sys.executable, "-c", LISTED], env=webrag.environment, capture_output=True, text=True, check=True
        )
    assert "The library is empty" in done.stdout
    collections, *imported = done.stderr.split()
    assert collections == "0"  # of everything that was imported
    assert "webrag_desktop.library.documents" in imported
    assert [name for name in NOT_FOR_A_LIST if name in imported] == []
