"""Postings as arrays: where lexemes occur, as the table ``lexical_postings`` lays it out."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webrag_desktop.storage.searching.postings import Lexicon

# A posting as the table of them lays it out; "repeats" is how often the lexeme occurs there, less one.
ORDINAL = np.dtype(">i4")
POSTING = np.dtype([("ordinal", ">i4"), ("length", ">u2"), ("repeats", "u1")])

Postings = npt.NDArray[np.void]
Ordinals = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Ordered(NamedTuple):
    """Postings by rising ordinal, and the ordinals alone."""

    postings: Postings
    ordinals: Ordinals


def postings_of(segments: Iterable[bytes]) -> Postings:
    """Segments of postings as one array."""
    return np.frombuffer(b"".join(segments), POSTING)


def ordered(lexicon: Lexicon) -> dict[tuple[str, str], Ordered]:
    """The postings of every lexeme that was looked up, by language and lexeme."""
    return {lexeme: _in_order(postings_of(runs)) for lexeme, runs in lexicon.postings.items()}


def _in_order(found: Postings) -> Ordered:
    ordinals = found["ordinal"].astype(np.int64)
    if np.any(ordinals[1:] < ordinals[:-1]):  # merged segments need not be in order
        order = np.argsort(ordinals, kind="stable")
        found, ordinals = found[order], ordinals[order]
    return Ordered(found, ordinals)


def each_once(several: Sequence[Postings]) -> Ordered:
    """Postings of several lexemes as those of one: of a child that holds more of them the most repeated."""
    found = np.concatenate((np.zeros(0, POSTING), *several))
    found = found[np.lexsort((-found["repeats"].astype(np.int64), found["ordinal"]))]
    return _in_order(found[np.unique(found["ordinal"], return_index=True)[1]])


def marked(ordinals: Sequence[int] | npt.NDArray[np.integer], size: int) -> Mask:
    """A mask of that size; ordinals beyond it are left out."""
    mask = np.zeros(size, np.bool_)
    known = np.asarray(ordinals, np.int64)
    mask[known[known < size]] = True
    return mask


def positions(among: Ordinals, ordinals: Ordinals) -> tuple[npt.NDArray[np.integer], Ordinals]:
    """The positions of those ``ordinals`` that are among rising ones, and where they are there."""
    at = np.searchsorted(among, ordinals)
    at[at == len(among)] = 0
    there = np.flatnonzero(among[at] == ordinals) if len(among) else at[:0]
    return there, at[there]
