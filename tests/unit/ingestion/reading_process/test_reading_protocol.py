"""What crosses the pipe arrives as it was; what cannot be true is refused."""

import io
from dataclasses import replace
from typing import Any

import pytest

from tests.support.captures import page_capture
from webrag_desktop import errors
from webrag_desktop.errors import ExtractionError, FetchError, IngestionError, ResourceError, WebragError
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.ingestion.page_look.markup import markup_of
from webrag_desktop.ingestion.reading_process.process import verified
from webrag_desktop.ingestion.reading_process.protocol import (
    Answer,
    Failure,
    Request,
    Wanted,
    read_answer,
    read_request,
    write_answer,
    write_request,
)
from webrag_desktop.models.documents import Block, Capture

CAPTURE = page_capture("<main><h1>Heading</h1><p>Some words of the page.</p></main>").model_copy(
    update={"redirects": ("https://example.org/moved",), "final_url": "https://example.org/moved"}
)
DOCUMENT = extract(CAPTURE)
FAMILIES = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, WebragError) and not issubclass(kind, ResourceError)
]


def carried(answer: Answer) -> Answer | None:
    pipe = io.BytesIO()
    write_answer(pipe, answer.json_bytes())
    pipe.seek(0)
    return read_answer(pipe, 1_000_000)


@pytest.mark.parametrize("wanted", ["document", "markup"])
@pytest.mark.parametrize("body", [b"", bytes(range(256)) * 1000])
def test_captures_arrive_whole(body: bytes, wanted: Wanted) -> None:
    pipe = io.BytesIO()
    capture = CAPTURE.model_copy(update={"body": body, "filename": "Größe 🧭.html"})
    write_request(pipe, Request(capture, wanted))
    pipe.seek(0)
    assert read_request(pipe) == Request(capture, wanted)
    assert read_request(pipe) is None


def test_half_a_capture_is_none() -> None:
    pipe = io.BytesIO()
    write_request(pipe, Request(CAPTURE, "document"))
    for length in (3, 20, len(pipe.getvalue()) - 1):
        assert read_request(io.BytesIO(pipe.getvalue()[:length])) is None


def test_markup_arrives_whole() -> None:
    answer = Answer(markup=markup_of(CAPTURE))
    assert answer.markup is not None
    assert "<h1>Heading</h1>" in answer.markup.text
    assert carried(answer) == answer


def test_answers_arrive_whole() -> None:
    answer = Answer(document=DOCUMENT, addresses=tuple(addresses_of(CAPTURE, DOCUMENT)))
    assert carried(answer) == answer


@pytest.mark.parametrize("kind", FAMILIES)
def test_errors_keep_their_family(kind: type[WebragError]) -> None:
    given = kind("What happened", "What to do")
    if isinstance(given, FetchError):
        given.transient, given.retryable, given.retry_after = True, True, 7.5
    answer = carried(Answer(failure=Failure.of(given)))
    assert answer is not None
    assert answer.failure is not None
    error = answer.failure.error()
    assert type(error) is kind
    assert vars(error) == vars(given)


def test_an_unknown_family_is_one_of_ingestion() -> None:
    assert type(Failure(family="os", message="m").error()) is IngestionError
    assert type(Failure(family="ExtractionError", message="m").error()) is ExtractionError


def test_hostile_bytes_cannot_have_their_reading_tried_for_ever() -> None:
    assert type(Failure.of(ResourceError("m")).error()) is IngestionError


@pytest.mark.parametrize(
    "answer",
    [b"", b"{", b"[]", b'{"document": 1}', b'{"cmd": "x"}', b'{"document": {"markdown": "x"}}', b"\x80\x04."],
)
def test_what_is_no_answer_is_refused(answer: bytes) -> None:
    pipe = io.BytesIO()
    write_answer(pipe, answer)
    pipe.seek(0)
    with pytest.raises(ValueError, match=r".+"):
        read_answer(pipe, 1_000_000)


def test_an_answer_beyond_measure_is_not_even_read() -> None:
    with pytest.raises(ValueError, match="bytes"):
        read_answer(io.BytesIO(b"\xff" * 8), 1_000_000)


def believed(capture: Capture = CAPTURE, addresses: Any = (), **changes: Any) -> None:
    document = replace(DOCUMENT, **changes)
    verified(capture, Answer(document=document, addresses=addresses))


def test_what_can_be_true_is_believed() -> None:
    believed(addresses=tuple(addresses_of(CAPTURE, DOCUMENT)))
    believed(addresses=(("https://www.example.org/other", "canonical"),))


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "https://bank.test/"},
        {"source_url": "https://bank.test/"},
        {"status_code": 404},
        {"markdown": "other text"},
        {"content_hash": "0" * 64},
        {"blocks": (Block(char_start=0, char_end=10_000),)},
        {"blocks": (Block(char_start=-3, char_end=2),)},
        {"blocks": (Block(char_start=5, char_end=5),)},
        {"blocks": (Block(char_start=4, char_end=9), Block(char_start=2, char_end=4))},
        {"addresses": (("https://bank.test/", "canonical"),)},
        {"addresses": (("https://example.org.bank.test/x", "canonical"),)},
        {"addresses": (("https://example.org/", "canonical"),)},
        {"addresses": (("https://example.org/never", "redirect"),)},
        {"addresses": (("https://bank.test/", "given"),)},
    ],
)
def test_what_cannot_be_true_is_not(changes: dict[str, Any]) -> None:
    with pytest.raises(IngestionError, match="the fault is its own"):
        believed(**changes)


def test_an_answer_that_says_nothing_is_a_fault() -> None:
    with pytest.raises(IngestionError, match="the fault is its own"):
        verified(CAPTURE, Answer())
