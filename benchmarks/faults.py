"""``python -m benchmarks.faults --count 200``: kill any of the program's processes at random points, and look.

These are window, worker, reading process, database server and commands. Nothing is measured but how often it was done;
what is lost, doubled, failed or unsound ends it with an error. The record tells what was killed where, in order; the
same seed draws the same faults, which meet the same points as far as the processes run alike.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.measuring import table
from tests.support.embedding_server import EmbeddingServer
from tests.support.faults.driver import Driver, driven
from tests.support.faults.outcome import MODEL, assert_all_there, settings_for


def main() -> None:
    """Inject the faults and print what they were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="print each fault")
    arguments = parser.parse_args()
    with (
        EmbeddingServer({MODEL: 768}) as models,
        tempfile.TemporaryDirectory(prefix="webrag-faults-", ignore_cleanup_errors=True) as folder,
        driven(Path(folder) / "home", Path(folder), settings_for(models), arguments.seed) as driver,
    ):
        began = time.monotonic()
        driver.run(arguments.count, driver.assert_sound)
        driver.settle()
        driver.look(lambda services: assert_all_there(services, driver))
        sys.stdout.write(_reported(driver, arguments.seed, time.monotonic() - began))
        if arguments.record:
            sys.stdout.write("\n".join(driver.killed) + "\n")


def _reported(driver: Driver, seed: int, seconds: float) -> str:
    killed = Counter(line.partition(" when the ")[0] for line in driver.killed)
    rows = [[targets, count] for targets, count in killed.most_common()]
    readers = sum("reader" in targets.split("+") for targets in killed.elements())
    rows += [["all", len(driver.killed)], ["the reading process among them", readers]]
    rows += [["not reached", driver.missed]]
    rows += [["documents at the end", len(driver.wanted)], ["seconds", round(seconds)]]
    return table(
        f"Faults of seed {seed}: nothing lost, nothing doubled, nothing failed, doctor clean",
        ["killed", "times"],
        rows,
    )


if __name__ == "__main__":
    main()
