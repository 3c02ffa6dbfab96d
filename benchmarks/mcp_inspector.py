"""Every tool of ``webrag mcp`` asked by the MCP Inspector, the protocol's own client, which npm brings.

``python -m benchmarks.mcp_inspector`` needs ``npx`` and the network, or the package in npm's cache; ``--package`` names
another version of it. The exit status is 1 where a call did not come back as it should.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.measuring import table
from tests.support.command_line import Program, ProgramHere, program
from tests.support.mcp_library import CLAMP, QUESTION, filled
from tests.support.pages import PageServer
from tests.support.sites import QUESTION as IMPELLER
from tests.support.sites import manual, site

SECONDS = 300


def main() -> int:
    """Ask, and print what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--package", default="@modelcontextprotocol/inspector")
    package = parser.parse_args().package
    with program(ProgramHere, MCP_ALLOW_WRITES="true") as webrag, PageServer(site(manual())) as pages:
        shelf = filled(webrag, webrag.home.parent / "texts")
        webrag.answer("add", "--json", pages.url("/"))
        asked = [
            ("tools/list",),
            *(_call(tool, *arguments) for tool, *arguments in _calls(shelf.ids["tides"])),
            ("resources/list",),
            ("resources/templates/list",),
            ("resources/read", "--uri", f"webrag://document/{shelf.ids['tides']}"),
            ("prompts/list",),
            ("prompts/get", "--prompt-name", "cited_answer", "--prompt-args", f"question={QUESTION}"),
        ]
        rows = [_row(webrag, package, arguments) for arguments in asked]
    print(table("MCP Inspector", ("asked", "seconds", "came back"), rows))
    return int(any(row[2] != "well" for row in rows))


def _calls(document: str) -> list[tuple[str, ...]]:
    return [
        ("search", f"query={QUESTION}", "mode=chunk", "max_tokens=2000"),
        ("read", f"cite={document}"),
        ("verify_quote", f"quote={CLAMP}"),
        ("context_pack", f"query={QUESTION}", "final_max_tokens=400"),
        ("status", "documents=true"),
        ("add", 'urls=["http://127.0.0.1:9/"]'),
        ("expand", f"question={IMPELLER}", "pages=8", "max_tokens=4000"),
    ]


def _call(tool: str, *arguments: str) -> tuple[str, ...]:
    given = [part for argument in arguments for part in ("--tool-arg", argument)]
    return ("tools/call", "--tool-name", tool, *given)


def _row(webrag: Program, package: str, arguments: Sequence[str]) -> tuple[str, str, str]:
    begun = time.perf_counter()
    npx = shutil.which("npx")
    if npx is None:
        sys.exit("There is no npx here; it comes with Node.js.")
    server = [sys.executable, "-m", "webrag_desktop", "mcp"]
    done = subprocess.run(
        [npx, "-y", package, "--cli", *server, "--method", *arguments],
        capture_output=True,
        env=webrag.environment,
        timeout=SECONDS,
        check=False,
        text=True,
    )
    name = arguments[2] if arguments[0] == "tools/call" else arguments[0]
    return name, f"{time.perf_counter() - begun:.1f}", _outcome(done)


def _outcome(done: "subprocess.CompletedProcess[str]") -> str:
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return (done.stderr or done.stdout).strip()[-200:]
    return "an error" if answer.get("isError") or done.returncode else "well"


if __name__ == "__main__":
    sys.exit(main())
