"""Every shape in which browsers and file managers send links and files."""

import os
import plistlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QUrl

from webrag_desktop.gui.adding.dropped import (
    MOST_ITEMS,
    Dropped,
    at_first_sight,
    from_text,
    looked_into,
)
from webrag_desktop.gui.adding.link_text import link_in

A, B = "https://example.org/a?x=1&y=2#top", "http://example.net/b"


def mime(**formats: bytes | str) -> QMimeData:
    made = QMimeData()
    for name, content in formats.items():
        made.setData(name, content.encode() if isinstance(content, str) else content)
    return made


def links_and_files(given: QMimeData | None) -> Dropped:
    return looked_into(at_first_sight(given))


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
        ("text/html", f"{A} &#{'9' * 5000}; <a href='{B}'>two</a> <a href='x&#{'9' * 5000};'>three</a>"),
        ("text/plain", f"Read {A}, then ({B})."),
        ("text/plain;charset=utf-8", f"{A}\n{B}\n"),
        ("text/x-moz-url", f"{A}\nA title\n{B}\nAnother".encode("utf-16-be")),
        ("text/x-moz-url", f"{A}\nA title\n{B}\nAnother".encode("utf-16-le") + b"x"),
        ("text/x-moz-text-internal", f"{A}\n{B}".encode("utf-16-le")),
        ("application/x-moz-file-promise-url", f"{A}\n{B}".encode("utf-16-le")),
        ("UTF8_STRING", f"{A} {B}"),
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
        ("https://en.wikipedia.org/wiki/霧笛_(船舶)。次の文", ("https://en.wikipedia.org/wiki/霧笛_(船舶)",)),
        ("пример.рф/путь", ("пример.рф/путь",)),
        ("localhost:8000/x", ("localhost:8000/x",)),
        ("127.0.0.1:8000/", ("127.0.0.1:8000/",)),
        ("https://example.org/100%/%ZZ", ("https://example.org/100%/%ZZ",)),
        ("no link in here", ()),
        ("me@example.org", ()),
        ("Node.js", ()),
        ("report.pdf", ()),
        ("readme.md", ()),
        ("www.x", ()),
        ("https://[::1/x and https://example.org:99999/", ()),
        ("The address blob:https://example.org/1 is none", ()),
        ("xhttps://example.org/", ()),
        ("https://example.org/" + "x" * 9000, ()),
        ("version 1.2.3", ()),
        ("https://", ()),
    ],
)
def test_links_are_found_in_text(text: str, links: tuple[str, ...]) -> None:
    assert from_text(text).links == links


@pytest.mark.parametrize(
    ("html", "links"),
    [
        (f'<p>See <a href="{B}">this</a>, or {B}2<b>3</b>.</p><p>And {B}4</p>', (B, f"{B}23", f"{B}4")),
        (f"<a class=x href={B}>{B}lo…</a>", (B,)),
        ("<a href='/relative'>x</a> <a name=here>y</a> <a href=javascript:void(0)>z</a>", ()),
        ("<!--StartFragment--><A\nHREF='https://example.org/?a=1&amp;b=2'>x</A><!--EndFragment-->",
         ("https://example.org/?a=1&b=2",)),
        (f"<style>a {{ background: url({B}) }}</style><script>'{A}'</script><!-- {A} --><p>words</p>", ()),
    ],
)  # fmt: skip
def test_links_are_found_in_html(html: str, links: tuple[str, ...]) -> None:
    assert links_and_files(shaped("text/html", html)).links == links


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<a href=", "<a href='", "<![CDATA[", "https://x.org/)", "a.", "<"]
)
def test_what_was_made_to_keep_us_busy_does_not(piece: str) -> None:
    """Anything but linear work on this would take hours."""
    assert len(links_and_files(shaped("text/html", piece * 200_000)).links) <= 1
    assert len(links_and_files(shaped("text/plain", piece * 200_000)).links) <= 1


def test_two_spellings_of_an_address_are_one_link() -> None:
    spelled = shaped("text/x-moz-url", "https://bücher.example\nTitle".encode("utf-16-le"))
    spelled.setData("text/uri-list", b"https://xn--bcher-kva.example/\r\n")
    assert len(links_and_files(spelled).links) == 1


def test_a_shortcut_that_is_not_yet_on_disk_gives_its_link() -> None:
    contents = f"[InternetShortcut]\r\nURL={A}\r\n"
    assert links_and_files(shaped('application/x-qt-windows-mime;value="FileContents"', contents)).links == (
        A,
    )


