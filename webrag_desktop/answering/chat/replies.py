"""A reply that comes in parts, by whichever protocol: what of it is said, and how it ended."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from webrag_desktop.answering.chat.errors import ChatFailures
from webrag_desktop.answering.chat.streaming import ChatEnd, ChatPiece, ChatText

_OPENINGS: Final = ("<think>", "<thinking>", "<thought>")
_CLOSING: Final = re.compile(r"</(?:think|thinking|thought)>")
_LONGEST_CLOSING: Final = len("</thinking>")


@dataclass(frozen=True, slots=True)
class Delta:
    """What one part of a stream says, ``thought`` that the model thought aloud beside the text.

    ``finish`` is why the model ended, ``done`` that nothing comes any more.
    """

    text: str = ""
    thought: bool = False
    finish: str | None = None
    declined: bool = False
    done: bool = False
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


@dataclass(slots=True)
class Spoken:
    """Leaves out what a model thinks aloud at the beginning of its text, between marks of its own."""

    thought: bool = False
    _held: str = field(default="", init=False)
    _speaking: bool = field(default=False, init=False)

    def take(self, text: str) -> str:
        """What of the text, and of what was held back before it, is said."""
        if self._speaking:
            return text
        self._held += text
        begun = self._held.lstrip()
        opening = next((one for one in _OPENINGS if begun.startswith(one)), None)
        if opening is not None:
            return self._behind_thought(opening, begun)
        if any(one.startswith(begun) for one in _OPENINGS):  # more of it tells
            return ""
        return self._speak(self._held)

    def _behind_thought(self, opening: str, begun: str) -> str:
        self.thought = True
        closing = _CLOSING.search(begun)
        if closing is None:
            self._held = opening + begun[len(opening) :][-_LONGEST_CLOSING:]
            return ""
        said = begun[closing.end() :].lstrip()
        return self._speak(said) if said else ""

    def _speak(self, text: str) -> str:
        self._speaking, self._held = True, ""
        return text

    def rest(self) -> str:
        """What was held back and turned out to be said, at the end."""
        return "" if self.thought else self._held


def pieces_of(deltas: Iterable[Delta], fails: ChatFailures) -> Iterator[ChatPiece]:
    """The reply without thoughts, one :class:`ChatEnd` last.

    Raises:
        ChatError: the model declined or only thought, or the stream ended before the reply did.
    """
    spoken, said, end = Spoken(), False, Delta()
    for delta in deltas:
        if delta.declined:
            raise fails.declined()
        if text := spoken.take(delta.text):
            said = True
            yield ChatText(text)
        end = _together(end, delta)
        if delta.done:
            break
    if not end.done and end.finish is None:
        raise fails.broken_off()
    if text := spoken.rest():
        yield ChatText(text)
    elif not said and end.finish == "length" and (end.thought or spoken.thought):
        raise fails.thought_only()
    yield ChatEnd(end.finish == "length", end.prompt_tokens, end.reply_tokens)


def _together(before: Delta, now: Delta) -> Delta:
    return replace(
        now,
        thought=before.thought or now.thought,
        finish=now.finish or before.finish,
        prompt_tokens=before.prompt_tokens if now.prompt_tokens is None else now.prompt_tokens,
        reply_tokens=before.reply_tokens if now.reply_tokens is None else now.reply_tokens,
    )


def count_of(value: object) -> int | None:
    """A number of tokens, if it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


@dataclass(slots=True)
class Lines:
    """A :class:`~webrag_desktop.answering.chat.http.Splitter` at line feeds, and at nothing else that ends a line."""

    _held: bytes = field(default=b"", init=False)

    def feed(self, part: bytes) -> Iterator[bytes]:
        """The lines that end in ``part`` and are not empty."""
        *lines, self._held = (self._held + part).split(b"\n")
        yield from filter(None, map(bytes.strip, lines))

    def rest(self) -> Iterator[bytes]:
        """The last line, if nothing ended it."""
        if last := self._held.strip():
            yield last


@dataclass(slots=True)
class ServerSentEvents:
    """The data of server-sent events; comments and other fields are left out.

    What is no event at all, but a whole answer or a web page, comes at the end, as it is.
    """

    _lines: bytes = field(default=b"", init=False)
    _data: list[bytes] = field(default_factory=list, init=False)
    _stray: list[bytes] = field(default_factory=list, init=False)

    def feed(self, part: bytes) -> Iterator[bytes]:
        """The data of the events that end in ``part``."""
        *lines, self._lines = (self._lines + part).split(b"\n")
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))

    def rest(self) -> Iterator[bytes]:
        """What is left at the end."""
        yield from self._line(self._lines.rstrip(b"\r"))
        yield from self._line(b"")
        if stray := b"\n".join(self._stray).strip():
            yield stray

    def _line(self, line: bytes) -> Iterator[bytes]:
        name, colon, value = line.partition(b":")
        if not line:
            if self._data:
                yield b"\n".join(self._data)
                self._data = []
        elif name == b"data" and colon:
            self._data.append(value.removeprefix(b" "))
        elif name not in (b"", b"event", b"id", b"retry"):
            self._stray.append(line)
