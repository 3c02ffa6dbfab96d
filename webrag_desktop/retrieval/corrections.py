"""What follows from reading a word that no text holds as a similar one."""

from collections.abc import Mapping, Sequence

from webrag_desktop.retrieval.contracts.results import Correction
from webrag_desktop.storage.searching.words import SimilarWord


def corrections(similar: Sequence[SimilarWord]) -> list[Correction]:
    """Which word was read as which, each once; of several readings of a word the likeliest first."""
    return [
        Correction(word=word, read_as=spelling)
        for word, spelling in dict.fromkeys((one.word, one.spelling) for one in similar)
    ]


def lexemes_as_read(
    lexemes: Mapping[str, Sequence[str]], similar: Sequence[SimilarWord]
) -> dict[str, list[str]]:
    """The question's lexemes by language, with those of similar words in place of those that no text holds."""
    read = {language: list(words) for language, words in lexemes.items()}
    for one in similar:
        kept = [word for word in read.get(one.language, ()) if word not in one.unknown]
        read[one.language] = [*kept, *({one.term} - set(kept))]
    return read
