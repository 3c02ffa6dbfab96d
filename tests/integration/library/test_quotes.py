"""Where a quotation comes from: found in the whole library, graded, and reported with its place."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

import pytest

from tests.conftest import Address, Databases
from tests.support.queue_work import OPTIONS
from tests.support.quoted_library import PLAIN_OLD, TEXTS, address, book, put_text, put_texts
from webrag_desktop.errors import Cancelled, InputError, NotFoundError
from webrag_desktop.indexing.pipeline import Indexer
from webrag_desktop.library.documents import Documents
from webrag_desktop.library.quotes import Quotes
from webrag_desktop.models.quotes import QuotePlace, QuoteReport
from webrag_desktop.progress import CancelToken, Step
from webrag_desktop.retrieval.quotes import search
from webrag_desktop.retrieval.quotes.passages import read_quotation
from webrag_desktop.retrieval.quotes.scan import Scan
from webrag_desktop.storage.captures.spool import Spool
from webrag_desktop.storage.database import Database
from webrag_desktop.storage.searching.quotes import shown_texts

BOOK = book()


class Quoted(NamedTuple):
    database: Database
    quotes: Quotes
    ids: dict[str, UUID]

    def texts(self, place: QuotePlace) -> str:
        with self.database.connection() as conn:
            row = conn.execute(
                "SELECT markdown FROM document_versions WHERE id = %s", [place.version_id]
            ).fetchone()
        assert row is not None
        return str(row[0])


def quoted(database: Database, folder: Path, ids: dict[str, UUID]) -> Quoted:
    return Quoted(database, Quotes(database, Documents(database, Spool(folder / "intake"), OPTIONS)), ids)


@pytest.fixture(scope="module")
def template(
    databases: Databases, migrated_template: str, make_indexer: Callable[[Database], Indexer]
) -> tuple[str, dict[str, UUID]]:
    name = databases.create(migrated_template)
    opened = Database(databases.address(name))
    ids = put_texts(opened, make_indexer(opened))
    opened.close()
    return name, ids


@pytest.fixture(scope="module")
def library(
    databases: Databases, template: tuple[str, dict[str, UUID]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Quoted]:
    """Read only."""
    opened = Database(databases.address(databases.create(template[0])))
    yield quoted(opened, tmp_path_factory.mktemp("quotes"), template[1])
    opened.close()


@pytest.fixture
def own(
    clone: Callable[[str], Address], template: tuple[str, dict[str, UUID]], tmp_path: Path
) -> Iterator[Quoted]:
    """This test's own copy."""
    opened = Database(clone(template[0]))
    yield quoted(opened, tmp_path, template[1])
    opened.close()


def names(library: Quoted, report: QuoteReport) -> list[str]:
    by_id = {id_: name for name, id_ in library.ids.items()}
    return [by_id[place.document_id] for place in report.places]


def assert_true_to_the_text(library: Quoted, report: QuoteReport) -> None:
    for place in report.places:
        markdown = library.texts(place)
        assert place.verbatim == markdown[place.char_start : place.char_end]
        assert place.parts[0][0] == place.char_start
        assert place.parts[-1][1] == place.char_end
        for one in place.differences:
            assert 0 <= one.quote_start <= one.quote_end <= len(report.quote)
            assert report.quote[one.quote_start : one.quote_end].split() == one.quoted.split()
            assert place.char_start <= one.char_start <= one.char_end <= place.char_end


