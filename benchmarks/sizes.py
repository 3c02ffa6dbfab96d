"""``python -m benchmarks.sizes [COMMIT ...]``: how large the program was at some commits, and is in this checkout.

Modules are files of Python below ``webrag_desktop/``, those that only mark a package apart. Lines of code are without
blank ones, comments and docstrings. Median and longest count all lines of a module.
"""

import ast
import io
import statistics
import subprocess
import sys
import tarfile
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measuring import table

PACKAGE = "webrag_desktop"
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def lines_of_code(source: str) -> int:
    """The lines that hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def _at(commit: str) -> Iterator[str]:
    archive = subprocess.run(["git", "archive", commit, PACKAGE], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            if member.name.endswith(".py") and (file := files.extractfile(member)) is not None:
                yield file.read().decode()


def _row(name: str, sources: Sequence[str]) -> tuple[object, ...]:
    whole = [source.count("\n") for source in sources]
    marks = sum(1 for lines in whole if lines <= 1)
    code = sum(map(lines_of_code, sources))
    return (
        name,
        len(sources) - marks,
        marks,
        f"{code:,}",
        f"{sum(whole):,}",
        statistics.median(whole),
        max(whole),
    )


if __name__ == "__main__":
    head = ("commit", "modules", "marks of packages", "lines of code", "all lines", "median", "longest")
    rows = [_row(commit, list(_at(commit))) for commit in sys.argv[1:]]
    here = [path.read_text(encoding="utf-8") for path in sorted(Path(PACKAGE).rglob("*.py"))]
    sys.stdout.write(table("Sizes", head, [*rows, _row("this checkout", here)]) + "\n")
