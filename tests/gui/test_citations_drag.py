"""A citation dragged with a real mouse: the new place is asked for, the list waits for the answer."""

import os
import subprocess
import sys
from pathlib import Path


def test_dragging_a_citation_asks_for_its_new_number_and_moves_nothing() -> None:
    dragged = subprocess.run(
        [sys.executable, "-m", "tests.support.citation_drag"],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"QT_QPA_PLATFORM": "minimal:enable_fonts"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert dragged.returncode == 0, dragged.stderr
    assert dragged.stdout.splitlines() == ["3", "1 2 3 4"]
