"""Where well-known documentation builders put the content of a page, and what furniture stands inside it."""

from dataclasses import dataclass

from lxml import html

from benchmarks.extraction_parts.html_reading import (
    html_structure,
    remove,
    remove_unseen,
    select,
    visible_text,
)
from benchmarks.extraction_parts.structure import Structure

_EVERYWHERE = (
    "nav,[role=navigation],[role=search],.topic.contents,.contents.topic,aside.topic.contents,div.toc,.headerlink,"
    ".anchor-link,.mw-editsection,.viewcode-link,.lineno"
)


@dataclass(frozen=True)
class Builder:
    """``content``: a selector of all that belongs to it; ``furniture``: of what does not, inside.

    ``marks`` is a selector that only its pages match, or ``generator`` and the words its generator tag holds.
    """

    name: str
    marks: str
    content: str
    furniture: str = ""


@dataclass(frozen=True)
class Content:
    """The content of a page as its builder marks it."""

    builder: str
    text: str
    structure: Structure


_TEXINFO = "div.header,table.header,.nav-panel,.Contents_element,.SEC_Contents,.footer,.shortcontents"
_RUSTDOC = (
    "summary.hideme,.test-arrow,.out-of-band,.srclink,.src,.anchor,.notable-traits-tooltip,.rightside,#copy-path,"
    "#toggle-all-docs,#render-detail"
)
_DOXYGEN = (
    ".ttc,.dynheader,.dynsection,.levels,.iconfclosed,.iconfopen,.arrow,"
    "#MSearchSelectWindow,#MSearchResultsWindow"
)
_SQLITE = ".menu,.tagline,.searchmenu,.mobileonly,.desktoponly,.fancy-toc,.fancy_toc"
_MEDIAWIKI = (
    "#toc,.toc,.editsection,#siteSub,#contentSub,#jump-to-nav,.printfooter,#catlinks,.navbox,.mw-jump"
)

BUILDERS = (
    Builder("pydata-sphinx", "main.bd-content", "article.bd-article,main.bd-content", ".prev-next-area"),
    Builder("scikit-learn", ".sk-page-content", ".sk-page-content"),
    Builder("Django (Sphinx)", "#custom-doc #yui-main", "#yui-main .yui-b", ".nav"),
    Builder("SQLAlchemy (Sphinx)", "#docs-body", "#docs-body", "#docs-bottom-navigation"),
    Builder("Sphinx", ".documentwrapper div.body", ".documentwrapper div.body"),
    Builder("Read the Docs (Sphinx)", ".rst-content [role=main]", ".rst-content [role=main]", ".rst-versions"),
    Builder("MkDocs", "#mkdocs_search_modal,.md-content__inner", ".md-content__inner,[role=main]"),
    Builder("mdBook", "#content.content > main,.page-wrapper #content > main", "#content > main", ".nav-chapters"),
    Builder("rustdoc", "body.rustdoc #main-content", "#main-content", _RUSTDOC),
    Builder("Javadoc", "generator javadoc", "main", ".sub-nav,.nav-bar"),
    Builder("Doxygen", "generator Doxygen", ".headertitle,div.contents", _DOXYGEN),
    Builder("Haddock", "#package-header + #content,#module-header", "#content", "#table-of-contents,.selflink,.link"),
    Builder("Asciidoctor, AsciiDoc", "generator Asciidoc", "#header,#content", "#toc,.details"),
    Builder("RDoc", "body[role=document] > main", "main", ".method-click-advice"),
    Builder("Qt", ".content.mainContent", ".mainContent", ".sidebar,.toc,.navigationbar,.footer"),
    Builder("ExDoc, Erlang", "#leftnav + #content", "#content", ".footer,.bottom-actions,.icon-action"),
    Builder("Node.js", "#apicontent", "#apicontent", ".mark,.srclink,.js-flavor-selector"),
    Builder("Apache", "#page-content", "#page-content", "#quickview,.toplang,.bottomlang,#comments_section,.top"),
    Builder("Scaladoc", "body.value,body.type", "#definition,#signature,#comment,#template", "#mbrsel"),
    Builder("SQLite", ".menu.mainmenu", "body", _SQLITE),
    Builder("LilyPond (Texinfo)", "#tocframe", "#main", ".nav_table,#footer,.toc_uplink"),
    Builder("Texinfo", "generator makeinfo", "body", _TEXINFO),
    Builder("Texinfo (texi2any)", "generator texi2any", "body", _TEXINFO),
    Builder("LaTeX2HTML", "generator LaTeX2HTML", "body", ".navigation,address,.ChildLinks"),
    Builder("Boost (DocBook)", ".spirit-nav", "body", ".spirit-nav,.copyright-footer,body > table:first-of-type"),
    Builder("gtk-doc", "table.navigation#top", "body", "table.navigation,.footer,.shortcuts"),
    Builder("Publican (DocBook)", "ul.docnav", "body", "#banner,#title,.docnav,.toc"),
    Builder("DocBook", "generator DocBook", "body", ".navheader,.navfooter,.toc"),
    Builder("docutils", "generator Docutils", ".document", ".contents"),
    Builder("MediaWiki", "#mw-content-text,#bodyContent", "#firstHeading,#mw-content-text,#bodyContent", _MEDIAWIKI),
)  # fmt: skip


def known_content(page: html.HtmlElement) -> Content | None:
    """The content of a page by the first builder whose mark it bears; None for a page of none. Changes the tree."""
    generator = " ".join(
        tag.get("content", "") for tag in select(page, "meta[name=generator],meta[name=Generator]")
    )
    builder = next((one for one in BUILDERS if _is_by(one, page, generator.lower())), None)
    if builder is None:
        return None
    parts = _outermost(select(page, builder.content))
    for part in parts:
        remove_unseen(part)
        remove(part, _EVERYWHERE)
        if builder.furniture:
            remove(part, builder.furniture)
    if not parts:
        return None
    return Content(builder.name, "\n".join(map(visible_text, parts)), html_structure(*parts))


def _is_by(builder: Builder, page: html.HtmlElement, generator: str) -> bool:
    kind, _, named = builder.marks.partition(" ")
    return named.lower() in generator if kind == "generator" else bool(select(page, builder.marks))


def _outermost(found: list[html.HtmlElement]) -> list[html.HtmlElement]:
    every = set(found)
    return [part for part in found if every.isdisjoint(part.iterancestors())]
