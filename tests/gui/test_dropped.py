"""Every shape in which browsers and file managers send links and files."""

import plistlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QUrl

from webrag_desktop.gui.dropped import MOST_ITEMS, from_text, links_and_files

A, B = "https://example.org/a?x=1&y=2#top", "http://example.net/b"


def mime(**formats: bytes | str) -> QMimeData:
    made = QMimeData()
    for name, content in formats.items():
        made.setData(name, content.encode() if isinstance(content, str) else content)
    return made


def shaped(name: str, content: bytes | str) -> QMimeData:
    return mime(**{name: content})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text/uri-list", f"# from the file manager\r\n{A}\r\n{B}\r\n"),
        ("text/x-moz-url", f"{A}\nA title\n{B}\nAnother".encode("utf-16-le")),
        ("text/x-moz-url", f"\ufeff{A}\nA title\n{B}\nAnother".encode("utf-16-le")),
        ("text/x-moz-url-data", f"{A}\n{B}".encode("utf-16-le")),
        ("_NETSCAPE_URL", f"{A}\nA title\n{B}\nAnother"),
        ("public.url", f"{A}\n{B}"),
        ("text/html", f"<p><a href=\"{A.replace('&', '&amp;')}\">one</a> and <A HREF='{B}'>two</A></p>"),
        ("text/plain", f"Read {A}, then ({B})."),
        ("text/plain;charset=utf-8", f"{A}\n{B}\n"),
        ('application/x-qt-windows-mime;value="UniformResourceLocatorW"', f"{A}\n{B}\0".encode("utf-16-le")),
        ('application/x-qt-windows-mime;value="UniformResourceLocator"', f"{A}\n{B}\0rest"),
    ],
)
def test_links_come_in_every_shape(name: str, content: bytes | str) -> None:
    dropped = links_and_files(shaped(name, content))
    assert dropped.links == (A, B)
    assert dropped.files == ()
    assert dropped.sentence() == "Release to add 2 links."


def test_what_one_browser_sends_in_several_shapes_is_one_link() -> None:
    firefox = shaped("text/x-moz-url", f"{A}\nA title".encode("utf-16-le"))
    firefox.setUrls([QUrl(A)])
    firefox.setText(A)
    firefox.setHtml(f'<a href="{A.replace("&", "&amp;")}">A title</a>')
    assert links_and_files(firefox).links == (A,)


def test_an_explicit_link_wins_over_a_text_that_holds_others() -> None:
    both = shaped("text/uri-list", A)
    both.setText(f"see also {B}")
    assert links_and_files(both).links == (A,)


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("https://en.wikipedia.org/wiki/Lamp_(device)", ("https://en.wikipedia.org/wiki/Lamp_(device)",)),
        (
            "(see https://en.wikipedia.org/wiki/Lamp_(device)).",
            ("https://en.wikipedia.org/wiki/Lamp_(device)",),
        ),
        ("„https://bücher.example/straße“", ("https://bücher.example/straße",)),
        ("<https://example.org/x>", ("https://example.org/x",)),
        ("[text](https://example.org/x)", ("https://example.org/x",)),
        ("www.example.org/page, please", ("www.example.org/page",)),
        ("example.org/page", ("example.org/page",)),
        ("I like example.org/page a lot", ()),
        ("HTTPS://EXAMPLE.ORG/X", ("HTTPS://EXAMPLE.ORG/X",)),
        (
            "one\nhttps://example.org/1\ntwo https://example.org/2 https://example.org/1",
            ("https://example.org/1", "https://example.org/2"),
        ),
        ("no link in here", ()),
        ("version 1.2.3", ()),
        ("https://", ()),
    ],
)
def test_links_are_found_in_text(text: str, links: tuple[str, ...]) -> None:
    assert from_text(text).links == links


