"""The links of Markdown files as data: wherever their addresses are written, each in the block that it stands in."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from webrag_desktop.ingestion.text_document import read_markdown
from webrag_desktop.text import markdown_links as linked
from webrag_desktop.text.markdown_links import PlacedLink, linked_sentences
from webrag_desktop.text.plain_text import project_blocks

TEXT = """\
# Cables

They asked [the company][co], then [Mr Field][] and
[Thomson]. See also [the *log*](https://log.example/a_(1)) and <https://bare.example/x_y>.

## Tests

- Bench tests, [see here][CO], took weeks.

| who | where |
|---|---|
| Whitehouse | [reply][r] |

    [not a link][co]

```
[nor this][co]
```

`[or this][co]`, [undefined][nowhere], ![picture][co], [near](notes.md), [mail](mailto:a@b.example).

[co]: https://company.example/ "The company"
[co]: https://second.example/
[mr field]: <https://field.example/cyrus>
[Thomson]: HTTPS://thomson.example/?a=1&amp;b=2
[r]: https://reply.example/
"""


@contextmanager
def counted_projections() -> Iterator[list[int]]:
    """How many characters were projected, each time."""
    read: list[int] = []

    def project(markdown: str) -> object:
        read.append(len(markdown))
        return project_blocks(markdown)

    with patch.object(linked, "project_blocks", project):
        yield read


def test_references_are_links_like_those_with_an_address_beside_them() -> None:
    document = read_markdown(TEXT).text
    reported = [(link.text, link.url, link.heading) for link in document.links]
    assert reported == [
        ("the company", "https://company.example/", "Cables"),
        ("Mr Field", "https://field.example/cyrus", "Cables"),
        ("Thomson", "HTTPS://thomson.example/?a=1&b=2", "Cables"),
        ("the log", "https://log.example/a_(1)", "Cables"),
        ("https://bare.example/x_y", "https://bare.example/x_y", "Cables"),
        ("see here", "https://company.example/", "Tests"),
        ("reply", "https://reply.example/", "Tests"),
    ]


def test_each_stands_in_its_block_and_in_its_sentence() -> None:
    document = read_markdown(TEXT).text
    starts = {block.char_start for block in document.blocks}
    assert {link.char_start for link in document.links} <= starts
    first = [link for link in document.links if link.heading == "Cables"]
    assert {link.char_start for link in first} == {TEXT.index("They asked")}
    bench = next(link for link in document.links if link.text == "see here")
    assert bench.char_start == TEXT.index("- Bench tests")
    placed = [PlacedLink(link.char_start or 0, link.url, link.text) for link in document.links]
    sentences = linked_sentences(document.markdown, placed)
    assert sentences[0].startswith("They asked the company, then Mr Field")
    assert sentences[5] == "Bench tests, see here, took weeks."


def test_a_text_without_links_has_no_sentences_around_them() -> None:
    assert linked_sentences("It links to nothing.", []) == []


def test_words_over_two_lines_are_one_line() -> None:
    (link,) = read_markdown("It was [laid by\ntwo ships](https://ships.example/).\n").text.links
    assert link.text == "laid by two ships"


def test_a_definition_without_an_address_on_the_web_makes_no_link() -> None:
    assert (
        read_markdown("See [the notes][n] and [a].\n\n[n]: notes.md\n[a]: javascript:alert(1)\n").text.links
        == ()
    )


def test_the_sentences_of_a_long_list_of_references_are_found_without_reading_on_to_their_addresses() -> None:
    entries = "\n\n".join(
        f"Entry {at} thanks [person {at}][p{at}] for it. Nothing else." for at in range(2000)
    )
    addresses = "\n".join(f"[p{at}]: https://people.example/{at}" for at in range(2000))
    document = read_markdown(f"{entries}\n\n{addresses}\n").text
    placed = [PlacedLink(link.char_start or 0, link.url, link.text) for link in document.links]
    assert len(placed) == 2000
    with counted_projections() as read:
        sentences = linked_sentences(document.markdown, placed)
    assert sentences[1999] == "Entry 1999 thanks person 1999 for it."
    assert "" not in sentences
    assert sum(read) < 2 * len(document.markdown)
