"""The scores that extraction is judged by: computed by hand here."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.extraction_parts.html_reading import shown_words
from benchmarks.extraction_parts.markdown_reading import markdown_structure, markdown_text
from benchmarks.extraction_parts.scoring import Overlap, f1_intervals, harmonic_mean, overlap, score
from benchmarks.extraction_parts.structure import Kept, Structure, compare, lost


def test_overlap_counts_shingles_as_often_as_they_occur() -> None:
    page = overlap("a b c d a b c d", "a b c d e")
    # gold: abcd twice, bcda, cdab, dabc; found: abcd, bcde
    assert (page.hit, page.extra, page.missing) == pytest.approx((1 / 6, 1 / 6, 4 / 6))
    assert page.precision == pytest.approx(1 / 2)
    assert page.recall == pytest.approx(1 / 5)


def test_a_text_shorter_than_a_shingle_is_one_shingle() -> None:
    assert overlap("two words", "two words").f1 == 1
    assert overlap("two words", "two other words").f1 == 0


def test_white_space_and_punctuation_do_not_count() -> None:
    assert overlap("one, two\nthree – four", "one two three four").f1 == 1


def test_single_words_ignore_their_order() -> None:
    assert overlap("a b c", "c b a", 1).f1 == 1


@pytest.mark.parametrize(("gold", "found", "f1"), [("", "", 1.0), ("", "words", 0.0), ("words", "", 0.0)])
def test_empty_texts(gold: str, found: str, f1: float) -> None:
    assert overlap(gold, found).f1 == f1


def test_the_score_weighs_pages_alike_and_leaves_out_what_says_nothing() -> None:
    nothing_found = overlap("a b c d", "")
    perfect = overlap("a b c d", "a b c d")
    found = score([nothing_found, perfect])
    assert (found.precision, found.recall) == (1.0, 0.5)
    assert found.f1 == pytest.approx(harmonic_mean(1.0, 0.5))
    assert score([]).f1 == 0
    assert Overlap(0, 0, 1).precision == 0


def test_structure_kept() -> None:
    gold = Structure(("One", "Two", "Two"), ("a = 1\n", "b"), ("x 1 y 2 z 3 u 4 v 5",))
    found = Structure(("one", "Two!"), ("a  =  1",), ("x 1 y 2 z 3 u 4 v 5", "other"))
    assert compare(gold, found) == (Kept(3, 2), Kept(2, 1), Kept(1, 1))
    assert lost(gold, found) == ["code: 'b'"]


def test_a_table_that_lost_its_cells_is_not_kept() -> None:
    gold = Structure(tables=("a b c d e f g h i j",))
    assert compare(gold, Structure(tables=("a b c d e f g h",)))[2] == Kept(1, 0)
    assert compare(gold, Structure(tables=("a b c d e f g h i",)))[2] == Kept(1, 1)


def test_markdown_is_read_as_a_reader_sees_it() -> None:
    prose = "# A `b`\n\n[word](https://example.org/hidden) ![alt](x.png)"
    markdown = f"{prose}\n\n```py\ncode()\n```\n\n| a | b |\n| - | - |\n| c | d |\n"
    assert markdown_text(markdown).split() == ["A", "b", "word", "code()", "a", "b", "c", "d"]
    assert markdown_structure(markdown) == Structure(("A b",), ("code()\n",), ("a\nb\nc\nd",))


def test_gold_sets_of_both_layouts(tmp_path: Path) -> None:
    pytest.importorskip("cssselect")
    from benchmarks.extraction_parts.gold import read_gold

    public, beside = tmp_path / "public", tmp_path / "beside"
    (public / "html").mkdir(parents=True)
    beside.mkdir()
    (public / "html" / "a1.html.gz").write_bytes(gzip.compress(b"<p>Text</p>"))
    truth = {"a1": {"articleBody": "Text", "url": "https://example.org/a"}}
    (public / "ground-truth.json").write_text(json.dumps(truth), "utf-8")
    (beside / "one.html").write_bytes(b"<h1>One</h1>")
    (beside / "one.md").write_text("# One\n", "utf-8")
    (beside / "two.html").write_bytes(b"<p>Two</p>")
    (beside / "two.txt").write_text("Two", "utf-8")
    (beside / "without.html").write_bytes(b"<p>No text beside it</p>")
    assert [(page.name, page.url, page.html, page.text) for page in read_gold(public)] == [
        ("a1", "https://example.org/a", b"<p>Text</p>", "Text")
    ]
    found = read_gold(beside)
    assert [(page.name, page.text) for page in found] == [("one.html", "One"), ("two.html", "Two")]
    assert found[0].structure == Structure(headings=("One",))
    with pytest.raises(FileNotFoundError):
        read_gold(tmp_path / "html")


def test_test_pages_of_reader_modes_are_a_gold_set(tmp_path: Path) -> None:
    pytest.importorskip("cssselect")
    from benchmarks.extraction_parts.gold import read_gold

    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "source.html").write_bytes(b"<p>Menu</p><h1>One</h1><p>Text</p>")
    (tmp_path / "one" / "expected.html").write_bytes(b"<h1>One</h1><p>Text</p><script>1</script>")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "source.html").write_bytes(b"<p>Nobody said what is expected</p>")
    (page,) = read_gold(tmp_path)
    assert (page.name, page.html, page.text.split()) == (
        "one",
        b"<p>Menu</p><h1>One</h1><p>Text</p>",
        ["One", "Text"],
    )
    assert page.structure is not None
    assert [heading.strip() for heading in page.structure.headings] == ["One"]


def test_a_text_under_a_tenth_of_what_a_page_shows_is_counted() -> None:
    pytest.importorskip("cssselect")
    from benchmarks.extraction_parts.comparison import Result
    from benchmarks.extraction_parts.extractors import Reading
    from benchmarks.extraction_parts.gold import GoldPage

    shown = "<nav>menu menu</nav><div hidden id='S:0'>" + "word " * 100 + "</div><script>no no</script>"
    page = GoldPage("page", "https://example.org/", shown.encode(), "word")
    result = Result()
    for length in (9, 10, 0):
        result.add(page, Reading("word " * length))
    assert result.tiny == ["page", "page"]


def test_known_builders_give_their_content_without_furniture() -> None:
    pytest.importorskip("cssselect")
    from benchmarks.extraction_parts.builders import known_content
    from benchmarks.extraction_parts.html_reading import parse

    page = (
        b'<body><div class="documentwrapper"><div class="body" role="main">'
        b'<h1>Title<a class="headerlink" href="#x">P</a></h1>'
        b"<p>One <b>two</b></p><pre>code</pre><nav>Elsewhere</nav></div></div>"
        b'<div class="sphinxsidebar">Menu</div></body>'
    )
    found = known_content(parse(page))
    assert found is not None
    assert found.builder == "Sphinx"
    assert found.text.split() == ["Title", "One", "two", "code"]
    assert found.structure == Structure(headings=("\nTitle\n",), code=("\ncode\n",))
    assert known_content(parse(b"<body><p>Anything</p></body>")) is None


def test_intervals_hold_the_score_and_tell_a_difference_from_none() -> None:
    good = [Overlap(0.9, 0.05, 0.05)] * 30 + [Overlap(0.7, 0.2, 0.1)] * 10
    bad = [Overlap(0.6, 0.2, 0.2)] * 40
    own, above = f1_intervals(good, bad)
    assert own == pytest.approx((score(bad).f1, score(bad).f1))
    assert 0 < above[0] < score(good).f1 - score(bad).f1 < above[1]
    low, high = f1_intervals(good, good)[0]
    assert low < score(good).f1 < high
    assert f1_intervals(good, good)[1] == (0.0, 0.0)
    assert f1_intervals([Overlap(0.0, 0.0, 1.0)], [Overlap(0.0, 0.0, 1.0)])[0] == (0.0, 0.0)


def test_words_of_links_can_be_left_out_of_what_a_page_shows() -> None:
    page = b"<body><nav>Menu</nav><div><a href=/a>One entry</a> <a>no link</a></div><p>Three words here</p>"
    assert shown_words(page) == 7
    assert shown_words(page, links=False) == 5
