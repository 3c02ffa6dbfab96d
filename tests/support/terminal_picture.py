"""Draw the README's picture from real commands: ``python -m tests.support.terminal_picture`` (not on Windows)."""

import io
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.support.corpus import PAGES
from tests.support.pages import PageServer

PICTURE = Path(__file__).parents[2] / "docs" / "screenshots" / "terminal.svg"
WIDTH = 104
COMMANDS = (
    ["add", "{site}/python_glossary.html", "{site}/sklearn_ensemble.html"],
    ["search", "how do random forests reduce overfitting", "--limit", "2"],
    ["search", "max_depth", "--limit", "1"],
)
# Ink, ground and accents of the design tokens' dark theme; fonts are whatever the viewer has, nothing is loaded.
RED, GREEN, AMBER = (244, 147, 139), (111, 203, 153), (230, 182, 90)
BLUE, VIOLET, CYAN = (119, 153, 240), (190, 160, 230), (120, 200, 210)
GROUND, INK, GREY = (31, 32, 35), (232, 233, 236), (187, 191, 199)
THEME = TerminalTheme(GROUND, INK, [GROUND, RED, GREEN, AMBER, BLUE, VIOLET, CYAN, GREY])
FORMAT = """<svg viewBox="0 0 {terminal_width} {terminal_height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "JetBrains Mono", "SF Mono", "Cascadia Mono", Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
<rect width="{terminal_width}" height="{terminal_height}" rx="12" fill="#1F2023"/>
<g transform="translate(20, 16)"><g class="{unique_id}-matrix">{backgrounds}{matrix}</g></g>
</svg>
"""


def on_a_terminal(arguments: list[str], environment: dict[str, str]) -> str:
    """Run a command with a terminal as its output and return what it wrote there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(arguments, env=environment, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65536):
                written += piece
        except OSError:  # how Linux tells that the other side is closed
            pass
        process.wait()
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def main() -> None:
    """Run the commands in a library of their own and draw them."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    with (
        tempfile.TemporaryDirectory(prefix="webrag-picture-", ignore_cleanup_errors=True) as home,
        PageServer(directory=PAGES) as server,
    ):
        environment = os.environ | {
            "WEBRAG_HOME": home,
            "EMBEDDING_BACKEND": "embedded",
            "COLUMNS": str(WIDTH),
            "TERM": "xterm-256color",
        }
        program = [sys.executable, "-m", "webrag_desktop"]
        for template in COMMANDS:
            command = [part.format(site=server.url("")) for part in template]
            words = (f'"{word}"' if " " in word else word for word in command)
            console.print(Text(f"$ webrag {' '.join(words)}", style="bold color(12)"))
            if command[0] == "add":  # its bars move the cursor; a pipe shows the same as plain lines
                done = subprocess.run(
                    [*program, *command], env=environment, capture_output=True, text=True, check=True
                )
                console.print(Text(done.stdout[done.stdout.index("Added") :]))
            else:
                console.print(Text.from_ansi(on_a_terminal([*program, *command], environment)))
        subprocess.run([*program, "stack", "stop"], env=environment, check=True, capture_output=True)
    console.save_svg(str(PICTURE), theme=THEME, code_format=FORMAT, unique_id="terminal")


if __name__ == "__main__":
    main()
