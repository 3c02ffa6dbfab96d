"""What pages may not do: run, name files, grow without measure."""

import pytest

from tests.support.captures import extracted, page_capture
from webrag_desktop.errors import ExtractionError
from webrag_desktop.ingestion.extract import extract
from webrag_desktop.ingestion.sanitizing import sanitize


def test_mathml_survives_sanitising() -> None:
    html = "<p><math display=inline><mfrac><mi mathvariant=bold>a</mi><mn>2</mn></mfrac></math></p>"
    assert '<mfrac><mi mathvariant="bold">a</mi><mn>2</mn></mfrac>' in (extracted(html).blocks[0].html or "")


def test_stored_html_runs_nothing_and_keeps_class_and_id() -> None:
    document = extracted(
        "<p class=c id=i onclick=x style='color:red'>a<a href='javascript:x'>j</a><b onmouseover=y>k</b>"
        "<svg><script>z</script></svg><img src=x onerror=alert(1) alt=p><iframe srcdoc='<p>q'></iframe>"
        "<form><input value=v></form></p><style>s{}</style><script>t</script>"
    )
    html = document.html or ""
    assert '<p class="c" id="i">a<a>j</a><b>k</b>' in html
    for forbidden in (
        "onclick",
        "onerror",
        "onmouseover",
        "javascript",
        "<script",
        "<style",
        "<svg",
        "<iframe",
        "style=",
    ):
        assert forbidden not in html


SHARES = ["file:////evil/share/x.png", "file://evil/share/x.png", "file:///a//b", "file:///%5Cevil/x"]


@pytest.mark.parametrize("address", [*SHARES, "file:///etc/passwd", "FILE:///etc/passwd"])
def test_web_pages_name_no_files(address: str) -> None:
    html = (
        f"<p>a <img src='{address}' alt=pic> <a href='{address}'>words</a></p>"
        f"<p><span class=math>x<img src='{address}' alt=y></span> <img class=math src='{address}' alt=z></p>"
    )
    document = extracted(html)
    stored = (document.html or "") + document.markdown + "".join(link.url for link in document.links)
    assert "file:" not in stored.lower()
    assert "a pic words" in document.markdown


def test_saved_pages_name_files_of_this_computer_only() -> None:
    names = "".join(f"<p>p <a href='{address}'>w</a> <img src='{address}' alt=i></p>" for address in SHARES)
    html = f"<p><a href=next.html>next</a> <img src='/pics/a.png' alt=pic></p>{names}<img class=math src='//evil/x'>"
    document = extract(page_capture(f"<main>{html}</main>", "file:///home/me/page.html"))
    assert [link.url for link in document.links] == ["file:///home/me/next.html"]
    assert "](file:///pics/a.png)" in document.markdown
    assert 'src="file:///pics/a.png"' in (document.html or "")
    for trace in ("evil", "a//b"):
        assert trace not in (document.html or "") + document.markdown


def test_the_sanitiser_alone_keeps_files_out() -> None:
    html = '<a href="file:///a">x</a><img src=" file:////evil/x">'
    assert "file" not in sanitize(html)
    assert sanitize(html, local=True) == '<a href="file:///a">x</a><img>'


def test_large_merged_cells_do_not_multiply() -> None:
    text = "word " * 2000
    document = extracted(f"<table><tr><th>H<tr><td colspan=100 rowspan=100>{text}{'<tr><td>y' * 200}</table>")
    assert len(document.markdown) < 400_000
    assert text.strip() in document.markdown


def test_a_table_beyond_measure_is_refused() -> None:
    row = "<tr><td colspan=100>y<td colspan=100>z"
    with pytest.raises(ExtractionError, match="table larger than can be read"):
        extracted(f"<table>{row * 40_000}</table>")
