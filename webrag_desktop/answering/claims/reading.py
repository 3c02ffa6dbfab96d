"""Reading a model's claims while it still writes them, each with the ids of the sentences that it points at."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from webrag_desktop.answering.claims.loose_json import LooseJson, begins_value
from webrag_desktop.answering.claims.paragraphs import lead_of
from webrag_desktop.answering.prompt import NO_SENTENCE
from webrag_desktop.text.sentences import split_sentences

MOST_CLAIMS = 40
MOST_CLAIM_CHARS = 2_000
MOST_REPLY_CHARS = 60_000  # servers may not know a limit of their own
MOST_IDS = 5  # of one claim
_MOST_ELEMENTS = 4 * MOST_CLAIMS  # of a list, which is searched for claims each time that more of it came
# A claim with more ids has none that count; also one with all ids where there are more than so many.
_MOST_POINTED = 8
_FEW_SENTENCES = 3

_LISTS = ("claims", "answers", "answer", "statements", "facts", "response", "result", "results")
_TEXTS = ("text", "claim", "statement", "sentence", "content", "answer")
_IDS = ("ids", "id", "sources", "source", "citations", "citation", "evidence", "refs")


@dataclass(frozen=True, slots=True)
class ClaimMore:
    """More of the claim ``number`` (from 1), behind what came before."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class ClaimRead:
    """The claim ``number`` is at its end: ``text`` is all of it, behind a blank line where a paragraph begins.

    ``ids`` are those that exist, a handful at most. ``whole`` is False where the reply ended within it, ``none`` True
    where it says itself that no sentence supports it.
    """

    number: int
    text: str
    ids: tuple[str, ...]
    whole: bool = True
    none: bool = False


Read = ClaimMore | ClaimRead

_SEARCHES = 50  # of what has come: a piece that is not longer than this share of it is read at once
_LONGEST_TAG = 12
_LONGEST_MARK = 200
_THINKS = re.compile(r"<(think|thinking)>\Z", re.IGNORECASE)
_THOUGHT = re.compile(r"</(?:think|thinking)>\Z", re.IGNORECASE)


class KnownIds:
    """The ids of the evidence's sentences, however a model writes them: ``s3``, ``3``, ``[S3]``, ``s3-s5``."""

    def __init__(self, ids: Sequence[str]) -> None:
        """``ids`` are alike but for their number: letters and a number."""
        self._by_number = dict(sorted((int(re.sub(r"\D", "", one)), one) for one in ids))
        prefixes = sorted({re.escape(re.sub(r"\d", "", one)) for one in ids})
        prefix = "|".join(prefixes) or "s"
        one = rf"(?:(?:{prefix})[ _-]?)?0*(\d{{1,4}})"
        joined = r"\s*(?:-|–|—|\.\.+|to|bis)\s*"
        self._one = re.compile(rf"(?<![^\W_]){one}(?:{joined}{one})?(?![^\W_])", re.IGNORECASE)
        several = (
            rf"(?:{prefix})\d{{1,4}}(?:(?:{joined}|\s*[,;&]\s*|\s+(?:and|und)\s+|\s+)(?:{prefix})?\d{{1,4}})*"
        )
        self.mark = re.compile(
            rf"\s*[\[(【{{](?:\s*(?:ids?|sentences?|see)\b[:\s]*)?\s*{several}\s*[\])】}}]", re.IGNORECASE
        )
        self.label = re.compile(rf"\A\s*(?:{self.mark.pattern}|(?:{prefix})\d{{1,4}})\s*:\s*", re.IGNORECASE)
        self.bare = re.compile(rf"(?<![^\W_])(?:{prefix})\d{{1,4}}(?![^\W_])")

    def __contains__(self, word: str) -> bool:
        """Whether a word is one of the ids, just as it was given."""
        return word in self._by_number.values()

    def read(self, pointing: object) -> tuple[str, ...]:
        """The ids that are meant, each once, in order; none where so many are that nothing is pointed at."""
        found: dict[str, None] = {}
        for text in _texts(pointing):
            for first, last in self._one.findall(text):
                numbers = range(int(first), int(last or first) + 1) or range(int(first), int(first) + 1)
                found |= dict.fromkeys(one for n, one in self._by_number.items() if n in numbers)
        all_of_them = len(found) == len(self._by_number) > _FEW_SENTENCES
        return () if len(found) > _MOST_POINTED or all_of_them else tuple(found)[:MOST_IDS]

    def marks(self, text: str) -> tuple[str, ...]:
        """The ids of marks such as ``[s3, s4]`` in prose."""
        return self.read(self.mark.findall(text))


