"""Pictures of the excerpts for a model that sees: which of them may help, and getting them safely.

A picture goes along where the page says in its alternative text what it shows: words, not the name of a file, nor
merely "image", "figure" or "logo". Where it says nothing of the kind, it goes along if half of the question's longer
words are right around it: in its own paragraph, or in the one before or behind, where captions are.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote_to_bytes, urlsplit
from uuid import UUID

from webrag_desktop.answering.excerpts import Excerpt
from webrag_desktop.errors import FetchError
from webrag_desktop.ingestion.fetching.fetch import fetch_if_changed
from webrag_desktop.ingestion.fetching.network import Network
from webrag_desktop.ingestion.fetching.options import FetchOptions
from webrag_desktop.models.documents import AddressClass
from webrag_desktop.progress import CancelToken
from webrag_desktop.servers.chat import ChatImage
from webrag_desktop.text.markdown_grammar import BLANK_LINES
from webrag_desktop.text.markdown_links import markdown_images, without_images

MOST_IMAGES = 3
MOST_TRIED = 5  # where some cannot be had
LEAST_FIT = 0.5  # the share of the question's words around a picture that says nothing of itself
MOST_BYTES = 4_000_000  # of one picture
SECONDS = 15.0  # for one picture
LEAST_PIXELS, MOST_PIXELS = 32, 8_192  # of a side, where the file's beginning says it
_MOST_REDIRECTS = 3
_INSIDE: Mapping[str, AddressClass] = {
    "loopback": "loopback",
    "private": "private",
    "link-local": "link-local",
    "shared": "shared",
}

_FILE_NAME = re.compile(r"\S*\.(?:avif|bmp|gif|heic|jpe?g|png|svg|tiff?|webp)", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"(?:alt|avatar|banner|bild|chart|diagram|fig|figure|graphic|icon|illustration|image|img|logo|photo|picture|plot"
    r"|screenshot|spacer|thumbnail|untitled|abbildung|\d+|\W)+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")
_LONG = 4  # letters of a word of the question that counts
_DATA = re.compile(r"data:(?P<type>[^;,]*)(?P<base64>(?:;[^;,]*)*;base64)?[^,]*,", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ImageReference:
    """A picture that an excerpt shows: its address, what the page says of it, and which page that is."""

    url: str
    alt: str
    document_id: UUID | None
    page_url: str | None
    fit: float

    @property
    def name(self) -> str:
        """What it is called in a notice."""
        shown = "in the text itself" if self.url.startswith("data:") else self.url
        return f"“{self.alt}” ({shown})" if self.alt else shown


def images_for(excerpts: Sequence[Excerpt], question: str) -> list[ImageReference]:
    """The pictures that may help, those first around which most of the question's words occur; none twice."""
    words = {word.lower() for word in _WORD.findall(question) if len(word) >= _LONG}
    found: dict[str, ImageReference] = {}
    for excerpt in excerpts:
        for reference in _images_in(excerpt, words):
            known = found.get(reference.url)
            if known is None or known.fit < reference.fit:
                found[reference.url] = reference
    return sorted(found.values(), key=lambda one: -one.fit)


def _images_in(excerpt: Excerpt, words: set[str]) -> Iterator[ImageReference]:
    paragraphs = BLANK_LINES.split(excerpt.text)
    for place, paragraph in enumerate(paragraphs):
        for image in markdown_images(paragraph):
            around = "\n".join((*paragraphs[max(0, place - 1) : place], *paragraphs[place + 1 : place + 2]))
            own = f"{paragraph[: image.start]} {image.alt} {paragraph[image.end :]}"
            fit = _fit(f"{own}\n{without_images(around)}", words)
            if says_something(image.alt) or fit >= LEAST_FIT:
                page = excerpt.about.metadata.doc_path
                yield ImageReference(image.url, image.alt, excerpt.document_id, page, fit)


def says_something(alt: str) -> bool:
    """Whether an alternative text says what a picture shows."""
    if _FILE_NAME.fullmatch(alt) or _SAYS_NOTHING.fullmatch(alt):
        return False
    return len(_WORD.findall(alt)) >= 2 or _UNSPACED.search(alt) is not None


def _fit(text: str, words: set[str]) -> float:
    """The share of the question's words that occur in a text, whatever their endings."""
    if not words:
        return 0.0
    there = {word.lower() for word in _WORD.findall(text)}
    held = sum(any(one.startswith(word[: max(_LONG, len(word) - 2)]) for one in there) for word in words)
    return held / len(words)


def get_image(
    reference: ImageReference,
    options: FetchOptions,
    reached: str | None,
    *,
    network: Network | None = None,
    cancel: CancelToken | None = None,
) -> ChatImage:
    """A picture, from its address or out of it. Its kind is known by its content, whatever the server says.

    ``reached`` is where its page lay. A page of the internet, or whose place is not known, leads to the internet alone;
    one inside the user's network to its own host there, too.

    Raises:
        FetchError: it cannot be had in time, is too large, or no picture that models read.
        UnsafeAddressError: it leads inside the user's network.
        InputError: its address is none.
        Cancelled: ``cancel`` was set.
    """
    if reference.url.lower().startswith("data:"):
        return _picture(_decoded(reference.url))
    inside = _INSIDE.get(reached or "") if _same_host(reference) else None
    limits = replace(
        options,
        max_bytes=min(options.max_bytes, MOST_BYTES),
        total_seconds=min(options.total_seconds, SECONDS),
        retry_seconds=0.0,
        max_redirects=_MOST_REDIRECTS,
        allow_private=options.allow_private and inside is not None,
    )
    capture = fetch_if_changed(reference.url, limits, None, cancel=cancel, network=network, within=inside)
    assert capture is not None  # nothing was said to be known
    return _picture(capture.body)


def _same_host(reference: ImageReference) -> bool:
    try:
        hosts = [urlsplit(address or "").hostname for address in (reference.url, reference.page_url)]
    except ValueError:
        return False
    return hosts[0] is not None and hosts[0] == hosts[1]


def _decoded(uri: str) -> bytes:
    head = _DATA.match(uri)
    if head is None or len(uri) > MOST_BYTES * 4 // 3 + 200:
        raise _refused("It is too large, or no picture")
    content = unquote_to_bytes(uri[head.end() :])
    if not head["base64"]:
        return content
    try:
        return base64.b64decode(content, validate=False)
    except binascii.Error as error:
        raise _refused("It is no picture") from error


def _picture(content: bytes) -> ChatImage:
    media_type = _media_type(content)
    if media_type is None:
        raise _refused("It is no PNG, JPEG, GIF or WebP picture")
    size = _size(content, media_type)
    if size is not None and not (min(size) >= LEAST_PIXELS and max(size) <= MOST_PIXELS):
        raise _refused(f"It is {size[0]} by {size[1]} pixels large")
    return ChatImage(content, media_type)


def _media_type(content: bytes) -> str | None:
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if content[:4] == b"RIFF" and content[8:12] == b"WEBP" else None


def _size(content: bytes, media_type: str) -> tuple[int, int] | None:
    """Width and height, of the kinds that begin with them."""
    if media_type == "image/png" and len(content) >= 24:
        return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if media_type == "image/gif" and len(content) >= 10:
        return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    return None


def _refused(what: str) -> FetchError:
    return FetchError(what, "The answer does not use it.")
