"""What went wrong with a model server, and the messages about it: one classification and one table of texts."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import httpx

from webrag_desktop.servers.address import ServerAddress
from webrag_desktop.servers.listing import positive_count

_LONGEST_WORDS = 300  # of what a server says

# Too many requests, a full queue, and what proxies say of a server that is restarting.
_BUSY = frozenset((408, 425, 429, 502, 503, 504))
_STATUSES_OF_ENDPOINTS = frozenset((404, 405, 410))

# As llama.cpp, Ollama, vLLM, LM Studio, text-embeddings-inference and OpenAI put it; some of them with status 500.
_TOO_LONG = re.compile(
    r"too large to process|context[ _](?:size|length|window|overflow)|context the overflows|exceed_context_size"
    r"|maximum (?:input|sequence) length|(?:input|prompt) (?:is )?(?:too long|longer than)"
    r"|must have less than \d+ tokens|too many tokens|tokens exceed the configured limit",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(r"does not support (?:embedding|chat|completion|generat)", re.IGNORECASE)
_LOADING = re.compile(r"loading (?:the )?model|model is (?:still )?(?:being loaded|loading)", re.IGNORECASE)
_CONTEXT = re.compile(r"(?:context (?:size|length|window)|configured limit)\D{0,20}(\d{2,})", re.IGNORECASE)
_SENT = re.compile(
    r"(?:resulted in|you passed|you requested|request has) (\d+) (?:input )?tokens", re.IGNORECASE
)


class Fault(Enum):
    """The kinds of failures: those of a request without a complete answer, and those that servers report by a status.

    Of the latter, all but ``LOADING``, ``BUSY`` and ``FAILED`` remain until the user changes something.
    """

    CERTIFICATE = auto()
    UNREACHABLE = auto()
    SILENT = auto()  # reached, but no answer in time
    BROKEN = auto()  # the connection
    GARBLED = auto()
    UNUSABLE = auto()  # the address or the proxy

    ELSEWHERE = auto()  # a redirect
    KEY = auto()
    CREDIT = auto()
    MISSING = auto()  # the model or the endpoint
    UNSUPPORTED = auto()  # started without what is requested
    TOO_LONG = auto()
    REFUSED = auto()
    LOADING = auto()
    BUSY = auto()
    FAILED = auto()


# What happened, by kind; ``{server}`` is such as "the chat server at http://localhost:11434".
_MESSAGES: Final[Mapping[Fault, str]] = {
    Fault.CERTIFICATE: "{server} does not prove by a certificate who it is; nothing was sent.",
    Fault.UNREACHABLE: "no {words.server} answers at {address}.",
    Fault.SILENT: "{server} did not answer within {seconds:g} seconds.",
    Fault.BROKEN: "the connection to {server} broke off.",
    Fault.GARBLED: "the answer of {server} is incomplete or garbled.",
    Fault.UNUSABLE: "{server} cannot be used.",
    Fault.ELSEWHERE: "{server} sends us elsewhere, and texts go only to the address you set.",
    Fault.KEY: "{server} did not accept the API key.",
    Fault.CREDIT: "{server} refuses requests: the account has no credit left.",
    Fault.MISSING: "{server} does not have this model or endpoint.",
    Fault.UNSUPPORTED: "{server} does not {words.purpose}.",
    Fault.TOO_LONG: "{server} refused the {words.sent} as too long.",
    Fault.REFUSED: "{server} refused the {words.sent}.",
    Fault.LOADING: "{server} is still loading its model.",
    Fault.BUSY: "{server} has too much to do.",
    Fault.FAILED: "{server} failed.",
}
_REMEDIES: Final[Mapping[Fault, str]] = {
    Fault.CERTIFICATE: "Check {words.address}. A server with a certificate of its own needs SSL_CERT_FILE to name "
    "that.",
    Fault.BROKEN: "Check that the server still runs, then try again.",
    Fault.GARBLED: "Try again; if it happens every time, look into the server's log.",
    Fault.ELSEWHERE: "Set {words.address} to the final address.",
    Fault.KEY: "Check {words.key}.",
    Fault.CREDIT: "Check the account's billing.",
    Fault.LOADING: "Try again when that is done.",
    Fault.BUSY: "Try again later.",
    Fault.FAILED: "Look into the server's log.",
}
_OTHERWISE: Final = "Check {words.address}."
# The words of servers about these do not help, or contain a part of the key.
_WORDLESS = frozenset((Fault.ELSEWHERE, Fault.KEY, Fault.CREDIT))


@dataclass(frozen=True, slots=True)
class ServerWords:
    """What messages about a model server name for one purpose.

    ``server`` is its kind, ``purpose`` what it is used for, ``sent`` what was sent to it; ``address`` and ``key`` are
    the settings of these. ``lost`` ends every message. ``remedies`` take the place of the usual ones.
    """

    server: str
    purpose: str
    sent: str
    address: str
    key: str
    lost: str
    remedies: Mapping[Fault, str]

    def of(
        self, fault: Fault, address: ServerAddress, said: str = "", *, seconds: float = 0.0, remedy: str = ""
    ) -> tuple[str, str]:
        """Message and hint of a failure; ``said`` are the server's own words, ``remedy`` one of this case alone."""
        given = {"words": self, "server": f"the {self.server} at {address}", "address": address}
        message = _MESSAGES[fault].format(**given, seconds=seconds)
        what_helps = remedy or self.remedies.get(fault) or _REMEDIES.get(fault, _OTHERWISE).format(**given)
        own_words = "" if fault in _WORDLESS else said
        return join_sentences(message[0].upper() + message[1:], self.lost), join_sentences(
            own_words, what_helps
        )

    def web_page(self, address: ServerAddress) -> tuple[str, str]:
        """Message and hint where a web page was received."""
        message = f"A web page answered at {address} instead of the {self.server}."
        return join_sentences(message, self.lost), f"Check {self.address}."

    def too_large(self, address: ServerAddress, most_bytes: int) -> tuple[str, str]:
        """Message and hint where an answer exceeded this size."""
        message = f"The {self.server} at {address} answers with more than {most_bytes // 2**20} MB."
        return join_sentences(message, self.lost), f"Check {self.address}."


