"""Packs of one small book of tides, whose words are counted as tokens."""

from tests.support.context_books import Book, result_of, surroundings
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.retrieval.context.packing import assembled
from webrag_desktop.retrieval.contracts.options import ContextOptions
from webrag_desktop.retrieval.contracts.packs import ContextPack
from webrag_desktop.retrieval.contracts.results import RetrievedChunk

WORDS = WordTokenizer()
# One section to a parent but the second, whose section goes on in the third.
TIDES = Book(
    "Tides",
    [
        ("Spring tides", ["Spring one.\n\n", "Spring two.\n\n"]),
        ("Low tide", ["## Low tide\n\nLow one.\n\n", "Low two.\n\n", "Low three.\n\n"]),
        ("Low tide", ["Low four.\n\n", "Low five.\n\n"]),
        ("Storms", ["Storm one.\n\n", "Storm two.\n\n", "Storm three.\n\n"]),
    ],
)


def pack(*chunks: RetrievedChunk, book: Book = TIDES, **options: object) -> ContextPack:
    return assembled(
        result_of(*chunks),
        "how low is it?",
        surroundings(book),
        tokenizer=WORDS,
        options=ContextOptions(**options),  # type: ignore[arg-type]
    )


def read(made: ContextPack) -> list[tuple[str, int, str]]:
    return [(chunk.role, chunk.hit, " ".join(chunk.text.split())) for chunk in made.chunks]
