"""``webrag space``: looking at the embedding space and moving to another one, as a program sees it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command_line import Program, ProgramHere, program
from tests.support.embedding_server import EmbeddingServer, silence, status
from webrag_desktop.cli.shapes.reports import SpaceReport, StatusReport

MODEL = "text-embedding-3-small"


@pytest.fixture
def models() -> Iterator[EmbeddingServer]:
    with EmbeddingServer({MODEL: 1536}) as server:
        yield server


@pytest.fixture
def library(models: EmbeddingServer, tmp_path: Path) -> Iterator[Program]:
    """Two documents in a space of the embedded model."""
    for name in ("rivers", "stones"):
        (tmp_path / f"{name}.md").write_text(
            f"# {name}\n\nAll about {name}, at length and with care.", encoding="utf-8"
        )
    with program(ProgramHere) as webrag:
        assert webrag.run("add", str(tmp_path / "rivers.md"), str(tmp_path / "stones.md")).code == 0
        webrag.until_no_worker()  # which would try a move by the settings it was started with
        yield webrag


@contextmanager
def asking(library: Program, models: EmbeddingServer, dimensions: int = 64) -> Iterator[Program]:
    """The same data folder with settings that ask for the stand-in's model."""
    yield ProgramHere(
        library.home,
        {
            "EMBEDDING_BACKEND": "openai",
            "EMBEDDING_MODEL": MODEL,
            "EMBEDDING_BASE_URL": models.url,
            "EMBEDDING_DIMENSIONS": str(dimensions),
        },
    )


def looked(report: object) -> SpaceReport:
    return SpaceReport.model_validate(report)


def test_the_library_is_moved_and_searched_where_it_was_moved_to(
    library: Program, models: EmbeddingServer
) -> None:
    first = looked(library.answer("space", "--json"))
    assert first.matches
    assert first.move is None
    assert "ask for nothing else" in library.run("space").out
    with asking(library, models) as wanted:
        refused = wanted.run("search", "rivers")
        assert (refused.code, "`webrag space move`" in refused.err) == (4, True)
        reported = wanted.run("status", "--json")
        embedding = StatusReport.model_validate(reported.json).embedding
        assert (reported.code, embedding.settled, embedding.ok, embedding.dimensions) == (3, True, False, 384)
        assert embedding.problem is not None
        assert embedding.problem in refused.err
        assert "`webrag space move`" in wanted.run("status").out
        there = looked(wanted.answer("space", "--json"))
        assert not there.matches
        assert there.wanted is not None
        assert there.wanted.dimensions == 64
        assert "`webrag space move` moves the library there" in wanted.run("space").out
        moved = looked(wanted.answer("space", "move", "--json"))
        assert moved.matches
        assert moved.move is not None
        assert moved.move.state in ("tidying", "done")
        assert wanted.answer("search", "rivers", "--embedding", "--json")["query_embedding"]
        assert wanted.run("doctor").code == 0
        again = wanted.run("space", "move")
        assert (again.code, "nothing to move" in again.err) == (0, True)
    assert library.run("search", "rivers").code == 4  # the way back is a move, too


def test_it_is_paused_resumed_and_cancelled(library: Program, models: EmbeddingServer) -> None:
    with asking(library, models) as wanted:
        models.misbehave(status(401), times=50)
        waits = wanted.run("space", "move")
        assert waits.code == 3
        assert "API key" in waits.out
        assert "waiting, 0 of 2 documents" in waits.out
        report = looked(wanted.run("space", "--json").json)
        assert report.move is not None
        assert report.move.waits_until is not None
        paused = looked(wanted.answer("space", "pause", "--json")).move
        assert paused is not None
        assert paused.state == "paused"
        assert StatusReport.model_validate(wanted.run("status", "--json").json).move == paused
        for command in ("status", "space"):
            shown = wanted.run(command).out
            assert "paused, 0 of 2 documents" in shown
            assert "`webrag space resume` goes on with it." in shown
        again = wanted.run("space", "pause")
        assert (again.code, again.err) == (0, "The move is paused already.\n")
        assert wanted.run("search", "rivers").code == 0  # in the old space, with words and meaning
        assert wanted.answer("space", "resume", "--json")["move"]["state"] in ("moving", "waiting")
        models.misbehave(status(401), times=50)
        assert wanted.run("space", "move").code == 3
        waiting = looked(wanted.run("space", "--json").json).move
        assert waiting is not None
        assert waiting.problem is not None
        cancelled = looked(wanted.answer("space", "cancel", "--json")).move
        assert cancelled is not None
        ended = (cancelled.state, cancelled.waits_until, cancelled.problem, cancelled.remedy)
        assert ended == ("cancelled", None, None, None)
        assert "tried again" not in wanted.run("space").out
        assert StatusReport.model_validate(wanted.run("status", "--json").json).move is None
        for command in ("pause", "resume", "cancel"):
            nothing = wanted.run("space", command)
            assert (nothing.code, nothing.err) == (1, "No move is under way. Nothing was changed.\n")
            assert looked(wanted.run("space", command, "--json").json).move is not None
    assert library.run("doctor").code == 0
    assert looked(library.answer("space", "--json")).matches


def test_left_to_the_background_it_is_done_by_the_worker(library: Program, models: EmbeddingServer) -> None:
    with asking(library, models, 96) as wanted:
        models.misbehave(silence)
        begun = looked(wanted.answer("space", "move", "--no-wait", "--json"))
        assert begun.move is not None
        at_it = (looked(wanted.run("space", "--json").json).worker for _ in range(100))
        assert any(at_it)  # one that is killed while it connects may seem to be there for a moment later on
        worker = wanted.worker()
        assert worker is not None
        worker.kill()
        worker.wait()
        reported = (
            wanted.run("space").out for _ in range(100)
        )  # the server takes a moment to see that it is gone
        left = next(out for out in reported if "No worker runs, so it waits; `webrag work`" in out)
        assert "waits, 0 of 2 documents" in left
        assert "`webrag work`" in wanted.run("status").out
        assert not looked(wanted.run("space", "--json").json).worker
        assert wanted.run("pause").code == 0
        assert "`webrag resume` goes on with both" in wanted.run("space").out
        assert looked(wanted.run("space", "--json").json).paused
        models.released.set()
        work = wanted.run("work")
        assert "goes on in the background" in work.err
        assert looked(wanted.answer("space", "move", "--json")).matches
        assert wanted.run("doctor").code == 0


def test_a_library_without_documents_has_nothing_to_move() -> None:
    with program(ProgramHere) as webrag:
        assert looked(webrag.answer("space", "--json")).active is None
        empty = webrag.run("space", "move", "--json")
        assert (empty.code, empty.json["error"]["exit_code"]) == (2, 2)
        assert "no documents yet" in empty.json["error"]["message"]
