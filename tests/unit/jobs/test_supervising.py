"""What counts as work that got on."""

from uuid import uuid4

from webrag_desktop.jobs.worker_process import Advance
from webrag_desktop.progress import SourceState


def test_what_a_claim_alone_sets_is_no_advance() -> None:
    advance, document = Advance(), uuid4()
    begun: list[SourceState] = ["queued", "fetching", "extracting", "queued", "fetching"]
    assert not any(advance.made(document, state, None) for state in begun)


def test_only_what_is_further_than_ever_before_is_an_advance() -> None:
    advance, document = Advance(), uuid4()
    reported: list[tuple[SourceState, int | None, bool]] = [
        ("fetching", 4096, True),
        ("fetching", 4096, False),
        ("chunking", None, True),
        ("embedding", 16, True),
        ("chunking", None, False),
        ("embedding", 16, False),
        ("embedding", 0, False),
        ("embedding", 17, True),
    ]
    assert [advance.made(document, state, done) for state, done, _ in reported] == [
        made for *_, made in reported
    ]
    assert advance.made(uuid4(), "embedding", 16)


def test_an_end_is_one_and_lets_all_be_counted_again() -> None:
    advance, document = Advance(), uuid4()
    assert advance.made(document, "embedding", 9)
    assert advance.made(document, "ready", None)
    assert advance.made(document, "embedding", 9)
    assert advance.made(document, "removed", None)
