"""Parts that pages draw with scripts and styles, turned into plain structure: code listings, tabs, task lists."""

from turbohtml import Document, Element, Text

from webrag_desktop.ingestion.html.names import PageNames

_CODE_WORDS = ("code", "tt", "kbd", "samp")
_LISTINGS = (
    ".highlighttable",
    ".rouge-table",
    ".lntable",
    ".syntaxhighlighter",
    ".hljs-ln",
    ".codehilitetable",
)
_NUMBERS = (
    ".linenos", ".linenodiv", ".lineno", ".lnt", ".rouge-gutter", ".gutter.gl", "td.gutter", ".blob-num",
    ".hljs-ln-numbers", ".react-syntax-highlighter-line-number", ".ttc", "a.test-arrow",
)  # fmt: skip


def plain_widgets(document: Document, names: PageNames) -> None:
    """Rewrite in place: line numbers go, listings set in tables become code, tabs and checkboxes get words."""
    numbers = names.narrowed(_NUMBERS)
    if numbers:
        document.remove(numbers)
    _listings_in_tables(document, names)
    _listings_in_words(document)
    _lines_in_boxes(document)
    if names.has(".fragment"):
        _doxygen_listings(document)
    if names.has(".tabbed-labels"):
        _tabs(document)
    if names.has(".classifier"):
        _classifiers(document)
    for box in document.select("li input[type=checkbox]"):
        box.replace_with(Text("☑ " if box.attr("checked") is not None else "☐ "))


def _listings_in_tables(document: Document, names: PageNames) -> None:
    tables = names.narrowed(_LISTINGS)
    for table in document.select(tables) if tables else ():
        listings = table.select("pre")
        if table.tag == "table" and len(listings) == 1:
            table.replace_with(listings[0].extract())


def _listings_in_words(document: Document) -> None:
    """Code set as words around a whole listing says nothing more, and neither words nor a link can hold the listing."""
    for tag in _CODE_WORDS:
        for words in document.select(f"{tag}:has(pre)"):
            words.unwrap()
    for listing in document.select("a[href] pre"):
        link = listing.closest("a[href]")
        if link is not None:
            del link.attrs["href"]


def _lines_in_boxes(document: Document) -> None:
    """Listings whose lines are boxes of their own get the line breaks that only the boxes made."""
    for line in document.select("pre > div,pre > code > div"):
        following = line.next_sibling
        broken = isinstance(following, Text) and following.text.lstrip(" ").startswith("\n")
        if following is not None and not broken and not line.text.endswith("\n"):
            line.append(Text("\n"))
    for line in document.select("pre div"):
        line.unwrap()


def _doxygen_listings(document: Document) -> None:
    for fragment in document.select("div.fragment"):
        lines = fragment.select("div.line")
        for blank in [node for node in fragment.children if lines and not node.text.strip()]:
            if not isinstance(blank, Element):
                blank.extract()
        for line in lines:
            line.append(Text("\n"))
            line.unwrap()
        fragment.tag = "pre"


def _tabs(document: Document) -> None:
    """Each tab's label stands before its part, and no longer in a row with the others."""
    for tabs in document.select(".tabbed-set"):
        labels = tabs.select(":scope > .tabbed-labels > label")
        parts = tabs.select(":scope > .tabbed-content > .tabbed-block")
        if labels and len(labels) == len(parts):
            for label, part in zip(labels, parts, strict=True):
                part.insert(0, Element("p", None, [Element("strong", None, [Text(label.text)])]))
            for row in tabs.select(":scope > .tabbed-labels"):
                row.extract()


def _classifiers(document: Document) -> None:
    """Types in terms stand behind a colon that only the style sheet draws."""
    for classifier in document.select("dt .classifier"):
        before = classifier.previous_sibling
        if before is not None and before.text and not before.text.rstrip().endswith((":", "(")):
            classifier.insert_before(Text(" : "))
