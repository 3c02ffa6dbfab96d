"""Documentation builders whose pages name their parts in no standard way: where the text is, what is not text."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from turbohtml import Document

_NEGATED = re.compile(r":not\([^()]*(?:\([^()]*\))?[^()]*\)|\[[^\]]*\]")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PLAIN = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)
_QUOTED = re.compile(r"[\"\\]")
_ESCAPE = r"\\\g<0>"
_MOST_LIKE = 100  # selectors in one list, each of which costs time on every element of the page
_NAME = re.compile(r"([.#])([\w-]+)")


class PageNames:
    """The classes and ids of a page when it was parsed; what is removed later only makes them a superset."""

    def __init__(self, document: Document) -> None:
        self._classes: set[str] = set()
        for classes in {element.attr("class") or "" for element in document.select("[class]")}:
            self._classes.update(classes.split())
        self._known = {"." + name.lower() for name in self._classes}
        ids = [element.attr("id") or "" for element in document.select("[id]")]
        self._known.update(["#" + name.strip().lower() for name in ids])

    @cached_property
    def _worded(self) -> list[tuple[str, str]]:
        """Each class with its words, as patterns are given them."""
        return [(name, _words(name)) for name in self._classes]

    def __len__(self) -> int:
        return len(self._known)

    def any_class(self, is_sought: Callable[[str], bool]) -> bool:
        """Whether there is a class with a name that is sought."""
        return any(is_sought(name) for name in self._classes)

    def classes_where(self, is_sought: Callable[[str], bool]) -> str:
        """Selectors of the classes with names that are sought, as one list; of very many, only the first by name."""
        found = sorted(filter(is_sought, self._classes))[:_MOST_LIKE]
        return ",".join([f'[class~="{_QUOTED.sub(_ESCAPE, name)}"]' for name in found])

    def classes_like(self, pattern: re.Pattern[str]) -> str:
        """Selectors of the classes whose words ``pattern`` matches, as one list; empty when there are none.

        Of very many, as a hostile page has them, only the first by name are given. The pattern
        is given the words in lower case with hyphens between and around them: ``-edit-this-page-``.
        """
        found = [name for name, words in self._worded if pattern.search(words) and _PLAIN.fullmatch(name)]
        return ",".join("." + name for name in sorted(found)[:_MOST_LIKE])

    def narrowed(self, selectors: Iterable[str]) -> str:
        """The selectors that can match on this page, as one list; empty when none can.

        Each must be a compound or complex selector without a comma outside parentheses, and names inside
        ``:is()`` and ``:has()`` count as needed: write alternatives as selectors of their own.
        """
        return ",".join(selector for selector in selectors if self.has(selector))

    def has(self, selector: str) -> bool:
        """Whether every class and id that ``selector`` needs occurs on the page."""
        return _needed(selector) <= self._known


@lru_cache(maxsize=1000)
def _needed(selector: str) -> frozenset[str]:
    plain = _NEGATED.sub("", selector)
    return frozenset((sign + name).lower() for sign, name in _NAME.findall(plain))


@lru_cache(maxsize=10_000)
def _words(name: str) -> str:
    return "-" + "-".join(word.lower() for word in _WORD.findall(name)) + "-"


GENERATORS = (
    "docutils", "sphinx", "mkdocs", "docusaurus", "doxygen", "mediawiki", "mdbook", "rustdoc", "gitbook", "vitepress",
    "vuepress", "antora", "asciidoc", "javadoc", "hugo-book", "pdoc", "yard", "jsdoc", "starlight", "nextra",
    "docbook", "publican", "makeinfo", "texi2any", "texi2html", "latex2html", "hevea", "tex4ht", "exdoc", "ex_doc",
    "haddock", "dokuwiki", "moinmoin", "ikiwiki", "tiki wiki", "xwiki", "org mode", "pandoc", "bookdown", "quarto",
    "rdoc", "typedoc", "documenter.jl", "hotdoc", "gi-docgen", "gtk-doc", "naturaldocs", "dartdoc", "phpdoc",
    "scaladoc", "docsify", "docfx", "zola adidoks", "crystal docs", "odoc", "pydoctor", "gapdoc", "edoc", "groff",
    "epydoc", "pod2html", "pkgdown", "jupyter", "nbconvert", "read the docs", "help & manual", "madcap",
    "just the docs", "sisu", "writerside", "honkit", "phpdocumentor", "asciidoctor",
)  # fmt: skip
"""Words in the generator tag of programs that write documentation, manuals and wikis."""

MARKS = (
    ".rst-content", ".sphinxsidebar", ".sphinxsidebarwrapper", ".md-content", ".theme-doc-markdown",
    ".toctree-wrapper", ".docutils", ".mw-parser-output", "#mw-content-text", ".highlight-default", ".rustdoc",
    ".markdown-body", ".vp-doc", ".sl-markdown-content", ".doc-content", ".javadoc", ".admonition",
    ".documentwrapper", ".pagefooter", ".docblock", ".conbody", ".refbody", ".taskbody", ".td-main .td-content",
    ".theme-default-content", ".main-page-content", ".docstring", ".memproto", "#mkdocs_search_modal",
    "#mkdocs-search-query",
    ".toctree-l1", "a.headerlink", ".markdown-section", ".container-overview",
)  # fmt: skip
"""Classes and ids only documentation and wikis have."""

COMMON_MARKS = (".hash-link", ".header-anchor", ".td-content", "dl.details", "pre.prettyprint")
"""Classes that documentation has, and some published articles too."""


@dataclass(frozen=True)
class Builder:
    """How a builder's pages are recognised and read.

    ``mark``: a selector that its pages alone match, or a word of its generator tag. ``content``: the parts that
    are the text (empty: the page's landmarks tell). ``furniture``: what is never text, whatever its size.
    """

    mark: str
    content: tuple[str, ...] = ()
    furniture: tuple[str, ...] = ()


BUILDERS = (
    Builder("main.bd-content", ("article.bd-article", "main.bd-content"),
            (".prev-next-area", ".prev-next-footer", ".bd-header-article", ".bd-sidebar-secondary")),
    Builder(".sk-page-content", (".sk-page-content",)),
    Builder("#yui-main .yui-b", ("#yui-main .yui-b",), (".nav",)),
    Builder("#docs-body", ("#docs-body",), ("#docs-bottom-navigation",)),
    Builder(".documentwrapper div.body", (".documentwrapper div.body",)),
    Builder(".md-content__inner", (".md-content__inner",), (".md-source-file", ".md-content__button")),
    Builder(".wy-nav-content [role=main]", (".wy-nav-content [role=main]",)),
    Builder("#content.content > main", ("#content.content > main",), (".nav-chapters",)),
    Builder("#content > main", ("#content > main",), (".nav-chapters",)),
    Builder("body.rustdoc #main-content", ("body.rustdoc #main-content",),
            (".out-of-band", "a.srclink", "a.src", ".notable-traits-tooltip", ".rightside", "#copy-path",
             "#render-detail", "#toggle-all-docs", "summary.hideme", "a.test-arrow", ".sub-heading")),
    *(
        Builder(mark, (), (".sub-nav", ".nav-bar", ".top-nav", ".bottom-nav", ".topNav", ".bottomNav", ".subNav",
                           ".legalCopy"))
        for mark in ("javadoc", ".contentContainer .blockList")
    ),
    *(
        Builder(mark, (".headertitle", "div.contents"),
                (".ttc", ".dynheader", ".dynsection", ".levels", ".iconfopen", ".iconfclosed", "span.arrow"))
        for mark in ("doxygen", ".header:has(.headertitle) + div.contents", "#navrow1 ul.tablist")
    ),
    Builder("#body-wrapper > #main", ("#main",), (".sidebar", "#btn-to-top", "a.srclink")),
    Builder("odoc", (".odoc-preamble", ".odoc-content", ".content"), (".odoc-nav", ".odoc-toc", "a.source_link")),
    Builder("pydoctor", ("#main",),
            ("#current-docs-container", "#search-results-container", "#showPrivate", ".sourceLink", ".inhierarchy")),
    Builder("#main > #header + #content", ("#main > #content",), ("#toc", "h2 > small", ".lines")),
    Builder(".maincolumn > .main", (".maincolumn > .main",), (".navsettop", ".navsetbottom", ".versionbox")),
    Builder("crystal", (".main-content",), (".method-permalink", ".view-source")),
    Builder(".conbody", ("body",), (".familylinks",)),
    Builder(".markdown-section", (".markdown-section",)),
    Builder(".vp-doc", (".VPHero", ".VPFeatures", ".vp-doc")),
    Builder("#documentId > .container", ("#documentId > .container",), (".three.columns", ".footer")),
    Builder("body > table.bar", ("body",), ("table.bar",)),
    Builder("gapdoc", ("body",), (".chlinktop", ".chlinkbot", ".chlinkprevnexttop", ".chlinkprevnextbot",
                                  "#mathjaxlink", ".ContChap", ".ChapSects", ".chlinktopdiv")),
    Builder("#package-header + #content", ("#content",),
            ("#table-of-contents", "a.link", "a.selflink", "#style-menu-holder")),
    Builder("#module-header", ("#content",), ("#table-of-contents", "a.link", "a.selflink", "#style-menu-holder")),
    Builder("asciidoc", ("body > #header", "body > #content"), ("#toc", ".details")),
    Builder("body[role=document] > main", ("body[role=document] > main",),
            (".method-click-advice", ".method-source-toggle")),
    Builder(".content.mainContent", (".mainContent",),
            (".sidebar", ".toc", ".navigationbar", ".footer", "#buildversion")),
    Builder("#leftnav + #content", ("#leftnav + #content",), (".footer", ".bottom-actions", ".icon-action")),
    Builder("#apicontent", ("#apicontent",), ("a.mark", "a.srclink", ".js-flavor-selector")),
    Builder("#page-content", ("#page-content",),
            ("#quickview", ".toplang", ".bottomlang", "#comments_section", "div.top", "p.top")),
    Builder("#definition + #signature", ("#definition", "#signature", "#comment", "#template"), ("#mbrsel",)),
    Builder("body.value", ("#definition", "#signature", "#comment", "#template"), ("#mbrsel",)),
    Builder(".menu.mainmenu", ("body",),
            (".menu", ".tagline", ".searchmenu", ".mobileonly", ".desktoponly", ".fancy-toc", ".fancy_toc",
             "p:has(#mtimelink)")),
    Builder("#tocframe", ("#main",), (".nav_table", "#footer", ".toc_uplink")),
    *(
        Builder(name, ("body",),
                ("div.header", "table.header", ".nav-panel", ".Contents_element", ".SEC_Contents", ".footer",
                 ".shortcontents", ".short-contents", ".element-shortcontents", ".region-contents",
                 ".Contents", ".contents", "body > p:has(> font)",
                 'body > table:has(a[href*="SEC_Contents"])'))
        for name in ("makeinfo", "texi2any", "texinfo", "texi2html")
    ),
    Builder("latex2html", ("body",), (".navigation", "address", ".ChildLinks")),
    Builder(".spirit-nav", ("body",), (".spirit-nav", ".copyright-footer", "body > table:first-of-type")),
    Builder("table.navigation#top", ("body",), ("table.navigation", ".footer", ".shortcuts")),
    Builder("ul.docnav", ("body",), ("body > #banner", "body > #title", ".docnav", ".toc")),
    Builder("docbook", ("body",), (".navheader", ".navfooter", ".toc", ".NAVHEADER", ".NAVFOOTER", ".TOC")),
    Builder("#mw-content-text", ("#firstHeading", "#mw-content-text"),
            ("#toc", ".toc", "#siteSub", "#contentSub", "#jump-to-nav", ".printfooter", "#catlinks", ".navbox",
             ".mw-jump-link", ".t-navbar")),
)  # fmt: skip
_GENERATOR_WORDS = frozenset(builder.mark for builder in BUILDERS if builder.mark.isalnum())


def generator_of(document: Document) -> str:
    """What the page's generator tags say, in lower case."""
    tags = document.select('meta[name="generator" i]')
    return " ".join((tag.attr("content") or "").lower() for tag in tags)


def builder_of(document: Document, names: PageNames) -> Builder | None:
    """The first builder whose mark the page bears."""
    generator = generator_of(document)
    return next((builder for builder in BUILDERS if _bears(builder.mark, document, names, generator)), None)


def _bears(mark: str, document: Document, names: PageNames, generator: str) -> bool:
    if mark in _GENERATOR_WORDS:
        return mark in generator
    return names.has(mark) and document.select_one(mark) is not None
