"""A worker that is killed while it moves a library costs a batch of vectors at most; the next one goes on."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict

import pytest

from tests.conftest import Address
from tests.support.dying_mover import PLACES
from tests.support.embedding_server import EmbeddingServer
from tests.support.moving import NEW_CHUNKS, OLD_CHUNKS, MovingLibrary, embedding
from tests.support.queue_work import assert_sound
from webrag_desktop.indexing.text_vectors import FIRST_BATCH
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.spaces.space_tables import active_space

LONG = " ".join(f"Granite number {n} lies above the valley, and ice lies on it all year." for n in range(20))
TIMES = {"before a batch of vectors is kept": 2, "after a document landed": 2}
SWAPPED = list(PLACES)[list(PLACES).index("before the old vectors go") :]


@pytest.mark.parametrize("place", PLACES)
def test_killed_it_goes_on(
    clone: Callable[[str], Address], migrated_template: str, models: EmbeddingServer, place: str
) -> None:
    address = clone(migrated_template)
    database = Database(address)
    library = MovingLibrary(database, embedding(models, 48), OLD_CHUNKS)
    for name in ("Rhine", "Elbe"):
        library.add(name, LONG.replace("Granite", name))
    library.work()
    before = {question: titles(library, question) for question in ("Rhine number 7", "ice on Elbe")}
    wanted = MovingLibrary(database, embedding(models, 64), NEW_CHUNKS)
    wanted.moving.begin()
    models.received.clear()

    kill(address, wanted, place, TIMES.get(place, 1))
    assert_sound(database)
    with database.connection() as conn:
        stored = active_space(conn)
    assert stored is not None
    assert stored.space.model.dimensions == (64 if place in SWAPPED else 48)
    in_use = wanted if place in SWAPPED else library
    for question, found in before.items():
        assert titles(in_use, question)[:1] == found[:1]

    wanted.work()
    move, _progress = wanted.moving.progress()
    assert move is not None
    assert move.state == "done"
    assert_sound(database)
    assert wanted.count("SELECT count(*) FROM embedding_spaces") == 1
    assert wanted.count("SELECT count(DISTINCT chunking_id) FROM chunks") == 1
    for question, found in before.items():
        assert titles(wanted, question)[:1] == found[:1]
    sent = [text for text in models.embedded_texts if "above the valley" in text]
    assert len(set(sent)) > FIRST_BATCH
    assert len(sent) - len(set(sent)) <= FIRST_BATCH
    database.close()


def kill(address: Address, library: MovingLibrary, place: str, times: int) -> None:
    """Have a worker die there."""
    options = {name: value for name, value in asdict(library.options).items() if name != "api_key"}
    targets = {name: getattr(library.targets, name) for name in ("child_tokens", "parent_tokens")}
    plan = {"address": address, "options": options, "targets": targets}
    died = subprocess.run(
        [sys.executable, "-m", "tests.support.dying_mover", place, str(times)],
        input=json.dumps(plan).encode(),
        check=False,
        timeout=120,
        capture_output=True,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()


def titles(library: MovingLibrary, question: str) -> list[str | None]:
    """The documents found, best first."""
    return [chunk.title for chunk in library.search(question).chunks]
