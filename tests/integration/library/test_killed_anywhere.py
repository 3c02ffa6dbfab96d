"""Window, worker, server and commands are killed at random points, in any combination; nothing is lost or doubled.

The points are statements and commits, drawn from a seed: ``WEBRAG_TEST_FAULTS`` and ``WEBRAG_TEST_SEED`` ask for more
faults, or others. The record of what was killed where is shown when something is not as it should be.
"""

import os
import sys
from pathlib import Path

import pytest

from tests.support.embedding_server import EmbeddingServer
from tests.support.faults.driver import driven
from tests.support.faults.outcome import MODEL, assert_all_there, settings_for

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
COUNT = int(os.environ.get("WEBRAG_TEST_FAULTS", "15"))
SEED = int(os.environ.get("WEBRAG_TEST_SEED", "20260211"))


def test_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    with (
        EmbeddingServer({MODEL: 768}) as models,
        driven(tmp_path / "home", tmp_path, settings_for(models), SEED) as driver,
    ):
        sys.stdout.write(f"seed {SEED}\n")
        driver.run(COUNT, driver.assert_sound)
        sys.stdout.write("\n".join([*driver.killed, f"{driver.missed} not reached\n"]))
        assert len(driver.killed) >= COUNT
        driver.settle()
        driver.look(lambda services: assert_all_there(services, driver))
