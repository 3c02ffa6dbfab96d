"""A question as the full text takes it."""

import re
from dataclasses import dataclass

from webrag_desktop.models.questions import TsqueryMode
from webrag_desktop.storage.searching.words import bigrams, without_unspaced

# The word that the server's web syntax takes for an operator.
OR_OPERATOR = re.compile(r"(?<![\w-])or(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A question for the full text.

    ``phrases`` is in the syntax of ``websearch_to_tsquery``, with a minus only inside a word, in the ``mode``
    strict in that of ``to_tsquery``; ``words`` is the same without any syntax, ``excluded`` words or phrases that
    must not occur; ``identifiers`` and ``bigrams`` are whole lexemes as :mod:`~.words` finds them. ``quoted`` are the
    phrases in quotation marks: what holds one comes first. Of the ``correctable`` words, those that no text holds
    may be read as similar ones. ``config`` names the server's configuration to read words with instead of each
    language's own. PostgreSQL's stack holds about 15,000 lexemes.
    """

    phrases: str
    words: str
    excluded: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    bigrams: tuple[str, ...] = ()
    correctable: tuple[str, ...] = ()
    mode: TsqueryMode = "web"
    config: str | None = None
    quoted: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether only children that hold everything in the question count."""
        return self.mode in ("phrase", "strict")

    @property
    def operates(self) -> bool:
        """Whether it asks for more than its words apart: by a phrase, an "or", or by its syntax."""
        return self.exact or '"' in self.phrases or OR_OPERATOR.search(self.phrases) is not None

    @property
    def excluded_query(self) -> str:
        """What must not occur, in the syntax of ``phrases``; empty where nothing is excluded.

        Of writing without spaces the pairs of characters are indexed, so all of these stand for it.
        """
        return " or ".join(filter(None, map(_together, self.excluded)))


def _together(term: str) -> str:
    parts = [without_unspaced(term).strip(), *bigrams(term)]
    return " ".join(f'"{part}"' for part in parts if part)