@pytest.mark.parametrize("name", ["a.html", "B.HTM", "c.xhtml", "notes.md", "n.markdown", "über uns.TXT"])
def test_readable_files_are_taken(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("x")
    made = QMimeData()
    made.setUrls([QUrl.fromLocalFile(str(path))])
    assert links_and_files(made).files == (str(path),)
    assert from_text(str(path)).files == (str(path),)
    assert links_and_files(made).sentence() == "Release to add 1 file."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.url", f"[InternetShortcut]\r\nURL={A}\r\nIconIndex=0\r\n".encode()),
        ("page.URL", b"\xef\xbb\xbf[InternetShortcut]\nURL=" + A.encode()),
        ("page.desktop", f"[Desktop Entry]\nType=Link\nName=x\nURL={A}\n".encode()),
        ("page.webloc", plistlib.dumps({"URL": A})),
        ("page.webloc", plistlib.dumps({"URL": A}, fmt=plistlib.FMT_BINARY)),
    ],
)
def test_files_that_hold_a_link_give_it(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    made = QMimeData()
    made.setUrls([QUrl.fromLocalFile(str(path))])
    dropped = links_and_files(made)
    assert (dropped.links, dropped.files, dropped.refused) == ((A,), (), ())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.desktop", b"[Desktop Entry]\nType=Application\nExec=rm -rf /\nURL=https://example.org/\n"),
        ("evil.url", b"[InternetShortcut]\nURL=javascript:alert(1)\n"),
        ("evil.url", b"[InternetShortcut]\nURL=file:///etc/passwd\n"),
        ("broken.url", b"\x00\xff no sections"),
        ("large.url", b"[InternetShortcut]\nURL=https://example.org/\n" + b";" * 70_000),
        ("broken.webloc", b"<plist"),
        ("list.webloc", plistlib.dumps(["https://example.org/"])),
    ],
)
def test_link_files_without_a_link_to_a_page_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    made = QMimeData()
    made.setUrls([QUrl.fromLocalFile(str(path))])
    dropped = links_and_files(made)
    assert dropped.given == ()
    assert dropped.refused == (f"{name} holds no link to a web page.",)
    assert dropped.sentence() == dropped.refused[0]


def test_folders_and_other_kinds_are_refused_by_kind(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(b"%PDF")
    (tmp_path / "note.md").write_text("x")
    made = QMimeData()
    made.setUrls(
        [QUrl.fromLocalFile(str(one)) for one in (tmp_path, tmp_path / "scan.pdf", tmp_path / "note.md")]
    )
    dropped = links_and_files(made)
    assert dropped.files == (str(tmp_path / "note.md"),)
    assert dropped.refused == (
        "Folders cannot be added yet; drop the files in them.",
        "This kind of file cannot be read yet: scan.pdf",
    )


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "blob:https://example.org/1",
        "about:blank",
        "ftp://example.org/x",
    ],
)
def test_other_schemes_are_refused(address: str) -> None:
    dropped = links_and_files(shaped("text/uri-list", address))
    assert dropped.given == ()
    assert len(dropped.refused) == 1


def test_links_and_files_are_counted_together(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("x")
    made = QMimeData()
    made.setUrls([QUrl(A), QUrl(B), QUrl.fromLocalFile(str(tmp_path / "note.md"))])
    assert links_and_files(made).sentence() == "Release to add 2 links and 1 file."


def test_nothing_says_so() -> None:
    assert links_and_files(None).sentence() == links_and_files(QMimeData()).sentence()
    assert links_and_files(QMimeData()).sentence() == "There is no link or file in this."


def test_a_flood_is_bounded() -> None:
    dropped = from_text("\n".join(f"https://example.org/{n}" for n in range(MOST_ITEMS + 500)))
    assert len(dropped.links) == MOST_ITEMS
    assert len(dropped.refused) == 1


@given(
    st.binary(max_size=300),
    st.sampled_from(["text/x-moz-url", "text/uri-list", "_NETSCAPE_URL", "text/html"]),
)
def test_no_bytes_do_harm(content: bytes, name: str) -> None:
    for link in links_and_files(shaped(name, content)).links:
        assert "\x00" not in link
