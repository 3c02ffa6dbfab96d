"""What llama.cpp's server was heard to say (build b1-7e4c0a9), to the letter; the numbers are those of each case."""

from typing import Any

from tests.support.embedding_server import EmbeddingServer, Json, Reply, inputs_of, json_reply, token_count


class LlamaServer(EmbeddingServer):
    """Fails over a text of more tokens than its physical ``batch`` (``-ub``), which has to hold a whole one."""

    def __init__(self, models: dict[str, int], **more: Any) -> None:
        super().__init__(models, **more)
        self.batch = 512

    def _embeddings(self, payload: Json) -> Reply:
        longest = max(token_count([text]) for text in inputs_of(payload))
        return too_large(longest, self.batch) if longest > self.batch else super()._embeddings(payload)


def context_overflow(sent: int, context: int) -> Reply:
    """What llama.cpp says of a request that is too long for it."""
    error = {
        "code": 400,
        "message": f"request ({sent} tokens) exceeds the available context size ({context} tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": sent,
        "n_ctx": context,
    }
    return json_reply({"error": error}, status=400)


def too_large(tokens: int, batch: int) -> Reply:
    """What llama.cpp's server says of a text that its physical batch does not hold."""
    words = (
        f"input ({tokens} tokens) is too large to process. increase the physical batch size "
        f"(current batch size: {batch})"
    )
    return json_reply({"error": {"code": 500, "message": words, "type": "server_error"}}, status=500)


def loading(_: Json) -> Reply:
    """What llama.cpp's server says while it loads its model."""
    return json_reply(
        {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, status=503
    )


def no_grammar(_: Json) -> Reply:
    """What llama.cpp's server (build b11549) says of a JSON schema that it cannot make a grammar of."""
    words = (
        "Unable to generate parser for this template. Automatic parser generation failed: JSON schema error at "
        "#/properties/results: cannot resolve $ref #/$defs/judgement, $defs not found"
    )
    error = {"code": 400, "message": words, "type": "invalid_request_error"}
    return json_reply({"error": error}, status=400)


def out_of_context(answer: Json) -> Reply:
    """What llama.cpp's server (build b11549) says where a small model wrote white space until its context was full."""
    usage = {"prompt_tokens": 501, "completion_tokens": 11, "total_tokens": 512}
    answer["choices"][0]["message"]["content"] = '{\n  "first"\n  :\n\n'
    answer["choices"][0]["finish_reason"] = "length"
    return json_reply(answer | {"usage": usage})


def no_embeddings(_: Json) -> Reply:
    """What llama.cpp's server says where it was started to chat."""
    words = "This server does not support embeddings. Start it with `--embeddings`"
    return json_reply({"error": {"code": 501, "message": words, "type": "not_supported_error"}}, status=501)
