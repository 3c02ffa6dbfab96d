"""Make the frozen libraries that two states of the program are compared on: ``python -m tests.golden.make FOLDER``.

``FOLDER`` gets the texts (``texts``), a library of all of them (``library``) and one of a few (``small``), both with
their database stopped. It must lie outside the repository, and is never changed afterwards: comparing works on copies.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.retrieval_quality_parts.evaluation_sets import READERS
from tests.support.fidelity import FIDELITY_PAGES

SETS = ("chroma", "xquad-en", "xquad-de")
SETTINGS = {"EMBEDDING_BACKEND": "embedded", "EMBEDDING_MODEL": "all-MiniLM-L6-v2"}
_OURS = ("WEBRAG_", "EMBEDDING_", "RETRIEVAL_", "CHUNK_", "CHAT_", "FETCH_", "EXTRACT_", "PG")


def environment(home: Path, **more: str) -> dict[str, str]:
    """This process's environment without settings of whoever runs this, for the library in ``home``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return kept | SETTINGS | {"WEBRAG_HOME": str(home), "NO_COLOR": "1", "COLUMNS": "110"} | more


def write_texts(folder: Path, data: Path) -> None:
    """Write the documents and questions of the public sets, and the fidelity pages, below ``folder``."""
    questions = {}
    for name in SETS:
        read = READERS[name](data)
        (folder / name).mkdir(parents=True)
        for document, text in read.documents.items():
            (folder / name / document).write_text(text, encoding="utf-8", newline="")
        questions[name] = [question.text for question in read.questions]
    (folder / "questions.json").write_text(json.dumps(questions, ensure_ascii=False), encoding="utf-8")
    shutil.copytree(FIDELITY_PAGES, folder / "pages", ignore=shutil.ignore_patterns("*.yaml", "README.md"))


def fill(home: Path, texts: Sequence[Path]) -> None:
    """Add files to the library in ``home`` and stop its database."""
    given = "\n".join(map(str, texts))
    webrag = [sys.executable, "-m", "webrag_desktop"]
    # Read from standard input, since a command line has a greatest length.
    subprocess.run([*webrag, "add", "-"], input=given.encode(), env=environment(home), check=True)
    subprocess.run([*webrag, "stack", "stop"], env=environment(home), check=True)


def make(folder: Path, data: Path) -> None:
    """Make texts and libraries in a folder that is not there yet."""
    texts = folder / "texts"
    write_texts(texts, data)
    fill(folder / "library", sorted(path for path in texts.rglob("*.*") if path.suffix in {".md", ".html"}))
    fill(
        folder / "small",
        [*sorted((texts / "pages").glob("*.html"))[:8], min((texts / "xquad-en").glob("*.md"))],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="the public evaluation sets")
    given = parser.parse_args()
    make(given.folder.absolute(), given.data.absolute())