def join_sentences(*sentences: str) -> str:
    """Those that are not empty, with a space between."""
    return " ".join(sentence for sentence in sentences if sentence)


_BY_STATUS = {401: Fault.KEY, 402: Fault.CREDIT, 403: Fault.KEY, 413: Fault.TOO_LONG, 501: Fault.UNSUPPORTED}


def transport_fault(error: Exception, *, reached: bool) -> Fault:
    """The kind of a failure without a complete answer; ``reached``: the request was sent to the server."""
    late = isinstance(error, (TimeoutError, httpx.TimeoutException))
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return Fault.CERTIFICATE
    if isinstance(error, httpx.ConnectError) or (late and not reached):
        return Fault.UNREACHABLE
    if late:
        return Fault.SILENT
    if isinstance(error, (httpx.NetworkError, httpx.RemoteProtocolError)):
        return Fault.BROKEN
    return Fault.GARBLED if isinstance(error, httpx.DecodingError) else Fault.UNUSABLE


def fault_of(response: httpx.Response) -> Fault:
    """The kind of an unsuccessful response: its words take precedence over its status where they are clearer."""
    status, words = response.status_code, _words(response)
    if response.is_redirect:
        return Fault.ELSEWHERE
    if "insufficient_quota" in response.text:
        return Fault.CREDIT
    if "context_length_exceeded" in response.text:
        return Fault.TOO_LONG
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status in _STATUSES_OF_ENDPOINTS:
        return Fault.MISSING
    return _otherwise(response, words)


def _otherwise(response: httpx.Response, words: str) -> Fault:
    if response.is_server_error and _LOADING.search(words):
        return Fault.LOADING
    if response.status_code in _BUSY:
        return Fault.BUSY
    if _UNSUPPORTED.search(words):
        return Fault.UNSUPPORTED
    if _TOO_LONG.search(words):
        return Fault.TOO_LONG
    return Fault.REFUSED if response.is_client_error else Fault.FAILED


@dataclass(frozen=True, slots=True)
class Overflow:
    """Of a request that was too long: the tokens that the server reads, and those it was sent, where it says so."""

    context: int | None
    sent: int | None


def overflow_of(response: httpx.Response) -> Overflow:
    """What a server reports of the sizes: llama.cpp in numbers of their own, others in words."""
    error = _error(response)
    numbers = error if isinstance(error, dict) else {}
    context, sent = positive_count(numbers.get("n_ctx")), positive_count(numbers.get("n_prompt_tokens"))
    if context is None and (found := _CONTEXT.search(_words(response))):
        context = positive_count(int(found[1]))
    if sent is None and (found := _SENT.search(_words(response))):
        sent = positive_count(int(found[1]))
    return Overflow(context, sent)


def server_words(response: httpx.Response, key: str | None) -> str:
    """What the server says about it: ``{"error": "…"}`` or ``{"error": {"message": "…"}}``, else nothing."""
    words = _words(response)
    if not words.strip():
        return ""
    shown = " ".join((words.replace(key, "•••") if key else words).split())[:_LONGEST_WORDS]
    return f"The server says: {shown}{'' if shown.endswith(('.', '!', '?', '…')) else '.'}"


def _words(response: httpx.Response) -> str:
    error = _error(response)
    if isinstance(error, list):  # FastAPI's, a row for each part of the request that it does not take
        return "; ".join(_refused_part(row) for row in error if isinstance(row, dict))
    words = error.get("message") if isinstance(error, dict) else error
    return words if isinstance(words, str) else ""


def _refused_part(row: dict[str, object]) -> str:
    place = row.get("loc")
    named = ".".join(map(str, place)) if isinstance(place, list) else ""
    return f"{named}: {row.get('msg', '')}"


def _error(response: httpx.Response) -> object:
    error = _within(response.text)
    # Ollama hands on what its runner says, in the words of an error of its own.
    inner = _within(error) if isinstance(error, str) and error.startswith("{") else None
    return error if inner is None else inner


def _within(text: str) -> object:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return None
    # By itself as older vLLMs answer, or as FastAPI's ``detail``.
    return answer.get("error", answer.get("detail", answer)) if isinstance(answer, dict) else None