def _texts(value: object, depth: int = 5) -> Iterator[str]:
    if isinstance(value, str):
        if "source" not in value.lower():  # numbers of sources are no ids
            yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, Mapping) and depth:
        yield from _texts([value.get(name) for name in _IDS if name in value], depth - 1)
    elif isinstance(value, list) and depth:
        for one in value:
            yield from _texts(one, depth - 1)


class ClaimReader:
    """Reads one reply, piece by piece: JSON, however loosely written and packed, else prose with marks.

    What a model thinks aloud in tags is no part of it. A claim that repeats an earlier one is left out.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        """``ids`` are those that exist."""
        self.known = KnownIds(ids)
        self._json: _JsonClaims | None = None
        self._prose = ""
        self._prose_claims: _ProseClaims | None = None
        self._opening = ""
        self._thinking = ""
        self._reported: list[_Reported] = []
        self._length = 0
        self._values = 0

    def feed(self, piece: str) -> list[Read]:
        """What the next piece of the reply brings; nothing any more beyond :data:`MOST_REPLY_CHARS`."""
        piece = piece[: max(0, MOST_REPLY_CHARS - self._length)]
        self._length += len(piece)
        found: list[Read] = []
        for place, char in enumerate(piece):
            if self._prose_claims is not None:
                return found + self._numbered(self._prose_claims.feed(piece[place:]))
            found += self._char(char)
        if self._json is not None:
            found += self._from_json(self._json)
        elif (
            self._prose_claims is None
            and not self._values
            and self.known.mark.search(self._prose[-len(piece) - _LONGEST_MARK :])
        ):
            self._prose_claims = _ProseClaims(self.known)  # who marks sentences in prose writes no JSON
            found += self._numbered(self._prose_claims.feed(self._prose))
        return found

    def end(self) -> list[Read]:
        """What is left where the reply ends."""
        if self._json is not None:
            return self._from_json(self._json, ended=True)
        if self._prose_claims is None and not self._values and self._prose.strip():
            self._prose_claims = _ProseClaims(self.known)
            return self._numbered(
                [*self._prose_claims.feed(_unfenced(self._prose)), *self._prose_claims.end()]
            )
        return [] if self._prose_claims is None else self._numbered(self._prose_claims.end())

    # -- Which it is ---------------------------------------------------------------------------------------------

    def _char(self, char: str) -> list[Read]:
        if self._json is not None:
            return self._in_json(self._json, char)
        if self._thinking:
            self._prose = (self._prose + char)[-_LONGEST_TAG:]
            if self._prose.lower().endswith(self._thinking):
                self._thinking = self._prose = ""
            return []
        return self._outside(char)

    def _in_json(self, reading: "_JsonClaims", char: str) -> list[Read]:
        reading.feed(char)
        if char == ">" and _THOUGHT.search(reading.tail):  # it was only thought of
            self._json = None
            return []
        if not reading.over and (char not in "}]" or not reading.grown):
            return []
        found = self._from_json(reading, ended=reading.over)
        if reading.over:
            self._json, self._values = None, self._values + 1
        return found

    def _outside(self, char: str) -> list[Read]:
        if self._opening and not char.isspace():
            opening, self._opening = self._opening, ""
            if begins_value(opening, char):
                self._prose = self._prose.rpartition(opening)[0]
                self._json = _JsonClaims(self.known)
                self._json.feed(opening)
                return self._char(char)
        if char in "{[":
            self._opening = char
        self._prose += char
        if char == ">":
            self._tag()
        return []

    def _tag(self) -> None:
        """A model begins to think aloud, or ends: its server may have left out where it began."""
        if _THOUGHT.search(self._prose):
            self._prose = ""
        elif begins := _THINKS.search(self._prose):
            self._thinking = f"</{begins[1].lower()}>"

    # -- What comes of it ----------------------------------------------------------------------------------------

    def _from_json(self, reading: "_JsonClaims", *, ended: bool = False) -> list[Read]:
        found: list[Read] = []
        for entry in reading.entries(ended=ended):
            reported = entry.reported
            if reported is None:
                if len(self._reported) >= MOST_CLAIMS or not self._tells_more(entry):
                    continue
                lead = lead_of(entry.text, self._reported[-1].text) if self._reported else ""
                reported = entry.reported = _Reported(len(self._reported) + 1, lead=lead)
                self._reported.append(reported)
            if more := entry.text[len(reported.text) :]:
                more = more if reported.text else reported.lead + more.lstrip()
                reported.text = entry.text
                found.append(ClaimMore(reported.number, more))
            if entry.done:
                text = reported.lead + reported.text.lstrip()
                found.append(ClaimRead(reported.number, text, entry.ids, entry.whole, entry.none))
        return found

    def _tells_more(self, entry: "_Entry") -> bool:
        """Whether a claim that begins is none of those that were reported: it may be, as long as one begins alike."""
        text = entry.text.strip()
        if not text:
            return False
        if entry.done:
            return all(text != reported.text.strip() for reported in self._reported)
        return not any(reported.text.strip().startswith(text) for reported in self._reported)

    def _numbered(self, claims: Sequence[tuple[str, tuple[str, ...]]]) -> list[Read]:
        found: list[Read] = []
        for text, ids in claims:
            if len(self._reported) < MOST_CLAIMS and all(
                text != reported.text for reported in self._reported
            ):
                number = len(self._reported) + 1
                self._reported.append(_Reported(number, text))
                found += [ClaimMore(number, text), ClaimRead(number, text, ids)]
        return found


@dataclass(slots=True)
class _Reported:
    number: int
    text: str = ""
    lead: str = ""


@dataclass(slots=True)
class _Entry:
    """A claim as far as its JSON has come."""

    text: str
    ids: tuple[str, ...] = ()
    done: bool = False
    whole: bool = True
    none: bool = False
    reported: _Reported | None = None


class _JsonClaims:
    """The claims of one value of JSON."""

    def __init__(self, known: KnownIds) -> None:
        self._known = known
        self._json = LooseJson()
        self._entries: list[_Entry] = []
        self._length = self._searched_to = 0
        self.tail = ""

    @property
    def over(self) -> bool:
        """Whether the value is at its end, or cannot be read any further."""
        return self._json.closed or self._json.broken

    @property
    def grown(self) -> bool:
        """Whether enough has come since the last parse that another one, of all of it, is worth its time."""
        return self._length - self._searched_to > self._length // _SEARCHES

    def feed(self, char: str) -> None:
        self._length += 1
        self.tail = self.tail[-_LONGEST_TAG:] + char
        self._json.feed(char)

    def entries(self, *, ended: bool) -> Iterator[_Entry]:
        """The claims that are not done yet, in order, with what came in."""
        self._searched_to = self._length
        found = list(islice(_claims_in(self._json.value, 0), MOST_CLAIMS))
        for place, (claim, depth) in enumerate(found):
            if place == len(self._entries):
                self._entries.append(_Entry(""))
            entry = self._entries[place]
            if not entry.done:
                closed = place + 1 < len(found) or len(self._json.open) <= depth
                self._update(entry, claim, closed, ended)
                yield entry
        if ended:  # broken JSON may hold fewer than it seemed to
            for entry in self._entries[len(found) :]:
                if not entry.done:
                    entry.done, entry.whole = True, False
                    yield entry

    def _update(self, entry: _Entry, claim: Mapping[str, Any], closed: bool, ended: bool) -> None:
        texts = (claim[name] for name in _TEXTS if isinstance(claim.get(name), str))
        text = next(texts, "")[:MOST_CLAIM_CHARS]
        if text.startswith(entry.text):  # of two texts under one name the first counts
            entry.text = text
        entry.done, entry.whole = closed or ended, closed
        if entry.done:
            pointing = [claim[name] for name in _IDS if name in claim]
            entry.ids = self._known.read(pointing) or self._known.marks(entry.text)
            entry.none = not entry.ids and any(
                text.strip().lower() == NO_SENTENCE for text in _texts(pointing)
            )


def _claims_in(value: object, depth: int) -> Iterator[tuple[Mapping[str, Any], int]]:
    """The objects that are claims, each with how many brackets are open around it."""
    if isinstance(value, Mapping):
        if any(isinstance(value.get(name), str) for name in _TEXTS):
            yield value, depth
            return
        for name in _LISTS:
            if isinstance(value.get(name), (list, Mapping)):
                yield from _claims_in(value[name], depth + 1)
                return
            if isinstance(value.get(name), str):
                yield {"text": value[name]}, depth
                return
    elif isinstance(value, list):
        for one in value[:_MOST_ELEMENTS]:
            if isinstance(one, str):
                yield {"text": one}, depth
            elif isinstance(one, Mapping):
                yield from _claims_in(one, depth + 1)


_ENDS = r"[.!?…。！？]+[\"”»’')\]]*"


class _ProseClaims:
    """Sentences of prose with the marks in or right behind them."""

    def __init__(self, known: KnownIds) -> None:
        self._known = known
        self._text = ""
        self._behind = re.compile(rf"({_ENDS})((?:{known.mark.pattern})+)", re.IGNORECASE)

    def feed(self, text: str) -> list[tuple[str, tuple[str, ...]]]:
        self._text += text
        too_long = len(self._text) > MOST_CLAIM_CHARS
        last_line = self._text.rpartition("\n")[2]  # of nothing but dashes it may yet be the mark of a list
        if not too_long and (not text.strip() or text[-1].isalnum() or not any(map(str.isalnum, last_line))):
            return []
        return [*self._taken(last=False), *self._cut()]

    def end(self) -> list[tuple[str, tuple[str, ...]]]:
        return self._taken(last=True)

    def _cut(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What is longer than any claim without coming to an end, in pieces."""
        while len(self._text) > MOST_CLAIM_CHARS:
            end = self._text.rfind(" ", 1, MOST_CLAIM_CHARS) + 1 or MOST_CLAIM_CHARS
            said, self._text = self._text[:end], self._text[end:]
            if bare := self._known.mark.sub("", said).strip():
                yield bare, self._known.marks(said)

    def _taken(self, *, last: bool) -> list[tuple[str, tuple[str, ...]]]:
        """The sentences that surely end; all where no more comes."""
        text = self._behind.sub(r"\2\1", self._text)
        sentences = split_sentences(text)
        whole = sentences if last else sentences[:-1]
        if not last and whole and _may_be_mark(text[sentences[-1].start :]):
            return []
        if whole:
            self._text = text[whole[-1].end :]
        return [
            (bare, self._known.marks(said))
            for one in whole
            if one.kind not in ("heading", "mark")
            and (bare := self._known.mark.sub("", said := text[one.start : one.end]).strip())
        ]


def _may_be_mark(text: str) -> bool:
    """Whether what begins may yet become marks of the sentence before."""
    return text.lstrip()[:1] in tuple("[(【{") and not re.search(r"[\])】}]\s*[^\s\[(【{]", text)


def _unfenced(prose: str) -> str:  # without lines that models put around JSON, whatever these open or close
    return re.sub(r"^[ \t]*```\w*[ \t]*$", "", prose, flags=re.MULTILINE)
