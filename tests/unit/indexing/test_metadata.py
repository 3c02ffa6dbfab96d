"""Languages, sites and dates as the index keeps them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from webrag_desktop.text.dates import publication_time
from webrag_desktop.text.language import guess_language, search_language
from webrag_desktop.text.links import site_of


@pytest.mark.parametrize(
    ("tag", "expected"),
    [("en-GB", "en"), ("DE", "de"), ("nb_NO", "no"), ("xx", "simple"), ("", "simple"), ("zh-Hans", "simple")],
)
def test_a_stated_language_chooses_the_stemmer(tag: str, expected: str) -> None:
    assert search_language(tag, "Text in whatever language.") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Limpets leave a scar on the rock when they are at home, and it fits their shell.", "en"),
        ("Der Fluss trägt kaltes Wasser zum Meer, und im Winter friert er an den Ufern zu.", "de"),
        ("Река течёт к морю и зимой покрывается льдом у берегов.", "ru"),
        ("12345 67890 ==== ----", "simple"),
        ("河は海へ冷たい水を運ぶ。冬には岸辺が凍る。", "simple"),
        ("", "simple"),
    ],
)
def test_an_unstated_language_is_guessed_where_it_is_clear(text: str, expected: str) -> None:
    assert search_language(None, text) == expected


CODE = "int x = f(y, 3); return g[x] + 0x1F; // 12345 67890"
CYRILLIC = "х = 1; у = 2; ф(х, у) == 0"


@pytest.mark.parametrize(
    ("text", "usual", "expected"),
    [
        (CODE, (), "en"),
        (CODE, ("de", "en"), "de"),
        (CODE, ("ru", "fr"), "fr"),
        (CYRILLIC, ("de",), "ru"),
        ("12345 67890", ("de",), "simple"),
        ("東京 1 京都 2", ("de",), "simple"),
        ("Der Fluss trägt kaltes Wasser zum Meer, und im Winter friert er zu.", ("fr",), "de"),
    ],
)
def test_an_unclear_language_is_that_of_its_surroundings_in_its_script(
    text: str, usual: tuple[str, ...], expected: str
) -> None:
    assert search_language(None, text, lambda: usual) == expected
    assert search_language("ja", text, lambda: usual) == "simple"


def test_a_guess_reads_only_the_beginning() -> None:
    english = "The river carries cold water to the sea. " * 200
    assert guess_language(english + "Der Fluss trägt kaltes Wasser. " * 5000) == "en"


@pytest.mark.parametrize(
    ("address", "site"),
    [("https://www.example.org/a", "example.org"), ("http://a.b:81/", "a.b"), ("file:///home/a.md", None)],
)
def test_site(address: str, site: str | None) -> None:
    assert site_of(address) == site


@pytest.mark.parametrize(
    ("stated", "moment", "precision"),
    [
        ("2024", datetime(2024, 1, 1, tzinfo=UTC), "year"),
        ("2024-05", datetime(2024, 5, 1, tzinfo=UTC), "month"),
        ("2024-05-06", datetime(2024, 5, 6, tzinfo=UTC), "day"),
        ("2024-05-06T07:08:09Z", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), "time"),
        ("2024-05-06T07:08+02:00", datetime(2024, 5, 6, 7, 8, tzinfo=timezone(timedelta(hours=2))), "time"),
    ],
)
def test_publication_time(stated: str, moment: datetime, precision: str) -> None:
    assert publication_time(stated) == (moment, precision)


@pytest.mark.parametrize("stated", [None, "", "yesterday", "6 May 2024", "2024-13-01", "2024-5"])
def test_what_is_no_iso_date_is_no_time(stated: str | None) -> None:
    assert publication_time(stated) is None
