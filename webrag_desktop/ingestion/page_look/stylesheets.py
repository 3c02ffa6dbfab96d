"""Stylesheets that load nothing but what is kept: every address in them is replaced, whatever way it is written.

The text is divided as CSS Syntax Level 3 divides it, as far as addresses can be in it: comments, strings, names with
escapes, and ``url(…)`` without quotation marks. Everything else is passed on.
"""

import codecs
import re
from dataclasses import dataclass, field

from webrag_desktop.ingestion.page_look.addresses import NOTHING, Addresses
from webrag_desktop.models.documents import Capture
from webrag_desktop.models.markup import Markup
from webrag_desktop.models.subresources import SubresourceKind

_TOKEN = re.compile(
    r"""
    (?P<comment>/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))
  | (?P<string>"(?:[^"\\\n\r\f]|\\(?:\r\n|[\s\S]|\Z))*+(?:"|\Z|(?=[\n\r\f])) | '(?:[^'\\\n\r\f]|\\(?:\r\n|[\s\S]|\Z))*+(?:'|\Z|(?=[\n\r\f])))
  | (?P<name>[@\#]?(?:[-\w]|[^\x00-\x7f]|\\(?:[0-9a-fA-F]{1,6}+(?:\r\n|[ \t\n\r\f])?|[^\n\r\f0-9a-fA-F]))++)(?P<call>\()?
  | (?P<mark>[(){};])
    """,  # noqa: E501
    re.VERBOSE,
)
_BARE = re.compile(
    r"""[ \t\n\r\f]*+(?!["'])((?:[^\\"'()\s]|\\(?:[0-9a-fA-F]{1,6}+(?:\r\n|[ \t\n\r\f])?|[^\n\r\f0-9a-fA-F]))*+)"""
    r"[ \t\n\r\f]*+(?:\)|\Z)"
)
_REST_OF_BAD = re.compile(r"(?:[^\\)]|\\[\s\S])*+\)?")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\n\r\f])|([\s\S]))")
_CHARSET = re.compile(rb'@charset "([\w.:-]{1,40})";', re.IGNORECASE)
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
_OF_ADDRESSES = frozenset(
    {"url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade"}
)
_GOES = frozenset({"expression", "paint"})  # what ran, or runs, a script
_STATEMENTS = frozenset({"import", "namespace"})  # rules without a block
_DEEPEST = 200  # functions inside each other


def stylesheet_markup(capture: Capture) -> Markup:
    """A fetched stylesheet, with the addresses in it replaced by names."""
    addresses = Addresses(capture.final_url)
    text = harmless_css(_decoded(capture), addresses)
    return Markup(text=text, references=addresses.references)


def _decoded(capture: Capture) -> str:
    declared = _HEADER_CHARSET.search(capture.header("content-type") or "")
    own = _CHARSET.match(capture.body)
    if capture.body.startswith(codecs.BOM_UTF8):
        return capture.body[3:].decode("utf-8", "replace")
    for name in (declared and declared[1], own and own[1].decode("ascii")):
        try:
            if name:
                return capture.body.decode(name, "replace")
        except (LookupError, ValueError):  # no charset, or one of Python's that is none of text
            continue
    return capture.body.decode("utf-8", "replace")


def harmless_css(css: str, addresses: Addresses) -> str:
    """``css`` with each address replaced as ``addresses`` says; it can end no ``style`` element that it is put in."""
    return _Rewriting(css.replace("\0", "\N{REPLACEMENT CHARACTER}"), addresses).run().replace("</", "<\\/")


@dataclass(slots=True)
class _Rewriting:
    """One pass over a stylesheet."""

    css: str
    addresses: Addresses
    written: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)  # open ones, by name; "" is a bracket alone
    at_rule: str = ""  # the one that is being read, until its block or end

    def run(self) -> str:
        position = 0
        while (token := _TOKEN.search(self.css, position)) is not None:
            self.written.append(self.css[position : token.start()])
            position = token.end()
            if token["comment"] is not None:
                self.written.append(" ")  # what was apart stays apart
            elif token["string"] is not None:
                self.written.append(self._string(token["string"]))
            elif token["mark"] is not None:
                self._mark(token["mark"])
            elif token["call"] is None:
                self._word(token["name"])
            else:
                position = self._function(token["name"], position)
        self.written.append(self.css[position:])
        return "".join(self.written)

    @property
    def _kind(self) -> SubresourceKind:
        return "font" if self.at_rule == "font-face" else "image"

    def _string(self, token: str) -> str:
        in_import = self.at_rule == "import" and not self.functions
        if not in_import and (not self.functions or self.functions[-1] not in _OF_ADDRESSES):
            return token if len(token) > 1 and token[-1] == token[0] else '""'
        return f'"{self._named(_unescaped(token[1:].removesuffix(token[0])))}"'

    def _named(self, address: str) -> str:
        kind: SubresourceKind = "stylesheet" if self.at_rule == "import" else self._kind
        name = self.addresses.name(address, kind) or NOTHING
        return re.sub(r'[\\"\n\r\f<]', lambda found: f"\\{ord(found[0]):x} ", name)

    def _mark(self, mark: str) -> None:
        if mark == "(":
            self._enter("")
        elif mark == ")":
            if self.functions:
                self.functions.pop()
        else:
            self.functions.clear()
            if mark == "}" or self.at_rule in _STATEMENTS or (mark == ";" and self.at_rule != "font-face"):
                self.at_rule = ""
        self.written.append(mark)

    def _enter(self, name: str) -> None:
        if len(self.functions) < _DEEPEST:
            self.functions.append(name)

    def _word(self, name: str) -> None:
        plain = _unescaped(name).lower()
        if plain.startswith("@"):
            self.at_rule = plain[1:]
        self.written.append(name)

    def _function(self, name: str, position: int) -> int:
        """Write a function's name and, where it is an address without quotation marks, all of it; where it ends."""
        plain = _unescaped(name).lower()
        if plain in _GOES:
            self.written.append("none(")
        elif (
            plain == "url" and self.at_rule == "namespace"
        ):  # an address that is a name: nothing is loaded from it
            plain = ""
            self.written.append("url(")
        elif plain == "url":
            return self._url(position)
        else:
            self.written.append(f"{name}(")
        self._enter(plain)
        return position

    def _url(self, position: int) -> int:
        bare = _BARE.match(self.css, position)
        if bare is not None:
            self.written.append(f'url("{self._named(_unescaped(bare[1]))}")')
            return bare.end()
        if self.css[position : position + 200].lstrip(" \t\n\r\f")[:1] in {'"', "'"}:
            self.written.append("url(")
            self._enter("url")
            return position
        rest = _REST_OF_BAD.match(self.css, position)
        self.written.append(f'url("{NOTHING}")')
        return rest.end() if rest is not None else position


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    if found[1] is None:
        return "" if found[2] is not None else found[3]
    number = int(found[1], 16)
    bad = number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF
    return "\N{REPLACEMENT CHARACTER}" if bad else chr(number)
