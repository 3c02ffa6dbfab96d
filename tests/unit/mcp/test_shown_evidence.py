"""How a passage's evidence is given to an AI client: code with its lines, a row with the head of its table."""

from tests.support.found_chunks import found_chunk, matched_span
from webrag_desktop.mcp.tools.search import item_of

CODE = "    def depth(path):\n        return path.count(1)"
TABLE = "| name | tide |\n|---|---|\n| crab | low |\n| fish | high |\n"


def test_code_keeps_its_lines() -> None:
    text = f"Words.\n\n```python\nclass A:\n{CODE}\n```\n"
    made = item_of(1, found_chunk(text, spans=[matched_span(text.index(CODE), CODE, kind="code")]))
    (evidence,) = made.facts["evidence"]
    assert (evidence["kind"], evidence["text"]) == ("code", CODE)
    assert f"{evidence['cite']}:\n{CODE}\n" in made.line


def test_a_row_comes_with_the_head_of_its_table() -> None:
    row = "| fish | high |"
    made = item_of(1, found_chunk(TABLE, spans=[matched_span(TABLE.index(row), row, kind="table")]))
    (evidence,) = made.facts["evidence"]
    assert (evidence["kind"], evidence["text"], evidence["table_head"]) == ("table", row, "| name | tide |")
    assert f"{evidence['cite']}:\n| name | tide |\n{row}\n" in made.line


def test_a_sentence_is_on_one_line() -> None:
    text = "It goes\non here."
    made = item_of(1, found_chunk(text, spans=[matched_span(0, text)]))
    (evidence,) = made.facts["evidence"]
    assert evidence == {"cite": evidence["cite"], "text": text, "kind": "prose"}
    assert f"{evidence['cite']}: It goes on here." in made.line
