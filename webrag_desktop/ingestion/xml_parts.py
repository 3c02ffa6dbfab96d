"""XML inside documents, parsed so that nothing unfolds, nothing is loaded and nothing nests without end."""

import re
from html.entities import html5

from lxml import etree

from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.archives import damaged_file
from webrag_desktop.ingestion.text_decoding import codec_of

DEEPEST = 200  # levels of elements; office programs stay below 60
_DOCTYPE = re.compile(
    r"^((?:\s++|<!--(?>.*?-->)|<\?(?>.*?\?>))*+)<!DOCTYPE\b[^\[>]*+(?:(\[)|>)", re.IGNORECASE | re.DOTALL
)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_DECLARED = re.compile(rb"""^\s*+<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']""")
_DECLARATION = re.compile(r"^\s*+<\?xml\b[^>]*+>")
_PREDEFINED = frozenset(("amp", "lt", "gt", "quot", "apos"))
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def parse_xml(content: bytes, *, recover: bool = False) -> etree._Element:
    """The root of an XML part. HTML's named characters are known; a document type says nothing and is dropped.

    With ``recover``, what is not well-formed is mended as far as may be. Raises
    :class:`~webrag_desktop.errors.ExtractionError` for what is damaged or unsafe.
    """
    text = _named_characters(_without_doctype(_text(content)))
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=recover,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise damaged_file() from error
    if root is None:
        raise damaged_file()
    if root.getroottree().docinfo.internalDTD is not None or _is_deeper(root, DEEPEST):
        raise _unsafe()
    return root


def local_name(element: etree._Element) -> str:
    """The tag without its name space, declared or not; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2] if isinstance(tag, str) else ""


def words(element: etree._Element | None) -> str:
    """The text of an element on one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def _text(content: bytes) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _DECLARATION.sub("", content[len(mark) :].decode(encoding, "replace"))
    declared = _DECLARED.match(content)
    codec = codec_of(declared[1].decode()) if declared else None
    if codec is None or codec.startswith("utf-16"):  # read byte by byte so far, it cannot be that
        codec = "utf-8"
    return _DECLARATION.sub("", content.decode(codec, "replace"))


def _without_doctype(text: str) -> str:
    found = _DOCTYPE.match(text)
    if found is None:
        return text
    if found[2]:  # definitions of its own, which may unfold without limit or name other files
        raise _unsafe()
    return found[1] + text[found.end() :]


def _named_characters(text: str) -> str:
    return _ENTITY.sub(_character, text)


def _character(entity: re.Match[str]) -> str:
    name = entity[1]
    return entity[0] if name in _PREDEFINED else html5.get(f"{name};", entity[0])


def _is_deeper(root: etree._Element, most: int) -> bool:
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > most:
            return True
    return False


def _unsafe() -> ExtractionError:
    return ExtractionError(
        "The file is not safe to read. Its inside is built to exhaust the program that opens it",
        "Open it in the program that made it, save it again, and add that.",
    )