def test_files_of_gnome_and_kde_are_the_same_files(tmp_path: Path) -> None:
    address = QUrl.fromLocalFile(str(tmp_path / "a note #1.md")).toString(
        QUrl.ComponentFormattingOption.FullyEncoded
    )
    made = shaped("x-special/gnome-copied-files", f"copy\n{address}")
    made.setData("text/uri-list", f"# comment\r\n{address}\r\n".encode())
    made.setData("application/x-kde4-urilist", f"{address}\r\n".encode())
    assert links_and_files(made).files == (str(tmp_path / "a note #1.md"),)


def test_a_file_on_another_computer_is_reported() -> None:
    dropped = links_and_files(shaped("text/uri-list", "file://server/share/a.md"))
    assert dropped.refused == ("This file is on another computer; copy it to this one first.",)


@pytest.mark.parametrize(
    "name",
    [
        "a.html",
        "B.HTM",
        "c.xhtml",
        "notes.md",
        "n.markdown",
        "über uns.TXT",
        "p.pdf",
        "w.DOCX",
        "b.epub",
        "s.mhtml",
        "s.MHT",
    ],
)
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
        ("page.url", f"[InternetShortcut]\r\nURL={A}\r\n".encode("utf-16")),
        ("page.desktop", f"[Desktop Entry]\nType=Link\nURL[$e]={A}\n".encode()),
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
        ("odd.url", b"[InternetShortcut]\nURL\n  indented\n"),
        ("broken.webloc", b"<plist"),
        ("date.webloc", b"<plist><dict><key>URL</key><date>x</date></dict></plist>"),
        ("deep.webloc", b"<plist>" + b"<array>" * 5000),
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


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe.url"
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes among files here")
    os.mkfifo(path)
    assert link_in(path) is None


def test_no_file_is_touched_at_first_sight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link, note, folder = tmp_path / "page.url", tmp_path / "note.md", tmp_path / "papers.md"
    link.write_text(f"[InternetShortcut]\nURL={A}\n", "utf-8")
    note.write_text("words", "utf-8")
    folder.mkdir()
    held = shaped("text/uri-list", "\r\n".join(path.as_uri() for path in (link, note, folder)))
    with monkeypatch.context() as patched:
        for name in ("stat", "is_dir", "is_file", "exists", "open", "resolve"):
            patched.setattr(Path, name, lambda *_given, **_named: pytest.fail("a file was touched"))
        seen = at_first_sight(held)
    assert seen.files == (str(link), str(note), str(folder))
    found = looked_into(seen)
    assert found == links_and_files(held)
    assert (found.links, found.files, found.folders) == ((A,), (str(note),), (str(folder),))


@pytest.mark.parametrize("name", ["Papers", "release-1.2", "My.Notes and more", "v2.0.1"])
def test_what_may_be_a_folder_is_one_at_first_sight(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    seen = at_first_sight(shaped("text/uri-list", (tmp_path / name).as_uri()))
    assert (seen.given, seen.folders) == ((), (str(tmp_path / name),))
    assert seen.is_wanted
    assert seen.sentence() == "Release to see what is in 1 folder."
    assert looked_into(seen).folders == seen.folders


def test_links_files_and_folders_are_counted_together(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("x")
    made = QMimeData()
    made.setUrls([QUrl(A), QUrl.fromLocalFile(str(tmp_path / "note.md")), QUrl.fromLocalFile(str(tmp_path))])
    assert links_and_files(made).sentence() == "Release to add 1 link, 1 file and 1 folder."


def test_a_file_without_an_ending_is_no_folder_after_all(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:")
    found = links_and_files(shaped("text/uri-list", (tmp_path / "Makefile").as_uri()))
    assert not found.is_wanted
    assert found.refused == ("This kind of file cannot be read: Makefile",)


def test_folders_are_taken_and_other_kinds_refused(tmp_path: Path) -> None:
    (tmp_path / "scan.xlsx").write_bytes(b"PK")
    (tmp_path / "note.md").write_text("x")
    made = QMimeData()
    made.setUrls(
        [QUrl.fromLocalFile(str(one)) for one in (tmp_path, tmp_path / "scan.xlsx", tmp_path / "note.md")]
    )
    dropped = links_and_files(made)
    assert dropped.files == (str(tmp_path / "note.md"),)
    assert dropped.folders == (str(tmp_path),)
    assert dropped.refused == ("This kind of file cannot be read: scan.xlsx",)


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


def test_a_file_whose_name_is_not_utf_8_is_refused_for_its_name(tmp_path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromEncoded(tmp_path.as_uri().encode() + b"/caf%E9.md")])
    dropped = links_and_files(mime)
    assert dropped.given == ()
    assert dropped.refused == (
        "The name of caf\ufffd.md holds something that cannot be read (it is not UTF-8). Rename it first.",
    )
