"""How a document begins, in words: enough of its first paragraphs to recognise it by."""

from webrag_desktop.text.landmarks import landmarks
from webrag_desktop.text.markdown_grammar import front_matter_end
from webrag_desktop.text.plain_text import project

LONGEST = 300
READ_CHARACTERS = (
    6000  # of Markdown; pages that begin with more than that of tables and headings show nothing
)


def first_words(markdown: str) -> str:
    """At most 300 characters of running text, without headings and markup, cut between words."""
    said: list[str] = []
    for block in markdown[front_matter_end(markdown) :].split("\n\n"):
        if not _is_heading(block):
            said += project(block).text.split()
        if sum(map(len, said)) + len(said) > LONGEST:
            break
    text = " ".join(said)
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST - 1]
    kept = head if text[LONGEST - 1] == " " else head.rpartition(" ")[0] or head
    return kept.rstrip(" ,;:—–-") + "…"


def _is_heading(block: str) -> bool:
    found = next(landmarks(block.strip("\n")), None)
    return found is not None and found.kind == "heading" and found.first == 0
