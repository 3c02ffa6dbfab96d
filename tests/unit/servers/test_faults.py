"""Which family an error status belongs to; the words are those that real servers were heard to say."""

import json

import httpx
import pytest

from webrag_desktop.servers.faults import Fault, Overflow, fault_of, overflow_of, server_words

LLAMA_NO_EMBEDDINGS = "This server does not support embeddings. Start it with `--embeddings`"
LLAMA_BATCH = (
    "input (508 tokens) is too large to process. increase the physical batch size (current batch size: 64)"
)
LLAMA_CONTEXT = "request (3031 tokens) exceeds the available context size (2048 tokens), try increasing it"
OPENAI_CONTEXT = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
)
LM_STUDIO_CONTEXT = (
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context "
    "length of only 4096 tokens"
)

VLLM_CONTEXT = (
    "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context length is 512 tokens "
    "and your request has 400 input tokens (1024 > 512 - 400)."
)
GPT_5_CONTEXT = (
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300012 tokens. "
    "Please reduce the length of the messages."
)


def answered(status: int, words: str = "", **more: object) -> httpx.Response:
    body = json.dumps({"error": {"code": status, "message": words, **more}})
    return httpx.Response(status, content=body, headers={"location": "/"} if 300 <= status < 400 else {})


@pytest.mark.parametrize(
    ("status", "words", "fault"),
    [
        (307, "", Fault.ELSEWHERE),
        (401, "Incorrect API key", Fault.KEY),
        (403, "", Fault.KEY),
        (402, "Insufficient Balance", Fault.CREDIT),
        (404, "File Not Found", Fault.MISSING),
        (405, "Method Not Allowed", Fault.MISSING),
        (501, LLAMA_NO_EMBEDDINGS, Fault.UNSUPPORTED),
        (501, "Not implemented", Fault.UNSUPPORTED),
        (400, '"nomic-embed-text" does not support chat', Fault.UNSUPPORTED),
        (500, "this model does not support embeddings", Fault.UNSUPPORTED),
        (503, "Loading model", Fault.LOADING),
        (500, "unexpected server status: llm server loading model", Fault.LOADING),
        (500, LLAMA_BATCH, Fault.TOO_LONG),
        (400, LLAMA_CONTEXT, Fault.TOO_LONG),
        (400, OPENAI_CONTEXT, Fault.TOO_LONG),
        (400, LM_STUDIO_CONTEXT, Fault.TOO_LONG),
        (400, VLLM_CONTEXT, Fault.TOO_LONG),
        (400, GPT_5_CONTEXT, Fault.TOO_LONG),
        (400, "the prompt is longer than the context length currently available", Fault.TOO_LONG),
        (400, "the input length exceeds the context length", Fault.TOO_LONG),
        (413, "Input validation error: `inputs` must have less than 512 tokens. Given: 600", Fault.TOO_LONG),
        (413, "", Fault.TOO_LONG),
        (429, "Rate limit reached: too many tokens per minute", Fault.BUSY),
        (503, "server busy, please try again", Fault.BUSY),
        (408, "", Fault.BUSY),
        (425, "", Fault.BUSY),
        (502, "", Fault.BUSY),
        (504, "", Fault.BUSY),
        (400, "'$.input' is invalid.", Fault.REFUSED),
        (422, "unprocessable", Fault.REFUSED),
        (415, "", Fault.REFUSED),
        (500, "CUDA out of memory", Fault.FAILED),
        (500, "", Fault.FAILED),
    ],
)
def test_each_status_with_its_words_has_a_family(status: int, words: str, fault: Fault) -> None:
    assert fault_of(answered(status, words)) is fault


def test_an_account_without_credit_is_distinguished_from_one_that_asks_too_often() -> None:
    assert fault_of(answered(429, "You exceeded your quota", code="insufficient_quota")) is Fault.CREDIT


@pytest.mark.parametrize(
    "body", [b"", b"[1]", b"\xff", b'"too large to process"', b'{"error": 7}', b"[" * 300_000]
)
def test_a_body_that_is_no_error_leaves_the_status(body: bytes) -> None:
    assert fault_of(httpx.Response(500, content=body)) is Fault.FAILED
    assert overflow_of(httpx.Response(500, content=body)) == Overflow(None, None)


@pytest.mark.parametrize("body", [{"object": "error", "message": OPENAI_CONTEXT}, {"detail": OPENAI_CONTEXT}])
def test_an_error_that_stands_by_itself_is_read_too(body: dict[str, str]) -> None:
    """As vLLM wrote it before 0.10, and what FastAPI refuses."""
    response = httpx.Response(400, json=body)
    assert fault_of(response) is Fault.TOO_LONG
    assert overflow_of(response) == Overflow(8192, 9000)


def test_an_error_in_the_words_of_another_is_that_one() -> None:
    """As Ollama hands on what its runner says."""
    inner = {"code": 400, "message": LLAMA_CONTEXT, "n_prompt_tokens": 3031, "n_ctx": 2048}
    response = httpx.Response(400, json={"error": json.dumps({"error": inner})})
    assert fault_of(response) is Fault.TOO_LONG
    assert overflow_of(response) == Overflow(2048, 3031)


def test_the_parts_of_a_request_that_are_not_taken_are_named() -> None:
    rows = [
        {
            "type": "extra_forbidden",
            "loc": ["body", "stream_options"],
            "msg": "Extra inputs are not permitted",
        }
    ]
    response = httpx.Response(422, json={"detail": rows})
    assert fault_of(response) is Fault.REFUSED
    assert "body.stream_options: Extra inputs are not permitted" in server_words(response, None)


@pytest.mark.parametrize(
    ("response", "overflow"),
    [
        (answered(400, LLAMA_CONTEXT, n_prompt_tokens=3031, n_ctx=2048), Overflow(2048, 3031)),
        (answered(400, LLAMA_CONTEXT), Overflow(2048, None)),
        (answered(400, OPENAI_CONTEXT), Overflow(8192, 9000)),
        (answered(400, LM_STUDIO_CONTEXT), Overflow(4096, None)),
        (answered(400, VLLM_CONTEXT), Overflow(512, 400)),
        (answered(400, GPT_5_CONTEXT), Overflow(272_000, 300_012)),
        (answered(400, "too long", n_prompt_tokens=True, n_ctx=-1), Overflow(None, None)),
    ],
)
def test_the_sizes_are_read_where_a_server_tells_them(response: httpx.Response, overflow: Overflow) -> None:
    assert overflow_of(response) == overflow
