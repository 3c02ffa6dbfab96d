import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webrag_desktop.errors import InputError
from webrag_desktop.ingestion import addresses
from webrag_desktop.ingestion.addresses import parse_source, url_key
from webrag_desktop.text.links import file_path


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("https://example.org/a b?q=ü#part", "https://example.org/a%20b?q=%C3%BC#part"),
        ("  <http://example.org/x>\n", "http://example.org/x"),
        ("example.org/x", "https://example.org/x"),
        ("example.org:8080/x", "https://example.org:8080/x"),
        ("//example.org/x", "https://example.org/x"),
        ("HTTPS://Example.ORG/X", "https://example.org/X"),
        ("bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("[::1]:9000/x", "http://[::1]:9000/x"),
        (
            "https://xn--ls8h.la/x",
            "https://xn--ls8h.la/x",
        ),  # a name that today's rules forbid, and that exists
        ("xn--a.example", "https://xn--a.example"),
        (
            "https://example.org/a/%2e%2E/b/.%2e/c/%2E/d?e=/%2e%2e/#/%2e/",
            "https://example.org/c/d?e=/%2e%2e/#/%2e/",
        ),
        ("https://example.org/a/b/%2e%2e", "https://example.org/a/"),
        ("https://example.org/%2e%2e%2e/%2ea", "https://example.org/%2e%2e%2e/%2ea"),
    ],
)
def test_web_addresses(typed: str, address: str) -> None:
    assert parse_source(typed) == ("url", address)


def test_files_become_absolute_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.org").write_text("a file named like a site")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert parse_source("notes on tides.md") == ("file", (tmp_path / "notes on tides.md").as_uri())
    assert parse_source("./a/b") == ("file", (tmp_path / "a" / "b").as_uri())
    assert parse_source("~/ä.txt") == ("file", (tmp_path / "ä.txt").as_uri())
    assert parse_source("example.org") == ("file", (tmp_path / "example.org").as_uri())
    assert parse_source("file:///etc/hosts") == ("file", "file:///etc/hosts")
    assert parse_source("file://localhost/etc/hosts") == ("file", "file:///etc/hosts")


@pytest.mark.parametrize("name", ["a b", "ä#?%41.md", "100%", "日本.txt"])
def test_a_file_uri_leads_back_to_its_path(tmp_path: Path, name: str) -> None:
    kind, uri = parse_source(str(tmp_path / name))
    assert kind == "file"
    assert file_path(uri) == tmp_path / name


@pytest.mark.parametrize(
    "typed",
    [
        "", "   ", "ftp://example.org/x", "javascript:alert(1)", "data:text/html,x", "mailto:a@b.c", "about:blank",
        "http://user:secret@example.org/", "user@example.org/x", "http:///x", "http://a b/", "http://x:99999/",
        "http://a..b/", "http://[fe80::1%25eth0]/", "http://a\\b/", "https://example.org/\nhttps://example.org/2",
        "http://example.org/\0", "file://server/share/x", "http://" + "a" * 9000, "https://" + "a" * 64 + ".org/",
    ],
)  # fmt: skip
def test_what_cannot_be_added(typed: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_source(typed)
    assert caught.value.message
    assert caught.value.hint
    assert "secret" not in caught.value.message


@given(st.text(max_size=60))
def test_anything_typed_is_an_address_a_file_or_an_input_error(text: str) -> None:
    try:
        kind, address = parse_source(text)
    except InputError:
        return
    assert address.startswith(("http://", "https://") if kind == "url" else "file://")
    assert parse_source(address) == (kind, address)


SAME = [
    ("http://Example.org:80/a/../b?x=1#top", "http://example.org/b?x=1"),
    ("https://example.org", "https://example.org/"),
    ("https://example.org/%7euser/", "https://example.org/~user/"),
    ("https://example.org/p?utm_source=n&utm_medium=m&id=7&fbclid=x", "https://example.org/p?id=7"),
    ("https://example.org/p?gclid=1", "https://example.org/p"),
    ("https://example.org/p?UTM_Source=n&%75tm_medium=m&x", "https://example.org/p?x"),
    ("https://example.org/p?mc_cid=1&_hsenc=2&pk_campaign=3&mtm_kwd=4&yclid=5", "https://example.org/p"),
    ("https://example.org:443/p?", "https://example.org/p"),
    ("https://example.org/%e4", "https://example.org/%E4"),
    ("https://example.org/ä", "https://example.org/%C3%A4"),
    ("http://１２７.０.０.１/", "http://127.0.0.1/"),
    ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ("https://example.org./", "https://example.org/"),
    ("https://example。org。/", "https://example.org/"),
    ("https://example․org․/", "https://example.org/"),
]
DIFFERENT = [
    ("https://example.org/a", "https://example.org/A"),
    ("https://example.org/?id=1", "https://example.org/?id=2"),
    ("https://example.org/?a=1&b=2", "https://example.org/?b=2&a=1"),
    ("https://example.org/a", "https://example.org/a/"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/", "https://example.org/index.html"),
    ("https://example.org/photo?fbid=1", "https://example.org/photo?fbid=2"),
    ("https://example.org/sheet?gid=0", "https://example.org/sheet?gid=1"),
    ("https://example.org/?pk_id=1", "https://example.org/?pk_id=2"),
    ("https://example.org/?scm=git", "https://example.org/?scm=svn"),
    ("https://example.org/?a&b", "https://example.org/?a&b="),
    ("https://example.org:8443/", "https://example.org/"),
    ("https://www.example.org/", "https://example.org/"),
    ("http://․/", "http://‥/"),  # neither names a host
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_page_share_a_key(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_pages_keep_different_keys(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@given(st.text(max_size=80))
@example("․")  # becomes a host that is nothing but a dot
@example(".﹒")
@example("⒈")  # becomes a host that ends in a dot
@example("a.︰/x")
@example("/﹒;?\t㏂")
def test_keys_never_fail_and_are_stable(text: str) -> None:
    for url in (text, "https://example.org/" + text, "http://" + text):
        key = url_key(url)
        assert url_key(key) == key
        assert "#" not in key


@given(st.from_regex(addresses._NORMAL, fullmatch=True))
def test_what_counts_as_normal_is_as_normalising_leaves_it(url: str) -> None:
    assert addresses._normalised(url) == url


@pytest.mark.parametrize(
    "beside", ["//", "/../x", "/./", "/x/..", "/%41", "/?utm_source=a", "/x y", ":80/x", ""]
)
def test_what_normalising_may_change_does_not_count_as_normal(beside: str) -> None:
    assert addresses._NORMAL.fullmatch("https://example.org/") is not None
    assert addresses._NORMAL.fullmatch(f"https://example.org{beside}") is None


def test_a_file_whose_name_holds_a_line_break_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "new\nline.md"
    file.write_text("text")
    kind, address = parse_source(str(file))
    assert (kind, file_path(address)) == ("file", file)
    assert "\n" not in address
    file.unlink()
    with pytest.raises(InputError, match="line breaks"):
        parse_source(str(file))


@pytest.mark.skipif(os.name == "nt", reason="names are characters there")
def test_a_name_that_is_no_text_is_refused_also_where_it_holds_a_line_break(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"new\nline \xff.md")
    file.write_text("x", encoding="utf-8")
    with pytest.raises(InputError, match="not UTF-8"):
        parse_source(str(file))