TARBET = "The pools of Tarbet held 3.5 mg of zirconium in 1987, and 41 limpets."
VERBATIM = [
    (TARBET, TARBET),
    ("The pools of Tarbet held 3.5 mg", "The pools of Tarbet held 3.5 mg"),
    ("the sea meets rock, limpets", "the **sea** meets [rock](https://example.org/rock), *lim*pets"),
    ('shells — "tight" — against the waves.', "shells — “tight” — against\nthe wa\u00adves."),
    ("fine floor of sand", "\ufb01ne \ufb02oor of sand"),
    ("it was -18 degrees & calm", "it was \\-18 degrees &amp; calm"),
    ("Where the **sea** meets", "Where the **sea** meets"),
    ("zirconium", "zirconium"),
    ("limpets clamp", "lim*pets clamp"),
    ("1987, and 41", "1987, and 41"),
    ("Animal Legs\ncrab ten", "Animal | Legs |\n| --- | --- |\n| crab | ten"),
    ("鏡のような水の中に", "鏡のような水の中に"),
    ("殻を閉じて 乾きに耐える", "殻を閉じて乾きに耐える"),
    ("貝", "貝"),
    ("อาศัยอยู่ในเปลือกหอย", "อาศัยอยู่ในเปลือกหอย"),
    ("Wattwürmer werfen ihre Häufchen auf", "Wattwürmer werfen ihre Häufchen auf"),
    ("Wattwu\u0308rmer werfen ihre Ha\u0308ufchen", "Wattwürmer werfen ihre Häufchen"),
    ("open_library(max_depth=3)", "open_library(max_depth=3)"),
    ("--no-cache", "--no-cache"),
    ("WEBRAG_HOME first", "WEBRAG_HOME first"),
    ("pools of Tarbet … and 41 limpets", TARBET[4:-1]),
]
PARTS_APART = "pools of Tarbet … and 41 limpets"


@pytest.mark.parametrize(("quote", "verbatim"), VERBATIM)
def test_a_quotation_is_found_as_it_stands_or_as_it_reads(library: Quoted, quote: str, verbatim: str) -> None:
    report = library.quotes.verify(quote)
    assert [place.verbatim for place in report.places] == [verbatim]
    exact = quote in {verbatim, PARTS_APART}
    assert report.grade == report.places[0].grade == ("exact" if exact else "exact_as_rendered")
    assert report.is_verified
    assert len(report.places[0].parts) == (2 if quote == PARTS_APART else 1)
    assert_true_to_the_text(library, report)


@pytest.mark.parametrize(
    ("quote", "altered", "document"),
    [
        (TARBET.replace("zirconium", "beryllium"), {"beryllium"}, "tides"),
        (
            TARBET.replace("Tarbet", "Tarbert").replace("zirconium", "zirkonium"),
            {"Tarbert", "zirkonium"},
            "tides",
        ),
        (TARBET.replace("3.5", "3.6"), {"3.6"}, "tides"),
        (TARBET.replace("held", "never held"), {"never"}, "tides"),
        ("The ferry to Tarbet leaves at half past eleven each morning.", {"eleven"}, "ferry"),
    ],
)
def test_an_altered_quotation_is_near_and_its_words_are_reported(
    library: Quoted, quote: str, altered: set[str], document: str
) -> None:
    report = library.quotes.verify(quote)
    assert (report.grade, names(library, report)) == ("near", [document])
    assert not report.is_verified
    assert {one.quoted for one in report.places[0].differences} == altered
    assert 0.5 < report.places[0].similarity < 1
    assert_true_to_the_text(library, report)


@pytest.mark.parametrize(
    "quote",
    [
        "Nothing of this stands in any of these texts.",
        "zirconiumlike",
        "zircon",
        "全然ない言葉だ",
        "the of and to that",
        "ship99 whale99 isle99",
        "\x00 zirconia \ud800",
    ],
)
def test_what_stands_nowhere_is_not_found(library: Quoted, quote: str) -> None:
    report = library.quotes.verify(quote)
    assert (report.grade, report.places, report.more, report.complete) == ("none", [], 0, True)
    assert not report.is_verified


def test_words_that_no_index_keeps_are_found_in_every_document(library: Quoted) -> None:
    report = library.quotes.verify("To be or not to be")
    assert report.grade == "exact"
    assert names(library, report) == ["copy", "tides"]


