"""What hangs ends its process; what ends in time is left alone."""

import subprocess
import sys

from webrag_desktop.orchestration.watchdog import EXIT_CODE

PROGRAM = """
import threading
from webrag_desktop.orchestration.watchdog import watchdog
with watchdog({seconds}):
    threading.Event().wait({work})
print("went on")
"""


def run(seconds: float, work: float) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(seconds=seconds, work=work)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )


def test_what_hangs_is_ended() -> None:
    ended = run(seconds=0.2, work=60)
    assert ended.returncode == EXIT_CODE
    assert "went on" not in ended.stdout


def test_what_ends_in_time_goes_on() -> None:
    ended = run(seconds=60, work=0)
    assert (ended.returncode, ended.stdout.strip()) == (0, "went on")
