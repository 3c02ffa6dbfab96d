"""Names that works are registered under, in one form: DOI, ISBN and arXiv id, and licences by their short names."""

import re
from urllib.parse import unquote, urlsplit

# A DOI may hold almost any sign; what is no part of one where people write it in a sentence ends it.
_DOI = re.compile(r"(?<![\w.])10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s\"<>{}|\\^`]+", re.ASCII)
# What addresses of publishers have behind a DOI.
_BEHIND_PATH = re.compile(r"[?#].*$", re.DOTALL)
_VIEW = re.compile(
    r"(?:/(?:e?pdf|full|fulltext|abstract|html|figures|references|meta|summary)|/tab/[^\s/]*)(?:\.pdf)?/?$",
    re.IGNORECASE,
)
_AFTER_DOI = ".,;:!?'’”*_"
_LONGEST_DOI = 200  # characters
_ISBN = re.compile(r"(?<![0-9Xx-])(?:97[89][- ]?)?[0-9](?:[- ]?[0-9]){8}[- ]?[0-9Xx](?![0-9Xx])", re.ASCII)
# 2007 and later; before, an archive and a number in it.
_ARXIV = re.compile(
    r"(?<![\w./-])(?:([0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5})|((?:[a-z]{2,}(?:-[a-z]+)?)(?:\.[A-Z]{2})?/[0-9]{7}))"
    r"(?:v[0-9]{1,3})?(?![\w/])",
    re.ASCII,
)
_ARXIV_HOSTS = frozenset(("arxiv.org", "www.arxiv.org", "export.arxiv.org"))
_ARXIV_PATH = re.compile(r"^/(?:abs|pdf|html|format)/(.+?)(?:\.pdf)?/?$")
_CREATIVE_COMMONS = re.compile(
    r"creativecommons\.org/(?:licenses/(by(?:-(?:nc|nd|sa)){0,2})|publicdomain/(zero|mark))/([0-9.]+)"
    r"(?:/([a-z]{2})\b)?",
    re.IGNORECASE,
)
_LONGEST_LICENCE = 200  # characters; more is the text of one


def doi_of(text: str | None) -> str | None:
    """The first DOI in a text or an address of doi.org, in lower case, since case does not count in one."""
    written = text[:2000] if text else ""
    if "//" in written:
        written = _VIEW.sub("", _BEHIND_PATH.sub("", written))
    found = _DOI.search(unquote(written))
    if found is None or len(found[0]) > _LONGEST_DOI:
        return None
    doi = found[0].rstrip(_AFTER_DOI)
    while doi.endswith((")", "]")) and doi.count(doi[-1]) > doi.count({")": "(", "]": "["}[doi[-1]]):
        doi = doi[:-1].rstrip(_AFTER_DOI)
    return doi.lower() if not doi.endswith("/") else None


def isbn_of(text: str | None) -> str | None:
    """The first ISBN in a text whose check digit is right, as 13 digits; one of 10 digits is made one of 13."""
    for found in _ISBN.finditer(text[:2000] if text else ""):
        digits = re.sub("[- ]", "", found[0]).upper()
        if len(digits) == 13 and digits.isdigit() and _check_digit(digits) == digits[-1]:
            return digits
        if len(digits) == 10 and digits[:9].isdigit() and _is_isbn10(digits):
            longer = f"978{digits}"
            return longer[:-1] + _check_digit(longer)
    return None


def _check_digit(digits: str) -> str:
    """What the last of 13 digits must be."""
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits[:12]))
    return str(-total % 10)


def _is_isbn10(digits: str) -> bool:
    values = [*map(int, digits[:9]), 10 if digits[9] == "X" else int(digits[9])]
    return sum(value * (10 - at) for at, value in enumerate(values)) % 11 == 0


def arxiv_id_of(text: str | None) -> str | None:
    """The arXiv id that a text begins to name or an address of arxiv.org leads to, without its version."""
    written = (text or "").strip()[:300]
    if "//" in written:
        try:
            parts = urlsplit(written)
        except ValueError:
            return None
        path = _ARXIV_PATH.match(parts.path) if parts.hostname in _ARXIV_HOSTS else None
        if path is None:
            return None
        written = path[1]
    found = _ARXIV.search(written.removeprefix("arXiv:").removeprefix("arxiv:"))
    return found[1] or found[2] if found else None


def licence_of(text: str | None) -> str | None:
    """A licence as it is shown: ``CC BY-SA 4.0``, else the words or address stated; None for a whole text."""
    words = " ".join((text or "").split())
    found = _CREATIVE_COMMONS.search(words[:2000])
    if found is None:
        return words if 0 < len(words) <= _LONGEST_LICENCE else None
    if found[2]:
        return f"{'CC0' if found[2].lower() == 'zero' else 'Public Domain Mark'} {found[3]}"
    country = f" {found[4].upper()}" if found[4] else ""
    return f"CC {found[1].upper()} {found[3]}{country}"