def test_all_places_are_listed_exact_ones_first(library: Quoted) -> None:
    report = library.quotes.verify("or not to be, that is the question of every limpet")
    assert [(place.grade, place.source_url) for place in report.places] == [
        ("exact", address("copy")),
        ("exact", address("tides")),
    ]
    both = library.quotes.verify("limpets")
    assert [place.grade for place in both.places] == ["exact"] * 2 + ["exact_as_rendered"]
    assert [place.verbatim for place in both.places] == ["limpets", "limpets", "lim*pets"]


@pytest.mark.parametrize("length", [60, 400, 3_000, 20_000, 90_000])
@pytest.mark.parametrize("start", [0, 7_001, 40_003])
def test_a_quotation_over_the_borders_of_chunks_and_sections_is_found(
    library: Quoted, start: int, length: int
) -> None:
    while BOOK[start - 1 : start].strip():
        start += 1
    words = BOOK[start : start + length].rpartition(" ")[0]
    report = library.quotes.verify(words)
    (place,) = report.places
    assert (place.grade, place.char_start) == (
        "exact",
        start + len(BOOK[start:]) - len(BOOK[start:].lstrip()),
    )
    as_read = " ".join(words.replace("# ", "").replace("#", "").split())
    (rendered,) = library.quotes.verify(as_read).places
    assert rendered.grade in {"exact", "exact_as_rendered"}
    assert rendered.char_end == place.char_end
    altered = words.replace("whale7", "shark7", 1).replace("whale9", "shark9", 1)
    if altered != words and length < 90_000:
        near = library.quotes.verify(altered)
        assert near.grade == "near"
        assert {one.quoted for one in near.places[0].differences} <= {"shark7", "shark9"}
        assert_true_to_the_text(library, near)


