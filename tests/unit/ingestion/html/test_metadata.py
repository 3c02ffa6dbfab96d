import pytest

from tests.support.captures import page_capture
from webrag_desktop.ingestion.extract import addresses_of, extract
from webrag_desktop.models.documents import Capture, NormalizedDocument

URL = "https://www.example.org/dir/page?utm_source=x"


def read(head: str, body: str = "<h1>Head line</h1><p>text</p>", root: str = "") -> NormalizedDocument:
    return extract(page_capture(f"<html {root}><head>{head}</head><body>{body}</body></html>", URL))


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Head line | Site</title>", "<h1>Head line</h1>", "Head line"),
        ("<title>Other</title>", "<h1>Head line</h1>", "Other"),
        ("<title>Other</title><meta property=og:title content=Social>", "<h1>Head line</h1>", "Social"),
        ("", "<h1>Head <b>line</b> ¶</h1>", "Head line"),
        ("<title> a\n b </title>", "<p>x</p>", "a b"),
        ("<title></title>", "<p>x</p>", "page"),
        ("<title>Allgemeine Bedingungen</title>", "<h1>All</h1>", "Allgemeine Bedingungen"),
        (
            "<title>Ensembles: Gradient boosting and forests</title>",
            "<h1>Ensembles</h1>",
            "Ensembles: Gradient boosting and forests",
        ),
        ("<title>Ensembles: forests — Site 1.5</title>", "<h1>Ensembles</h1>", "Ensembles: forests"),
        ("<title>Nightly-only syntax - The Guide</title>", "<h1>Nightly</h1>", "Nightly-only syntax"),
        ("<title>Site » Folder » Head line</title>", "<h1>Head line</h1>", "Head line"),
        ("<title>Head line | Site</title>", "<h1>Site</h1><h1>Head line</h1>", "Site"),
        ("<title>Head line|Site</title>", "<h1>Head line</h1>", "Head line"),
        ("<title>std::vec :: Site</title>", "<h1>std::vec</h1>", "std::vec"),
        ("<title>os.path — Paths — Python 3</title>", "<h1>os.path — Paths</h1>", "os.path — Paths"),
        ("<title>9 Functions (zsh)</title>", "<h1>9 Functions</h1>", "9 Functions"),
        ("<title>Top (zsh)</title>", "<h1>zsh</h1>", "zsh"),
        ("<title>Home improvement</title>", "<main><h1>improvement</h1></main>", "Home improvement"),
        ("<title>Forests · Forests in brief · Site</title>", "<h1>Forests in brief</h1>", "Forests in brief"),
        ("<title>標題-百科</title>", "<h1>標題</h1>", "標題"),
        ("<title>C# notes - Site</title>", "<h1>C#</h1>", "C# notes"),
        (
            "<title>x</title><meta property=og:title content='Head line at length | Site'>",
            "<main><h1>Head line</h1></main>",
            "Head line at length",
        ),
    ],
)
def test_titles(head: str, body: str, title: str) -> None:
    assert read(head, body + "<p>text</p>").title == title


@pytest.mark.parametrize(
    ("head", "published", "modified"),
    [
        ("<meta name=citation_publication_date content=2021/05>", "2021-05", None),
        ("<meta name=citation_date content=2021/05/03>", "2021-05-03", None),
        ("<meta property=article:published_time content=2024-01-02T03:04:05Z>", "2024-01-02T03:04:05Z", None),
        (
            "<meta itemprop=datePublished content=2024-01-02><meta name=last-modified content=2024-03>",
            "2024-01-02",
            "2024-03",
        ),
        (
            '<script type="application/ld+json">{"@graph":[{"@type":"Article","datePublished":"2023-05-06",'
            '"dateModified":"2023-07-08"}]}</script>',
            "2023-05-06",
            "2023-07-08",
        ),
        ('<script type="application/ld+json">{"datePublished": [1], broken</script>', None, None),
        ("<meta name=date content='last week'>", None, None),
        ("<meta name=date content='2024" + "x" * 200 + "'>", None, None),
    ],
)
def test_explicit_times(head: str, published: str | None, modified: str | None) -> None:
    document = read(head)
    assert (document.published_time, document.modified_time) == (published, modified)


@pytest.mark.parametrize(
    ("root", "head", "language"),
    [
        ("lang=en", "", "en"),
        ("lang='de_AT'", "", "de-AT"),
        ("", "<meta http-equiv=content-language content=fr>", "fr"),
        ("lang='not a language'", "", None),
    ],
)
def test_languages(root: str, head: str, language: str | None) -> None:
    assert read(head, root=root).language == language


def test_descriptions_are_trimmed() -> None:
    assert read("<meta name=Description content=' a\n b '>").description == "a b"
    assert len(read(f"<meta name=description content='{'x ' * 9000}'>").description or "") <= 2000


@pytest.mark.parametrize(
    ("canonical", "believed"),
    [
        ("https://example.org/real", "https://example.org/real"),
        ("http://www.example.org/real", "http://www.example.org/real"),
        ("/real#part", "https://www.example.org/real"),
        ("https://victim.example/real", None),
        ("https://sub.example.org/real", None),
        ("https://example.org:8443/real", None),
        ("https://example.org.evil.test/real", None),
        ("https://example.org@evil.test/real", None),
        ("https://www.example.org/", None),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("https://[broken", None),
        ("", None),
    ],
)
def test_a_page_names_only_addresses_of_its_own_site(canonical: str, believed: str | None) -> None:
    capture = page_capture(f"<link rel=canonical href='{canonical}'><p>text</p>", URL)
    found = addresses_of(capture, extract(capture))
    expected = [(URL, "given")] + ([(believed, "canonical")] if believed else [])
    assert found == expected


def test_redirects_are_addresses_and_each_is_listed_once() -> None:
    capture = page_capture("<link rel=canonical href='/page'><p>text</p>", "https://example.org/page")
    hops = ("https://example.org/page?utm_source=n", "https://example.org/page")
    moved: Capture = capture.model_copy(update={"url": "http://example.org/old", "redirects": hops})
    document = extract(moved)
    assert document.source_url == "https://example.org/page"
    assert document.url == "http://example.org/old"
    assert addresses_of(moved, document) == [("http://example.org/old", "given"), (hops[0], "redirect")]


def test_the_source_address_can_be_given() -> None:
    document = extract(page_capture("<p>text</p>"), source_url="https://example.org/cited")
    assert document.source_url == "https://example.org/cited"
