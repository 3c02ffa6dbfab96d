"""What chunks that were cut out of tables and code are embedded and found with."""

from hypothesis import given, settings

from tests.support.markdown_documents import DOCUMENTS, GeneratedDocument
from tests.support.tokenizers import WordTokenizer
from webrag_desktop.indexing.chunking import EARLIER, ChunkingOptions, chunk_document
from webrag_desktop.indexing.leads import LONGEST_LINE, MOST_LINES, leads_of
from webrag_desktop.indexing.structure import read_structure
from webrag_desktop.models.documents import Chunk

OPTIONS = ChunkingOptions(window_tokens=20, child_tokens=20, parent_tokens=60)
TABLE = "Words before.\n\n" + "\n".join(
    ["| name | of the *tide* |", "|---|---|", *(f"| row {place} | {'cell ' * 5}|" for place in range(9))]
)


def children(markdown: str, options: ChunkingOptions = OPTIONS) -> list[Chunk]:
    return [one for one in chunk_document(markdown, (), WordTokenizer(), options) if one.level == "child"]


def test_rows_that_were_cut_from_the_head_of_their_table_are_led_by_it() -> None:
    found = children(f"## Tides\n\n{TABLE}\n\nWords after.")
    rows = [one for one in found if "| row" in one.chunk_text]
    assert len(rows) > 2
    for one in rows:
        assert one.leads == (() if "| name |" in one.chunk_text else ("name | of the *tide*",))
        assert one.heading_path == ("Tides",)  # which says where it stands, and nothing else
    assert all(not one.leads for one in found if one not in rows)


def test_code_is_led_by_the_lines_that_it_is_inside_of() -> None:
    body = "\n\n".join(
        f"        step_{place} = go({place})\n        stop(step_{place})" for place in range(9)
    )
    head = "import os\n\nclass Steps:\n    '''Go. Stop.'''\n\n    @cached\n    def all(self):"
    code = f"```python\n{head}\n{body}\n```\n"
    found = children(code)
    assert len(found) > 3
    assert found[0].leads == ()
    assert all(
        one.leads == ("class Steps:", "def all(self):") for one in found if one.chunk_text.startswith(" " * 8)
    )


def test_only_the_innermost_lines_lead_and_none_is_long() -> None:
    deep = (
        "\n".join(f"{'  ' * depth}if a{depth}({'b' * 200}):" for depth in range(8))
        + "\n"
        + "  " * 8
        + "go()\n"
    )
    markdown = f"```\n{deep}```"
    (lead,) = leads_of(markdown, read_structure(markdown, ()), [markdown.index("go()")])
    assert len(lead) == MOST_LINES
    assert [one[:5] for one in lead] == ["if a5", "if a6", "if a7"]
    assert all(len(one) <= LONGEST_LINE for one in lead)


@given(DOCUMENTS)
@settings(deadline=None)
def test_every_place_has_its_leads(document: GeneratedDocument) -> None:
    elements = read_structure(document.markdown, document.blocks)
    starts = list(range(0, len(document.markdown), 7))
    assert len(leads_of(document.markdown, elements, starts)) == len(starts)


def test_in_libraries_of_before_nothing_leads() -> None:
    """Their vectors are known by what was embedded, so that must stay as it was."""
    earlier = ChunkingOptions(window_tokens=20, child_tokens=20, parent_tokens=60, rules=EARLIER)
    assert not any(one.leads for one in children(TABLE, earlier))