def test_it_is_reported_where_not_everything_was_looked_at(
    library: Quoted, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = library.quotes.verify("whale3")
    assert (whole.complete, len(whole.places), whole.more) == (True, 100, BOOK.count("whale3 ") - 100)
    monkeypatch.setattr(search, "MOST_EXAMINED", 1)
    part = library.quotes.verify("limpets")
    assert (part.grade, part.complete) == ("exact", False)
    assert part.places


def test_it_is_reported_where_the_words_stand(library: Quoted) -> None:
    (place,) = library.quotes.verify("held 3.5 mg of zirconium").places
    assert (place.title, place.source_url) == ("Tide pools", address("tides"))
    assert (place.section_heading, place.heading_path) == ("Measured there", ("Tide pools", "Measured there"))
    assert (place.version_number, place.shown) == (1, True)
    assert place.url == (
        "https://example.org/tides.md#measured-there:~:text=held%203.5%20mg%20of%20zirconium"
    )
    (again,) = library.quotes.verify("held 3.5 mg of zirconium", library.ids["tides"]).places
    assert again == place


def test_places_are_the_same_whether_all_or_one_document_is_looked_through(library: Quoted) -> None:
    for words in ("whale3 near isle5", "crew of ship2 saw whale11 near isle23", "Chapter 7 On day 7-0-0"):
        everywhere = library.quotes.verify(words)
        assert everywhere.places == library.quotes.verify(words, address("book")).places
        assert everywhere.places


def test_only_the_document_that_was_named_is_looked_through(library: Quoted) -> None:
    report = library.quotes.verify("that is the question", address("copy"))
    assert names(library, report) == ["copy"]
    assert library.quotes.verify("zirconium", str(library.ids["copy"])).grade == "none"


def test_the_nearest_of_many_places_comes_first(library: Quoted) -> None:
    target = BOOK.index("whale3 near isle17")
    report = library.quotes.verify("whale3", library.ids["book"], near=target + 2)
    assert report.places[0].char_start == target
    distances = [abs(place.char_start - target - 2) for place in report.places]
    assert distances == sorted(distances)
    assert (len(report.places), report.more) == (100, BOOK.count("whale3 ") - 100)


def test_what_no_document_shows_any_more_is_found_when_asked_for(library: Quoted) -> None:
    words = "leaves at nine each morning"
    assert library.quotes.verify(words).grade == "near"
    steps: list[Step] = []
    report = library.quotes.verify(words, older_versions=True, progress=steps.append)
    (place,) = report.places
    assert (place.grade, place.version_number, place.shown) == ("exact", 1, False)
    assert (report.older_versions, names(library, report)) == (True, ["ferry"])
    assert place.verbatim == PLAIN_OLD[place.char_start : place.char_end] == words
    assert place.section_heading == "Ferry"
    assert (steps[-1].done, steps[-1].total) == (1, 1)
    one = library.quotes.verify(words, library.ids["ferry"], older_versions=True)
    assert one.places == report.places
    near = library.quotes.verify(
        "The ferry to Tarbet leaves at nine each evening.", library.ids["ferry"], older_versions=True
    )
    assert (near.places[0].grade, near.places[0].version_number) == ("near", 1)


def test_looking_through_older_versions_can_be_stopped(library: Quoted) -> None:
    token = CancelToken()
    with pytest.raises(Cancelled):
        library.quotes.verify(
            "leaves at nine", older_versions=True, cancel=token, progress=lambda _step: token.cancel()
        )
    assert library.quotes.verify("zirconium").grade == "exact"


def test_what_cannot_be_looked_for_is_refused(library: Quoted) -> None:
    for empty in ("", "  \n", "\x00\ud800"):
        with pytest.raises(InputError, match="empty") as refused:
            library.quotes.verify(empty)
        assert refused.value.hint
    with pytest.raises(InputError, match="100,000"):
        library.quotes.verify("a" * 100_001)
    with pytest.raises(InputError, match="document"):
        library.quotes.verify("zirconium", near=3)
    for unknown in (uuid4(), "https://example.org/nowhere"):
        with pytest.raises(NotFoundError):
            library.quotes.verify("zirconium", unknown)


def test_what_no_text_can_hold_is_read_over_and_offsets_stay(library: Quoted) -> None:
    report = library.quotes.verify(
        "The po\x00ols of\ud800 Tarbet held 9.9 mg of zirconium in 1987, and 41 limpets"
    )
    assert report.grade == "near"
    (difference,) = report.places[0].differences
    assert report.quote[difference.quote_start : difference.quote_end] == difference.quoted == "9.9"


def test_a_removed_document_is_not_found_and_its_words_hide_nothing(own: Quoted) -> None:
    own.quotes.documents.remove(own.ids["tides"])
    assert own.quotes.verify("held 3.5 mg of zirconium").grade == "none"
    assert names(own, own.quotes.verify("that is the question of every limpet")) == ["copy"]
    with pytest.raises(NotFoundError):
        own.quotes.verify("zirconium", own.ids["tides"])


def test_many_removed_copies_do_not_crowd_out_the_one_that_is_left(
    own: Quoted, make_indexer: Callable[[Database], Indexer]
) -> None:
    indexer = make_indexer(own.database)
    kept = put_text(own.database, indexer, "kept", "# Kept\n\nThe quokka naps, once, at noon.\n")
    for number in range(80):
        put_text(own.database, indexer, "kept", f"# Kept\n\nThe quokka naps at noon, {number}.\n", kept)
    put_text(own.database, indexer, "kept", "# Kept\n\nThe quokka naps, at last, at noon.\n", kept)
    (place,) = own.quotes.verify("The quokka naps, at last, at noon.").places
    assert (place.grade, place.version_number, place.shown) == ("exact", 82, True)
    (older,) = own.quotes.verify("The quokka naps at noon, 33.", older_versions=True).places
    assert (older.grade, older.version_number, older.shown) == ("exact", 35, False)


def test_a_document_whose_vectors_are_not_there_yet_is_found(own: Quoted) -> None:
    with own.database.connection() as conn:
        (table,) = conn.execute("SELECT table_name FROM embedding_spaces").fetchone() or ("",)
        conn.execute(f"DELETE FROM {table}".encode())
    assert own.quotes.verify("held 3.5 mg of zirconium").grade == "exact"


def test_every_text_is_found_sentence_by_sentence(library: Quoted) -> None:
    for name, markdown in TEXTS.items():
        for line in markdown.splitlines():
            words = line.strip("#| -")
            if sum(map(str.isalpha, words)) < 12 or name == "book":
                continue
            report = library.quotes.verify(words)
            assert report.is_verified, words
            assert name in names(library, report)


@pytest.mark.parametrize("quote", [quote for quote, _verbatim in VERBATIM])
def test_looking_through_whole_texts_finds_what_the_index_finds(library: Quoted, quote: str) -> None:
    """What the server is asked first must never pass over a text that holds the quotation."""
    quotation = read_quotation(quote)
    with library.database.connection() as conn:
        texts = shown_texts(conn, ["simple", "en", "de", "ja", "th"])
        assert len(texts) == len(library.ids)
        found = Scan(conn, quotation, CancelToken()).through(texts, nearly=False)
    assert sorted(found.places, key=str) == sorted(library.quotes.verify(quote).places, key=str)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The pro\u00adcess ended.", "process ended"),
        ("The pro-\ncess ended.", "process ended"),
        ("The o\ufb03ce ended.", "office ended"),
        ("The cafe\u0301 ended.", "café ended"),
        ("The cafés ended.", "cafe\u0301s ended"),
        ("The \uff30rocess ended.", "Process ended"),
        ("The proc\u200bess ended.", "process ended"),
        ("The **pro**cess *en*ded.", "process ended"),
        ("The process.[1] Ended so.", "process. Ended"),
        ("The process. Ended so.", "process.[1] Ended"),
        ("See [it](https://example.org/process/ended) here.", "https://example.org/process/ended"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af written so.", "한글 written"),
        ("Ha\u0308fen bru\u0308llen mu\u0308de Sto\u0308re.", "Häfen brüllen müde Störe"),
        ("\ufb01ne \ufb02ags \ufb01t \ufb02oors.", "fine flags fit floors"),
    ],
)
def test_a_short_quotation_is_found_however_its_words_are_written(
    own: Quoted, make_indexer: Callable[[Database], Indexer], text: str, quote: str
) -> None:
    put_text(own.database, make_indexer(own.database), "written", f"# Way\n\n{text}\n")
    report = own.quotes.verify(quote)
    assert report.is_verified
    assert [place.source_url for place in report.places] == [address("written")]
    with own.database.connection() as conn:
        texts = shown_texts(conn, ["simple", "en", "de", "ja", "th", "ko"])
        scanned = Scan(conn, read_quotation(quote), CancelToken()).through(texts, nearly=False)
    assert scanned.places == report.places


@pytest.mark.parametrize(("quote", "verbatim"), VERBATIM)
def test_the_first_of_some_documents_that_has_it_is_reported(
    library: Quoted, quote: str, verbatim: str
) -> None:
    report = library.quotes.verify(quote)
    found = library.quotes.first_place(quote, [uuid4(), library.ids["ferry"], *library.ids.values()])
    assert found == report.places[0]
    assert found.verbatim == verbatim
    others = [id_ for id_ in library.ids.values() if id_ != report.places[0].document_id]
    assert library.quotes.first_place(quote, others) is None


def test_the_order_of_the_documents_says_which_is_first_and_near_is_none(library: Quoted) -> None:
    ids = [library.ids[name] for name in ("tides", "copy")]
    shared = "that is the question of every limpet"
    for ordered in (ids, ids[::-1]):
        first = library.quotes.first_place(shared, ordered)
        assert first is not None
        assert first.document_id == ordered[0]
    assert library.quotes.first_place("The pools of Tarbet held 9.5 mg of zirconium", ids) is None
