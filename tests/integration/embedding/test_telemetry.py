"""The library that runs the model reports nothing to its makers."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os
from webrag_desktop.embedding.factory import open_embedder, resolve
from webrag_desktop.embedding.options import EmbeddingOptions
options = EmbeddingOptions(backend="embedded")
open_embedder(resolve(options), options).embed_query("hello")
print(os.environ["ORT_DISABLE_TELEMETRY"])
"""


def test_loading_the_model_leaves_no_report_behind(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1"
    assert list(tmp_path.iterdir()) == []
